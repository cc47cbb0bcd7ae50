#!/usr/bin/python3
"""scripted-screensaver.py: reports a screen as locked or unlocked.

Usage: scripted-screensaver.py MODE    (on a session bus; ends when its stdin does)
  open     the screen is unlocked
  locked   the screen is locked
  hinted   … but only logind, which is on this bus too, says so
  silent   owns the name, and never answers
Lines on stdin change the state: open | locked | hinted | silent
"""

import sys

import dbus
import dbus.service

sys.dont_write_bytecode = True
from scripted_bus import serve  # noqa: E402

NAME = "org.freedesktop.ScreenSaver"

mode = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)


class ScreenSaver(dbus.service.Object):
    @dbus.service.method(NAME, in_signature="", out_signature="b")
    def GetActive(self):
        return mode == "locked"


class LoginSession(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return mode == "hinted" and (interface, name) == ("org.freedesktop.login1.Session", "LockedHint")


def change(line):
    global mode
    mode = line.strip()
    print(mode, flush=True)


def offer(bus):
    global services
    services = [
        ScreenSaver(bus, "/org/freedesktop/ScreenSaver"),
        LoginSession(bus, "/org/freedesktop/login1/session/auto"),
        dbus.service.BusName("org.freedesktop.login1", bus),
    ]


serve(NAME, offer, answers_before=lambda bus, message: mode == "silent", hear=change)
