# bench.bash: what bench.sh, counts.sh and stress.sh have in common. Sourced, not run.
# shellcheck shell=bash
#
# Who sources it sets `here` to the folder of this file and passes its arguments on to enter_keyring first.

# shellcheck source=Tests/Support/in-session.bash
# shellcheck disable=SC2154  # `here` is set by whoever sources this
. "$here/../Support/in-session.bash"

# The program under test, as it is installed: without its debug symbols.
ours=$root/.build/release/stripped/git-credential-gitspace

# The credential that is read all the time.
readonly host=github.com account=monalisa password=gho_thePasswordThatIsReadAllTheTime0000

# Requests and whatever else a run needs.
scratch=''

# Starts the calling script again in a private session with a keyring, unless it is in one already, and makes the folder.
enter_keyring() {
    [[ -x $ours ]] || fail "no ${ours##*/} in .build/release/stripped (make build)"
    in_private_session "$@"
    scratch=$(mktemp -d /tmp/bench.XXXXXX)
    trap 'rm -rf "$scratch"' EXIT
    # Nobody is there to be asked.
    export GIT_TERMINAL_PROMPT=0
}

# write_request NAME LINE…: a request as git writes it, in the folder.
write_request() {
    local name=$1
    shift
    printf '%s\n' "$@" '' >"$scratch/$name"
}

# What git 2.39 sends, what a git of 2.46 or newer sends, and the same with what has been found, to be stored.
write_requests() {
    local -a place=("protocol=https" "host=$host") found=("username=$account" "password=$password")
    local -a newer=('capability[]=authtype' 'capability[]=state')
    write_request get "${place[@]}"
    write_request get-newer "${newer[@]}" "${place[@]}" 'wwwauth[]=Basic realm="GitHub"'
    write_request store "${place[@]}" "${found[@]}"
    write_request miss protocol=https host=unknown.example
}

# store_credential PROGRAM: puts the credential into the keyring, and takes down what a newer git gives back to us, our
# mark included. We read what git's helper has stored; one from before git 2.43 does not read ours.
store_credential() {
    "$1" store <"$scratch/store" >/dev/null
    "$ours" get <"$scratch/get-newer" >"$scratch/answer-newer"
    grep -qx "password=$password" "$scratch/answer-newer" || fail 'the stored password does not come back'
    local mark
    mark=$(grep '^state\[\]=gitspace:' "$scratch/answer-newer") || fail 'no state[] in the answer'
    write_request store-newer 'capability[]=authtype' 'capability[]=state' "protocol=https" "host=$host" \
        "username=$account" "password=$password" "$mark"
}

# instructions PROGRAM ARGUMENT…: how many instructions a run takes in user space (callgrind). Stdin is the program's.
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | sed -n 's/^==[0-9]*== Collected : //p'
}

# shared_libraries PROGRAM: how many are loaded before it begins. Of a static program, ldd only says that it is one.
shared_libraries() {
    { ldd "$1" 2>/dev/null || true; } | grep -c '=>' || true
}

# keyring_calls PROGRAM ARGUMENT…: how many calls the keyring gets while it runs. Stdin is the program's.
keyring_calls() {
    record_calls "$@"
    awk '$6 ~ "^/org/freedesktop/secrets" { count++ } END { print count + 0 }' "$scratch/calls"
}

# bus_calls PROGRAM ARGUMENT…: how many calls anybody gets, the bus itself included.
bus_calls() {
    record_calls "$@"
    wc -l <"$scratch/calls"
}

# record_calls PROGRAM ARGUMENT…: writes the calls that are made while the program runs to the file `calls`. A call of
# our own before it and one behind it bound the part that counts: once they have come by, so has everything in between.
record_calls() {
    local monitor log=$scratch/monitor
    dbus-monitor --session --profile "type='method_call'" >"$log" 2>/dev/null &
    monitor=$!
    until grep -qs /mark/begin "$log"; do mark begin; done
    "$@" >/dev/null
    mark end
    until grep -q /mark/end "$log"; do kill -0 "$monitor" || fail 'dbus-monitor has died'; done
    kill "$monitor"
    wait "$monitor" || true
    awk '$1 != "mc" { next }
        $6 == "/mark/begin" { lines = 0; next }
        $6 == "/mark/end" { marker = $4; exit }
        { sender[++lines] = $4; line[lines] = $0 }
        END { for (i = 1; i <= lines; i++) if (sender[i] != marker) print line[i] }' "$log" >"$scratch/calls"
}

# Says on the bus what nobody else says; that nobody understands it does not matter.
mark() {
    dbus-send --session --print-reply --dest=org.freedesktop.secrets "/mark/$1" org.freedesktop.DBus.Peer.Ping \
        </dev/null >/dev/null 2>&1 || true
}
