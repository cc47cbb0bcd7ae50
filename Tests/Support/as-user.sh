#!/usr/bin/env bash
# as-user.sh: runs a command as another user; needs root.
#
# Usage: Tests/Support/as-user.sh ID COMMAND [ARGUMENT…]
#   ID is the number of a user and of a group. A user that the machine does not know has a name and a home for the
#   command alone: dbus-daemon refuses everybody as long as its own user has none. The command's status is its own.
# A script of this folder is run from a copy, since the tree may lie where only root can enter.
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
    case $command in "$scripts"/*) command=/mnt/${command##*/} ;; esac
    if ! getent passwd "$user" >/dev/null; then
        users=$(mktemp)
        { cat /etc/passwd && echo "stranger:x:$user:$user::/tmp:/bin/sh"; } >"$users"
        chmod 644 "$users"
        mount --bind "$users" /etc/passwd
        rm "$users"
    fi
    exec setpriv --reuid="$user" --regid="$user" --clear-groups "$command" "$@"
' as-user "$here" "$@"
