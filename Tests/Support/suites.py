#!/usr/bin/env python3
"""suites.py: prints the package's test targets, or those that this compiler cannot build.

Usage: Tests/Support/suites.py               prints the targets, one a line
       Tests/Support/suites.py --left-out    prints the tests that Package.swift leaves out: TARGET: Test "NAME": WHY
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WHY = "it runs in a process of its own, which Swift Testing can since 6.3"


def main():
    # A folder of its own, since the lock of .build belongs to the user who has built it.
    with tempfile.TemporaryDirectory() as scratch:
        command = ["swift", "package", "--scratch-path", scratch, "dump-package"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    excluded = {target["name"]: target["exclude"] for target in json.loads(text)["targets"] if target["type"] == "test"}
    if sys.argv[1:] != ["--left-out"]:
        print("\n".join(excluded))
        return
    for file in sorted(pathlib.Path("Tests").glob("*Tests/**/*.swift")):
        target = file.parts[1]
        if target in excluded and "/".join(file.parts[2:]) not in excluded[target]:
            continue
        for name in re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', file.read_text(encoding="utf-8")):
            print(f'{target}: Test "{name}": {WHY}')


main()
