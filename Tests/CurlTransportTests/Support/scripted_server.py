"""A server on loopback that answers with exactly the bytes it is told, however hostile.

Argument: a JSON object.
  transport     "tls", "plain", "silent" (accepts, and never says a word), "rude" (resets right after the handshake)
                or "socks" (a SOCKS 5 proxy)
  certificate, key, maximum_version     for "tls" and "rude"
  answers       one list of steps per request, in order over all connections; the last one is repeated

Steps, each a list: ["send", TEXT], ["repeat", COUNT, TEXT], ["drip", SECONDS, TEXT] (one byte at a time), ["tunnel"]
(be a proxy: connect to where CONNECT points), ["hang"] (wait until the client goes), ["close"], ["reset"].

Standard output: "port N" at once. When its input ends, one line for each event, "accepted" or "request BASE64", and
it ends as well.
"""

import base64
import json
import os
import select
import socket
import ssl
import struct
import sys
import threading

OPTIONS = json.loads(sys.argv[1])
# Appending to a list and taking from it are atomic in Python.
EVENTS = []


def next_answer():
    answers = OPTIONS["answers"]
    return answers.pop(0) if len(answers) > 1 else answers[0]


def read_request(connection):
    """The bytes of one request: header and, as announced, body. None when the client is gone."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
        if data[0] == 0x16:
            # A TLS handshake where plain text was expected: web servers answer at once.
            return data
    header, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            return None
        body += piece
    return header + b"\r\n\r\n" + body


def reset_when_closed(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def tunnel(connection, request):
    host, _, port = request.split(b" ")[1].decode().rpartition(":")
    target = socket.create_connection((host, int(port)))
    connection.sendall(b"HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n")
    relay(connection, target)


def socks(connection):
    """RFC 1928: no authentication, CONNECT to an IPv4 address."""
    connection.recv(257)
    connection.sendall(b"\x05\x00")
    request = connection.recv(10)
    EVENTS.append("request " + base64.b64encode(request).decode())
    target = socket.create_connection((socket.inet_ntoa(request[4:8]), int.from_bytes(request[8:10], "big")))
    connection.sendall(b"\x05\x00\x00\x01" + bytes(6))
    relay(connection, target)


def relay(connection, target):
    ends = {connection: target, target: connection}
    while True:
        for source in select.select(list(ends), [], [])[0]:
            data = source.recv(65536)
            if not data:
                return
            ends[source].sendall(data)


def answer(connection, request, steps):
    """Plays the steps; returns whether the connection stays open."""
    for step in steps:
        if step[0] == "send":
            connection.sendall(step[1].encode())
        elif step[0] == "repeat":
            for _ in range(step[1]):
                connection.sendall(step[2].encode())
        elif step[0] == "drip":
            for byte in step[2].encode():
                connection.sendall(bytes([byte]))
                # Waits for the client to go, or for the next byte's turn.
                if select.select([connection], [], [], step[1])[0]:
                    return False
        elif step[0] == "tunnel":
            tunnel(connection, request)
            return False
        elif step[0] == "hang":
            connection.recv(1)
            return False
        elif step[0] == "close":
            return False
        elif step[0] == "reset":
            reset_when_closed(connection)
            return False
    return True


def serve(connection, context):
    try:
        if OPTIONS["transport"] == "silent":
            connection.recv(65536)
            connection.recv(65536)
        elif OPTIONS["transport"] == "socks":
            socks(connection)
        else:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            if OPTIONS["transport"] == "rude":
                reset_when_closed(connection)
                return
            while (request := read_request(connection)) is not None:
                EVENTS.append("request " + base64.b64encode(request).decode())
                if not answer(connection, request, next_answer()):
                    break
    except OSError:
        pass
    finally:
        connection.close()


def main():
    context = None
    if OPTIONS["transport"] in ("tls", "rude"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(OPTIONS["certificate"], OPTIONS["key"])
        if OPTIONS.get("maximum_version") == "1.1":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
    listener = socket.create_server(("127.0.0.1", 0))
    print("port %d" % listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            EVENTS.append("accepted")
            threading.Thread(target=serve, args=(connection, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    try:
        print("\n".join(EVENTS), flush=True)
    except BrokenPipeError:
        # A test that has no questions leaves without reading.
        pass
    # Connections may still be served: nobody waits for them.
    os._exit(0)


main()
