"""scripted_bus.py: the common part of the scripted services.

The distribution's own python3 runs them: the D-Bus bindings (python3-dbus) exist only for that one.
"""

import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)


def serve(name, objects, answers_before=lambda bus, message: False, hear=lambda line: None):
    """Offers objects under a name of the session's bus until stdin ends.

    objects         makes them, given the bus, and keeps them
    answers_before  sees each call before they do; true if nobody else may answer it
    hear            is given each line of stdin
    """
    bus = dbus.SessionBus()
    objects(bus)

    def look(bus, message):
        is_call = isinstance(message, dbus.lowlevel.MethodCallMessage)
        taken = is_call and answers_before(bus, message)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED if taken else dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED

    def listen(*_):
        text = os.read(sys.stdin.fileno(), 4096).decode()
        for line in text.splitlines():
            hear(line)
        if not text:
            loop.quit()
        return bool(text)

    bus.add_message_filter(look)
    # Claimed last: when a client sees the name, everything is ready.
    _claimed = dbus.service.BusName(name, bus)
    loop = GLib.MainLoop()
    # The process that started this script holds the other end of its stdin.
    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, listen)
    loop.run()
