#!/usr/bin/python3
"""scripted-share.py: a machine with a keyring, as far as a socket shows it, that answers as it is told.

Usage: scripted-share.py MODE SOCKET    (ends when its stdin does)
  answers   a credential that is valid for an hour
  endless   a credential that does not expire
  lies      the same, with everything that is none of its business, and lines of another helper's
  other     a credential of another account than was asked for
  twice     a credential with two passwords
  control   a credential whose name would move the cursor
  expired   a credential that has expired
  nothing   nothing
  quit      quit=1
  half      half a line, then the end
  floods    lines without end
  dribbles  a byte a second, without end
  hangs     nothing, and no end
  resets    the end, at once, with the request unread
  full      nobody accepts, and there is no room for those who wait
  gone      the socket is there, and nobody listens
The password is that of the variable SHARED_PASSWORD. What it was sent is told on stdout, a line for each line, and an empty one behind each request. `ready` comes first.
"""

import os
import select
import socket
import struct
import sys
import threading
import time

mode, path = sys.argv[1:] if len(sys.argv) == 3 else sys.exit(__doc__)
CREDENTIAL = f"username=monalisa\npassword={os.environ.get('SHARED_PASSWORD', 'ghu_shared')}\n"
HOUR = f"password_expiry_utc={int(time.time()) + 3600}\n"
ANSWERS = {
    "answers": CREDENTIAL + HOUR,
    "endless": CREDENTIAL,
    "lies": "capability[]=authtype\noauth_refresh_token=ghr_never\nhost=evil.example\nstate[]=gitspace:0\n"
    + CREDENTIAL + HOUR + "path=x\nurl=https://evil.example\nephemeral=1\n",
    "other": CREDENTIAL.replace("monalisa", "mallory") + HOUR,
    "twice": CREDENTIAL + "password=ghu_other\n" + HOUR,
    "control": CREDENTIAL.replace("monalisa", "mona\x1b[2J") + HOUR,
    "expired": CREDENTIAL + "password_expiry_utc=1000000000\n",
    "nothing": "",
    "quit": "quit=1\n",
    "half": "username=monalisa\npassw",
}


def tell(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def dribble(connection, piece, pause):
    while True:
        connection.sendall(piece)
        time.sleep(pause)


def serve(connection):
    request = b""
    while mode != "resets" and (piece := connection.recv(4096)):
        request += piece
    if mode != "resets":
        tell(request.decode() + "\n")
    try:
        if mode == "floods":
            dribble(connection, b"x=" + b"y" * 4000 + b"\n", 0)
        elif mode == "dribbles":
            dribble(connection, b"x", 1)
        elif mode == "hangs":
            time.sleep(600)
        elif mode != "resets":
            connection.sendall(ANSWERS[mode].encode())
    except OSError:
        pass
    if mode == "resets":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


os.umask(0o077)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
if mode == "gone":
    listener.close()
elif mode == "full":
    listener.listen(0)
    waiting = []
    for _ in range(2):
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        client.connect_ex(path)
        waiting.append(client)
else:
    listener.listen(16)
tell("ready\n")
while True:
    readable, _, _ = select.select([sys.stdin] + ([] if mode in ("gone", "full") else [listener]), [], [])
    if sys.stdin in readable and not os.read(0, 4096):
        os._exit(0)
    if listener in readable:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
