#!/usr/bin/env bash
# bus-without-keyring.sh: runs a command in a private session without a reachable keyring.
#
# Usage: Tests/Support/bus-without-keyring.sh MODE COMMAND [ARGUMENT…]
#   none              no bus address, and no bus in the runtime directory. XDG_RUNTIME_DIR is set, so that the
#                     bus of the person who runs the tests (/run/user/UID/bus) is not found
#   dead-address      an address that refuses connections, as after the end of a session
#   no-provider       a bus without org.freedesktop.secrets, as in a container
#   stuck-activation  a bus that starts a provider which never appears: a call waits until the caller's own time limit
#   The command keeps its stdin, stdout, stderr and exit status. 99: the session did not start; 64: wrong usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Support/private-session.bash
. "$here/private-session.bash"

usage() {
    printf 'usage: %s none|dead-address|no-provider|stuck-activation COMMAND [ARGUMENT…]\n' "${0##*/}" >&2
    exit 64
}

# Starts a bus that knows only the services in the given folder, if any. By default a bus limits the time of an
# activation; here only the client's limit may end the wait.
start_bare_bus() {
    local services=${1:+"<servicedir>$1</servicedir>"}
    cat >"$session/bus.conf" <<CONFIGURATION
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=$session</listen>
  <auth>EXTERNAL</auth>
  $services
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  <limit name="service_start_timeout">3600000</limit>
</busconfig>
CONFIGURATION
    start_bus --config-file="$session/bus.conf"
}

# Adds a service whose program runs without ever claiming the name. A bus that ends leaves its services running, hence
# the signal.
add_stuck_provider() {
    mkdir "$session/services"
    cat >"$session/services/org.freedesktop.secrets.service" <<SERVICE
[D-BUS Service]
Name=org.freedesktop.secrets
Exec=$(command -v setpriv) --pdeathsig KILL $(command -v sleep) infinity
SERVICE
}

(($# >= 2)) || usage
mode=$1
shift

case $mode in
none) enter_private_home ;;
dead-address)
    enter_private_home
    export DBUS_SESSION_BUS_ADDRESS=unix:path=$session/nobody-listens-here
    ;;
no-provider)
    enter_private_home
    start_bare_bus
    ;;
stuck-activation)
    enter_private_home
    add_stuck_provider
    start_bare_bus "$session/services"
    ;;
*) usage ;;
esac

run_command "$@"
