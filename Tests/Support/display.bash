# display.bash: a virtual display for keyring programs with windows. Sourced after private-session.bash.
# shellcheck shell=bash

# Starts an X server without a screen, and exports KEYRING_DISPLAY instead of DISPLAY: programs in the session find no
# display unless a test gives them this one.
start_display() {
    local ready number
    # The number is printed when the server accepts connections.
    # shellcheck disable=SC2154  # the folder of private-session.bash
    exec {ready}< <(exec_service Xvfb -displayfd 3 -screen 0 1024x768x24 -nolisten tcp -noreset 3>&1 >>"$session/log")
    session_pids+=("$!")
    read -r number <&"$ready" || fail_session 'the display did not start'
    exec {ready}<&-
    export KEYRING_DISPLAY=:$number
}
