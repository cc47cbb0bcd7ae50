#!/usr/bin/env bash
# in-namespace.sh: runs a command as a container engine would, in namespaces made by hand; needs root.
#
# Usage: Tests/Support/in-namespace.sh [OPTION…] -- COMMAND [ARGUMENT…]
#   --map 'INSIDE OUTSIDE COUNT'   a line of the user namespace's map, of users and groups (user_namespaces(7)); without
#                                  any there is no user namespace: an engine that runs as root
#   --user NUMBER                  who the command is, inside (0)
#   --bind SOURCE:TARGET[:ro]      what is mounted; nothing of /run
#   --root                         the command sees nothing but these mounts and /proc; else the machine's own files, with
#                                  an empty /run
# The command's stdin, stdout, stderr and exit status are its own.
set -euo pipefail

# In a mount namespace of its own, whose mounts nobody else sees.
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

# Without notes of mount(8)'s own, which would be in /run.
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
# Not by nsenter(1), which refuses to enter nothing from util-linux 2.41 on.
enter=(chroot --userspec="$user:$user" --groups= "${root:-/}")
if ((${#maps[@]} > 0)); then
    # Somebody keeps the user namespace until it is entered, and goes with the command; not by a signal at its end, which
    # a command of another user may not send. Its maps are root's to write, from outside; and the root changes only then:
    # who has changed it cannot make a user namespace any more.
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
