#!/usr/bin/env bash
# pkg-config.sh: copies descriptions of libraries without an option that Swift's package manager rejects.
#
# Usage: packaging/pkg-config.sh FOLDER
#   Each description with -pthread on this system is copied to FOLDER without it. The package manager rejects the
#   option with a warning at each build; the C library has threads without it since 2.34. The copies are used if FOLDER
#   is first in PKG_CONFIG_PATH.
# Exit: 0 success, 1 failure, 64 usage.
set -euo pipefail

(($# == 1)) || {
    printf 'usage: %s FOLDER\n' "${0##*/}" >&2
    exit 64
}
readonly copies=$1
mkdir -p "$(dirname "$copies")"
# Two targets may run at once (.ci/run).
exec 9>"$copies.lock"
flock 9
rm -rf "$copies"
mkdir -p "$copies"
# Builds without Swift need no copies.
command -v pkg-config >/dev/null || exit 0
IFS=: read -ra folders <<<"${PKG_CONFIG_PATH-}:$(pkg-config --variable pc_path pkg-config)"
declare -A seen
for folder in "${folders[@]}"; do
    for description in "$folder"/*.pc; do
        name=${description##*/}
        # The first folder with a description wins, as for pkg-config.
        [[ -z ${seen[$name]-} && -e $description ]] || continue
        seen[$name]=yes
        if grep -qE '^(Cflags|Libs):.* -pthread' "$description"; then
            sed -E "s|\\$\\{pcfiledir\\}|$folder|g; /^(Cflags|Libs):/s/ -pthread//g" "$description" >"$copies/$name"
        fi
    done
done
