#!/usr/bin/env bash
# newer-git.sh: builds a newer git than the distribution's, for its test suite and for the end-to-end tests.
#
# Debian 12's git (2.39) lacks expiry, refresh tokens and capabilities, so half of the protocol needs a newer git. The
# source is a source package of Debian, from the archive that this machine trusts, verified with the same key. The
# machine's apt configuration is read, never written: lists, cache and sources belong to this script, so it needs no
# root and leaves nothing behind.
#
# Usage: Tests/Conformance/newer-git.sh
#   Progress goes to stderr. The only line on stdout is the folder to put first on PATH.
#   Returns at once if git has been built. `rm -r .build/newer-git` starts afresh.
# Environment: GIT_SOURCE_SUITE  the suite of the source (default trixie; distributions other than Debian need one of
#                                their own suites, with git 2.47 or later)
#
# The built git ignores /etc/gitconfig, because its prefix is a folder that does not exist. The distribution's git reads
# it; tests with either git set GIT_CONFIG_NOSYSTEM=1.
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

# Ends with a message and the end of the log, which has the errors of apt or the compiler.
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
    # The status says whether all sources answered; only git is needed.
    apt-get -q update >>"$log" 2>&1 || true
    (cd "$apt" && apt-get -q source --download-only git) >>"$log" 2>&1 ||
        fail "no source package of git in the suite $suite (GIT_SOURCE_SUITE chooses another)"
    description=("$apt"/git_*.dsc)
    version=$(sed -n 's/^Version: *\([0-9]*:\)\{0,1\}//p' "${description[0]}")
    dpkg --compare-versions "$version" ge "$minimum" ||
        fail "the suite $suite has git $version; the tests need $minimum or later (GIT_SOURCE_SUITE chooses another)"
    say "unpacking git $version"
    # apt has verified the package with the signed index; dpkg-source would only warn that it lacks the uploader's key.
    dpkg-source --no-check --no-copy --extract "${description[0]}" "$tree" >>"$log" 2>&1 || fail 'could not unpack the source'
    rm -rf "$apt"
}

# Builds without installing: git's wrappers in bin-wrappers find the rest of the tree, which git's test suite needs
# anyway.
build() {
    say "building (a few minutes; log: $log)"
    # The variables of an outer make (PREFIX, CFLAGS, the job server) must not affect git's build.
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CFLAGS -u LDFLAGS -u DESTDIR \
        make -C "$tree" -j"$(nproc)" prefix="$work/no-such-prefix" CFLAGS=-O0 \
        NO_GETTEXT=1 NO_TCLTK=1 NO_PYTHON=1 all >>"$log" 2>&1 || fail 'could not build git'
}

mkdir -p "$work"
# Two runs at once (a parallel make) would build in the same folder: the second waits, then finds git built.
exec 9>"$work.lock"
flock 9

# The wrappers contain absolute paths, so the mark contains the path of the build.
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
