#!/usr/bin/env bash
# as-user.sh: runs a command as another user; needs root.
#
# Usage: Tests/Support/as-user.sh ID COMMAND [ARGUMENT…]
#   ID is the number of a user and of a group. If the machine has no such user, it gets a name, a home and a group of
#   the same name for this command, as useradd(8) would make them: dbus-daemon refuses every client if its own user has
#   no name. The exit status is the command's.
# A script of this folder is run from a copy, and other files that the user cannot reach are mounted where everybody can
# read them, since the tree may be in a folder that only root can enter.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if (($# < 2)); then
    printf 'usage: %s ID COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

# shellcheck disable=SC2016
exec unshare --mount bash -c '
    set -eu
    scripts=$1
    user=$2
    command=$3
    shift 3
    mount -t tmpfs -o mode=755 scripts /mnt
    (umask 022 && cp -r "$scripts"/* /mnt)
    cd /
    become=(setpriv --reuid="$user" --regid="$user" --clear-groups)
    case $command in
    "$scripts"/*) command=/mnt/${command##*/} ;;
    /*)
        if ! "${become[@]}" test -x "$command"; then
            mkdir /mnt/programs
            mount --bind "${command%/*}" /mnt/programs
            command=/mnt/programs/${command##*/}
        fi
        ;;
    esac
    if ! getent passwd "$user" >/dev/null; then
        umask 022
        { cat /etc/passwd && echo "stranger:x:$user:$user::/tmp:/bin/sh"; } >/mnt/passwd
        { cat /etc/group && echo "stranger:x:$user:"; } >/mnt/group
        for file in passwd group; do mount --bind "/mnt/$file" "/etc/$file"; done
    fi
    exec "${become[@]}" "$command" "$@"
' as-user "$here" "$@"
