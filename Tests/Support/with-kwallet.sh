#!/usr/bin/env bash
# with-kwallet.sh: runs a command in a private session whose keyring is KWallet (kwalletd5, kwalletd6 or ksecretd).
#
# Usage: Tests/Support/with-kwallet.sh [--suite FOLDER] [--locked | --empty] [--without-display] COMMAND [ARGUMENT…]
#   --suite FOLDER     uses the KWallet of another Debian release (in-suite.sh)
#   --empty            has no wallet
#   --locked           has a closed wallet; by default it was opened as pam_kwallet5(8) does at log-in
#   --without-display  gives KWallet no display
#   The command keeps its stdin, stdout, stderr and exit status. 99: the session did not start; 64: wrong usage.
# The command gets these variables, besides the session's HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS:
#   KEYRING_PID       the process ID of KWallet, for stopping (hung service), continuing or killing it
#   KEYRING_LOG       the log of the bus, the display and KWallet
#   KEYRING_PASSWORD  the password of the wallet
#   KEYRING_PROGRAM   the command that starts it again, words separated by spaces
#   KEYRING_DISPLAY   its display, if it has one; DISPLAY itself is not set
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Support/private-session.bash
. "$here/private-session.bash"
# shellcheck source=Tests/Support/display.bash
. "$here/display.bash"

state=open
platform=xcb
while (($# > 0)); do
    case $1 in
    --suite)
        in_suite=("$here/in-suite.sh" "${2-}")
        shift
        ;;
    --locked | --empty) state=${1#--} ;;
    --without-display) platform=offscreen ;;
    *) break ;;
    esac
    shift
done
if (($# == 0)); then
    printf 'usage: %s [--suite FOLDER] [--locked | --empty] [--without-display] COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

enter_private_home
start_bus --session
KEYRING_DISPLAY=''
[[ $platform == offscreen ]] || start_display
export KEYRING_DISPLAY KEYRING_LOG=$session/log KEYRING_PASSWORD='private to this session'

cat >"$XDG_CONFIG_HOME/kwalletrc" <<'END'
[Wallet]
First Use=false
Enabled=true
[org.freedesktop.secrets]
apiEnabled=true
END

# The newest installed one; Plasma 6 moved the wallets from kwalletd6 to ksecretd.
daemon=kwalletd5
for newer in ksecretd kwalletd6; do
    keyring_has "$newer" && daemon=$newer && break
done
export KEYRING_PROGRAM="${in_suite[*]} $daemon"

# Becomes KWallet with the hash of the wallet's password in a pipe, as pam_kwallet5(8) starts it at log-in: it opens the
# wallet, or makes one, before it answers anything. The session's environment reaches it over a socket.
logged_in='
import hashlib, os, socket, sys
salt, password = open(sys.argv[1], "rb").read(), os.environ["KEYRING_PASSWORD"].encode()
hash_, end = os.pipe()
os.write(end, hashlib.pbkdf2_hmac("sha512", password, salt, 50_000, 56))
os.close(end)
listener, session = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1] + ".socket")
listener.listen()
session.connect(sys.argv[1] + ".socket")
os.unlink(sys.argv[1] + ".socket")
for descriptor in hash_, listener.fileno():
    os.set_inheritable(descriptor, True)
os.environ["PAM_KWALLET5_LOGIN"] = "1"
os.execvp(sys.argv[2], sys.argv[2:] + ["--pam-login", str(hash_), str(listener.fileno())])
'

# start_kwallet [open]: starts KWallet, and waits until it offers the keyring.
start_kwallet() {
    local before=()
    [[ ${1-} != open ]] || before=(python3 -c "$logged_in" "$XDG_DATA_HOME/kwalletd/kdewallet.salt")
    DISPLAY=$KEYRING_DISPLAY QT_QPA_PLATFORM=$platform \
        exec_service "${before[@]}" "${in_suite[@]}" "$daemon" >>"$session/log" </dev/null &
    export KEYRING_PID=$!
    session_pids+=("$KEYRING_PID")
    gdbus wait --session --timeout 30 org.freedesktop.secrets >>"$session/log" 2>&1 ||
        fail_session 'KWallet did not start'
}

mkdir "$XDG_DATA_HOME/kwalletd"
if [[ $state == empty ]]; then
    start_kwallet
    run_command "$@"
    exit
fi
head -c 56 /dev/urandom >"$XDG_DATA_HOME/kwalletd/kdewallet.salt"
# KWallet offers a new wallet only after a restart.
start_kwallet open
gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \
    --method org.freedesktop.DBus.Peer.Ping >>"$session/log"
kill "$KEYRING_PID"
wait "$KEYRING_PID" || true
start_kwallet "$state"

run_command "$@"
