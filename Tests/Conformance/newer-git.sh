#!/usr/bin/env bash
# newer-git.sh: builds a git that is newer than the distribution's, for its test suite and for the end-to-end tests.
#
# Debian 12's git (2.39) knows neither expiry, refresh tokens nor capabilities, so half of the protocol can only be
# tested with a newer one. The source is Debian's own source package: the archive that this machine already trusts
# serves it, under the same key. The machine's apt configuration is read, never written: lists, cache and sources
# are private to this script, so it needs no root and leaves nothing behind.
#
# Usage: Tests/Conformance/newer-git.sh
#   Progress goes to stderr. The last (only) line on stdout is the folder to put first on PATH.
#   Done before: returns at once. `rm -r .build/newer-git` starts afresh.
# Environment: GIT_SOURCE_SUITE  the suite whose git is taken (default trixie; another distribution than Debian needs
#                                one of its own suites here, with git 2.47 or later)
#
# The result does not read /etc/gitconfig: its prefix is a folder that does not exist, so that it has no system-wide
# configuration at all. The distribution's git does read it; tests that use either set GIT_CONFIG_NOSYSTEM=1.
set -euo pipefail

readonly minimum=2.47
readonly suite=${GIT_SOURCE_SUITE:-trixie}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
readonly work=$root/.build/newer-git
# shellcheck source=Tests/Support/apt-suite.bash
. "$root/Tests/Support/apt-suite.bash"
readonly tree=$work/source
readonly log=$work/log

say() { printf 'newer-git: %s\n' "$*" >&2; }

# Ends with a message and the end of the log, where apt's or the compiler's own words are.
fail() {
    say "$1"
    if [[ -s $log ]]; then
        tail -n 20 "$log" >&2
        say "the whole log: $log"
    fi
    exit 1
}

# Downloads and unpacks the source package into $tree.
unpack() {
    local apt=$work/apt version
    local -a description
    configure_apt deb-src "$suite" "$apt" ||
        fail 'apt has no entry for this release from which the address of the archive could be taken'
    # Its status says whether all entries answered; what counts is whether one of them has git.
    apt-get -q update >>"$log" 2>&1 || true
    (cd "$apt" && apt-get -q source --download-only git) >>"$log" 2>&1 ||
        fail "no source package of git in the suite $suite (GIT_SOURCE_SUITE chooses another)"
    description=("$apt"/git_*.dsc)
    version=$(sed -n 's/^Version: *\([0-9]*:\)\{0,1\}//p' "${description[0]}")
    dpkg --compare-versions "$version" ge "$minimum" ||
        fail "the suite $suite has git $version; the tests need $minimum or later (GIT_SOURCE_SUITE chooses another)"
    say "unpacking git $version"
    # apt has just verified it against the signed index; dpkg-source would only warn that it lacks the uploader's key.
    dpkg-source --no-check --no-copy --extract "${description[0]}" "$tree" >>"$log" 2>&1 || fail 'could not unpack the source'
    rm -rf "$apt"
}

# Builds in place, not installed: git's wrappers in bin-wrappers find the rest of the tree by themselves, and its test
# suite needs the built tree anyway.
build() {
    say "building (a few minutes; log: $log)"
    # The variables of a make around this one (PREFIX, CFLAGS, the job server) are not meant for git.
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u LDFLAGS -u DESTDIR \
        make -C "$tree" -j"$(nproc)" prefix="$work/no-such-prefix" CFLAGS=-O1 \
        NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 all >>"$log" 2>&1 || fail 'could not build git'
}

mkdir -p "$work"
# Two at once (a parallel make) would build into the same folder: the second waits, then finds it done.
exec 9>"$work.lock"
flock 9

# The wrappers contain absolute paths, so the mark holds the path that they were built for.
if [[ $(cat "$work/done" 2>/dev/null) != "$tree" ]]; then
    for tool in apt-get dpkg-source gcc make; do
        command -v "$tool" >/dev/null || fail "$tool is missing: packaging/dependencies.sh conformance installs what is needed"
    done
    rm -rf "$work"
    mkdir -p "$work"
    unpack
    build
    printf '%s\n' "$tree" >"$work/done"
    say "built $("$tree/bin-wrappers/git" --version) in $SECONDS s"
fi
printf '%s\n' "$tree/bin-wrappers"
