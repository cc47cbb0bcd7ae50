#!/usr/bin/python3
"""keyring-control.py: changes the state of with-keyring.sh's private keyring, as a person would through prompts.

Usage: keyring-control.py lock | unlock | is-locked | create-collection LABEL | make-default NAME |
       delete-collection | items | put | serve
  lock               locks the default collection
  unlock             unlocks it with KEYRING_PASSWORD, without a prompt
  is-locked          exit status 0 if it is locked, 1 if it is open
  create-collection  makes another collection, open, with KEYRING_PASSWORD, and makes it the default one
  make-default       makes the collection with this name in its path the default one
  delete-collection  deletes the default collection; then there is none
  items              prints the items of the default collection as JSON: label, attributes, secret (null if locked)
  put                replaces or makes an item of the default collection; standard input has its label, attributes and secret
                     as JSON, as items prints them
  serve              prints a socket's path, and serves each client there in a process of its own until standard input
                     ends: to start costs more than to act. A client's first line has the environment of its session,
                     a JSON object, and each other the arguments and the input, a JSON list; the answer is a line with
                     the exit status and the output, a JSON list
Exit status 2: it failed and said why; 64: wrong usage.

The distribution's own python3 runs it: the bindings for D-Bus (python3-dbus) are made for that one only. A tool like
gdbus would not do: the secret travels in a session that ends with the connection, so that all calls must share one.
"""

import contextlib
import io
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time

import dbus

SERVICE = "org.freedesktop.secrets"
PATH = "/org/freedesktop/secrets"
COLLECTION = "org.freedesktop.Secret.Collection"
PROPERTIES = "org.freedesktop.DBus.Properties"
# gnome-keyring's interface for tests, which takes a password without a prompt.
UNPROMPTED = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"


def fail(message):
    """Ends the program with a message and status 2, since 1 is an answer of is-locked."""
    print(f"keyring-control.py: {message}", file=sys.stderr)
    sys.exit(2)


class Keyring:
    """The Secret Service of the private session."""

    def __init__(self):
        self._bus = dbus.SessionBus()
        self._service = self._interface(PATH, "org.freedesktop.Secret.Service")
        self._unprompted = self._interface(PATH, UNPROMPTED)

    def _interface(self, path, name):
        # Introspection is unnecessary: each argument has its type here.
        return dbus.Interface(self._bus.get_object(SERVICE, path, introspect=False), name)

    def _default(self):
        """The collection behind the alias "default".

        gnome-keyring reads its files again when they have changed, and on a busy machine it can be seen without any.
        """
        end = time.monotonic() + 3
        path = self._service.ReadAlias("default")
        while path == "/":
            if time.monotonic() > end:
                fail("there is no default collection")
            time.sleep(0.05)
            path = self._service.ReadAlias("default")
        return path

    def _session(self):
        """A new session without encryption."""
        # Call something else first: OpenSession as the first call of a connection can abort gnome-keyring.
        self._service.ReadAlias("default")
        _, session = self._service.OpenSession("plain", dbus.String("", variant_level=1))
        return session

    def _password(self):
        """KEYRING_PASSWORD as the Secret Service's structure, in a new session."""
        session = self._session()
        value = os.environ["KEYRING_PASSWORD"].encode()
        return dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(value), "text/plain"), signature="oayays")

    def lock(self):
        self._service.Lock([self._default()])

    def unlock(self):
        self._unprompted.UnlockWithMasterPassword(self._default(), self._password())

    def is_locked(self):
        """Ends the program; the exit status is the answer."""
        locked = self._interface(self._default(), PROPERTIES).Get(COLLECTION, "Locked")
        sys.exit(0 if locked else 1)

    def create_collection(self, label):
        properties = {f"{COLLECTION}.Label": dbus.String(label, variant_level=1)}
        path = self._unprompted.CreateWithMasterPassword(properties, self._password())
        self._service.SetAlias("default", path)

    def make_default(self, name):
        self._service.SetAlias("default", dbus.ObjectPath(f"{PATH}/collection/{name}"))

    def delete_collection(self):
        prompt = self._interface(self._default(), COLLECTION).Delete()
        if prompt != "/":
            fail("the service wants to ask a person before it deletes the collection")

    def put(self, text):
        item = json.loads(text)
        attributes = dbus.Dictionary(item["attributes"], signature="ss", variant_level=1)
        label = dbus.String(item["label"], variant_level=1)
        properties = {"org.freedesktop.Secret.Item.Label": label, "org.freedesktop.Secret.Item.Attributes": attributes}
        secret = dbus.Struct(
            (self._session(), dbus.ByteArray(b""), dbus.ByteArray(item["secret"].encode()), "text/plain"),
            signature="oayays")
        self._interface(self._default(), COLLECTION).CreateItem(properties, secret, True)

    def items(self):
        properties = self._interface(self._default(), PROPERTIES)
        paths = dbus.Array(map(dbus.ObjectPath, properties.Get(COLLECTION, "Items")), signature="o")
        locked = properties.Get(COLLECTION, "Locked")
        secrets = {} if locked else self._service.GetSecrets(paths, self._session())
        print(json.dumps([self._item(path, secrets.get(path)) for path in paths]))

    def _item(self, path, secret):
        """An item's public properties, and its secret as text."""
        properties = self._interface(path, PROPERTIES).GetAll("org.freedesktop.Secret.Item")
        return {
            "label": properties["Label"],
            "attributes": properties["Attributes"],
            "secret": None if secret is None else bytes(secret[2]).decode("utf-8", "replace"),
        }


def run(arguments, read):
    """Runs one command; `read` returns the input."""
    actions = {
        ("lock", 0): Keyring.lock,
        ("unlock", 0): Keyring.unlock,
        ("is-locked", 0): Keyring.is_locked,
        ("create-collection", 1): Keyring.create_collection,
        ("make-default", 1): Keyring.make_default,
        ("delete-collection", 0): Keyring.delete_collection,
        ("items", 0): Keyring.items,
        ("put", 0): lambda keyring: keyring.put(read()),
    }
    action = actions.get((arguments[0], len(arguments) - 1)) if arguments else None
    if action is None:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    # Protects a person's own keyring: only with-keyring.sh sets this variable.
    if "KEYRING_PID" not in os.environ:
        fail("works only inside with-keyring.sh")
    try:
        action(Keyring(), *arguments[1:])
    except dbus.DBusException as error:
        fail(f"{error.get_dbus_name()}: {error.get_dbus_message()}")


def serve():
    # Readable only for us: a client's commands run as our user.
    with tempfile.TemporaryDirectory(prefix="keyring-control.", dir="/tmp") as folder, socket.socket(
        socket.AF_UNIX
    ) as listener:
        listener.bind(folder + "/socket")
        listener.listen()
        print(folder + "/socket", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while sys.stdin not in select.select([sys.stdin, listener], [], [])[0]:
            client, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                answer(client)
                os._exit(0)
            client.close()


def answer(client):
    lines = client.makefile("rw")
    os.environ.clear()
    os.environ.update(json.loads(lines.readline()))
    for line in lines:
        arguments, text = json.loads(line)
        output = io.StringIO()
        status = 0
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                run(arguments, lambda: text)
            except SystemExit as end:
                status = end.code
        print(json.dumps([status, output.getvalue()]), file=lines, flush=True)


if sys.argv[1:] == ["serve"]:
    serve()
else:
    run(sys.argv[1:], sys.stdin.read)
