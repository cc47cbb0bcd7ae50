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

# The machine's entries for its own release, turned into entries for the source packages of $suite: same address,
# same key. Both of apt's formats stay in their own format, so that every other option keeps its meaning; only what
# binds an entry to binary packages (architectures, components) goes. Foreign repositories that follow the release
# names come along; they have no such suite, and apt skips them.
derive_sources() {
    local into=$1 list='' parts='' codename file
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:-sid}")

    for file in "$list" "$parts"/*.list; do
        [[ -f $file ]] || continue
        awk -v codename="$codename" -v suite="$suite" '
            $1 != "deb" || !match($0, /^[ \t]*deb[ \t]+(\[[^]]*\][ \t]*)?[^ \t]+[ \t]+/) { next }
            {
                head = substr($0, 1, RLENGTH)
                split(substr($0, RLENGTH + 1), rest)
            }
            rest[1] == codename || rest[1] ~ /^(stable|testing|unstable|sid)$/ {
                sub(/deb/, "deb-src", head)
                gsub(/arch[+-]?=[^] \t]+/, "", head)
                print head suite " main"
            }' "$file"
    done >"$into/machine.list"

    for file in "$parts"/*.sources; do
        [[ -f $file ]] || continue
        # A stanza is printed when its end is reached, since its fields come in any order. The continuation lines of
        # a replaced field go with it; those of a key written into the stanza stay.
        awk -v codename="$codename" -v suite="$suite" '
            function flush() {
                if (binary && ours && !disabled)
                    printf "Types: deb-src\nSuites: %s\nComponents: main\n%s\n", suite, kept
                kept = ""; binary = ours = disabled = 0
            }
            function look(text,    words, count, i) {
                count = split(text, words)
                for (i = 1; i <= count; i++) {
                    if (field == "types" && words[i] == "deb") binary = 1
                    if (field == "suites" && (words[i] == codename || words[i] ~ /^(stable|testing|unstable|sid)$/)) ours = 1
                    if (field == "enabled" && tolower(words[i]) ~ /^(no|false|without|off|disable|0)$/) disabled = 1
                }
            }
            /^[ \t]*$/ { flush(); next }
            /^#/ { next }
            /^[^ \t]/ { field = tolower($0); sub(/[ \t]*:.*/, "", field); value = $0; sub(/^[^:]*:/, "", value); look(value) }
            /^[ \t]/ { look($0) }
            field !~ /^(types|suites|components|architectures|enabled|targets)$/ { kept = kept $0 "\n" }
            END { flush() }' "$file"
    done >"$into/machine.sources"

    if [[ ! -s $into/machine.list && ! -s $into/machine.sources ]]; then
        fail "apt has no entry for $codename from which the address of the archive could be taken"
    fi
}

# An apt configuration of its own: how the archive is reached (proxy and the like) comes from the machine; its hooks,
# which would act on the machine's own lists, do not.
configure_apt() {
    local apt=$1
    mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    derive_sources "$apt/sources"
    {
        apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv[46])\b' || true
        printf '%s "%s";\n' \
            Dir::Etc::main /dev/null Dir::Etc::parts /dev/null \
            Dir::Etc::sourcelist /dev/null Dir::Etc::sourceparts "$apt/sources" \
            Dir::State::lists "$apt/lists" Dir::Cache "$apt/cache"
    } >"$apt/apt.conf"
    export APT_CONFIG=$apt/apt.conf
}

# Downloads and unpacks the source package into $tree.
unpack() {
    local apt=$work/apt version
    local -a description
    configure_apt "$apt"
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
