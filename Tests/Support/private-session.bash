# private-session.bash: common functions of with-keyring.sh, bus-without-keyring.sh and others. Sourced, not run.
# shellcheck shell=bash
#
# A private session is a folder for HOME, the XDG folders and the runtime directory, with a message bus of its own.
# Nothing in it can reach the person's keyring, home or display. It always ends with the script that made it, and so does
# every process that was started in it (lifeline.py). A session within another one has no lifeline of its own.
[[ -n ${GITSPACE_TEST_LIFELINE-} ]] ||
    GITSPACE_TEST_LIFELINE=here exec "$(dirname "${BASH_SOURCE[0]}")/lifeline.py" "$0" "$@"

# The folder of the session, always under /tmp: a socket's path is limited to 108 bytes, and TMPDIR may be long.
session=''

# The processes of the session: the bus first, then its services.
session_pids=()

# The prefix for running another Debian's keyring, in-suite.sh and its folder (--suite FOLDER); empty for this
# machine's.
in_suite=()

# keyring_has PROGRAM: whether the keyring's system, which may be another root, has a program.
keyring_has() {
    if ((${#in_suite[@]})); then [[ -x ${in_suite[1]}/usr/bin/$1 ]]; else command -v "$1" >/dev/null; fi
}

# Makes the folder, and sets the environment to it.
enter_private_home() {
    session=$(mktemp -d /tmp/private-session.XXXXXX)
    trap end_session EXIT
    export HOME=$session/home
    export XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
    export XDG_CONFIG_HOME=$HOME/.config XDG_CACHE_HOME=$HOME/.cache
    export XDG_RUNTIME_DIR=$session/run
    mkdir -p "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    # Variables that would lead out of the folder: to a display, a bus, a keyring, an agent.
    unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS DBUS_STARTER_ADDRESS GNOME_KEYRING_CONTROL SSH_AUTH_SOCK
    unset SECRET_BACKEND
    forget_settings
    refuse_notifications
}

# Unsets personal variables for git, its helpers, TLS, proxies and languages, so that the session does not depend on who
# runs it. Variables for the tests stay (GIT_TEST_…, GITSPACE_TEST_…).
forget_settings() {
    local name
    for name in "${!GIT_@}" "${!GITSPACE_@}" "${!GCM_@}" "${!SSL_CERT_@}" "${!LC_@}" LANGUAGE CI SSH_ASKPASS \
        VSCODE_GIT_FETCH_SILENT CURL_CA_BUNDLE http_proxy https_proxy HTTPS_PROXY no_proxy NO_PROXY all_proxy ALL_PROXY; do
        case $name in
        GIT_TEST_* | GITSPACE_TEST_*) ;;
        *) unset "$name" ;;
        esac
    done
    # Excludes the machine's git configuration, and makes all messages English.
    export GIT_CONFIG_NOSYSTEM=1 LANG=C.UTF-8
}

# Keeps the bus from starting the machine's own notification service; a test brings its own.
refuse_notifications() {
    mkdir -p "$XDG_RUNTIME_DIR/dbus-1/services"
    printf '[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=%s\n' "$(command -v false)" \
        >"$XDG_RUNTIME_DIR/dbus-1/services/org.freedesktop.Notifications.service"
}

# start_bus CONFIGURATION: starts the bus; CONFIGURATION is an option of dbus-daemon. The bus listens where systemd's
# would ($XDG_RUNTIME_DIR/bus), so that clients without the variable find it too.
start_bus() {
    local ready address
    # Reading the address waits for the bus, which prints it when it listens; the end of the file means a failure.
    exec {ready}< <(exec_service dbus-daemon "$1" --nofork --nopidfile --print-address=1 \
        --address="unix:path=$XDG_RUNTIME_DIR/bus")
    session_pids+=("$!")
    read -r address <&"$ready" || fail_session 'the private message bus did not start'
    exec {ready}<&-
    export DBUS_SESSION_BUS_ADDRESS=$address
}

# Becomes a service of the session, when called in a subshell. Messages go to a log in the folder. Ctrl-C at the
# terminal does not reach the service (setsid); if this script is killed (SIGKILL), the kernel kills the service.
exec_service() {
    exec setsid setpriv --pdeathsig KILL "$@" 2>>"$session/log"
}

# Prints the session's log, and ends with status 99.
fail_session() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    cat "$session/log" >&2
    exit 99
}

# Runs the command with this script's stdin and terminal, and returns its status. It runs in the background so that the
# script handles SIGTERM and SIGHUP at once, not after the command's end.
run_command() {
    # Only the command reacts to Ctrl-C; this script lives as long as the command. The command gets default signal
    # handling, although a shell lets its background processes ignore SIGINT.
    trap '' INT QUIT
    trap end_command TERM HUP
    env --default-signal=INT,QUIT "$@" <&0 &
    wait "$!"
}

# Ends the command, if it was started, and then this script.
end_command() {
    local command
    # Taken from the table of jobs, which has no services; $! could be a service's ID.
    for command in $(jobs -p); do
        kill -TERM "$command" || true
        wait "$command" || true
    done
    exit 143
}

# Kills the session's processes, and removes its folder unless GITSPACE_TEST_KEEP is set. KILL also ends stopped
# processes; nothing in the folder needs saving. Services started by the bus end with it.
end_session() {
    local pid
    # git's credential cache outlives its terminal, and would run as long as an outer session.
    [[ ! -S $XDG_CACHE_HOME/git/credential/socket ]] || git credential-cache exit || true
    for pid in "${session_pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    if [[ -n ${GITSPACE_TEST_KEEP-} ]]; then
        printf 'kept: %s\n' "$session" >&2
    else
        rm -rf "$session"
    fi
}
