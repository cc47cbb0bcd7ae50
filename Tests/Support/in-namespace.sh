#!/usr/bin/env bash
# in-namespace.sh: runs a command in namespaces like those of a container engine; needs root.
#
# Usage: Tests/Support/in-namespace.sh [OPTION…] -- COMMAND [ARGUMENT…]
#   --map 'INSIDE OUTSIDE COUNT'   a line of the user namespace's map, for users and groups (user_namespaces(7));
#                                  without any, there is no user namespace, as with an engine that runs as root
#   --user NUMBER                  the command's user ID inside (0)
#   --bind SOURCE:TARGET[:ro]      a mount; nothing of /run is mounted by default
#   --root                         the command sees only these mounts and /proc, instead of the machine's files with an
#                                  empty /run
# The command keeps its stdin, stdout, stderr and exit status.
set -euo pipefail

# Runs in its own mount namespace, so that the mounts stay private.
[[ -n ${IN_NAMESPACE-} ]] || IN_NAMESPACE=mount exec unshare --mount "$0" "$@"
unset IN_NAMESPACE

maps=() binds=() user=0 root=''
while [[ $1 != -- ]]; do
    case $1 in
    --map) maps+=("$2") && shift ;;
    --user) user=$2 && shift ;;
    --bind) binds+=("$2") && shift ;;
    --root) root=/run binds=(/proc:/proc "${binds[@]}") ;;
    *) exit 64 ;;
    esac
    shift
done

# --no-mtab: mount(8) would write its table to /run.
mount --no-mtab -t tmpfs -o mode=755 run /run
for bind in "${binds[@]}"; do
    IFS=: read -r source target mode <<<"$bind"
    if [[ -d $source ]]; then
        mkdir -p "$root$target"
    else
        mkdir -p "$root$(dirname "$target")"
        [[ -e $root$target ]] || : >"$root$target"
    fi
    mount --no-mtab --rbind "$source" "$root$target"
    [[ -z $mode ]] || mount --no-mtab -o "remount,bind,$mode" "$root$target"
done

cd "${root:-/}"
# Instead of nsenter(1), which since util-linux 2.41 refuses to run without a namespace to enter.
enter=(chroot --userspec="$user:$user" --groups= "${root:-/}")
if ((${#maps[@]} > 0)); then
    # The keeper holds the user namespace until it is entered, and ends with the command; a signal at the end would not
    # work, since another user's command may not send it. Root writes the maps, from outside, and only then changes the
    # root: a process that has changed its root cannot make a user namespace any more.
    # shellcheck disable=SC2016
    coproc keeper {
        exec unshare --user sh -c 'exec 2>/dev/null; echo made; while [ -e "/proc/$PPID" ]; do sleep 1; done'
    }
    # shellcheck disable=SC2154  # coproc sets it
    read -r _ <&"${keeper[0]}"
    # shellcheck disable=SC2154
    printf '%s\n' "${maps[@]}" | tee "/proc/$keeper_PID/gid_map" >"/proc/$keeper_PID/uid_map"
    enter=(nsenter --root="${root:-/}" --setuid="$user" --setgid="$user" --user="/proc/$keeper_PID/ns/user")
fi
exec "${enter[@]}" "${@:2}"
