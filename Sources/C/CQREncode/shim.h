#ifndef GITSPACE_CQRENCODE_SHIM_H
#define GITSPACE_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
