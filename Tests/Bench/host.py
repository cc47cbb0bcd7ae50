#!/usr/bin/env python3
"""host.py: a git host that is not the bottleneck: it makes an answer once, and streams it over TLS from then on.

Usage: Tests/Bench/host.py PORT CERTIFICATE KEY FOLDER NAME:PASSWORD
Serves the repositories of FOLDER by smart HTTP (gitprotocol-http(5)) on the loopback, to whoever sends that name and
password. What git-upload-pack answers to a fetch is kept, and given to each request with the same body. A push is read to
its end and reported as done, and nothing of it is kept.
"""
import base64
import gzip
import http.server
import os
import ssl
import subprocess
import sys
import threading

PIECE = 1 << 17


def packet(text):
    """A pkt-line."""
    return b"%04x%s" % (len(text) + 4, text)


class Host(http.server.BaseHTTPRequestHandler):
    """One connection."""
    protocol_version = "HTTP/1.1"
    rbufsize = 1 << 20
    folder, login = "", ""
    answers, lock = {}, threading.Lock()

    def log_message(self, *_):
        """Nothing is said of a request that went well."""

    def parts(self):
        """The repository's folder and what is asked of it; none if the login is not right."""
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(self.login.encode()).decode():
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="bench"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        path = self.path.lstrip("/").split("/")
        return os.path.join(self.folder, *path[:2]), "/".join(path[2:])

    def run(self, repository, *command, body=b""):
        """What a program of git's prints."""
        environment = dict(os.environ, GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))
        return subprocess.run(
            ["git", *command, repository], input=body, stdout=subprocess.PIPE, check=True, env=environment).stdout

    def begin(self, kind):
        """The head of an answer of unknown length."""
        self.send_response(200)
        self.send_header("Content-Type", f"application/x-git-{kind}")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunks(self, body):
        """An answer's body."""
        view = memoryview(body)
        for start in range(0, len(view), PIECE):
            piece = view[start:start + PIECE]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def pieces(self):
        """A request's body."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            left = int(self.headers["Content-Length"])
            while left > 0:
                piece = self.rfile.read(min(left, PIECE))
                left -= len(piece)
                yield piece
            return
        while count := int(self.rfile.readline(), 16):
            yield self.rfile.read(count)
            self.rfile.readline()
        self.rfile.readline()

    def do_GET(self):
        """The refs."""
        if not (parts := self.parts()):
            return
        service = parts[1].rpartition("=git-")[2]
        self.begin(f"{service}-advertisement")
        refs = self.run(parts[0], service, "--stateless-rpc", "--advertise-refs")
        self.chunks(packet(b"# service=git-%s\n" % service.encode()) + b"0000" + refs)

    def do_POST(self):
        """A fetch or a push."""
        if not (parts := self.parts()):
            return
        if parts[1] == "git-receive-pack":
            self.take_push()
            return
        body = b"".join(self.pieces())
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        with self.lock:
            answer = self.answers.get((parts[0], body))
            if answer is None:
                answer = self.run(parts[0], "upload-pack", "--stateless-rpc", body=body)
                if b"command=fetch" in body:
                    self.answers[(parts[0], body)] = answer
        self.begin("upload-pack-result")
        self.chunks(answer)

    def take_push(self):
        """A probe, or one new ref."""
        pieces = self.pieces()
        first = next(pieces)
        for _ in pieces:
            pass
        self.begin("receive-pack-result")
        if first[:4] == b"0000":
            self.chunks(b"0000")
            return
        name = first[:int(first[:4], 16)].split(b"\0")[0].split(b" ")[2]
        report = packet(b"unpack ok\n") + packet(b"ok %s\n" % name) + b"0000"
        self.chunks(packet(b"\x01" + report) + b"0000")


def main(port, certificate, key, folder, login):
    """Until it is killed."""
    Host.folder, Host.login = folder, login
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Host)
    # In the thread of the connection.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if len(sys.argv) != 6:
    print("usage: host.py PORT CERTIFICATE KEY FOLDER NAME:PASSWORD", file=sys.stderr)
    sys.exit(64)
main(*sys.argv[1:])
