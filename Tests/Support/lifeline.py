#!/usr/bin/python3 -IS
"""lifeline.py: runs a command, and leaves none of its processes running.

Usage: lifeline.py COMMAND [ARGUMENT…]
The command keeps its stdin, stdout, stderr, terminal and exit status (128 + signal number if a signal ended it). When it
ends, all of its descendants are ended too, also those in sessions and process groups of their own: processes without a parent
become children of this one (PR_SET_CHILD_SUBREAPER). The death of the process that started this one ends the command.
"""

import ctypes
import os
import select
import signal
import sys
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
# The seconds in which the command, and then its descendants, may end by themselves after SIGTERM.
GRACE = 3


def children():
    """The IDs of this process's children, adopted ones included."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    # proc(5): after the name in parentheses come the state and the parent.
                    if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
                        found.append(int(entry))
            except OSError:
                pass
    return found


def reap(statuses):
    """Collects ended children, and returns whether others remain."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if process == 0:
            return True
        statuses[process] = status


def end(statuses):
    """Ends all descendants; those of an ended child become children."""
    told, deadline = set(), time.monotonic() + GRACE
    while reap(statuses) and time.monotonic() < deadline + GRACE:
        for process in children():
            number = signal.SIGTERM if process not in told else signal.SIGKILL
            if number == signal.SIGTERM or time.monotonic() > deadline:
                told.add(process)
                try:
                    os.kill(process, number)
                except OSError:
                    pass
        time.sleep(0.01)


def main():
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # 0: the starter is outside of this PID namespace, whose end is ours as well.
    starter = os.pidfd_open(os.getppid()) if os.getppid() else -1
    command = os.fork()
    if command == 0:
        # Python ignores these two.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        os.execvp(sys.argv[1], sys.argv[1:])

    ready, statuses = select.poll(), {}
    ready.register(os.pidfd_open(command), select.POLLIN)
    if starter >= 0:
        ready.register(starter, select.POLLIN)

    def tell(number):
        if command not in statuses:
            os.kill(command, number)
            signal.alarm(GRACE)

    # Ctrl-C at the terminal reaches the command as well, which decides.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: tell(signal.SIGTERM))
    signal.signal(signal.SIGALRM, lambda *_: tell(signal.SIGKILL))
    signal.signal(signal.SIGCHLD, lambda *_: reap(statuses))
    while command not in statuses:
        if any(descriptor == starter for descriptor, _ in ready.poll()):
            ready.unregister(starter)
            tell(signal.SIGTERM)
        reap(statuses)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    end(statuses)
    status = os.waitstatus_to_exitcode(statuses[command])
    os._exit(status if status >= 0 else 128 - status)


main()
