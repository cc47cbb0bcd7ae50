#!/usr/bin/env python3
"""Apache on loopback as a git host, where an authentication module decides who may clone: for tests.

Usage: apache.py oauth basic|header ISSUER AUTHORITY     mod_auth_openidc: a token of this OpenID issuer, as a password or
                                                         as Bearer; it challenges for one of them only
       apache.py kerberos                                mod_auth_gssapi: a ticket for HTTP/localhost, of a realm of its own
Prints `ready` and a JSON object with its address, its authority and, with Kerberos, the path for KRB5_CONFIG. The realm has a
user alice, whose password is `wonderland`. Then reads one command per line from standard input, and answers each with one line:
    log     the requests so far, as one JSON text: a line each with the status, the user and the scheme of the Authorization
The server ends with its input. Nothing runs as root, and nothing is left behind.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from free_port import free_port  # noqa: E402

NOBODY = 65534
REALM = "EXAMPLE.TEST"


def drop():
    """The folders of programs that need no root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


def run(*command, **options):
    subprocess.run(command, check=True, stdout=sys.stderr, stdin=subprocess.DEVNULL, **drop(), **options)


def start(port, *command, **options):
    """Starts a server, and waits until it listens."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=sys.stderr, **drop(), **options)
    servers.append(process)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None:
                log = folder / "error.log"
                sys.exit(f"{command[0]} ended: {log.read_text() if log.exists() else ''}")
            time.sleep(0.02)


def kerberos():
    """Makes a realm with its KDC; returns Apache's directives and environment."""
    port = free_port()
    (folder / "krb5.conf").write_text(f"""
[libdefaults]
    default_realm = {REALM}
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    rdns = false
    udp_preference_limit = 1
[realms]
    {REALM} = {{
        kdc = 127.0.0.1:{port}
    }}
[domain_realm]
    localhost = {REALM}
""")
    (folder / "kdc.conf").write_text(f"""
[kdcdefaults]
    kdc_listen = 127.0.0.1:{port}
    kdc_tcp_listen = 127.0.0.1:{port}
[realms]
    {REALM} = {{
        database_name = {folder}/principal
        key_stash_file = {folder}/stash
        acl_file = {folder}/acl
    }}
""")
    environment = os.environ | {
        "KRB5_CONFIG": str(folder / "krb5.conf"), "KRB5_KDC_PROFILE": str(folder / "kdc.conf"), "PATH": PATH,
        # The replay cache; its default is TMPDIR, which may not be writable, or /var/tmp.
        "KRB5RCACHEDIR": str(folder)}
    run("kdb5_util", "create", "-s", "-P", "master", env=environment)
    for request in [
        "addprinc -pw wonderland alice", "addprinc -randkey HTTP/localhost", f"ktadd -k {folder}/keytab HTTP/localhost",
    ]:
        run("kadmin.local", "-q", request, env=environment)
    start(port, "krb5kdc", "-n", env=environment)
    return f"""
LoadModule auth_gssapi_module {MODULES}/mod_auth_gssapi.so
<Location />
    AuthType GSSAPI
    AuthName Kerberos
    GssapiCredStore keytab:{folder}/keytab
    GssapiLocalName On
    Require valid-user
</Location>
""", environment


def oauth(place, issuer, authority):
    """Returns Apache's directives and environment."""
    return f"""
LoadModule auth_openidc_module {MODULES}/mod_auth_openidc.so
OIDCOAuthVerifyJwksUri {issuer}/jwks
OIDCCABundlePath {authority}
OIDCOAuthAcceptTokenAs {place}
OIDCOAuthRemoteUserClaim sub
OIDCCryptoPassphrase passphrase
<Location />
    AuthType oauth20
    AuthName tokens
    Require valid-user
</Location>
""", os.environ | {"PATH": PATH}


def apache(directives, environment):
    port = free_port()
    wanted = ["mpm_prefork", "authn_core", "authz_core", "authz_user", "alias", "env", "cgi", "ssl"]
    execs = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip()
    loaded = "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in wanted)
    (folder / "apache.conf").write_text(f"""
{loaded}
ServerName localhost
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/pid
Listen 127.0.0.1:{port}
ErrorLog {folder}/error.log
LogFormat "%>s %u %{{Authorization}}i"
TransferLog {folder}/access.log
SSLEngine on
SSLCertificateFile {folder}/tls.pem
SSLCertificateKeyFile {folder}/tls.key
SSLSessionCache none
SetEnv GIT_PROJECT_ROOT {folder}/repositories
SetEnv GIT_HTTP_EXPORT_ALL 1
ScriptAlias / {execs}/git-http-backend/
{directives}
""")
    start(port, "apache2", "-f", str(folder / "apache.conf"), "-DFOREGROUND", env=environment)
    return port


def version(module):
    """The version of Debian's package without Debian's suffix; Apache does not report the versions of all modules."""
    package = f"libapache2-mod-auth-{module}"
    shown = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], capture_output=True, text=True)
    return shown.stdout.split("-")[0]


def log():
    """Logs the scheme, never the credential."""
    lines = [line.split(" ") for line in (folder / "access.log").read_text().splitlines()]
    return json.dumps([f"{status} {user} {rest[0].strip(chr(34))}" for status, user, *rest in lines])


MODULES = "/usr/lib/apache2/modules"
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
os.environ["PATH"] = PATH
servers = []
with tempfile.TemporaryDirectory(prefix="apache-") as temporary:
    folder = pathlib.Path(temporary)
    try:
        subprocess.run([pathlib.Path(__file__).with_name("certificate.sh"), folder], check=True)
        subprocess.run(["git", "init", "--quiet", "--bare", folder / "repositories/acme/private.git"], check=True)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
        kind, *arguments = sys.argv[1:]
        # The authority's file may be readable only for the tests' user.
        if kind == "oauth":
            shutil.copy(arguments[2], folder / "issuer.pem")
            arguments[2] = folder / "issuer.pem"
        port = apache(*{"oauth": oauth, "kerberos": kerberos}[kind](*arguments))
        os.chmod(folder, 0o755)
        print("ready", json.dumps({
            "address": f"localhost:{port}", "authority": str(folder / "ca.pem"),
            "kerberos": str(folder / "krb5.conf"), "version": version({"oauth": "openidc", "kerberos": "gssapi"}[kind])}), flush=True)
        for line in sys.stdin:
            print("done", log() if line == "log\n" else "", flush=True)
    finally:
        for server in reversed(servers):
            server.send_signal(signal.SIGTERM)
            server.wait()
