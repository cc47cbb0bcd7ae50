#!/usr/bin/env bash
# with-keyring.sh: runs a command in a private session with a private, unlocked, empty keyring (gnome-keyring).
#
# Usage: Tests/Support/with-keyring.sh [--suite FOLDER | --open-bus] COMMAND [ARGUMENT…]
#   --suite FOLDER: uses the gnome-keyring of another Debian release (in-suite.sh).
#   --open-bus: the bus accepts every user of the machine.
#   The command keeps its stdin, stdout, stderr and exit status. 99: the session did not start; 64: no command.
# The command gets these variables, besides the session's HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS:
#   KEYRING_PID       the process ID of the daemon, for stopping (hung service), continuing or killing it
#   KEYRING_LOG       the log of the bus and the daemon
#   KEYRING_PASSWORD  the password of its only collection, with which keyring-control.py unlocks it
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Support/private-session.bash
. "$here/private-session.bash"

bus=--session
if [[ ${1-} == --suite ]]; then
    in_suite=("$here/in-suite.sh" "${2-}")
    shift 2
elif [[ ${1-} == --open-bus ]]; then
    bus=--open
    shift
fi
if (($# == 0)); then
    printf 'usage: %s [--suite FOLDER | --open-bus] COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

enter_private_home
if [[ $bus == --open ]]; then
    printf '<busconfig>%s<policy context="mandatory"><allow user="*"/></policy></busconfig>\n' \
        '<include>/usr/share/dbus-1/session.conf</include>' >"$session/bus.conf"
    chmod 755 "$session" "$XDG_RUNTIME_DIR"
    bus=--config-file=$session/bus.conf
fi
start_bus "$bus"

export KEYRING_LOG=$session/log

# An empty password would make an unencrypted keyring that cannot be locked.
export KEYRING_PASSWORD='private to this session'

# --foreground keeps the daemon as our child, so that its ID is known. As a process substitution instead of a job, a
# test may kill it without a message from this shell on the command's stderr. With XFSZ ignored, a limit on file sizes
# is an error for the daemon, like a full disk, instead of its end.
exec {password}> >(trap '' XFSZ; exec_service "${in_suite[@]}" gnome-keyring-daemon --foreground --unlock --components=secrets >>"$session/log")
export KEYRING_PID=$!
session_pids+=("$KEYRING_PID")
printf %s "$KEYRING_PASSWORD" >&"$password"
exec {password}>&-

# The daemon claims its name some time after its start. If the command used the name earlier, the bus would start a
# second, locked daemon.
gdbus wait --session --timeout 10 org.freedesktop.secrets >>"$session/log" 2>&1 ||
    fail_session 'the private keyring did not start'

run_command "$@"
