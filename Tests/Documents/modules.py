#!/usr/bin/env python3
"""modules.py: the picture of the modules in docs/architecture.md, drawn from Package.swift; and the rule of Share there.

Usage: Tests/Documents/modules.py [--write]
Without --write, says whether the picture that stands there is the current one, and prints how the two differ.
An arrow means "imports". What follows from other arrows is left out: whoever imports Helper can import all that Helper
imports as well. The compiler knows modules and no folders: that only the folders Place and Session of
Share import System, CurlTransport, Sandbox and the C library is looked up in the sources.
Exit: 0 current (or written) and kept, 1 not.
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- modules:begin (Tests/Documents/modules.py --write) -->", "<!-- modules:end -->"
# The libraries behind the module maps, as people know them.
LIBRARIES = {
    "CGLib": "GLib, GIO", "CLibcurl": "libcurl", "CLibcrypto": "libcrypto", "CLibsecret": "libsecret",
    "CLibseccomp": "libseccomp", "CQREncode": "libqrencode", "CLocale": None, "CProcess": None,
}


def imports():
    """Who imports whom, among what is built from Sources."""
    command = ["swift", "package", "--package-path", str(ROOT), "dump-package"]
    package = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    graph = {}
    for target in package["targets"]:
        if target["type"] == "test" or (target.get("path") or "").startswith("Tests/"):
            continue
        names = []
        for dependency in target["dependencies"]:
            name = (dependency.get("byName") or dependency.get("target") or dependency.get("product"))[0]
            names.append(name)
        graph[target["name"]] = names
    return graph


def reachable(graph, name):
    """Everything that a module imports, directly or not."""
    found, todo = set(), list(graph.get(name, []))
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += graph.get(one, [])
    return found


def picture():
    """The picture as Mermaid text, a line for each module that imports others."""
    graph = imports()
    edges = {}
    for name in sorted(graph):
        if name in LIBRARIES:
            continue
        others = [
            other for other in sorted(graph[name])
            if LIBRARIES.get(other, "") is not None
            and not any(other in reachable(graph, third) for third in graph[name] if third != other)
        ]
        if others:
            edges[name] = others
    # A library has one importer, whose line gives its label.
    labels = {name: f"{name}([{label}])" for name, label in LIBRARIES.items() if label}
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"    {name} --> {' & '.join(labels.get(other, other) for other in others)}" for name, others in edges.items()]
    return lines + ["```"]


def impure():
    """The files of Share that import what its folders Place and Session alone may."""
    share = ROOT / "Sources" / "Share"
    for file in sorted(share.rglob("*.swift")):
        if file.parent.name not in ("Place", "Session") and re.search(r"import (System|Glibc|CurlTransport|Sandbox)\b", file.read_text(encoding="utf-8")):
            yield file.relative_to(ROOT)


def main():
    broken = list(impure())
    for file in broken:
        print(f"{file}: only the folders Place and Session of Share import System, CurlTransport, Sandbox and Glibc")
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    new = "\n" + "\n".join(picture()) + "\n"
    if "--write" in sys.argv[1:]:
        PAGE.write_text(before + BEGIN + new + END + after, encoding="utf-8")
        return 0
    if old == new:
        return int(bool(broken))
    print("docs/architecture.md: the picture of the modules is not Package.swift's; Tests/Documents/modules.py --write")
    print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "stands there", "Package.swift", lineterm="")))
    return 1


sys.exit(main())
