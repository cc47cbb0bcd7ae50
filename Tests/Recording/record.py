#!/usr/bin/python3
"""record.py: plays a first clone on a terminal, and records the output.

Usage: Tests/Recording/record.py CAST LANGUAGE, from within recording.sh

CAST is written in asciinema's format (asciicast v2). Its times are those of the run, but a pause for a program takes one
second at most. Marks ("m") have the captions below the terminal; marks in capitals name a moment.
"""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time

WIDTH, HEIGHT = 80, 24
# The picture's title, and the captions below the terminal, in order.
WORDS = {
    "en": (
        "The first clone of a private repository with git-credential-gitspace",
        "The first time that git needs a token:",
        "You open the page in any browser, on any device, and enter the code.",
        "The token is saved in your keyring, and git continues by itself.",
        "After that, git uses the stored token and asks nothing.",
    ),
    "ko": (
        "git-credential-gitspace로 비공개 저장소를 처음 clone하기",
        "git에 토큰이 처음 필요할 때:",
        "아무 기기의 아무 브라우저에서나 주소를 열고 코드를 입력합니다.",
        "토큰이 키링에 저장되고, git은 하던 일을 계속합니다.",
        "그다음부터는 아무것도 묻지 않습니다.",
    ),
}
TYPING = 0.055
CODE = re.compile(r"^ *([A-Z0-9]{4}-[A-Z0-9]{4})\r?$", re.MULTILINE)
# Control sequences such as colours, which may separate the characters of a word.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
START = """
bind 'set enable-bracketed-paste off'
PS1='\\[\\e[1;34m\\]\\w\\[\\e[0m\\] $ '
"""


class Recording:
    """A shell on a terminal, and what it has shown so far."""

    def __init__(self):
        start = os.path.join(os.environ["HOME"], "..", "start")
        with open(start, "w", encoding="utf-8") as file:
            file.write(START)
        environment = dict(os.environ, TERM="xterm-256color", COLUMNS=str(WIDTH), LINES=str(HEIGHT))
        child, self.terminal = pty.fork()
        if child == 0:
            subprocess.run(["stty", "cols", str(WIDTH), "rows", str(HEIGHT)], check=True)
            os.execvpe("bash", ["bash", "--noprofile", "--rcfile", start, "-i"], environment)
        self.now = 0.0
        self.shown = ""
        self.events = []

    def add(self, kind, text):
        self.events.append([round(self.now, 3), kind, text])

    def read(self, seconds):
        """Records the output for this many seconds."""
        begun = time.monotonic()
        while (left := begun + seconds - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                text = os.read(self.terminal, 65536).decode()
                self.shown += CONTROL.sub("", text)
                self.now += min(time.monotonic() - begun, seconds)
                seconds -= time.monotonic() - begun
                begun = time.monotonic()
                self.add("o", text)
        self.now += max(seconds, 0)

    def wait_for(self, pattern):
        """Waits for a pattern in the output, and records it; a second of the recording at most.

        Returns the match."""
        end, before = time.monotonic() + 60, self.now
        while not (match := re.search(pattern, self.shown)):
            if time.monotonic() > end:
                sys.exit(f"record.py: {pattern} did not come; the terminal showed:\n{self.shown}")
            self.read(0.05)
            self.now = min(self.now, before + 1)
        return match

    def type(self, line):
        """Types a command as a person does, and presses Enter."""
        for character in line:
            os.write(self.terminal, character.encode())
            self.read(TYPING)
        self.read(0.4)
        self.shown = ""
        os.write(self.terminal, b"\n")

    def prompt(self, seconds):
        """Waits for the shell's prompt, then pauses for the reader."""
        self.wait_for(r"\$ $")
        self.read(seconds)


def approve(code):
    """Approves the sign-in, as a person does in a browser."""
    subprocess.run(
        ["curl", "-q", "--silent", "--show-error", "--fail", "--proxy", os.environ["PROXY"], "--cacert",
         os.environ["CA"], "--output", "/dev/null", "--data", f"user_code={code}", "--data", "login=monalisa",
         "--data", "action=approve", "https://github.com/login/device"], check=True)


def main():
    """Plays the whole scene."""
    title, *captions = WORDS[sys.argv[2]]
    recording = Recording()
    recording.add("m", captions[0])
    recording.prompt(0.6)
    recording.type("git clone https://github.com/acme/private")
    code = recording.wait_for(CODE)[1]
    recording.read(0.2)
    recording.add("m", captions[1])
    recording.read(5)
    recording.add("m", "WAITING")
    approve(code)
    # The account's name is the same in every language.
    recording.wait_for("monalisa")
    recording.add("m", captions[2])
    recording.prompt(2)
    recording.add("m", captions[3])
    recording.type("cd private")
    recording.prompt(0.3)
    recording.type("git pull")
    recording.prompt(5)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        header = {
            "version": 2, "width": WIDTH, "height": HEIGHT, "duration": round(recording.now, 3), "title": title,
            "env": {"LANGUAGE": sys.argv[2]},
        }
        for entry in [header, *recording.events]:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


main()
