#!/usr/bin/env python3
"""mutants.py: breaks the program in one place at a time, and sees whether a test notices.

Usage: Tests/Mutants/mutants.py [--build] [NUMBER | WORD]…
       NUMBER is a fault of Tests/Mutants/faults, WORD a part of its file or of what it says; none: all of them
       --build: only checks the list and builds
All happens in a copy of this tree, .build/mutants, in which GITSPACE_TEST_MUTANT='NUMBER NUMBER…' switches faults on: one
build serves them all, and nothing of them is in the program that is installed. The faults of one group, which have the same
suites, are first switched on together, in one run; then each is tried alone with the tests that went red in that run. A
fault that none of these notices is tried alone with the whole suites, since another fault may have hidden it.
GITSPACE_TEST_JOBS=1 runs one process at a time.
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

private let active: Set<Int> = {{
    var numbers: Set<Int> = []
    var rest = getenv("{VARIABLE}")
    while let text = rest, text.pointee != 0 {{ numbers.insert(strtol(text, &rest, 10)) }}
    return numbers
}}()

func isMutant(_ number: Int) -> Bool {{ active.contains(number) }}
"""
# A suite that takes this much longer than without a fault hangs: seconds, and how many times as long.
PATIENCE, TIMES = 60, 4
# The most faults that are switched on together: with more, one hides another too often.
GROUP = 40


def functions():
    """For each name that a test prints, the filter that chooses it: the name of its function."""
    filters = {}
    for file in (ROOT / "Tests").glob("*Tests/**/*.swift"):
        for name, function in re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"(?:(?!@Test).)*?\bfunc (\w+)', file.read_text(), re.S):
            filters.setdefault(name.replace('\\"', '"'), set()).add(function)
    return {name: rf"[./]({'|'.join(sorted(found))})\(" for name, found in filters.items()}


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
    red, _ = run(names, [], 1200, stops=True)
    return next(iter(red), None), time.monotonic() - begun


def tried(faults, names, limits, pool):
    """Tries faults that have the same suites; each gets its `found`: the test that went red, or None."""
    if len(faults) > 1:
        red, whole = run(names, faults, limits[names], stops=False)
        if not whole:
            # One of them crashes or stalls the process, so that the other tests were not run.
            middle = len(faults) // 2
            return [trial for half in (faults[:middle], faults[middle:]) for trial in tried(half, names, limits, pool)]
        if red:
            return [pool.submit(alone, fault, names, limits[names], red) for fault in faults]
    return [pool.submit(alone, fault, names, limits[names], {}) for fault in faults]


def alone(fault, names, limit, likely):
    """Tries one fault with the tests that went red in its group, then with all of its suites."""
    red = {}
    if likely:
        filters = tuple(sorted(set(likely.values())))
        red, _ = run(names, [fault], limit, stops=True, filters=filters)
    if not red:
        red, _ = run(names, [fault], limit, stops=True)
    return fault, next(iter(red), None)


def run(names, faults, limit, stops, filters=(), chosen_by=functions()):
    """Runs suites with faults switched on.

    Returns the red tests, each with the filter that chooses it, and whether the run came to its end. If the process ends
    by itself before that, what it printed last stands for a test. `stops`: ends with the first red test.
    """
    command = ["Tests/Support/with-keyring.sh", ".build/debug/git-credential-gitspacePackageTests.xctest",
               "--testing-library", "swift-testing"]
    for name in filters or ["^" + name.replace(".", "\\.") + "[./(]" for name in names]:
        command += ["--filter", name]
    environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
    if faults:
        environment[VARIABLE] = " ".join(str(fault.number) for fault in faults)
    with subprocess.Popen(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True) as process:
        hung, whole, last, red = [], False, "", {}

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
                whole = whole or re.search(r"Test run with [1-9]", line) is not None
                failed = re.match(r"✘ Test (?!run|case)(.*?) (?:recorded|failed)", line)
                if failed and not hung:
                    name = failed[1].strip('"')
                    red[failed[1]] = chosen_by.get(name, r"[./]" + re.escape(name))
                    if stops:
                        process.terminate()
                        later(20, kill)
                        return red, False
        finally:
            for timer in timers:
                timer.cancel()
        status = process.wait()
    if hung:
        red["hangs"] = ""
    elif not whole or (status != 0 and not red):
        red[f"ends with {status}: {last[:80]}"] = ""
    return red, whole and not hung


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
        groups = {}
        for fault in chosen:
            fault.found = None
            for names in processes(fault.suites):
                groups.setdefault(names, []).append(fault)
        # The groups take turns in a pool of their own: a group waits for its first run, and then only hands out work.
        with concurrent.futures.ThreadPoolExecutor(2) as turns:
            trials = {turns.submit(tried, faults[start:start + GROUP], names, limits, pool): names
                      for names, faults in groups.items() for start in range(0, len(faults), GROUP)}
            for group in concurrent.futures.as_completed(trials):
                names = trials[group]
                for trial in concurrent.futures.as_completed(group.result()):
                    fault, found = trial.result()
                    fault.found = fault.found or found
                    print(f"{fault.number}: {found or 'not noticed by ' + ' '.join(names)}", file=sys.stderr, flush=True)
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
