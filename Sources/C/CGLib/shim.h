#ifndef GITSPACE_CGLIB_SHIM_H
#define GITSPACE_CGLIB_SHIM_H

/* GLib with GObject and GIO, for calls over the session bus, and for opening an address on the desktop. */
#include <gio/gio.h>

/* Flags under our own names: since GLib 2.90, their types are enumerations of flags (G_GNUC_FLAG_ENUM), which Swift
 * imports as option sets without the C names. */
static const GDBusConnectionFlags gitspace_bus_client =
    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION;
static const GDBusCallFlags gitspace_call_none = G_DBUS_CALL_FLAGS_NONE;
static const GDBusCallFlags gitspace_call_no_auto_start = G_DBUS_CALL_FLAGS_NO_AUTO_START;
static const GDBusSignalFlags gitspace_signal_none = G_DBUS_SIGNAL_FLAGS_NONE;
static const GTypeFlags gitspace_type_none = (GTypeFlags)0;

#endif
