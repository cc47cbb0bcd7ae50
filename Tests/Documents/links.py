#!/usr/bin/env python3
"""links.py: whether every link from one document to another, or to a heading, leads somewhere.

Usage: Tests/Documents/links.py
Looked at are all Markdown files that git knows. What lies on the web is not asked for.
Exit: 0 they do, 1 not: each that does not is named with its line.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"')


def prose(path):
    """The lines of a document, with their numbers, without its blocks of code."""
    is_code = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, line


def anchors(path):
    """What a link may have behind a #: headings as GitHub makes anchors of them."""
    for _, line in prose(path):
        if heading := re.match(r"#+ (.*)", line):
            yield re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")


def leads_somewhere(document, target):
    """Whether a link in that document does."""
    if re.match(r"[a-z]+:", target):
        return True
    place, _, anchor = target.partition("#")
    path = (document.parent / place).resolve() if place else document
    return path.is_relative_to(ROOT) and path.exists() and (not anchor or anchor in anchors(path))


def main():
    listing = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    status = 0
    for name in subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split():
        document = ROOT / name
        for number, line in prose(document):
            for target in (a or b for a, b in LINK.findall(line)):
                if not leads_somewhere(document, target):
                    print(f"{name}:{number}: this link leads nowhere: {target}", file=sys.stderr)
                    status = 1
    return status


sys.exit(main())
