#!/usr/bin/env python3
"""table.py: records the results of a run of the world tests, and writes docs/clients.md from all records.

Usage: Tests/World/table.py [ROWS RECORD PAGE PART…]
ROWS and RECORD have a JSON object in each line, as Tests/WorldTests/WorldRow.swift writes it. The rows of the parts that
were run replace those in RECORD; rows of other parts stay. PAGE is written anew, but for the sections at its end that
people write: they begin with BY_HAND. The order depends on the rows alone, so that the same results are the same page.
Uses that docs/clients.md claims for a system of this run, and that were not tried, are printed. For a release (on a tag) they
are a failure, if the run is like the recorded ones: as root, and without a running systemd. Otherwise, a program that could
not be fetched does not stop a change.
Without arguments, checks that docs/clients.md is what Tests/World/tried.jsonl makes of it.
Exit: 0 written, or in step; 1 a part that was run has no row, a claimed use was not tried, or not in step.
"""
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "Tests" / "World" / "tried.jsonl"
HEAD = """\
# What gitspace has been tried with

`make test-world` writes this page. It runs each of these programs, the clients against a stand-in for GitHub, with a
private keyring, and fails if a result differs from what the tests expect. Keyrings of newer Debians run in roots of their
own. A program without a version was not there, or has none.

| part | program | versions | system | what was tried | result |
|---|---|---|---|---|---|
"""
BY_HAND = "\n## Through the gateway"
PARTS = ["browsers", "clients", "hosts", "keyrings", "sessions", "share"]
COLUMNS = ["part", "program", "version", "system", "tried", "result"]
LONGEST_RESULT = 100
# Results that name a refusal; the row of such a program must not simply say that it works.
REFUSALS = re.compile(r"(gets nothing|cannot|calls no)")


def version_order(version):
    """A key that sorts version numbers numerically."""
    return [(int(piece) if piece.isdigit() else 0, piece) for piece in re.findall(r"\d+|\D+", version)]


def order(row):
    """A row's sort key: part, program, version, use."""
    return (PARTS.index(row["part"]), row["program"].lower(), version_order(row["version"]), row["system"], row["tried"],
            row["result"])


def cell(text):
    """Text for one cell or line, without characters that would end a row."""
    return " ".join(text.replace("|", r"\|").split())


def distinct(values):
    """The values without repetitions, in their order."""
    return list(dict.fromkeys(values))


def systems_of(rows):
    """The systems of some rows: `Debian 12, 13, sid`."""
    names = {}
    for system in distinct(row["system"] for row in rows):
        name, _, release = system.partition(" ")
        names.setdefault(name, []).append(release)
    # A release without a number is newer than one with a number.
    return ", ".join(
        f"{name} {', '.join(sorted(releases, key=lambda one: (not one[:1].isdigit(), version_order(one))))}".strip()
        for name, releases in names.items())


def versions_of(rows):
    """The versions of some rows, or a dash."""
    return ", ".join(distinct(row["version"] for row in rows if row["version"])) or "–"


def details(rows):
    """The uses of a program: (rows, use, result), with equal ones merged.

    Several results of the same attempt are one result; attempts with the same versions and result are one line.
    """
    attempts = {}
    for row in rows:
        attempts.setdefault((row["version"], row["system"], row["tried"]), []).append(row)
    alike = {}
    for (_, _, tried), found in attempts.items():
        alike.setdefault((tried, "; ".join(distinct(cell(row["result"]) for row in found))), []).extend(found)
    lines = {}
    for (tried, result), found in alike.items():
        where = tuple(distinct((row["version"], row["system"]) for row in found))
        lines.setdefault((where, result), []).append((cell(tried), found))
    for (_, result), attempts in lines.items():
        yield [row for _, found in attempts for row in found], "; ".join(tried for tried, _ in attempts), result


def verdict(results):
    """The result of a program with several uses, in a few words."""
    tried = [result for result in results if not result.startswith("not run")]
    if any(REFUSALS.match(result) for result in tried):
        return "differs, see below"
    word = "works" if any(re.search(r"\bworks\b", result) for result in tried) else "as expected"
    return word if tried == results else f"{word}; something was not run"


def page_of(rows):
    """The text of the page, without the sections written by hand."""
    table, below = [], []
    for part in PARTS:
        programs = distinct(row["program"] for row in rows if row["part"] == part)
        section = []
        for program in programs:
            own = [row for row in rows if (row["part"], row["program"]) == (part, program)]
            lines = list(details(own))
            start = f"| {part} | {program} | {versions_of(own)} | {systems_of(own)} |"
            if len(lines) == 1 and len(lines[0][2]) <= LONGEST_RESULT:
                table.append(f"{start} {lines[0][1]} | {lines[0][2]} |")
                continue
            table.append(f"{start} see [below](#{part}) | {verdict([result for _, _, result in lines])} |")
            everywhere = {(row["version"], row["system"]) for row in own if row["version"]}
            for found, tried, result in lines:
                where = {(row["version"], row["system"]) for row in found}
                versions = versions_of(found).replace("–", "")
                suffix = "" if where == everywhere or not everywhere else f" {versions} ({systems_of(found)})".replace("  ", " ")
                section.append(f"- **{program}**{suffix}, {tried}: {result}")
        if section:
            below.append(f"\n## {part.capitalize()}\n\n" + "\n".join(section) + "\n")
    return HEAD + "\n".join(table) + "\n" + "".join(below)


def read(path):
    """The rows of a file; none if it does not exist."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def tried_versions(rows):
    """The versions with which each use was tried; numbers within a use, such as git's version, do not count."""
    versions = {}
    for row in rows:
        if not row["result"].startswith("not run"):
            use = (row["part"], row["program"], row["system"], re.sub(r"[0-9.]+", "N", row["tried"]))
            versions.setdefault(use, set()).add(row["version"])
    return versions


def not_tried(claimed, new, parts):
    """The claimed uses, of the given parts on the systems of this run, that were tried with fewer versions now."""
    now = tried_versions(new)
    systems = {row["system"] for row in new}
    for use, versions in tried_versions(claimed).items():
        if use[0] in parts and use[2] in systems and len(now.get(use, ())) < len(versions):
            yield f"{': '.join(use)}: claimed for {', '.join(sorted(versions))}; now {', '.join(sorted(now.get(use, ['none'])))}"


def by_hand(page):
    """The sections at the end of a page that are written by hand."""
    _, heading, rest = (page.read_text(encoding="utf-8") if page.exists() else "").partition(BY_HAND)
    return heading + rest


def main():
    if len(sys.argv) == 1:
        page = ROOT / "docs" / "clients.md"
        if page_of(sorted(read(CLAIMS), key=order)) + by_hand(page) == page.read_text(encoding="utf-8"):
            return 0
        print("docs/clients.md is not what Tests/World/tried.jsonl makes of it: Tests/World/table.py", file=sys.stderr)
        return 1
    rows_file, record, page = (pathlib.Path(argument) for argument in sys.argv[1:4])
    parts = sys.argv[4:]
    new = read(rows_file)
    for part in parts:
        if not any(row["part"] == part for row in new):
            print(f"table: the part {part} has written no row", file=sys.stderr)
            return 1
    missing = list(not_tried(read(CLAIMS), new, parts))
    for use in missing:
        print(f"table: docs/clients.md claims what was not tried: {use}", file=sys.stderr)
    if missing and os.environ.get("GITHUB_REF_TYPE") == "tag" and os.geteuid() == 0 and not os.path.exists("/run/systemd/system"):
        return 1
    rows = sorted(new + [row for row in read(record) if row["part"] not in parts], key=order)
    record.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    page.write_text(page_of(rows) + by_hand(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
