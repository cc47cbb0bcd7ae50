#!/usr/bin/env python3
"""plain-english.py: checks what a machine can of the rule of plain English in CONTRIBUTING.md.

Usage: Tests/Documents/plain-english.py [--counts]
  --counts  prints only the number of findings in each module
Checks, in Sources and Tests:
  - the first word of a documentation comment: it must name the subject, or be a verb;
  - the first word of the name of a @Test: a lower-case verb or noun, or a proper name; and of a @Suite: a noun;
  - the subjects of the commits since this file was added: 72 characters at most.
Sentences that are right although they begin with such a word are in ALLOWED, 20 at most.
Exit: 0 nothing found, 1 something: each finding has its file and line.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST_SUBJECT = 72
RIDDLE = re.compile(r"(Of|By|In|At|To|Those|That of|The same|Nil|Nobody|Whoever|What)\b", re.IGNORECASE)
# A test's name is read alone in a report, and says first what happens: no preposition, conjunction or pronoun.
CONTINUATION = re.compile(
    r"(of|by|in|at|to|on|for|from|with|without|after|before|until|while|during|between|if|when|where|although|because|"
    r"since|unless|whether|how|why|that|those|this|these|the same|nil|nobody|whoever|what|who|whose|which|it|its|he|she|"
    r"they|and|or|nor|but|so|then|also|not|neither|as|than|yet|else|likewise)\b", re.IGNORECASE)
# Capitalized words that are names; words with two capitals, such as GitHub and TLS, are taken for names anyway.
NAMES = {
    "Basic", "Bearer", "Bitbucket", "Chromium", "Codeberg", "Ctrl", "Debian", "English", "Enter", "Entra", "Expect", "Firefox",
    "Forgejo", "Git", "Gitea", "Hangul", "Kerberos", "Korean", "Retry", "Unix", "Windows",
}
ALLOWED: set[str] = {
    # A commit that others already build upon.
    "GatewayHostTests: the names of this morning again, which a commit had put back",
    "System: take a pipe's ends on every path, for Swift 6.0; settings' new place",
}

COMMENT = re.compile(r"\s*///(?!/) ?(.*)")
NAME = re.compile(r'@(Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')


def is_capitalized(name):
    """Whether a display name begins with a capitalized word that is no name."""
    word = re.match(r"[A-Z][a-z]*\b", name)
    return word is not None and len(word[0]) > 1 and word[0] not in NAMES


def findings_in(text):
    """The line numbers and complaints of a Swift file."""
    is_inside = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment and not is_inside and comment[1] not in ALLOWED and (word := RIDDLE.match(comment[1])):
            yield number, f'the comment begins with "{word[0]}": {comment[1]}'
        is_inside = comment is not None
    for match in NAME.finditer(text):
        number, kind, name = text.count("\n", 0, match.start()) + 1, match[1], match[2]
        if name in ALLOWED:
            continue
        if word := CONTINUATION.match(name):
            yield number, f'the name begins with "{word[0]}": {name}'
        elif kind == "Test" and is_capitalized(name):
            yield number, f"the name begins with a capital letter: {name}"


def git(*arguments):
    """The output of git, or nothing where there is no repository."""
    run = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return run.stdout.split("\n") if run.returncode == 0 else []


def long_subjects():
    """The commits since this file was added whose subjects are too long."""
    path = str(pathlib.Path(__file__).resolve().relative_to(ROOT))
    added = [line for line in git("log", "--diff-filter=A", "--format=%H", "--", path) if line]
    for line in git("log", "--no-merges", "--format=%h %s", f"{added[-1]}..HEAD") if added else []:
        commit, _, subject = line.partition(" ")
        if len(subject) > LONGEST_SUBJECT and subject not in ALLOWED:
            yield commit, f"the subject has {len(subject)} characters, of {LONGEST_SUBJECT} at most: {subject}"


def main():
    assert len(ALLOWED) <= 20, "plain-english.py: more than 20 exceptions"
    counts = collections.Counter()
    lines = []
    for folder in ("Sources", "Tests"):
        for file in sorted((ROOT / folder).rglob("*.swift")):
            path = file.relative_to(ROOT)
            for number, complaint in sorted(findings_in(file.read_text(encoding="utf-8"))):
                counts["/".join(path.parts[:2])] += 1
                lines.append(f"{path}:{number}: {complaint}")
    for commit, complaint in long_subjects():
        counts["commits"] += 1
        lines.append(f"commit {commit}: {complaint}")
    if "--counts" not in sys.argv[1:]:
        print("\n".join(lines), file=sys.stderr, end="\n" if lines else "")
    for module, count in sorted(counts.items()):
        print(f"{count:5} {module}")
    return int(bool(lines))


sys.exit(main())
