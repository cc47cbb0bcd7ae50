#!/usr/bin/env bash
# counts.sh: checks the part of the speed that does not depend on the machine, for continuous integration.
#
# Usage: Tests/Bench/counts.sh
#   Prints one line for each count with its limit. Exit: 0 all within their limits, 1 otherwise.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Bench/bench.bash
. "$here/bench.bash"
enter_keyring "$@"
write_requests
store_credential "$ours"

status=0

# check COUNT LIMIT WHAT: prints a line, and records a count above its limit.
check() {
    local verdict=ok
    if [[ ! $1 =~ ^[0-9]+$ ]]; then
        verdict='NOT COUNTED: it did not answer itself, as on a machine that is busy; try again on an idle one'
        status=1
    elif (($1 > $2)); then
        verdict='NOT WITHIN IT'
        status=1
    fi
    printf '%-64s %9s  (limit %d) %s\n' "$3" "$1" "$2" "$verdict"
}

check "$(instructions "$ours" get <"$scratch/get")" 720000 'instructions of a hit, git 2.39'
check "$(instructions "$ours" get <"$scratch/get-newer")" 720000 'instructions of a hit, git 2.46 and newer'
check "$(instructions "$ours" store <"$scratch/store-newer")" 380000 "instructions of a store with our state[]"
# One more library of the Swift toolchain would add a megabyte, and time to load it.
check "$(stat -c %s "$ours")" 7420000 'bytes of the front door, as installed'
check "$(shared_libraries "$ours")" 0 'shared libraries of the front door'
check "$(keyring_calls "$ours" get <"$scratch/get-newer")" 5 'calls to the keyring on a hit'
check "$(keyring_calls "$ours" get <"$scratch/miss")" 3 'calls to the keyring on a miss'
check "$(keyring_calls "$ours" store <"$scratch/store")" 5 'calls to the keyring when storing what is stored already'
check "$(bus_calls "$ours" store <"$scratch/store-newer")" 0 "calls to anybody when storing with our state[]"
exit "$status"
