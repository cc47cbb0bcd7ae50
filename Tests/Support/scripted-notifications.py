#!/usr/bin/python3
"""scripted-notifications.py: a notification service that shows nothing, and prints what it was asked to show.

Usage: scripted-notifications.py MODE    (on a session bus; ends when its stdin does)
  full       has buttons and markup, and keeps a resident notification when a button is pressed
  forgetful  … but closes every notification when a button is pressed, and reports it as dismissed
  plain      has neither buttons nor markup
  silent     owns the name, and never answers
  stuck      answers questions about its abilities, and never answers Notify
Each call is printed as a line of JSON. A line on stdin is a person's action on the last notification:
  press KEY | dismiss | expire
  press KEY NUMBER    on another program's notification, which it closes; some services tell every client
Each action is printed as a line of JSON too, after its signals were sent.
"""

import json
import sys

import dbus
import dbus.service

sys.dont_write_bytecode = True
from scripted_bus import serve  # noqa: E402

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"

mode = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
EXPIRED, DISMISSED, CLOSED = 1, 2, 3


def say(**call):
    print(json.dumps(call), flush=True)


class Notifications(dbus.service.Object):
    def __init__(self, bus):
        super().__init__(bus, PATH)
        self.last, self.open = 0, {}

    @dbus.service.method(NAME, in_signature="", out_signature="as")
    def GetCapabilities(self):
        return dbus.Array([] if mode == "plain" else ["actions", "body", "body-markup"], signature="s")

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u", async_callbacks=("answer", "refuse"))
    def Notify(self, application, replaced, icon, summary, body, actions, hints, expiry, answer, refuse):
        if replaced not in self.open:
            replaced = 0
        number = replaced or max(self.open, default=self.last) + 1
        self.last = number
        self.open[number] = bool(hints.get("resident", False))
        say(
            call="Notify", number=int(number), replaced=int(replaced), summary=str(summary), body=str(body),
            actions=[str(action) for action in actions], urgency=int(hints["urgency"]), expiry=int(expiry))
        if mode != "stuck":
            answer(dbus.UInt32(number))

    @dbus.service.method(NAME, in_signature="u", out_signature="")
    def CloseNotification(self, number):
        say(call="CloseNotification", number=int(number))
        self.close(number, CLOSED)

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    def close(self, number, reason):
        if self.open.pop(number, None) is not None:
            self.NotificationClosed(dbus.UInt32(number), dbus.UInt32(reason))

    def act(self, words):
        number = dbus.UInt32(self.last)
        if len(words) > 2:
            number = dbus.UInt32(int(words[2]))
            self.open[number] = False
        if words[0] == "press":
            is_resident = self.open.get(number) and mode != "forgetful"
            self.ActionInvoked(number, words[1])
            if not is_resident:
                self.close(number, DISMISSED)
        elif words[0] == "dismiss":
            self.close(number, DISMISSED)
        elif words[0] == "expire":
            self.close(number, EXPIRED)
        say(call="person", act=" ".join(words))


def fall_silent(bus, message):
    """Ignores every call."""
    if mode == "silent":
        say(call=message.get_member())
    return mode == "silent"


def offer(bus):
    global service
    service = Notifications(bus)


serve(NAME, offer, answers_before=fall_silent, hear=lambda line: service.act(line.split()))
