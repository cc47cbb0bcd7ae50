#!/usr/bin/env python3
"""nginx.py: nginx with HTTP/2, on loopback, in front of an HTTPS server: for tests.

Prints `ready` and a JSON object: its port, its authority and its version. Then reads one command per line from standard input, and
answers each with one line: `done …`.
    serve PORT    starts nginx in front of https://127.0.0.1:PORT, whose certificate it does not check
    protocols     prints the protocols of all requests so far, without repetitions
nginx ends with the input. Nothing is left behind.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from free_port import free_port  # noqa: E402

HERE = pathlib.Path(__file__).parent
CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
    log_format protocol '$server_protocol'; access_log {folder}/protocols protocol;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; client_max_body_size 0;
    server {{
        listen 127.0.0.1:{port} ssl http2; ssl_certificate {folder}/tls.pem; ssl_certificate_key {folder}/tls.key;
        location / {{ proxy_pass https://127.0.0.1:{behind}; proxy_set_header Host $http_host; proxy_ssl_verify off; }}
    }}
}}
"""

with tempfile.TemporaryDirectory(prefix="nginx-") as folder:
    subprocess.run([HERE / "certificate.sh", folder], check=True)
    version = subprocess.run(["/usr/sbin/nginx", "-v"], check=True, capture_output=True, text=True).stderr
    port, nginx = free_port(), None
    print("ready", json.dumps({
        "port": port, "authority": f"{folder}/ca.pem", "version": re.search(r"[0-9.]+[0-9]", version)[0]}), flush=True)
    try:
        for line in sys.stdin:
            command, *arguments = line.split()
            answer = ""
            if command == "serve":
                file = pathlib.Path(folder, "nginx.conf")
                file.write_text(CONFIGURATION.format(folder=folder, port=port, behind=arguments[0]))
                nginx = subprocess.Popen(["/usr/sbin/nginx", "-e", f"{folder}/errors", "-c", file], stdin=subprocess.DEVNULL)
                # nginx writes it when it listens.
                while nginx.poll() is None and not pathlib.Path(folder, "pid").exists():
                    time.sleep(0.01)
            else:
                answer = " ".join(sorted(set(pathlib.Path(folder, "protocols").read_text().split())))
            print("done", answer, flush=True)
    finally:
        if nginx:
            nginx.send_signal(signal.SIGTERM)
            nginx.wait()
