#!/usr/bin/env bash
# make.sh: what `make` builds and installs with which client ID, and that a failed build ends what needs it.
#
# Usage: Tests/Install/make.sh
# In a copy of the tree, with a swift that builds a file with the arguments of its call: the question is what is called
# when, and that takes no compiler.
# Exit: 0 all as it should be, 1 not (it says what).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly root work
checks=0

fail() {
    printf 'make: FAILED: %s\n' "$1" >&2
    exit 1
}

# check WHAT COMMAND [ARGUMENT…]: the command must succeed.
check() {
    "${@:2}" || fail "not so: $1"
    checks=$((checks + 1))
    printf '  ok %s\n' "$1"
}

# The variables of a make that has called this script are not for it.
run_make() {
    : >"$work/calls"
    env -u MAKEFLAGS -u MAKEOVERRIDES -u GITHUB_CLIENT_ID -u GITLAB_CLIENT_ID PATH="$work/bin:$PATH" CALLS="$work/calls" make --silent \
        --no-print-directory --directory "$work/tree" DESTDIR="$work/destination" PREFIX=/usr "$@"
}

# What was built into the two programs that were installed last.
built_in() { grep -ho 'Iv1\.[a-z]*' "$work"/destination/usr/{bin,libexec}/* | sort | uniq -c | tr -s ' \n' ' '; }
is() { [[ $("$1") == "$2" ]]; }
not() { ! "$@"; }
built_nothing() { [[ ! -s $work/calls ]]; }

mkdir -p "$work"/{bin,tree/Tests}
cp -R "$root"/{Makefile,Package.swift,packaging,man,Sources} "$work/tree/"
cp -R "$root/Tests/Fuzz" "$work/tree/Tests/"
cat >"$work/bin/swift" <<'SWIFT'
#!/bin/sh
[ "$1" != --version ] || { echo 'Swift version 99.0'; exit; }
echo "$*" >>"$CALLS"
while [ "$#" -gt 1 ] && [ "$1" != --product ]; do arguments="$arguments $1"; shift; done
[ "$2" != "$BROKEN" ] || { echo 'error: broken'; exit 1; }
mkdir -p .build/release && echo "$arguments $*" >".build/release/$2"
SWIFT
# Of files that are no programs nothing can be split.
cat >"$work/bin/objcopy" <<'OBJCOPY'
#!/bin/sh
while [ "$#" -gt 2 ]; do shift; done
cp "$1" "$2"
OBJCOPY
# As if the library of an earlier build were there.
cat >"$work/bin/swiftc" <<'SWIFTC'
#!/bin/sh
while [ "$#" -gt 1 ]; do shift; done
mkdir -p "${1%/*}" && cp /bin/true "$1"
SWIFTC
chmod +x "$work"/bin/*

run_make install
check 'make install builds if nothing was built' test -s "$work/calls"
check 'without a client ID none is built in' is built_in ''
run_make GITHUB_CLIENT_ID=Iv1.abc
run_make install
check 'make install builds nothing if something was built' built_nothing
check 'it installs the client ID that was built in' is built_in ' 2 Iv1.abc '
run_make
run_make install
check 'a later build keeps the client ID' is built_in ' 2 Iv1.abc '
run_make install GITHUB_CLIENT_ID=Iv1.other
check 'make install builds with the client ID that it is given' is built_in ' 2 Iv1.other '
run_make GITHUB_CLIENT_ID=
run_make install
check 'an empty one takes it out' is built_in ''
run_make GITHUB_CLIENT_ID=Iv1.hub GITLAB_CLIENT_ID=Iv1.lab
run_make install
check 'github.com and gitlab.com have a client ID each' is built_in ' 2 Iv1.hub 2 Iv1.lab '
run_make install GITLAB_CLIENT_ID=Iv1.other
check 'another one for gitlab.com leaves that of github.com' is built_in ' 2 Iv1.hub 2 Iv1.other '
check 'each program has its symbols beside it' test -s \
    "$work/tree/.build/release/stripped/git-credential-gitspace-full.debug"
check 'a build that fails is a failure' not run_make BROKEN=git-credential-gitspace-full

check 'fuzzing ends when its build fails' not env PATH="$work/bin:$PATH" CALLS="$work/calls" BROKEN=fuzz-Request \
    "$work/tree/Tests/Fuzz/fuzz.sh" 0 Request
printf 'make: %d checks, all passed\n' "$checks"
