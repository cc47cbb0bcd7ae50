#ifndef GITSPACE_CGIO_SHIM_H
#define GITSPACE_CGIO_SHIM_H

#include <gio/gio.h>

#endif
