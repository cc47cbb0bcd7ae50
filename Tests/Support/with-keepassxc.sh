#!/usr/bin/env bash
# with-keepassxc.sh: runs a command in a private session whose keyring is KeePassXC with its default settings.
#
# Usage: Tests/Support/with-keepassxc.sh [--suite FOLDER] [--locked | --empty | --front] [--set KEY=VALUE]… COMMAND [ARGUMENT…]
#   --suite FOLDER  uses the KeePassXC of another Debian release (in-suite.sh)
#   --locked  locks the database; by default it is unlocked, and completely offered to other programs
#   --front   has a locked database in front of an unlocked one
#   --empty   has no database
#   --set     changes a setting of the section [FdoSecrets]: ConfirmAccessItem=false, UnlockBeforeSearch=false, …
#   The command keeps its stdin, stdout, stderr and exit status. 99: the session did not start; 64: wrong usage.
# The command gets these variables, besides the session's HOME, XDG_* and DBUS_SESSION_BUS_ADDRESS:
#   KEYRING_PID       the process ID of KeePassXC, for stopping (hung service), continuing or killing it
#   KEYRING_LOG       the log of the bus, the display and KeePassXC
#   KEYRING_PASSWORD  the password of the database
#   KEYRING_DATABASE  the file of the database
#   KEYRING_PROGRAM   the command prefix for programs of its release, separated by spaces; empty for this machine's
#   KEYRING_DISPLAY   its display; DISPLAY itself is not set
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Support/private-session.bash
. "$here/private-session.bash"
# shellcheck source=Tests/Support/display.bash
. "$here/display.bash"

state=open
settings=()
while (($# > 0)); do
    case $1 in
    --suite)
        in_suite=("$here/in-suite.sh" "${2-}")
        shift
        ;;
    --locked | --empty | --front) state=${1#--} ;;
    --set)
        settings+=("${2-}")
        shift
        ;;
    *) break ;;
    esac
    shift
done
if (($# == 0)); then
    printf 'usage: %s [--suite FOLDER] [--locked | --empty | --front] [--set KEY=VALUE]… COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
fi

enter_private_home
start_bus --session
start_display

export KEYRING_PROGRAM="${in_suite[*]}"
export KEYRING_LOG=$session/log KEYRING_PASSWORD='private to this session' KEYRING_DATABASE=$HOME/Passwords.kdbx

# The ID of the group for other programs; without a window, only an import of XML can set it.
group='{00112233-4455-6677-8899-aabbccddeeff}'
cat >"$session/database.xml" <<END
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<KeePassFile><Meta><Generator>KeePassXC</Generator><DatabaseName>Passwords</DatabaseName>
<RecycleBinEnabled>True</RecycleBinEnabled><CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>$group</Value>
</Item></CustomData></Meta><Root><Group><UUID>ABEiM0RVZneImaq7zN3u/w==</UUID><Name>Root</Name></Group></Root></KeePassFile>
END
make_database() {
    printf '%s\n' "$KEYRING_PASSWORD" "$KEYRING_PASSWORD" |
        "${in_suite[@]}" keepassxc-cli import --quiet --set-password "$1" "$2" >>"$session/log" 2>&1 ||
        fail_session 'there is no database'
}
make_database "$session/database.xml" "$KEYRING_DATABASE"

mkdir -p "$XDG_CONFIG_HOME/keepassxc"
{
    printf '[General]\nConfigVersion=2\nUpdateCheckMessageShown=true\n[GUI]\nCheckForUpdates=false\n'
    printf '[FdoSecrets]\nEnabled=true\n'
    printf '%s\n' "${settings[@]}"
} >"$XDG_CONFIG_HOME/keepassxc/keepassxc.ini"

# With a lock file in the temporary folder, a second KeePassXC of the same user would pass its database to the first;
# therefore each has its own folder.
mkdir "$session/tmp"
DISPLAY=$KEYRING_DISPLAY TMPDIR=$session/tmp exec_service "${in_suite[@]}" keepassxc >>"$session/log" </dev/null &
export KEYRING_PID=$!
session_pids+=("$KEYRING_PID")

gdbus wait --session --timeout 30 org.freedesktop.secrets >>"$session/log" 2>&1 ||
    fail_session 'KeePassXC did not start'

# KeePassXC 2.7.10 crashes with --pw-stdin while it shows its window.
open_database() { # FILE [PASSWORD]
    gdbus call --session --dest org.keepassxc.KeePassXC.MainWindow --object-path /keepassxc \
        --method org.keepassxc.KeePassXC.MainWindow.openDatabase "$@" >>"$session/log"
}
case $state in
open) open_database "$KEYRING_DATABASE" "$KEYRING_PASSWORD" ;;
locked) open_database "$KEYRING_DATABASE" ;;
front)
    sed 's/>Passwords</>Second</' "$session/database.xml" >"$session/second.xml"
    make_database "$session/second.xml" "$HOME/Second.kdbx"
    open_database "$HOME/Second.kdbx" "$KEYRING_PASSWORD"
    open_database "$KEYRING_DATABASE"
    ;;
esac

# KeePassXC owns its name before it has opened the database; a locked one appears only when its window is there.
await_database() {
    local wanted=$1 end=$((SECONDS + 60))
    until gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets/aliases/default \
        --method org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked 2>>"$session/log" |
        grep -q "$wanted"; do
        ((SECONDS < end)) || fail_session 'KeePassXC did not open its database'
    done
}
case $state in
open) await_database false ;;
locked | front) await_database true ;;
esac

run_command "$@"
