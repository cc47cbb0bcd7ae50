#!/usr/bin/env python3
"""table.py: writes the rows of a test run into the table of docs/clients.md.

Usage: Tests/World/table.py ROWS PAGE PART…
ROWS has a JSON object a line, as Tests/WorldTests/WorldRow.swift writes it. The rows of the parts that were run replace
those that the page has; rows of other parts stay, and so does what stands below the table, from a heading on. The order
depends on the rows alone, so that the same result is the same page.
Exit: 0 written, 1 a part that was run has no row.
"""
import json
import pathlib
import re
import sys

HEAD = """\
# What gitspace has been tried with

`make test-world` writes this table. It runs each of these programs on this machine, the clients against a stand-in for
GitHub, with a private keyring, and fails if a result differs from what the tests expect. A program without a version was not there.

`system` is where the program ran: keyrings of newer Debians run in roots of their own.

| part | program | version | system | what was tried | result |
|---|---|---|---|---|---|
"""
PARTS = ["browsers", "clients", "hosts", "keyrings", "sessions", "share"]
COLUMNS = ["part", "program", "version", "system", "tried", "result"]


def order(row):
    """Parts in their order, then programs, versions as people count, then what was tried."""
    version = [(int(piece) if piece.isdigit() else 0, piece) for piece in re.findall(r"\d+|\D+", row["version"])]
    return (PARTS.index(row["part"]), row["program"].lower(), version, row["system"], row["tried"], row["result"])


def cell(text):
    """Text in a cell: of one line, with nothing that would end it."""
    return " ".join(text.replace("|", r"\|").split()) or "–"


def split(page):
    """The table of a page, and what stands below it."""
    table, heading, rest = (page.read_text(encoding="utf-8") if page.exists() else "").partition("\n## ")
    return table, heading + rest


def written(table):
    """The rows that a table has."""
    lines = table.splitlines()
    cells = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]
    return [
        {name: text.replace(r"\|", "|") for name, text in zip(COLUMNS, row)} for row in cells if row[0] in PARTS
    ]


def main():
    rows_file, page, parts = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    new = [json.loads(line) for line in rows_file.read_text(encoding="utf-8").splitlines()]
    for part in parts:
        if not any(row["part"] == part for row in new):
            print(f"table: the part {part} has written no row", file=sys.stderr)
            return 1
    table, below = split(page)
    rows = new + [row for row in written(table) if row["part"] not in parts]
    for row in rows:
        row["version"] = row["version"] or "–"
    # What came of trying the same in several circumstances is one row.
    results = {}
    for row in sorted(rows, key=order):
        key = tuple(cell(row[name]) for name in COLUMNS[:-1])
        results.setdefault(key, []).append(cell(row["result"]))
    text = HEAD + "".join(
        f"| {' | '.join(key)} | {'; '.join(dict.fromkeys(found))} |\n" for key, found in results.items())
    page.write_text(text + below, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
