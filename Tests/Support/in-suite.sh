#!/usr/bin/env bash
# in-suite.sh: runs a program of another Debian release, with that release's libraries, in this session.
#
# Usage: Tests/Support/in-suite.sh FOLDER PROGRAM [ARGUMENT…]
#   FOLDER   a root into which Tests/World/newest.sh has unpacked packages
# The program sees this machine's processes, devices, users and /tmp, which has the private sessions, and nothing else
# of it. It replaces this process. Needs root, or unprivileged user namespaces.
# Exit: the program's status; 64 wrong usage.
set -euo pipefail

if [[ ${1-} == --inside ]]; then
    cd "$2"
    for place in tmp proc dev; do
        mkdir -p "$place"
        mount --rbind "/$place" "$place"
    done
    for file in passwd group nsswitch.conf machine-id; do
        [[ -f /etc/$file ]] || continue
        [[ -e etc/$file ]] || touch "etc/$file"
        mount --bind "/etc/$file" "etc/$file"
    done
    exec setpriv --pdeathsig KILL chroot . "${@:3}"
fi
(($# >= 2)) || {
    printf 'usage: %s FOLDER PROGRAM [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
}
namespaces=(--mount)
((EUID == 0)) || namespaces+=(--user --map-current-user --keep-caps)
exec unshare "${namespaces[@]}" "$0" --inside "$@"
