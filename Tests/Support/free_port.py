"""free_port.py: a free port of 127.0.0.1 for a program that needs a number, and listens some time later.

The port is outside the kernel's range for automatic ports (ip(7), ip_local_port_range), which another program could get
meanwhile.
"""
import random
import socket


def free_port():
    while True:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
