#ifndef GITSPACE_CGLIB_SHIM_H
#define GITSPACE_CGLIB_SHIM_H

/* GLib with GObject and GIO: calls over the session bus, and what the desktop opens an address with. */
#include <gio/gio.h>

/* Flags by names of ours: since GLib 2.90 their types are enumerations of flags (G_GNUC_FLAG_ENUM), which Swift takes for
 * option sets, and then it has no constant of its C name. */
static const GDBusConnectionFlags gitspace_bus_client =
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;
static const GDBusCallFlags gitspace_call_none = G_DBUS_CALL_FLAGS_NONE;
static const GDBusCallFlags gitspace_call_no_auto_start = G_DBUS_CALL_FLAGS_NO_AUTO_START;
static const GDBusSignalFlags gitspace_signal_none = G_DBUS_SIGNAL_FLAGS_NONE;
static const GTypeFlags gitspace_type_none = (GTypeFlags)0;

#endif
