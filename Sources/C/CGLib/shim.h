#ifndef GITSPACE_CGLIB_SHIM_H
#define GITSPACE_CGLIB_SHIM_H

/* GLib with GObject and GIO: calls over the session bus, and what the desktop opens an address with. */
#include <gio/gio.h>

#endif
