#!/usr/bin/env python3
"""glewlwyd, a real OpenID provider with a device flow, on loopback: for tests.

Usage: openid-provider.py FOLDER     FOLDER has Debian's packages, as openid-provider.sh has unpacked them
Prints `ready` and a JSON object with its address, its authority and the client's key. Then reads one command per line from
standard input, and answers each with one line: `done …`, or `failed …` with the reason.
    approve PLUGIN CLIENT CODE USER    enters the code as a person, and approves; for the user denier, declines
    rotate PLUGIN                      makes the issuer sign with a new key, and publish only that one
    redirect CLIENT ADDRESS            registers exactly this address for the client: other ports are refused
    userinfo TOKEN                     prints the owner of an access token, as a git server would ask for it
    log                                prints the server's log as one JSON text
The server ends with its input. Nothing is installed, and nothing is left behind.
"""
import base64
import gzip
import http.client
import http.cookies
import json
import os
import pathlib
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.dont_write_bytecode = True
from free_port import free_port  # noqa: E402

packages = pathlib.Path(sys.argv[1])
CLIENTS = {
    "gitspace-public": {"token_endpoint_auth_method": ["none"], "confidential": False},
    "gitspace-secret": {"token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"],
                        "confidential": True, "client_secret": "s3cret"},
    "gitspace-jwt": {"token_endpoint_auth_method": ["private_key_jwt"], "confidential": True},
}
SCOPES = ["openid", "profile", "offline_access"]


def run(*arguments, data=None):
    return subprocess.run(arguments, input=data, check=True, capture_output=True).stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def key(name, kind):
    """Makes a key with openssl; returns the path, and the private and public halves as JSON Web Keys."""
    path = folder / f"{name}.pem"
    if kind == "ES256":
        run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
        text = run("openssl", "ec", "-in", path, "-text", "-noout").decode()
        numbers = hexadecimal(text, "priv:"), hexadecimal(text, "pub:")
        public = {"kty": "EC", "crv": "P-256", "x": base64url(numbers[1][1:33]), "y": base64url(numbers[1][33:65])}
        private = public | {"d": base64url(numbers[0][-32:].rjust(32, b"\0"))}
    else:
        run("openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path)
        text = run("openssl", "rsa", "-in", path, "-text", "-noout").decode()
        public = {"kty": "RSA", "e": "AQAB", "n": base64url(hexadecimal(text, "modulus:"))}
        names = {"d": "privateExponent:", "p": "prime1:", "q": "prime2:", "dp": "exponent1:", "dq": "exponent2:",
                 "qi": "coefficient:"}
        private = public | {member: base64url(hexadecimal(text, label)) for member, label in names.items()}
    more = {"kid": name, "alg": kind, "use": "sig"}
    os.chmod(path, 0o600)
    return path, private | more, public | more


def hexadecimal(text, label):
    """The number below a label of openssl's -text."""
    digits = ""
    lines = text.splitlines()
    for line in lines[lines.index(label) + 1:]:
        if not line.startswith("    "):
            break
        digits += line.strip().replace(":", "")
    data = bytes.fromhex(digits)
    return data.lstrip(b"\0") if label != "pub:" else data


class Server:
    """A connection to the provider by HTTPS, with a person's cookies."""

    def __init__(self):
        self.cookies = {}

    def ask(self, method, path, body=None, headers=()):
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=trust, timeout=20)
        sent = dict(headers)
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if body is not None:
            body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        data = response.read()
        for line in response.headers.get_all("Set-Cookie") or []:
            for name, morsel in http.cookies.SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        connection.close()
        return response, data

    def must(self, method, path, body=None):
        response, data = self.ask(method, path, body)
        if response.status != 200:
            raise RuntimeError(f"{method} {path}: {response.status} {data[:200]}")
        return data

    def enter(self, user, password):
        self.must("POST", "/api/auth/", {"username": user, "password": password})
        return self


def plugin(name, signing, key_id, **changes):
    parameters = {
        "name": name, "iss": f"{base}/api/{name}", "jwks-private": json.dumps({"keys": signing}),
        "default-kid": key_id, "jwks-show": True, "access-token-duration": 300, "refresh-token-duration": 86400,
        "code-duration": 60, "refresh-token-rolling": False, "refresh-token-one-use": "always", "allow-non-oidc": True,
        "auth-type-device-enabled": True, "auth-type-refresh-enabled": True, "auth-type-code-enabled": True,
        "pkce-allowed": True, "pkce-method-plain-allowed": False,
        "device-authorization-expiration": 600, "device-authorization-interval": 1, "request-parameter-allow": True,
        "request-maximum-exp": 3600, "client-jwks-parameter": "jwks", "introspection-revocation-allowed": True,
        "introspection-revocation-allow-target-client": True, "subject-type": "public", "allowed-scope": SCOPES,
        "name-claim": "no", "name-claim-scope": ["profile"], "email-claim": "no", "email-claim-scope": ["profile"],
        "claims": [{"name": "preferred_username", "user-property": "username", "type": "string", "mandatory": False,
                    "scope": ["openid"]}]} | changes
    return {"module": "oidc", "name": name, "display_name": name, "enabled": True, "parameters": parameters}


def database():
    script = packages / "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz"
    with sqlite3.connect(folder / "g.db") as connection:
        connection.executescript(gzip.open(script, "rt").read())
        # The pages have no button for a refusal, so an approval by this person is turned into one (gpoda_status 3). The
        # trigger is made before the start, because the server returns errors if another process uses its database.
        connection.execute("""CREATE TRIGGER deny AFTER UPDATE OF gpoda_status ON gpo_device_authorization
            WHEN NEW.gpoda_username='denier' AND NEW.gpoda_status=1 BEGIN
            UPDATE gpo_device_authorization SET gpoda_status=3 WHERE gpoda_id=NEW.gpoda_id; END""")


def start():
    """Starts the server; returns the process."""
    modules = packages / "usr/lib/glewlwyd"
    (folder / "g.conf").write_text(f"""
port={port}
bind_address="127.0.0.1"
external_url="{base}"
api_prefix="api"
cookie_domain=""
cookie_secure=1
log_mode="file"
log_level="DEBUG"
log_file="{folder}/log"
static_files_path="{folder}/"
user_module_path="{modules}/user"
client_module_path="{modules}/client"
user_auth_scheme_module_path="{modules}/scheme"
plugin_module_path="{modules}/plugin"
use_secure_connection=true
secure_connection_key_file="{folder}/tls.key"
secure_connection_pem_file="{folder}/tls.pem"
hash_algorithm="SHA512"
database = {{ type = "sqlite3"; path = "{folder}/g.db"; }};
""")
    libraries = packages / "usr/lib" / os.uname().machine.replace("arm64", "aarch64")
    libraries = pathlib.Path(f"{libraries}-linux-gnu")
    return subprocess.Popen(
        [packages / "usr/bin/glewlwyd", "--config-file", folder / "g.conf"], stdin=subprocess.DEVNULL,
        stdout=open(folder / "out", "wb"), stderr=subprocess.STDOUT,
        env=os.environ | {"LD_LIBRARY_PATH": str(libraries)})


def listens():
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def set_up():
    admin = administrator()
    for name in ["profile", "offline_access"]:
        admin.must("POST", "/api/scope/", {
            "name": name, "display_name": name, "description": name, "password_required": True,
            "password_max_age": 0, "scheme": {}, "scheme_required": {}})
    for name, (signing, changes) in plugins.items():
        admin.must("POST", "/api/mod/plugin/", plugin(name, signing, signing[0]["kid"], **changes))
    for name in ["octocat", "mallory", "denier"]:
        admin.must("POST", "/api/user/", {
            "username": name, "name": name.title(), "email": f"{name}@example.test", "password": f"pw-{name}",
            "scope": ["g_profile"] + SCOPES, "enabled": True})
    for name in CLIENTS:
        admin.must("POST", "/api/client/", client(name, "http://127.0.0.1/"))


def client(name, redirect_uri):
    keys = {"jwks": {"keys": [client_key[2]]}} if name == "gitspace-jwt" else {}
    return {"client_id": name, "name": name, "enabled": True, "scope": [], "redirect_uri": [redirect_uri],
            "authorization_type": ["device_authorization", "code", "refresh_token"]} | CLIENTS[name] | keys


def administrator():
    """Signs in again, since a session ends by itself after some minutes."""
    return Server().enter("admin", "password")


def redirect(name, address):
    administrator().must("PUT", f"/api/client/{name}", client(name, address))
    return ""


def approve(name, client, code, user):
    person = Server().enter(user, f"pw-{user}")
    person.must("PUT", f"/api/auth/grant/{client}", {"scope": " ".join(SCOPES)})
    response, _ = person.ask("GET", f"/api/{name}/device?code={urllib.parse.quote(code)}&g_continue")
    if "prompt=deviceComplete" not in (response.headers.get("Location") or ""):
        raise RuntimeError(f"the page does not take the code: {response.status} {response.headers.get('Location')}")
    return ""


def rotate(name):
    admin = administrator()
    signing = [key(f"{name}-next-{time.monotonic_ns()}", "ES256")[1]]
    admin.must("PUT", f"/api/mod/plugin/{name}", plugin(name, signing, signing[0]["kid"]))
    admin.must("PUT", f"/api/mod/plugin/{name}/reset")
    return signing[0]["kid"]


def userinfo(token):
    response, data = Server().ask("GET", "/api/oidc/userinfo", headers={"Authorization": f"Bearer {token}"})
    return json.loads(data)["preferred_username"] if response.status == 200 else ""


def log():
    return json.dumps((folder / "log").read_text(errors="replace"))


COMMANDS = {"approve": approve, "redirect": redirect, "rotate": rotate, "userinfo": userinfo, "log": log}

with tempfile.TemporaryDirectory(prefix="provider-") as temporary:
    folder = pathlib.Path(temporary)
    run(pathlib.Path(__file__).with_name("certificate.sh"), folder)
    trust = ssl.create_default_context(cafile=folder / "ca.pem")
    client_key = key("client-key-1", "ES256")
    ec, rsa = key("op-es", "ES256")[1], key("op-rs", "RS256")[1]
    # The first key of a set signs, whatever the default is.
    plugins = {
        "oidc": ([ec, rsa], {}), "oidcrs": ([rsa, ec], {}),
        "oidcshort": ([ec, rsa], {"device-authorization-expiration": 2, "access-token-duration": 2}),
    }
    port = free_port()
    base = f"https://localhost:{port}"
    database()
    server = start()
    try:
        while not listens():
            if server.poll() is not None:
                sys.exit(f"glewlwyd ended: {(folder / 'out').read_text(errors='replace')}")
            time.sleep(0.02)
        set_up()
        print("ready", json.dumps({
            "address": base, "authority": str(folder / "ca.pem"), "key": str(client_key[0]),
            "process": server.pid}), flush=True)
        for line in sys.stdin:
            command, *arguments = line.split()
            try:
                print("done", COMMANDS[command](*arguments), flush=True)
            except (RuntimeError, OSError, ValueError) as error:
                print("failed", repr(error), flush=True)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
