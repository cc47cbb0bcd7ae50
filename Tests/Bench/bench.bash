# bench.bash: the common functions of bench.sh, counts.sh, gateway.sh and stress.sh. Sourced, not run.
# shellcheck shell=bash
#
# A script that sources it sets `here` to the folder of this file, and passes its arguments to enter_keyring first.

# shellcheck source=Tests/Support/in-session.bash
# shellcheck disable=SC2154  # `here` is set by whoever sources this
. "$here/../Support/in-session.bash"

# The program under test, without debug symbols, as it is installed.
ours=$root/.build/release/stripped/git-credential-gitspace

# The credential for all reads.
readonly host=github.com account=monalisa password=gho_thePasswordThatIsReadAllTheTime0000

# The folder for requests and other files of a run.
scratch=''

# Restarts the calling script in a private session with a keyring, unless it runs in one; then makes the folder.
enter_keyring() {
    [[ -x $ours ]] || fail "no ${ours##*/} in .build/release/stripped (make build)"
    in_private_session "$@"
    scratch=$(mktemp -d /tmp/bench.XXXXXX)
    trap 'rm -rf "$scratch"' EXIT
    # git must not prompt.
    export GIT_TERMINAL_PROMPT=0
}

# write_request NAME LINE…: writes a request in git's format to the folder.
write_request() {
    local name=$1
    shift
    printf '%s\n' "$@" '' >"$scratch/$name"
}

# Writes the requests of git 2.39, of git 2.46 or newer, and of a store after each.
write_requests() {
    local -a place=("protocol=https" "host=$host") found=("username=$account" "password=$password")
    local -a newer=('capability[]=authtype' 'capability[]=state')
    write_request get "${place[@]}"
    write_request get-newer "${newer[@]}" "${place[@]}" 'wwwauth[]=Basic realm="GitHub"'
    write_request store "${place[@]}" "${found[@]}"
    write_request miss protocol=https host=unknown.example
}

# store_credential PROGRAM: stores the credential, and keeps the answer that a newer git sends back to us, including our
# state. Our program reads items of git's helper; a helper from before git 2.43 does not read ours.
store_credential() {
    "$1" store <"$scratch/store" >/dev/null
    "$ours" get <"$scratch/get-newer" >"$scratch/answer-newer"
    grep -qx "password=$password" "$scratch/answer-newer" || fail 'the stored password does not come back'
    local mark
    mark=$(grep '^state\[\]=gitspace:' "$scratch/answer-newer") || fail 'no state[] in the answer'
    write_request store-newer 'capability[]=authtype' 'capability[]=state' "protocol=https" "host=$host" \
        "username=$account" "password=$password" "$mark"
}

# instructions PROGRAM ARGUMENT…: the number of instructions in user space (callgrind). Standard input is the program's.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/^==[0-9]*== Collected : //p'
}

# shared_libraries PROGRAM: the number of libraries loaded at the start. For a static program, ldd prints no library.
shared_libraries() {
    { ldd "$1" 2>/dev/null || true; } | grep -c '=>' || true
}

# keyring_calls PROGRAM ARGUMENT…: the number of calls to the keyring. Standard input is the program's.
keyring_calls() {
    record_calls "$@"
    awk '$6 ~ "^/org/freedesktop/secrets" { count++ } END { print count + 0 }' "$scratch/calls"
}

# bus_calls PROGRAM ARGUMENT…: the number of all calls on the bus, including those to the bus itself.
bus_calls() {
    record_calls "$@"
    wc -l <"$scratch/calls"
}

# record_calls PROGRAM ARGUMENT…: writes the calls made while the program runs to the file `calls`. Our own call before
# and after the program delimits them: once it is seen, all earlier ones are too.
record_calls() {
    local monitor log=$scratch/monitor
    # An earlier log has the marks already, until the monitor begins.
    rm -f "$log"
    dbus-monitor --session --profile "type='method_call'" >"$log" 2>/dev/null &
    monitor=$!
    until grep -qs /mark/begin "$log"; do is_alive "$monitor" && mark begin; done
    "$@" >/dev/null
    mark end
    until grep -q /mark/end "$log"; do is_alive "$monitor"; done
    kill "$monitor"
    wait "$monitor" || true
    awk '$1 != "mc" { next }
        $6 == "/mark/begin" { lines = 0; next }
        $6 == "/mark/end" { marker = $4; exit }
        { sender[++lines] = $4; line[lines] = $0 }
        END { for (i = 1; i <= lines; i++) if (sender[i] != marker) print line[i] }' "$log" >"$scratch/calls"
}

is_alive() { kill -0 "$1" || fail 'dbus-monitor has died'; }

# Sends a call that no other program sends; the error reply does not matter.
mark() {
    dbus-send --session --print-reply --dest=org.freedesktop.secrets "/mark/$1" org.freedesktop.DBus.Peer.Ping \
        </dev/null >/dev/null 2>&1 || true
}
