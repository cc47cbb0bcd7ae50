#!/usr/bin/env bash
# in-empty-root.sh: runs a program where there is nothing but itself and /proc, as one file is put into a container.
#
# Usage: Tests/Support/in-empty-root.sh AS PROGRAM MOUNT… -- VARIABLE=VALUE… [-- ARGUMENT…]
#   AS     who one is in there: `root`, as in a rootless container, or `same`, as with --userns=keep-id
#   MOUNT  SOURCE:PLACE, a folder that is mounted read-only, or SOURCE:PLACE:rw
#   The program is /git-credential-gitspace in there, and these variables are all of its environment.
#   Exit: 77 if this machine lets nobody make namespaces (user_namespaces(7)); else the program's.
set -euo pipefail

(($# >= 2)) || {
    sed -n 's/^# Usage: /usage: /p' "$0" >&2
    exit 64
}
as=$1 program=$2
shift 2
case $as in
root) map=(--map-root-user) ;;
same) map=(--map-current-user --keep-caps) ;;
*) exit 64 ;;
esac
unshare --user "${map[@]}" --mount mount -t tmpfs tmpfs /mnt 2>/dev/null || exit 77

# The root is in memory, and gone with the program.
# shellcheck disable=SC2016
exec unshare --user "${map[@]}" --mount --propagation private bash -c '
    set -eu
    program=$1
    shift
    mount -t tmpfs -o mode=755 tmpfs /mnt
    cp "$program" /mnt/git-credential-gitspace
    mkdir /mnt/proc
    mount --rbind /proc /mnt/proc
    while (($# > 0)) && [[ $1 != -- ]]; do
        IFS=: read -r source place mode <<<"$1"
        mkdir -p "/mnt$place"
        mount --bind "$source" "/mnt$place"
        [[ $mode == rw ]] || mount -o remount,bind,ro "/mnt$place"
        shift
    done
    shift
    environment=()
    while (($# > 0)) && [[ $1 != -- ]]; do
        environment+=("$1")
        shift
    done
    shift
    # Of the rights that allowed the mounts, only one is left, for the last step; root in there has its own.
    unshare=$(command -v unshare)
    exec setpriv --inh-caps=-all,+sys_chroot --ambient-caps=-all,+sys_chroot \
        env -i "${environment[@]}" "$unshare" --root=/mnt /git-credential-gitspace "$@"
' in-empty-root "$program" "$@"
