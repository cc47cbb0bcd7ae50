# private-session.bash: what with-keyring.sh and bus-without-keyring.sh have in common. Sourced, not run.
# shellcheck shell=bash
#
# A private session is a folder of its own for HOME, the XDG folders and the runtime directory, and in it a message
# bus of its own. Nothing in it can reach the person's keyring, home, or display. It ends with the script that made
# it, however that ends.

# The folder of the session. Always under /tmp: a socket's path must fit into 108 bytes, which a long TMPDIR would eat.
session=''

# Processes of the session: the bus first, then its services.
session_pids=()

# What runs the keyring of another Debian: in-suite.sh and its folder (--suite FOLDER); empty for this machine's own.
in_suite=()

# Whether a keyring has a program, which may stand in another root: keyring_has PROGRAM
keyring_has() {
    if ((${#in_suite[@]})); then [[ -x ${in_suite[1]}/usr/bin/$1 ]]; else command -v "$1" >/dev/null; fi
}

# Makes the folder and points the environment at it.
enter_private_home() {
    session=$(mktemp -d /tmp/private-session.XXXXXX)
    trap end_session EXIT
    export HOME=$session/home
    export XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
    export XDG_CONFIG_HOME=$HOME/.config XDG_CACHE_HOME=$HOME/.cache
    export XDG_RUNTIME_DIR=$session/run
    mkdir -p "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME"
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    # Each of these would lead out of the folder again: to a display, a bus, a keyring, an agent.
    unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS DBUS_STARTER_ADDRESS GNOME_KEYRING_CONTROL SSH_AUTH_SOCK
    unset SECRET_BACKEND
    forget_settings
    refuse_notifications
}

# Unsets what a person may have set for git, its helpers, TLS, proxies and languages: what runs in a session must not
# depend on who runs it. What is meant for the tests stays (GIT_TEST_…, GITSPACE_TEST_…).
forget_settings() {
    local name
    for name in "${!GIT_@}" "${!GITSPACE_@}" "${!GCM_@}" "${!SSL_CERT_@}" "${!LC_@}" LANGUAGE CI SSH_ASKPASS \
        VSCODE_GIT_FETCH_SILENT CURL_CA_BUNDLE http_proxy https_proxy HTTPS_PROXY no_proxy NO_PROXY all_proxy ALL_PROXY; do
        case $name in
        GIT_TEST_* | GITSPACE_TEST_*) ;;
        *) unset "$name" ;;
        esac
    done
    # The machine's own git configuration is none of the session's; and what is said is said in English.
    export GIT_CONFIG_NOSYSTEM=1 LANG=C.UTF-8
}

# Keeps the bus from starting the machine's own notification service, if it has one; a test brings its own.
refuse_notifications() {
    mkdir -p "$XDG_RUNTIME_DIR/dbus-1/services"
    printf '[D-BUS Service]\nName=org.freedesktop.Notifications\nExec=%s\n' "$(command -v false)" \
        >"$XDG_RUNTIME_DIR/dbus-1/services/org.freedesktop.Notifications.service"
}

# Starts the bus: start_bus CONFIGURATION, an option of dbus-daemon that names it. It listens where systemd's would
# ($XDG_RUNTIME_DIR/bus), so that a client without the variable finds this one, too.
start_bus() {
    local ready address
    # The address is printed once the bus listens, so reading it is the wait; the end of the file means that it failed.
    exec {ready}< <(exec_service dbus-daemon "$1" --nofork --nopidfile --print-address=1 \
        --address="unix:path=$XDG_RUNTIME_DIR/bus")
    session_pids+=("$!")
    read -r address <&"$ready" || fail_session 'the private message bus did not start'
    exec {ready}<&-
    export DBUS_SESSION_BUS_ADDRESS=$address
}

# Becomes a service of the session, from a subshell. Its messages go to a log in the folder. Ctrl-C at the terminal does
# not reach it (setsid), and the kernel ends it when this script dies without a chance to clean up (SIGKILL).
exec_service() {
    exec setsid setpriv --pdeathsig KILL "$@" 2>>"$session/log"
}

# Ends with status 99 and the log of the session.
fail_session() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    cat "$session/log" >&2
    exit 99
}

# Runs the command with this script's stdin and terminal, and returns its status. It runs in the background so that the
# end of this script (SIGTERM, SIGHUP) is acted upon at once and not when the command is done.
run_command() {
    # Ctrl-C is the command's business alone; this script lives as long as the command does. The command hears it as if
    # it were run directly, although a shell lets its background processes ignore it.
    trap '' INT QUIT
    trap end_command TERM HUP
    env --default-signal=INT,QUIT "$@" <&0 &
    wait "$!"
}

# Ends the command, if it has been started, and then this script.
end_command() {
    local command
    # The table of jobs, where $! could still be that of a service; the services are none.
    for command in $(jobs -p); do
        kill -TERM "$command" || true
        wait "$command" || true
    done
    exit 143
}

# Ends the session's processes and removes its folder, unless GITSPACE_TEST_KEEP is set. KILL also ends what a test has stopped; there is nothing in the
# folder that would need saving. Services that the bus itself started go when it goes.
end_session() {
    local pid
    # git's in-memory cache outlives the terminal that it was started in, and would wait for hours.
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
