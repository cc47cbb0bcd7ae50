#!/usr/bin/env bash
# symbols.sh: splits built programs into what is installed and their debug symbols.
#
# Usage: packaging/symbols.sh FROM TO PROGRAM…
#   Of FROM/PROGRAM it makes TO/PROGRAM, stripped, and TO/PROGRAM.debug, which a debugger finds beside it or below
#   /usr/lib/debug. Without objcopy (Debian's binutils; LLVM's does as well) TO/PROGRAM is a copy that keeps its symbols.
# Exit: 0 done, 1 not, 64 usage.
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
    # By another name first: someone may be running what is there.
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
