#!/usr/bin/python3
"""scripted-service.py: a Secret Service with one item and a scripted fault.

Usage: scripted-service.py MODE    (on a bus without a provider; ends when its stdin does)
  The item is of the host ghe.test.
  open            the item is open: nothing misbehaves
  unlocks         the item is locked, and refuses a secret; a prompt unlocks it
  dismisses       … the prompt is dismissed by the person, with an empty list as its result
  dismisses-bare  … dismissed, with a result of no use, after which libsecret by itself never completes
  never           … the prompt never completes, nor does it listen to Dismiss
  slow-dismiss    … the prompt stays open until it is told to go away
  still-locked    Unlock says that it has unlocked the item, which stays locked
  hides           the keyring is locked, and its search shows nothing; a prompt unlocks it
  keepassxc       … the same, by a program that has KeePassXC's other name on the bus, too
  front           … as by KeePassXC, while a second one is open: the search shows nothing of the locked one, and no dialog
  empties         the search lists the item as unlocked, which is locked by then: its secret comes without a byte
  says-open       the search lists the item as unlocked, yet its secret is refused as locked
  no-secret       the item is open, but there is no secret in the answer
  gone            the search lists a second item that does not exist
  twice           the search lists the item twice
  forgets         what is saved is not what is read
  restarts        the service ends when it is first to create an item, and is started again
  rival           another process creates the same item at the same moment, and its path is the first of the two
  by-prompt       creating and deleting go through prompts that complete by themselves, as with KeePassXC
  no-collection   there is no collection, and the prompt that would make one is dismissed
  not-ready       the collection is listed, and is the default one, but does not exist, as in the first session after PAM
                  has made it (gnome-keyring 42 and 48)
  makes-one       there is no collection, and the prompt makes one
  refuses-session every other session is refused, as by KWallet if the public key begins with a zero
  no-plugin       every session is refused, as by KWallet where QCA has no plugin for libcrypto
  forgets-session every other session is forgotten at once
  garbles-session in every other session neither side can decrypt what the other sends, as with KWallet if the secret of
                  both begins with a zero: a secret that is read is lost, a new item is made without one
  denies          every call is refused: AccessDenied
  nonsense        every call is answered with a number, whatever was asked
  hangs           no call is ever answered
  dies            the service ends when it is asked for the secret
  garbage         the secret is neither text nor a credential
  huge            the secret has two million bytes
  two             there are two items with the same attributes
  planted         the item has fewer attributes than were asked for, and is listed all the same
  overtaken       sessions and secrets take their time, and what is asked after them is answered before them, as by
                  pass-secret-service
Each call is a line on stdout: interface and method.
"""

import os
import sys

import dbus
import dbus.lowlevel
import dbus.service
from gi.repository import GLib

sys.dont_write_bytecode = True
from scripted_bus import serve  # noqa: E402

HOST = "ghe.test"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
PROMPT = "org.freedesktop.Secret.Prompt"
PROPERTIES = "org.freedesktop.DBus.Properties"
ROOT = "/org/freedesktop/secrets"
LOGIN = ROOT + "/collection/login"
SECOND = ROOT + "/collection/second"
FIRST = LOGIN + "/1"

mode = sys.argv[1] if len(sys.argv) == 2 else sys.exit(__doc__)
SECRETS = {"garbage": b"\xff\xfe\x00quit=1\n\x1b[2J", "huge": b"a" * 2_000_000}
HIDING = {"hides", "keepassxc", "front"}
LOCKED = {"unlocks", "dismisses", "dismisses-bare", "never", "slow-dismiss", "still-locked", "empties"} | HIDING


class SecretError(dbus.DBusException):
    """An error with a name of the service's own."""

    def __init__(self, name):
        super().__init__("", name="org.freedesktop.Secret.Error." + name)


def say(interface, method):
    print(interface, method, flush=True)


class Object(dbus.service.Object):
    """An object with properties; libsecret always requests all of them."""

    def properties(self):
        return {}

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        say(interface, "GetAll")
        return dbus.Dictionary(self.properties(), signature="sv")

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        # Modes other than this test the full program; only the front door calls in this way.
        if mode != "overtaken":
            raise dbus.DBusException("", name="org.freedesktop.DBus.Error.UnknownMethod")
        say(interface, "Get " + name)
        return self.properties()[name]


def in_time(answer, reply, fail):
    """Answers a call, in some modes later than the calls that were sent with it."""

    def run():
        try:
            reply(*answer())
        except dbus.DBusException as error:
            fail(error)
        return False

    if mode == "overtaken":
        GLib.timeout_add(20, run)
    else:
        run()


class Prompt(Object):
    """A prompt that completes with a given result, as the mode says."""

    count = 0

    def __init__(self, bus, result, completed=lambda: None):
        Prompt.count += 1
        self.path = f"{ROOT}/prompt/p{Prompt.count}"
        super().__init__(bus, self.path)
        self._result, self._completed = result, completed

    @dbus.service.method(PROMPT, in_signature="s", out_signature="")
    def Prompt(self, window):
        say(PROMPT, "Prompt")
        if mode not in ("never", "slow-dismiss"):
            GLib.idle_add(self._complete)

    @dbus.service.method(PROMPT, in_signature="", out_signature="")
    def Dismiss(self):
        say(PROMPT, "Dismiss")
        if mode == "slow-dismiss":
            self.Completed(True, dbus.Array([], signature="o"))

    def _complete(self):
        if mode == "dismisses":
            self.Completed(True, dbus.Array([], signature="o"))
        elif mode == "dismisses-bare":
            self.Completed(True, dbus.String(""))
        elif mode == "no-collection":
            self.Completed(True, dbus.ObjectPath("/"))
        else:
            self._completed()
            self.Completed(False, self._result)

    @dbus.service.signal(PROMPT, signature="bv")
    def Completed(self, dismissed, result):
        pass


class Item(Object):
    def __init__(self, bus, path, attributes, secret):
        super().__init__(bus, path)
        self.path, self.attributes, self.secret = path, attributes, secret
        self.locked = mode in LOCKED

    def properties(self):
        return {
            "Attributes": dbus.Dictionary(self.attributes, signature="ss"),
            "Label": "scripted",
            "Locked": dbus.Boolean(self.locked),
            "Created": dbus.UInt64(1),
            "Modified": dbus.UInt64(1),
        }

    @dbus.service.method(ITEM, in_signature="(oayays)", out_signature="")
    def SetSecret(self, secret):
        say(ITEM, "SetSecret")
        service.check(secret[0])
        if mode == "unlocks" and self.locked:
            raise SecretError("IsLocked")
        if service.garbles(secret[0]):
            raise dbus.DBusException("", name="org.freedesktop.DBus.Error.UnknownObject")
        if mode != "forgets":
            self.secret = bytes(secret[2])

    @dbus.service.method(ITEM, in_signature="", out_signature="o")
    def Delete(self):
        say(ITEM, "Delete")
        if mode == "by-prompt":
            return Prompt(service.bus, dbus.ObjectPath("/"), lambda: service.drop(self)).path
        service.drop(self)
        return "/"


class Collection(Object):
    def properties(self):
        return {"Label": "login", "Locked": dbus.Boolean(mode in LOCKED and not service.is_unlocked)}

    @dbus.service.method(COLLECTION, in_signature="a{sv}(oayays)b", out_signature="oo")
    def CreateItem(self, properties, secret, replace):
        say(COLLECTION, "CreateItem")
        service.check(secret[0])
        if mode == "restarts" and not service.has_restarted:
            service.has_restarted = True
            # The bus returns this error for a program that has ended.
            raise dbus.DBusException("", name="org.freedesktop.DBus.Error.NoReply")
        path = f"{LOGIN}/{len(service.items) + 1}"
        if mode == "rival":
            rival = Item(service.bus, LOGIN + "/0", properties[ITEM + ".Attributes"], b"the rival's")
            service.items.append(rival)
        item = Item(service.bus, path, properties[ITEM + ".Attributes"], bytes(secret[2]))
        item.locked = mode in LOCKED and not service.is_unlocked
        if service.garbles(secret[0]):
            item.secret = b""
            service.items.append(item)
            raise dbus.DBusException("", name="org.qtproject.QtDBus.Error.InvalidObjectPath")
        if mode == "forgets":
            item.secret = b"another"
        service.items.append(item)
        if mode == "by-prompt":
            return "/", Prompt(service.bus, dbus.ObjectPath(path)).path
        return path, "/"


class OpenCollection(Object):
    def properties(self):
        return {"Label": "second", "Locked": dbus.Boolean(False)}


class Service(Object):
    def __init__(self, bus):
        super().__init__(bus, ROOT)
        self.is_unlocked, self.sessions, self.has_restarted = False, 0, False
        self.bus, self.has_collection = bus, mode not in ("no-collection", "makes-one")
        self.has_object = self.has_collection and mode != "not-ready"
        attributes = {"protocol": "https", "server": HOST, "user": "octocat"}
        attributes["xdg:schema"] = "org.git.Password"
        if mode == "planted":
            attributes = {"server": HOST}
        self.items = [Item(bus, FIRST, attributes, SECRETS.get(mode, b"token"))]
        if mode == "two":
            self.items.append(Item(bus, LOGIN + "/2", attributes, b"token"))
        self.collection = self.make_collection() if self.has_object else None
        self.second = OpenCollection(bus, SECOND) if mode == "front" else None

    def properties(self):
        paths = [LOGIN] if self.has_collection else []
        return {"Collections": dbus.Array(paths + ([SECOND] if self.second else []), signature="o")}

    def make_collection(self):
        return [Collection(self.bus, LOGIN), Collection(self.bus, ROOT + "/aliases/default")]

    def drop(self, item):
        item.remove_from_connection()
        self.items.remove(item)

    def _unlock(self):
        self.is_unlocked = True
        for item in self.items:
            item.locked = False

    @dbus.service.method(SERVICE, in_signature="sv", out_signature="vo", async_callbacks=("reply", "fail"))
    def OpenSession(self, algorithm, value, reply, fail):
        def answer():
            if algorithm != "plain":
                raise dbus.DBusException("", name="org.freedesktop.DBus.Error.NotSupported")
            self.sessions += 1
            if mode == "refuses-session" and self.sessions % 2:
                raise dbus.DBusException("the key is too short", name="org.freedesktop.DBus.Error.InvalidArgs")
            if mode == "no-plugin":
                words = "createDLGroup failed: maybe libqca-ossl is missing"
                raise dbus.DBusException(words, name="org.freedesktop.DBus.Error.InvalidArgs")
            return dbus.String("", variant_level=1), f"{ROOT}/session/{self.sessions}"

        say(SERVICE, "OpenSession " + algorithm)
        in_time(answer, reply, fail)

    @dbus.service.method(SERVICE, in_signature="a{ss}", out_signature="aoao")
    def SearchItems(self, wanted):
        say(SERVICE, "SearchItems")
        found = [item for item in self.items if wanted.items() <= item.attributes.items() or mode == "planted"]
        if mode in HIDING and not self.is_unlocked:
            found = []
        unlocked = [item.path for item in found if not item.locked]
        locked = [item.path for item in found if item.locked]
        if mode == "gone" and found:
            unlocked.append(LOGIN + "/gone")
        if mode == "empties":
            unlocked, locked = locked, unlocked
        if mode == "twice":
            unlocked, locked = unlocked * 2, unlocked
        return unlocked, locked

    @dbus.service.method(
        SERVICE, in_signature="aoo", out_signature="a{o(oayays)}", async_callbacks=("reply", "fail")
    )
    def GetSecrets(self, paths, session, reply, fail):
        say(SERVICE, "GetSecrets")
        in_time(lambda: (self._secrets(paths, session),), reply, fail)

    def check(self, session):
        if mode == "forgets-session" and int(session.rpartition("/")[2]) % 2:
            raise SecretError("NoSession")

    def garbles(self, session):
        return mode == "garbles-session" and int(session.rpartition("/")[2]) % 2

    def _secrets(self, paths, session):
        self.check(session)
        if mode == "says-open":
            raise SecretError("IsLocked")
        if mode == "dies":
            os._exit(1)
        by_path = {item.path: item for item in self.items}
        if any(path not in by_path for path in paths):
            raise SecretError("NoSuchObject")
        secrets = dbus.Dictionary(signature="o(oayays)")
        for path in paths:
            item = by_path[path]
            if item.locked and mode == "still-locked":
                raise SecretError("IsLocked")
            if mode != "no-secret" and not item.locked and not self.garbles(session):
                parts = (session, dbus.ByteArray(b""), dbus.ByteArray(item.secret), "text/plain")
                secrets[dbus.ObjectPath(path)] = dbus.Struct(parts, signature="oayays")
            if mode == "empties":
                parts = (session, dbus.ByteArray(b""), dbus.ByteArray(b""), "text/plain")
                secrets[dbus.ObjectPath(path)] = dbus.Struct(parts, signature="oayays")
        return secrets

    @dbus.service.method(SERVICE, in_signature="ao", out_signature="aoo")
    def Unlock(self, paths):
        say(SERVICE, "Unlock")
        if mode in ("open", "still-locked"):
            return paths, "/"
        return dbus.Array([], signature="o"), Prompt(self.bus, dbus.Array(paths, signature="o"), self._unlock).path

    @dbus.service.method(SERVICE, in_signature="s", out_signature="o")
    def ReadAlias(self, alias):
        say(SERVICE, "ReadAlias " + alias)
        return LOGIN if alias == "default" and self.has_collection else "/"

    @dbus.service.method(SERVICE, in_signature="a{sv}s", out_signature="oo")
    def CreateCollection(self, properties, alias):
        say(SERVICE, "CreateCollection")

        def completed():
            self.has_collection, self.collection = True, self.make_collection()

        return "/", Prompt(self.bus, dbus.ObjectPath(LOGIN), completed).path


def misbehave(bus, message):
    """Answers a call in place of the objects, or ignores it."""
    if mode not in ("denies", "nonsense", "hangs"):
        return False
    say(message.get_interface(), message.get_member())
    if mode == "denies":
        bus.send_message(dbus.lowlevel.ErrorMessage(message, "org.freedesktop.DBus.Error.AccessDenied", "no"))
    elif mode == "nonsense":
        answer = dbus.lowlevel.MethodReturnMessage(message)
        answer.append(dbus.UInt32(42))
        bus.send_message(answer)
    return True


def offer(bus):
    global service, window
    if mode in ("keepassxc", "front"):
        window = dbus.service.BusName("org.keepassxc.KeePassXC.MainWindow", bus)
    service = Service(bus)


serve("org.freedesktop.secrets", offer, answers_before=misbehave)
