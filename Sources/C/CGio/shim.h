#ifndef GITSPACE_CGIO_SHIM_H
#define GITSPACE_CGIO_SHIM_H

/* GIO: what the desktop offers over the session bus, and what it opens an address with. */
#include <gio/gio.h>

#endif
