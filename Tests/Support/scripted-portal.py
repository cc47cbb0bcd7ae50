#!/usr/bin/python3
"""scripted-portal.py: a desktop's portal for pages (XDG Desktop Portal, "OpenURI") with a scripted result.

Usage: scripted-portal.py MODE    (on a session bus; ends when its stdin does)
  opens    reports that the page is open
  refuses  reports that the person has declined
  silent   accepts the request, and never answers
Each request is printed as a line: the address of the page.
"""

import sys

import dbus
import dbus.lowlevel
import dbus.service
from gi.repository import GLib

sys.dont_write_bytecode = True
from scripted_bus import serve  # noqa: E402

NAME = "org.freedesktop.portal.Desktop"
ROOT = "/org/freedesktop/portal/desktop"

mode = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)


class Portal(dbus.service.Object):
    @dbus.service.method(
        "org.freedesktop.portal.OpenURI", in_signature="ssa{sv}", out_signature="o", sender_keyword="sender"
    )
    def OpenURI(self, window, address, options, sender):
        print(address, flush=True)
        path = f"{ROOT}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        response = dbus.lowlevel.SignalMessage(path, "org.freedesktop.portal.Request", "Response")
        response.append(dbus.UInt32(mode == "refuses"), dbus.Dictionary(signature="sv"))
        # Sent only to the client, and after the reply that names the request.
        response.set_destination(sender)
        if mode != "silent":
            GLib.idle_add(lambda: self.connection.send_message(response) and False)
        return path


def offer(bus):
    global portal
    portal = Portal(bus, ROOT)


serve(NAME, offer)
