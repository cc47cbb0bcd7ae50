"""free_port.py: a port of 127.0.0.1 for a program that has to be told one, and listens some time later.

It is none of those that the kernel gives to whoever wants any (ip(7), ip_local_port_range): one of them would be
somebody else's by then.
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
