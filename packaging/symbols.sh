#!/usr/bin/env bash
# symbols.sh: splits built programs into stripped programs and debug symbols.
#
# Usage: packaging/symbols.sh FROM TO PROGRAM…
#   Makes TO/PROGRAM, stripped, and TO/PROGRAM.debug, which debuggers find beside it or below /usr/lib/debug. Without
#   objcopy (of Debian's binutils, or LLVM's), TO/PROGRAM is a copy with its symbols.
# Exit: 0 success, 1 failure, 64 usage.
set -euo pipefail

(($# >= 3)) || {
    printf 'usage: %s FROM TO PROGRAM…\n' "${0##*/}" >&2
    exit 64
}
from=$(cd "$1" && pwd)
readonly from to=$2
shift 2
objcopy=$(command -v objcopy || command -v llvm-objcopy || true)
mkdir -p "$to"
cd "$to"
for program; do
    # Written under another name first: the existing program may be running.
    if [[ -n $objcopy ]]; then
        "$objcopy" --only-keep-debug "$from/$program" "$program.debug"
        chmod 644 "$program.debug"
        "$objcopy" --strip-all --remove-section=.gnu_debuglink --add-gnu-debuglink="$program.debug" \
            "$from/$program" "$program.new"
    else
        printf 'symbols: no objcopy, so %s keeps its debug symbols\n' "$program" >&2
        rm -f "$program.debug"
        cp "$from/$program" "$program.new"
    fi
    mv "$program.new" "$program"
done
