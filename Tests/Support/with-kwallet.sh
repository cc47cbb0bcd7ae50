#!/usr/bin/env bash
# with-kwallet.sh: runs a command in a private session whose keyring is KWallet (kwalletd5).
#
# Usage: Tests/Support/with-kwallet.sh [--locked | --empty] [--without-display] COMMAND [ARGUMENT…]
#   --empty            there is no wallet
#   --locked           the wallet is closed; else it was opened as by pam_kwallet5(8) at log-in
#   --without-display  KWallet itself has no display
#   The command's stdin, stdout, stderr and exit status are its own. 99: the session did not start; 64: wrong usage.
# The command finds in its environment, besides the HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS of the session:
#   KEYRING_PID       KWallet, to be stopped (hung service), continued or killed by a test
#   KEYRING_LOG       what the bus, the display and KWallet have said
#   KEYRING_PASSWORD  the password of the wallet
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
    --locked | --empty) state=${1#--} ;;
    --without-display) platform=offscreen ;;
    *) break ;;
    esac
    shift
done
if (($# == 0)); then
    printf 'usage: %s [--locked | --empty] [--without-display] COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
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

# Starts KWallet and waits until it offers the keyring.
start_kwallet() {
    DISPLAY=$KEYRING_DISPLAY QT_QPA_PLATFORM=$platform exec_service kwalletd5 >>"$session/log" </dev/null &
    export KEYRING_PID=$!
    session_pids+=("$KEYRING_PID")
    gdbus wait --session --timeout 30 org.freedesktop.secrets >>"$session/log" 2>&1 ||
        fail_session 'KWallet did not start'
}

# Opens the wallet with the hash of its password, as pam_kwallet5(8) does, and makes it if there is none.
open_wallet() {
    local bytes end
    bytes=$(python3 -c '
import hashlib, os, sys
salt, password = open(sys.argv[1], "rb").read(), os.environ["KEYRING_PASSWORD"].encode()
print(", ".join(f"0x{byte:02x}" for byte in hashlib.pbkdf2_hmac("sha512", password, salt, 50_000, 56)))
' "$XDG_DATA_HOME/kwalletd/kdewallet.salt")
    gdbus call --session --dest org.kde.kwalletd5 --object-path /modules/kwalletd5 \
        --method org.kde.KWallet.pamOpen kdewallet "[byte $bytes]" 0 >>"$session/log"
    end=$((SECONDS + 20))
    until gdbus call --session --dest org.kde.kwalletd5 --object-path /modules/kwalletd5 \
        --method org.kde.KWallet.isOpen kdewallet | grep -q true; do
        ((SECONDS < end)) || fail_session 'the wallet did not open'
    done
}

mkdir "$XDG_DATA_HOME/kwalletd"
if [[ $state == empty ]]; then
    start_kwallet
    run_command "$@"
    exit
fi
head -c 56 /dev/urandom >"$XDG_DATA_HOME/kwalletd/kdewallet.salt"
# A wallet that is new is offered only by the next KWallet.
start_kwallet
open_wallet
kill "$KEYRING_PID"
wait "$KEYRING_PID" || true
start_kwallet
[[ $state == locked ]] || open_wallet

run_command "$@"
