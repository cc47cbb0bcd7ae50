#!/usr/bin/env python3
"""A person with a real browser without a window: for tests.

Usage: browser.py chromium|firefox FOLDER ADDRESS [USER]
Opens the address as a desktop program would, presses the button of the stand-in's page, and waits for a page of
127.0.0.1. If FOLDER has a file `no`, the sign-in is declined. With USER, the address belongs to glewlwyd (openid-provider.py).
FOLDER then has
    page.json     an object: `title` and `text` of that page; `resources`: how many it has fetched; `requests`: all that
                  the browser asked of anybody, in order
    light.png, dark.png    screenshots of the page
All requests go through a proxy of ours, which lets nothing out of this machine. Exit: 0 the page came.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
from free_port import free_port  # noqa: E402

PATIENCE = 60
# How many requests a page makes after loading, such as the icon's, which Firefox requests even without a window.
AFTERWARDS = 2
SEE = ("({place: location.href, ready: document.readyState, title: document.title, text: document.body?.innerText, "
       "resources: performance.getEntriesByType('resource').length})")


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Exchange)
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Exchange(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().decode("latin-1").strip()
        headers = [header for header in iter(self.rfile.readline, b"\r\n") if header]
        if len(line.split(" ")) != 3:
            return
        method, target, _ = line.split(" ")
        address = urllib.parse.urlsplit(f"//{target}" if method == "CONNECT" else target)
        self.server.requests.append(f"{method} {target}")
        if address.hostname not in ("127.0.0.1", "localhost"):
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        with socket.create_connection((address.hostname, address.port or 80)) as server:
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                path = urllib.parse.urlunsplit(("", "", address.path, address.query, ""))
                server.sendall(f"{method} {path} HTTP/1.1\r\n".encode() + b"".join(headers) + b"\r\n")
            threading.Thread(target=relay, args=(self.connection, server), daemon=True).start()
            relay(server, self.connection)


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Chromium:
    """Chromium, controlled by the DevTools protocol over two pipes."""

    def __init__(self, folder, proxy):
        ours, theirs = os.pipe(), os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{ours[0]} 4>&{theirs[1]}; exec "$@"', "sh", "chromium", "--headless=new", "--no-sandbox",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/profile", f"--proxy-server=127.0.0.1:{proxy}",
             # Without this option, Chromium stores an item in the person's keyring.
             "--password-store=basic", "--proxy-bypass-list=<-loopback>", "--ignore-certificate-errors", "--no-first-run", "--window-size=800,500",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-gpu",
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(folder / "errors", "wb"),
            pass_fds=(ours[0], theirs[1]))
        os.close(ours[0])
        os.close(theirs[1])
        self.output, self.input, self.number, self.session = os.fdopen(ours[1], "wb", 0), os.fdopen(theirs[0], "rb"), 0, None
        target = next(each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.output.write(json.dumps(message).encode() + b"\0")
        while True:
            data = bytearray()
            while (byte := self.input.read(1)) != b"\0":
                if not byte:
                    raise RuntimeError("chromium has ended")
                data += byte
            answer = json.loads(data)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, address):
        self.ask("Page.navigate", url=address)

    def run(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")

    def picture(self, scheme):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self.ask("Page.captureScreenshot")["data"]


class Firefox:
    """Firefox, controlled by Marionette."""

    def __init__(self, folder, proxy):
        profile = folder / "profile"
        profile.mkdir()
        port = free_port()
        preferences = {
            "marionette.port": port, "network.proxy.type": 1, "network.proxy.http": "127.0.0.1",
            "network.proxy.http_port": proxy, "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": proxy,
            "network.proxy.allow_hijacking_localhost": True, "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False, "toolkit.telemetry.server": "", "app.normandy.enabled": False,
            "browser.safebrowsing.update.enabled": False, "extensions.systemAddon.update.enabled": False,
            "services.settings.server": "data:,", "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False}
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile",
             profile, "--width", "800", "--height", "500"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(folder / "errors", "wb"))
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.1)
        self.stream, self.number = self.socket.makefile("rb"), 0
        self.message()
        self.ask("WebDriver:NewSession", acceptInsecureCerts=True, pageLoadStrategy="none")

    def message(self):
        length = bytearray()
        while (byte := self.stream.read(1)) != b":":
            if not byte:
                raise RuntimeError("firefox has ended")
            length += byte
        return json.loads(self.stream.read(int(length)))

    def ask(self, command, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(f"{len(data)}:".encode() + data)
        _, _, error, result = self.message()
        if error:
            raise RuntimeError(f"{command}: {error}")
        return result

    def open(self, address):
        self.ask("WebDriver:Navigate", url=address)

    def run(self, expression):
        return self.ask("WebDriver:ExecuteScript", script=f"return {expression}", args=[])["value"]

    def picture(self, scheme):
        self.ask("Marionette:SetContext", value="chrome")
        self.run(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {int(scheme == 'light')})")
        self.ask("Marionette:SetContext", value="content")
        time.sleep(0.3)
        return self.ask("WebDriver:TakeScreenshot", full=False)["value"]


def at_glewlwyd(browser, address, user):
    """Makes the requests of glewlwyd's own pages, which Debian's package lacks: password, consent, continue."""
    client = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))["client_id"]
    for method, path, body in [("POST", "/api/auth/", {"username": user, "password": f"pw-{user}"}),
                               ("PUT", f"/api/auth/grant/{client}", {"scope": "openid profile offline_access"})]:
        status = browser.run(
            f"fetch({json.dumps(path)}, {{method: '{method}', headers: {{'Content-Type': 'application/json'}}, "
            f"body: JSON.stringify({json.dumps(body)})}}).then(answer => answer.status)")
        if status != 200:
            raise RuntimeError(f"{path}: {status}")
    browser.open(address + "&g_continue")


def main():
    name, folder, address, user = (sys.argv[1:] + [None])[:4]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder / "profile", ignore_errors=True)
    proxy = Proxy()
    browser = {"chromium": Chromium, "firefox": Firefox}[name](folder, proxy.server_address[1])
    try:
        # glewlwyd accepts the requests of its login page from any of its pages.
        browser.open(address.partition("/auth?")[0] + "/.well-known/openid-configuration" if user else address)
        end, acted = time.monotonic() + PATIENCE, False
        while True:
            try:
                page = browser.run(SEE)
            except RuntimeError:
                page = None  # The old page is gone, the next one is not there yet.
            is_loaded = page and page["ready"] == "complete" and page["place"].startswith("http")
            if is_loaded and page["place"].startswith("http://127.0.0.1:"):
                break
            if is_loaded and not acted:
                acted = True
                if user:
                    at_glewlwyd(browser, address, user)
                else:
                    button = "deny" if (folder / "no").exists() else "authorize"
                    browser.run(f"document.getElementById('{button}').click()")
            if time.monotonic() > end:
                sys.exit(f"browser: no such page came, but {page}")
            time.sleep(0.1)
        time.sleep(AFTERWARDS)
        for scheme in ["light", "dark"]:
            (folder / f"{scheme}.png").write_bytes(base64.b64decode(browser.picture(scheme)))
        (folder / "page.new").write_text(json.dumps(
            {name: page[name] for name in ["title", "text", "resources"]} | {"requests": proxy.requests}))
        (folder / "page.new").rename(folder / "page.json")
    finally:
        browser.process.terminate()
        browser.process.wait()


main()
