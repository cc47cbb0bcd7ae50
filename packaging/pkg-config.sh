#!/usr/bin/env bash
# pkg-config.sh: copies descriptions of libraries so that Swift's package manager takes all that is in them.
#
# Usage: packaging/pkg-config.sh FOLDER
#   Of each description on this system with -pthread, FOLDER gets a copy without it. The package manager refuses that
#   option, and warns of it at each build; the C library has had threads without it since 2.34. It finds the copies if
#   FOLDER is the first in PKG_CONFIG_PATH.
# Exit: 0 done, 1 not, 64 usage.
set -euo pipefail

(($# == 1)) || {
    printf 'usage: %s FOLDER\n' "${0##*/}" >&2
    exit 64
}
readonly copies=$1
rm -rf "$copies"
mkdir -p "$copies"
# What is built without Swift needs none.
command -v pkg-config >/dev/null || exit 0
IFS=: read -ra folders <<<"${PKG_CONFIG_PATH-}:$(pkg-config --variable pc_path pkg-config)"
declare -A seen
for folder in "${folders[@]}"; do
    for description in "$folder"/*.pc; do
        name=${description##*/}
        # The first folder that has it counts, as for pkg-config.
        [[ -z ${seen[$name]-} && -e $description ]] || continue
        seen[$name]=yes
        if grep -qE '^(Cflags|Libs):.* -pthread' "$description"; then
            sed -E "s|\\$\\{pcfiledir\\}|$folder|g; /^(Cflags|Libs):/s/ -pthread//g" "$description" >"$copies/$name"
        fi
    done
done
