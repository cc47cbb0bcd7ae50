#!/usr/bin/env python3
"""mutants.py: breaks the program in one place at a time, and sees whether a test notices.

Usage: Tests/Mutants/mutants.py [--build] [NUMBER | WORD]…
       NUMBER is a fault of Tests/Mutants/faults, WORD a part of its file or of what it says; none: all of them
       --build: only checks the list and builds
All happens in a copy of this tree, .build/mutants, in which GITSPACE_TEST_MUTANT=NUMBER switches one fault on: one build
serves them all, and nothing of them is in the program that is installed. GITSPACE_TEST_JOBS=1 tries one at a time.
Exit: 0 if each is found, or listed with a reason why not; 1 if not; 2 if the list does not fit the tree, or a suite is
red without any fault.
"""
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "Tests/Mutants/faults"
COPY = ROOT / ".build/mutants"
VARIABLE = "GITSPACE_TEST_MUTANT"
# The one variable of the tests' own that reaches the programs in a private session, and that in the copy alone.
SESSION = ("Tests/Staging/Session.swift", '"GITSPACE_TEST_KEEP"]', f'"GITSPACE_TEST_KEEP", "{VARIABLE}"]')
SWITCH = f"""internal import Glibc

private let active = getenv("{VARIABLE}").map {{ atoi($0) }}

func isMutant(_ number: Int32) -> Bool {{ active == number }}
"""
# A suite that takes this much longer than without a fault hangs: seconds, and how many times as long.
PATIENCE, TIMES = 60, 4


class Fault:
    """A block of the list: `NUMBER FILE: WHAT`, then lines that begin with `- ` (the text), `+ ` (what is there instead,
    with MUTANT for whether the fault is on), `suites: ` and perhaps `known: ` (why nothing notices)."""

    def __init__(self, block):
        head, *lines = block.splitlines()
        number, self.file, self.what = re.fullmatch(r"(\d+) (\S+): (.+)", head).groups()
        self.number = int(number)
        self.text = "\n".join(line[2:] for line in lines if line.startswith("- "))
        self.instead = "\n".join(line[2:] for line in lines if line.startswith("+ "))
        self.suites = next(line for line in lines if line.startswith("suites: ")).split()[1:]
        self.known = next((line[len("known: "):] for line in lines if line.startswith("known: ")), None)
        if "MUTANT" not in self.instead or not self.text:
            raise ValueError("no text, or no MUTANT in what is there instead")

    def place(self, source):
        """Where in its file it is; blanks and new lines are all alike."""
        places = list(re.finditer(r"\s+".join(map(re.escape, self.text.split())), source))
        if len(places) != 1:
            raise ValueError(f"its text occurs {len(places)} times in {self.file}: {self.text}")
        return places[0].span()


def listed():
    text = re.sub(r"(?m)^#.*\n", "", LIST.read_text())
    faults, problems = [], []
    for block in filter(None, re.split(r"\n{2,}", text.strip())):
        try:
            faults.append(Fault(block))
        except (ValueError, AttributeError, StopIteration) as problem:
            problems.append(f"{block.splitlines()[0]}: {problem or 'not a block of the list'}")
    numbers = [fault.number for fault in faults]
    problems += [f"{number} is there twice" for number in {n for n in numbers if numbers.count(n) > 1}]
    return faults, problems


def sources(faults):
    """Each file that is not as it is in the tree, and the lines of the list that do not fit."""
    changed, problems = {}, []
    for file in {fault.file for fault in faults}:
        source = (ROOT / file).read_text()
        placed = []
        for fault in (fault for fault in faults if fault.file == file):
            try:
                placed.append((*fault.place(source), fault))
            except ValueError as problem:
                problems.append(f"{fault.number}: {problem}")
        placed.sort(key=lambda place: place[0], reverse=True)
        for later, earlier in zip(placed, placed[1:]):
            if earlier[1] > later[0]:
                problems.append(f"{earlier[2].number} and {later[2].number} overlap in {file}")
        for start, end, fault in placed:
            source = source[:start] + fault.instead.replace("MUTANT", f"isMutant({fault.number})") + source[end:]
        changed[file] = source
        changed["/".join(file.split("/")[:2]) + "/IsMutant.swift"] = SWITCH
    file, text, instead = SESSION
    source = (ROOT / file).read_text()
    if source.count(text) != 1:
        problems.append(f"{file}: {text} is not there once")
    changed[file] = source.replace(text, instead)
    return changed, problems


def copy(changed):
    """Makes the copy; what is the same there is left alone, so that it is not built again."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    names = {name for name in names if name and os.path.lexists(ROOT / name)}
    if COPY.exists():
        for path in COPY.rglob("*"):
            name = str(path.relative_to(COPY))
            if not name.startswith(".build") and not path.is_dir() and name not in names and name not in changed:
                path.unlink()
    for name in sorted(names | set(changed)):
        target, source = COPY / name, ROOT / name
        if source.is_symlink():
            if not target.is_symlink():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(os.readlink(source))
            continue
        content = changed[name].encode() if name in changed else source.read_bytes()
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        target.chmod(source.stat().st_mode if source.exists() else 0o644)


def build():
    for command in (["swift", "build", "--build-tests"],
                    ["packaging/po/catalogue.sh", "build", COPY / ".build/debug/../share/locale"]):
        if subprocess.run(command, cwd=COPY).returncode != 0:
            sys.exit(2)


def processes(suites):
    """Each suite has a process of its own."""
    targets = {}
    for suite in suites:
        targets.setdefault(re.split("[./]", suite)[0], []).append(suite)
    return [tuple(names) for names in targets.values()]


def without_fault(names):
    begun = time.monotonic()
    return red_test(names, None, 1200), time.monotonic() - begun


def found_by(fault, limits):
    return next(filter(None, (red_test(names, fault.number, limits[names]) for names in processes(fault.suites))), None)


def red_test(names, number, limit):
    """The first test that is red, or None; it ends all others."""
    command = ["Tests/Support/with-keyring.sh", ".build/debug/git-credential-gitspacePackageTests.xctest",
               "--testing-library", "swift-testing"]
    for name in names:
        command += ["--filter", "^" + name.replace(".", "\\.") + "[./(]"]
    environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
    if number is not None:
        environment[VARIABLE] = str(number)
    with subprocess.Popen(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True) as process:
        hung, passed, last = [], False, ""

        def end():
            hung.append(True)
            process.terminate()

        def kill():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        timers = [later(limit, end), later(limit + 20, kill)]
        try:
            for line in process.stdout:
                line = re.sub(r"\x1b\[[0-9;]*m", "", line)
                last = line.strip() or last
                passed = passed or re.search(r"✔ Test run with [1-9]", line) is not None
                red = re.match(r"✘ Test (?!run)(.*?) (?:recorded|failed)", line)
                if red and not hung:
                    process.terminate()
                    later(20, kill)
                    return red[1]
        finally:
            for timer in timers:
                timer.cancel()
        status = process.wait()
    if hung:
        return "hangs"
    return None if passed and status == 0 else f"ends with {status}: {last[:80]}"


def later(seconds, action):
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    return timer


def main(words):
    only_build = "--build" in words
    words = [word for word in words if word != "--build"]
    faults, problems = listed()
    changed, more = sources(faults)
    if problems + more:
        print("\n".join("mutants: " + problem for problem in problems + more), file=sys.stderr)
        return 2
    chosen = [fault for fault in faults
              if not words or any(word == str(fault.number) or (not word.isdigit() and word in fault.file + fault.what)
                                  for word in words)]
    if not chosen:
        print(f"mutants: there is none of {' '.join(words)}", file=sys.stderr)
        return 2
    copy(changed)
    build()
    if only_build:
        return 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("GITSPACE_TEST_JOBS") or 2)) as pool:
        suites = sorted({names for fault in chosen for names in processes(fault.suites)})
        sound = dict(zip(suites, pool.map(without_fault, suites)))
        for names, (red, _) in sound.items():
            if red:
                print(f"mutants: without any fault, {' '.join(names)}: {red}", file=sys.stderr)
        if any(red for red, _ in sound.values()):
            return 2
        limits = {names: PATIENCE + TIMES * seconds for names, (_, seconds) in sound.items()}
        tries = {pool.submit(found_by, fault, limits): fault for fault in chosen}
        for done in concurrent.futures.as_completed(tries):
            tries[done].found = done.result()
            print(f"{tries[done].number}: {tries[done].found or 'NOT FOUND'}", file=sys.stderr, flush=True)
    print("| | file | what is broken | found by |\n|---|---|---|---|")
    sums = {"found": 0, "known": 0, "not found": 0}
    for fault in chosen:
        sums["found" if fault.found else "known" if fault.known else "not found"] += 1
        found = fault.found or (f"nothing: {fault.known}" if fault.known else "**NOT FOUND**")
        print(f"| {fault.number} | {fault.file.removeprefix('Sources/')} | {fault.what} | {found} |")
    print(f"\n{len(chosen)} faults: {sums['found']} found, {sums['known']} known, {sums['not found']} not found")
    return 1 if sums["not found"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
