#!/usr/bin/env python3
"""A git host with sign-in at a real OpenID server, on loopback: for tests.

Usage: sign-in-host.py lemonldap FOLDER     LemonLDAP::NG, in a root that Tests/World/newest.sh has unpacked
       sign-in-host.py canaille FOLDER      Canaille, in a virtual environment of Python
       sign-in-host.py allauth FOLDER       django-allauth, in another one
Prints `ready` and a JSON object: its address, its authority, the server's issuer and version, and the redirect URI of the
client `gitspace`. Then reads one command per line from standard input, and answers each with one line: `done …`, or
`failed …` with the reason.
    sign-in ADDRESS    opens the address in dwho's browser, fills in the server's forms, and follows its redirects; answers
                       with the text of the last page, which is the program's own or confirms a device
    userinfo TOKEN     prints the owner of an access token; nothing for an unknown token
One address serves the git host and the server, by TLS. The servers end with the input. Nothing is left behind.
"""
import base64
import html.parser
import http.client
import http.cookies
import http.server
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
from free_port import free_port  # noqa: E402

HERE = pathlib.Path(__file__).parent
USER = "dwho"


# MARK: the servers

def lemonldap(root):
    """Writes LemonLDAP::NG's configuration; returns its command and its version."""
    for place in ["conf", "sessions/lock", "persistent/lock"]:
        (folder / place).mkdir(parents=True)
    private = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], check=True, capture_output=True)
    public = subprocess.run(["openssl", "pkey", "-pubout"], input=private.stdout, check=True, capture_output=True)

    def store(name):
        return {"Directory": f"{folder}/{name}", "LockDirectory": f"{folder}/{name}/lock",
                "generateModule": "Lemonldap::NG::Common::Apache::Session::Generate::SHA256"}

    (folder / "conf/lmConf-1.json").write_text(json.dumps({
        "cfgNum": 1, "cfgVersion": "2.16.0", "cfgDate": 1, "cfgAuthor": "", "cfgAuthorIP": "",
        "portal": f"{address}/", "domain": "localhost", "cookieName": "lemonldap", "securedCookie": 1,
        "authentication": "Demo", "userDB": "Same", "passwordDB": "Null", "registerDB": "Null",
        "demoExportedVars": {"cn": "cn", "mail": "mail", "uid": "uid"}, "whatToTrace": "uid", "portalSkin": "bootstrap",
        "globalStorage": "Apache::Session::File", "globalStorageOptions": store("sessions"),
        "persistentStorage": "Apache::Session::File", "persistentStorageOptions": store("persistent"),
        "locationRules": {"localhost": {"default": "accept"}}, "exportedHeaders": {}, "groups": {}, "macros": {},
        # No captcha is used, but the default module for it would be loaded and needs ImageMagick.
        "captcha": "::Password::Null",
        "issuerDBOpenIDConnectActivation": 1, "oidcServicePrivateKeySig": private.stdout.decode(),
        "oidcServicePublicKeySig": public.stdout.decode(), "oidcServiceKeyIdSig": "key",
        "oidcRPMetaDataExportedVars": {"git": {"preferred_username": "uid", "name": "cn"}},
        "oidcRPMetaDataOptions": {"git": {
            "oidcRPMetaDataOptionsClientID": "gitspace", "oidcRPMetaDataOptionsDisplayName": "gitspace",
            "oidcRPMetaDataOptionsPublic": 1, "oidcRPMetaDataOptionsRequirePKCE": 1,
            "oidcRPMetaDataOptionsAllowOffline": 1, "oidcRPMetaDataOptionsIDTokenSignAlg": "RS256",
            "oidcRPMetaDataOptionsRedirectUris": redirect, "oidcRPMetaDataOptionsUserIDAttr": "uid"}},
    }))
    (folder / "portal.psgi").write_text(f"""
use Lemonldap::NG::Portal::Main;
Lemonldap::NG::Portal::Main->run({{ configStorage => {{ type => "File", dirName => "{folder}/conf" }} }});
""")
    suite = [HERE / "in-suite.sh", root, "perl"]
    version = subprocess.run(
        [*suite, "-MLemonldap::NG::Portal", "-e", "print Lemonldap::NG::Portal->VERSION"], check=True, capture_output=True)
    return [*suite, "/usr/bin/plackup", "--host", "127.0.0.1", "--port", str(inner), folder / "portal.psgi"], version.stdout


def canaille(environment):
    python = pathlib.Path(environment) / "bin/python"
    version = subprocess.run(
        [python, "-c", "import importlib.metadata as it; print(it.version('canaille'))"], check=True, capture_output=True)
    return [python, "-B", HERE / "canaille-server.py", str(inner), address, redirect], version.stdout


def allauth(environment):
    python = pathlib.Path(environment) / "bin/python"
    version = subprocess.run(
        [python, "-c", "import allauth; print(allauth.__version__)"], check=True, capture_output=True)
    return [python, "-B", HERE / "allauth-server.py", str(inner), redirect, folder], version.stdout


# MARK: the git host

class Front(http.server.BaseHTTPRequestHandler):
    """Serves git to clients with a token, and passes everything else to the server behind it."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, answer = self.git(body) if self.path.startswith("/acme/") else self.forward(body)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "connection", "transfer-encoding", "keep-alive"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, *_):
        pass

    def forward(self, body):
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        return ask(self.command, self.path, body, headers)

    def git(self, body):
        scheme, _, proof = self.headers.get("Authorization", "").partition(" ")
        token = base64.b64decode(proof).decode().partition(":")[2] if scheme == "Basic" else ""
        if not token or not userinfo(token):
            return 401, [("WWW-Authenticate", 'Basic realm="git"')], b"no token\n"
        path, _, query = self.path.partition("?")
        done = subprocess.run(["git", "http-backend"], input=body, check=True, capture_output=True, env=os.environ | {
            "GIT_PROJECT_ROOT": str(folder / "repositories"), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
            "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": USER,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")})
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        return status, [header for header in headers if header[0] != "Status"], answer


def ask(method, path, body, headers):
    """Requests something from the server directly."""
    connection = http.client.HTTPConnection("127.0.0.1", inner, timeout=60)
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "127.0.0.1"}
    connection.request(method, path, body, {"Host": address.removeprefix("https://")} | headers | forwarded)
    response = connection.getresponse()
    return response.status, response.getheaders(), response.read()


def userinfo(token):
    _, _, text = ask("GET", "/.well-known/openid-configuration", b"", {})
    path = urllib.parse.urlsplit(json.loads(text)["userinfo_endpoint"]).path
    status, _, answer = ask("GET", path, b"", {"Authorization": f"Bearer {token}"})
    claims = json.loads(answer) if status == 200 else {}
    return claims.get("preferred_username", claims.get("sub", ""))


# MARK: the person

class Forms(html.parser.HTMLParser):
    """The forms of a page: their addresses, fields and submit buttons."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.found.append({"action": values.get("action") or "", "fields": {}, "buttons": []})
        elif self.found and tag in ("input", "button") and values.get("name"):
            pair = (values["name"], values.get("value") or "")
            form = self.found[-1]
            if tag == "button" or values.get("type") == "submit":
                form["buttons"].append(pair)
            elif values.get("type") not in ("checkbox", "radio"):
                form["fields"][pair[0]] = pair[1]


class Cookies(urllib.request.BaseHandler):
    """The cookies of one host; http.cookiejar keeps none for `localhost`, which has no dot."""

    def __init__(self):
        self.jar = http.cookies.SimpleCookie()

    def https_request(self, request):
        request.add_unredirected_header("Cookie", "; ".join(f"{name}={each.coded_value}" for name, each in self.jar.items()))
        return request

    def https_response(self, _, response):
        for line in response.headers.get_all("Set-Cookie", []):
            self.jar.load(line)
        return response


def sign_in(place):
    """Follows the server's pages as a browser would, up to the program's own page."""
    trust = ssl.create_default_context(cafile=folder / "ca.pem")
    browser = urllib.request.build_opener(Cookies(), urllib.request.HTTPSHandler(context=trust))
    request = place
    for _ in range(8):
        try:
            response = browser.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{error.url}: {error.code} {error.read()[:2000]}") from error
        page = response.read().decode()
        if response.url.startswith("http://127.0.0.1:") or "Device Authorized" in page:
            return " ".join(page.split())
        forms = [form for form in Forms(page).found if form["fields"] or form["buttons"]]
        known = {"user": USER, "login": USER, "password": USER}
        form = next((form for form in forms if known.keys() & form["fields"].keys()), forms[0] if forms else None)
        if not form:
            raise RuntimeError(f"{response.url} asks for nothing: {page[:2000]}")
        answers = form["fields"] | {name: value for name, value in known.items() if name in form["fields"]}
        # The last of several buttons means yes, unless one says so.
        answers |= dict([pair for pair in form["buttons"] if pair[1] == "confirm"] or form["buttons"][-1:])
        request = urllib.request.Request(
            urllib.parse.urljoin(response.url, form["action"]), urllib.parse.urlencode(answers).encode(),
            {"Referer": response.url})
    raise RuntimeError(f"{response.url}: {page[:2000]}")


COMMANDS = {"sign-in": sign_in, "userinfo": userinfo}

with tempfile.TemporaryDirectory(prefix="sign-in-host-") as temporary:
    folder = pathlib.Path(temporary)
    subprocess.run([HERE / "certificate.sh", folder], check=True)
    subprocess.run(["git", "init", "--quiet", "--bare", folder / "repositories/acme/private.git"], check=True)
    front = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "tls.pem", folder / "tls.key")
    front.socket = tls.wrap_socket(front.socket, server_side=True)
    address = f"https://localhost:{front.server_port}"
    inner, redirect = free_port(), f"http://127.0.0.1:{free_port()}/git"
    command, version = {"lemonldap": lemonldap, "canaille": canaille, "allauth": allauth}[sys.argv[1]](sys.argv[2])
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", inner), 1).close()
                break
            except OSError:
                if server.poll() is not None:
                    sys.exit(f"{command} ended: {(folder / 'log').read_text(errors='replace')}")
                time.sleep(0.02)
        status, _, document = ask("GET", "/.well-known/openid-configuration", b"", {})
        if status != 200:
            sys.exit(f"no issuer: {(folder / 'log').read_text(errors='replace')}")
        issuer = json.loads(document)["issuer"]
        threading.Thread(target=front.serve_forever, daemon=True).start()
        print("ready", json.dumps({
            "address": address, "authority": str(folder / "ca.pem"), "redirect": redirect, "issuer": issuer,
            "version": version.decode().strip()}), flush=True)
        for line in sys.stdin:
            command, *arguments = line.split()
            try:
                print("done", COMMANDS[command](*arguments), flush=True)
            except (RuntimeError, OSError, ValueError) as error:
                print("failed", repr(error), flush=True)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
