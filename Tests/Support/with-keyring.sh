#!/usr/bin/env bash
# with-keyring.sh: runs a command in a private session with a private, unlocked, empty keyring (gnome-keyring).
#
# Usage: Tests/Support/with-keyring.sh [--suite FOLDER | --open-bus] COMMAND [ARGUMENT…]
#   --suite FOLDER: the gnome-keyring of another Debian (in-suite.sh).
#   --open-bus: the bus admits every user of the machine.
#   The command's stdin, stdout, stderr and exit status are its own. 99: the session did not start; 64: no command.
# The command finds in its environment, besides the HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS of the session:
#   KEYRING_PID       the keyring daemon, to be stopped (hung service), continued or killed by a test
#   KEYRING_LOG       what the bus and the daemon have said
#   KEYRING_PASSWORD  the password of its one collection; keyring-control.py needs it to unlock
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

# Empty would make a keyring that is not encrypted, and that cannot be locked.
export KEYRING_PASSWORD='private to this session'

# --foreground keeps the daemon our child, so that its process is known. As a process substitution, and not as a job,
# it may be killed by a test without a message of this shell on the command's stderr. Without the signal, a limit on the
# size of files is an error to it, as a full disk is, and not its end.
exec {password}> >(trap '' XFSZ; exec_service "${in_suite[@]}" gnome-keyring-daemon --foreground --unlock --components=secrets >>"$session/log")
export KEYRING_PID=$!
session_pids+=("$KEYRING_PID")
printf %s "$KEYRING_PASSWORD" >&"$password"
exec {password}>&-

# The daemon claims its name some time after its start. A command that asked for the name before would have the bus
# start a second daemon, a locked one.
gdbus wait --session --timeout 10 org.freedesktop.secrets >>"$session/log" 2>&1 ||
    fail_session 'the private keyring did not start'

run_command "$@"
