#!/usr/bin/env bash
# deb.sh: checks the Debian packages, installs them, tries the programs, removes the packages, and checks that nothing
# is left.
#
# Usage: Tests/Install/deb.sh FOLDER     (as root, on a disposable Debian: Tests/World/deb.sh)
#   FOLDER  has the packages, and stand-in
# Exit: 0 passed, 1 failed (with a message), 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
readonly folder=${1-} program=git-credential-gitspace
[[ -e $folder/stand-in ]] || {
    printf 'usage: %s FOLDER\n' "${0##*/}" >&2
    exit 64
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq --yes -o Dpkg::Use-Pty=0 "$@" >/dev/null; }
# Prints all files with the program's name, except dpkg's index and this tree.
ours() {
    find / -xdev \( -path /proc -o -path /srv -o -path "$root" -o -path /tmp -o -path /var/cache/apt \) -prune -o \
        -name '*gitspace*' -print
}

check 'lintian finds neither errors nor warnings' make --directory "$root" deb-lint DEB_FOLDER="$folder"
check 'nothing of it is there before' test -z "$(ours)"
apt install "$folder/${program}"_*.deb
check 'both programs are there' test -x /usr/bin/$program -a -x /usr/libexec/$program-full
check 'it says its version' prints "$program " $program --version
check 'the program that git calls needs no library' prints 'no dynamic section' readelf --dynamic /usr/bin/$program
for mark in BIND_NOW PIE; do
    check "the full program is linked so: $mark" prints "$mark" readelf --dynamic /usr/libexec/$program-full
done
check 'and so: GNU_RELRO' prints GNU_RELRO readelf --segments --wide /usr/libexec/$program-full
check 'its symbols are elsewhere' not prints .debug_info readelf --sections --wide /usr/libexec/$program-full
check 'the unit starts the installed program' grep -qx \
    "ExecStart=/usr/libexec/$program-full share --serve %i" /usr/share/systemd/user/gitspace-share@.service
check 'the unit of the socket is beside it' test -s /usr/share/systemd/user/gitspace-share@.socket
check 'no unit is enabled' test -z "$(find / -xdev -path '*.wants/*' -name '*gitspace*')"
check 'dpkg finds every file as it was packed' dpkg --verify $program
check 'the demo runs with it' env STAND_IN="$folder/stand-in" "$root/Tests/Demo/demo.sh" /usr/bin/$program
apt install "$folder/$program-dbgsym"_*.deb
check 'a debugger finds the symbols by the build ID' test -s "/usr/lib/debug/.build-id/$(
    readelf --notes /usr/libexec/$program-full | sed -n 's,.*Build ID: \(..\),\1/,p'
).debug"
apt purge $program-dbgsym $program
check 'nothing of it is there afterwards' test -z "$(ours)"
printf 'deb: %d checks, all passed\n' "$checks"
