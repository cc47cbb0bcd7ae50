#!/usr/bin/python3
"""hand-over.py: listens like systemd, and starts a program at a connection.

Usage: hand-over.py SOCKET COUNTER PROGRAM [ARGUMENT…]
Each start adds a line to the file COUNTER. When the program has ended, the script waits for the next connection, as a socket
unit with Accept=no does (systemd.socket(5)). It ends with its standard input.
"""

import os
import select
import socket
import sys

path, counter, *command = sys.argv[1:]
# The modes of systemd's DirectoryMode=0700, for each directory that is made, and SocketMode=0600.
os.umask(0o077)
os.makedirs(os.path.dirname(path), exist_ok=True)
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
os.umask(0o177)
listener.bind(path)
os.umask(0o022)
listener.listen(128)
print("ready", flush=True)

while True:
    ready, _, _ = select.select([listener, sys.stdin], [], [])
    if sys.stdin in ready:
        break
    with open(counter, "a", encoding="utf-8") as file:
        file.write("start\n")
    child = os.fork()
    if child == 0:
        if listener.fileno() != 3:
            os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
        os.execvp(command[0], command)
    os.waitpid(child, 0)
os.unlink(path)
