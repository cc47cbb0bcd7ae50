#!/usr/bin/env python3
"""errors.py: whether docs/troubleshooting.md has every error text of ours, and quotes none that has gone.

Usage: Tests/Documents/errors.py
Error texts are what the sources in Sources/Messages/Errors say, hints excepted, and what `check` finds. The page quotes
them in the first column of its tables, with something in each place (github.com for %1$s). What other programs say, and
what no catalogue holds, is quoted below the headings of OTHERS, where nothing is compared.
Exit: 0 it has, 1 not: "<" is a text that the page lacks, ">" a quotation that nothing of ours says.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "troubleshooting.md"
MESSAGES = ROOT / "Sources" / "Messages"
# Headings of the page below which others speak.
OTHERS = {"Messages from git and other programs", "In a container or on an SSH host"}
# What stands in the places of other texts, and is never seen alone.
PARTS = {"an unknown account", "certificate file", "certificate directory"}

# A comment, a literal in either form, the beginning of a message, or a bracket: whatever comes first. A literal may hold
# an interpolation with literals of its own, one deep.
TOKEN = re.compile(
    r'//[^\n]*|(?P<raw>\#"(?:.*?)"\#)|(?P<message>\b(?P<error>ErrorText\(\s*)?Message\(\s*)?'
    r'"(?P<text>(?:\\\((?:[^()"]|"[^"]*"|\([^()]*\))*\)|\\[^(]|[^"\\\n])*)"|(?P<bracket>[\[\]])', re.S)
PLACE = re.compile(r"%[1-9]\$s")
QUOTED = re.compile(r"`([^`]+)`")


def messages(path):
    """The texts of a source, each with whether it is a hint (which stand in lists) and whether an error begins with it."""
    depth = 0
    for token in TOKEN.finditer(path.read_text(encoding="utf-8")):
        if token["bracket"]:
            depth += 1 if token["bracket"] == "[" else -1
        elif token["message"]:
            yield re.sub(r"\\(.)", r"\1", token["text"]), depth > 0, token["error"] is not None
    if depth:
        sys.exit(f"{path.relative_to(ROOT)}: its brackets do not match")


def error_texts():
    """What the page must have."""
    texts = {text for path in sorted((MESSAGES / "Errors").glob("*.swift")) for text, is_hint, _ in messages(path)
             if not is_hint}
    check = MESSAGES / "Verbs" / "CheckReport.swift"
    return (texts | {text for text, _, is_error in messages(check) if is_error}) - PARTS


def quotations():
    """What the first columns of the page's tables quote, with the number of the line."""
    heading = ""
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `") and heading not in OTHERS:
            for quotation in QUOTED.findall(line.split(" | ")[0]):
                yield number, quotation


def says(text, quotation):
    """Whether a quotation is that text, with something in its places."""
    return re.fullmatch(".+".join(map(re.escape, PLACE.split(text))), quotation) is not None


def closest(quotation, texts):
    """The text that a quotation is one of; of several the longest, since some are nearly nothing but their places."""
    return max((text for text in texts if says(text, quotation)), key=lambda text: len(PLACE.sub("", text)), default=None)


def main():
    errors = error_texts()
    if len(errors) < 50:
        sys.exit("Sources/Messages/Errors: hardly any text is found there; look after errors.py")
    quoted = list(quotations())
    # A text that is nothing but its places with a few words would pass for many.
    every = {text for path in MESSAGES.rglob("*.swift") for text, _, _ in messages(path)
             if len(PLACE.sub("", text).strip()) > 11}
    found = {closest(quotation, errors) for _, quotation in quoted}
    missing = sorted(errors - found)
    stale = [(number, quotation) for number, quotation in quoted
             if not any(says(text, quotation) for text in every | errors)]
    for text in missing:
        print(f"< {text}")
    for number, quotation in stale:
        print(f"> {quotation} (line {number})")
    if missing or stale:
        print(f"{PAGE.relative_to(ROOT)}: not in step with Sources/Messages", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
