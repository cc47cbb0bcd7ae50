#!/usr/bin/env bash
# as-cron.sh: runs a command as cron(8), a timer of systemd's or `env -i` would: no variable leads to the session.
#
# Usage: Tests/Support/as-cron.sh BUS COMMAND [ARGUMENT…]
#   BUS is the socket that is found as /run/user/UID/bus; `-` for none. The command has a /run of its own, and of the
#   environment HOME, LOGNAME, PATH and SHELL, besides what keeps this machine's settings out.
#   Exit: 77 if this machine lets nobody make namespaces (user_namespaces(7)); else the command's.
set -euo pipefail

if (($# < 2)); then
    printf 'usage: %s BUS|- COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

# In namespaces of its own, where the user may mount, and is nobody else: EXTERNAL tells the bus who asks.
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
    # The rights that allowed the mount end here.
    exec setpriv --ambient-caps=-all --inh-caps=-all env -i HOME="$HOME" LOGNAME="$(id -un)" PATH="$PATH" \
        SHELL=/bin/sh GIT_CONFIG_NOSYSTEM=1 "$@"
' as-cron "$@"
