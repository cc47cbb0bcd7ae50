#!/usr/bin/python3
"""in-namespace.py: runs a command as a container engine would, in namespaces made by hand.

Usage: in-namespace.py [OPTION…] -- COMMAND [ARGUMENT…]      (as root)
  --map "INSIDE OUTSIDE COUNT"   a line of the user namespace's map, of users and groups (user_namespaces(7)); without
                                 any there is no user namespace: an engine that runs as root
  --user NUMBER                  who the command is, inside
  --bind SOURCE:TARGET[:ro]      what is mounted
  --root                         the command sees nothing but these mounts and /proc; else the machine's own files, with an
                                 empty /run
The command's stdin, stdout, stderr and exit status are its own.
"""

import argparse
import ctypes
import os
import sys
import tempfile

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18

libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        sys.exit(f"in-namespace: {what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind, flags):
    check(libc.mount(source.encode(), target.encode(), kind.encode() if kind else None, flags, None), f"mount {target}")


def prepare(options):
    """The mounts, by real root, as an engine's are made before the command starts."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    root = ""
    if options.root:
        root = tempfile.mkdtemp(prefix="in-namespace.")
        mount("none", root, "tmpfs", 0)
        os.chmod(root, 0o755)
        options.bind.insert(0, "/proc:/proc")
    else:
        mount("none", "/run", "tmpfs", 0)
        os.chmod("/run", 0o755)
    for bind in options.bind:
        source, target, *mode = bind.split(":")
        path = root + target
        if os.path.isdir(source):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "a", encoding="utf-8").close()
        mount(source, path, None, MS_BIND | MS_REC)
        if mode == ["ro"]:
            mount(source, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY)
    return root


def become(options, root):
    if options.map:
        ready, done = os.pipe(), os.pipe()
        parent = os.getpid()
        writer = os.fork()
        if writer == 0:
            # Still in the outer namespace: the maps are root's to write.
            os.read(ready[0], 1)
            for name in ("uid_map", "gid_map"):
                with open(f"/proc/{parent}/{name}", "w", encoding="utf-8") as file:
                    file.write("\n".join(options.map) + "\n")
            os.write(done[1], b"x")
            os._exit(0)
        check(libc.unshare(CLONE_NEWUSER), "unshare user")
        os.write(ready[1], b"x")
        os.read(done[0], 1)
        os.waitpid(writer, 0)
    # Only now: who has changed the root cannot make a user namespace any more.
    if root:
        os.chroot(root)
    os.chdir("/")
    os.setgroups([])
    os.setresgid(options.user, options.user, options.user)
    os.setresuid(options.user, options.user, options.user)


parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--map", action="append", default=[])
parser.add_argument("--bind", action="append", default=[])
parser.add_argument("--user", type=int, default=0)
parser.add_argument("--root", action="store_true")
parser.add_argument("command", nargs=argparse.REMAINDER)
arguments = parser.parse_args()
become(arguments, prepare(arguments))
command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
try:
    os.execvp(command[0], command)
except OSError as error:
    sys.exit(f"in-namespace: {command[0]}: {error.strerror}")
