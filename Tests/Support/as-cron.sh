#!/usr/bin/env bash
# as-cron.sh: runs a command as cron(8), a systemd timer or `env -i` does: no variable leads to the session.
#
# Usage: Tests/Support/as-cron.sh BUS COMMAND [ARGUMENT…]
#   BUS is the socket that appears as /run/user/UID/bus; `-` for none. The command has its own /run, and only the
#   variables HOME, LOGNAME, PATH and SHELL, apart from those that keep this machine's settings out.
#   Exit: 77 if this machine does not allow namespaces (user_namespaces(7)); otherwise the command's status.
set -euo pipefail

if (($# < 2)); then
    printf 'usage: %s BUS|- COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

# In its own namespaces, where the user may mount, and keeps its ID: EXTERNAL tells the bus who connects.
readonly namespaces=(unshare --user --map-current-user --keep-caps --mount)
"${namespaces[@]}" mount -t tmpfs tmpfs /run 2>/dev/null || exit 77

# shellcheck disable=SC2016
exec "${namespaces[@]}" bash -c '
    set -eu
    bus=$1 user=$(id -u)
    shift
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir -m 755 /run/user
    mkdir -m 700 "/run/user/$user"
    [[ $bus == - ]] || ln -s "$bus" "/run/user/$user/bus"
    # Drops the capabilities that were needed for the mount.
    exec setpriv --ambient-caps=-all --inh-caps=-all env -i HOME="$HOME" LOGNAME="$(id -un)" PATH="$PATH" \
        SHELL=/bin/sh GIT_CONFIG_NOSYSTEM=1 "$@"
' as-cron "$@"
