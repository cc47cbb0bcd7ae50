# display.bash: a display that nobody sees, for keyrings that are windows. Sourced after private-session.bash.
# shellcheck shell=bash

# Starts an X server without a screen, and exports KEYRING_DISPLAY, but not DISPLAY: what runs in the session finds no
# display unless a test gives it this one.
start_display() {
    local ready number
    # The number is printed once the server listens.
    # shellcheck disable=SC2154  # the folder of private-session.bash
    exec {ready}< <(exec_service Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3>&1 >>"$session/log")
    session_pids+=("$!")
    read -r number <&"$ready" || fail_session 'the display did not start'
    exec {ready}<&-
    export KEYRING_DISPLAY=:$number
}
