#!/usr/bin/env bash
# in-podman.sh: runs a command in a container of rootless podman, started by user 2000; needs root.
#
# Usage: Tests/Support/in-podman.sh [OPTION…] -- COMMAND [ARGUMENT…]     OPTIONs are those of `podman run`
# No image is needed: the container has this machine's programs (/usr, read-only), its network unless --network is
# given, and nothing else. The output and exit status are the command's. Processes that podman leaves running end with
# the command, in its PID namespace.
set -euo pipefail

options=()
network=--network=host
while [[ ${1:-} != -- ]]; do
    [[ $1 != --network* ]] || network=
    options+=("$1")
    shift
done
shift

# shellcheck disable=SC2016
NETWORK=$network exec unshare --mount --pid --fork --kill-child --mount-proc bash -c '
    set -eu
    mount -t tmpfs -o mode=755 podman /mnt
    mkdir -p /mnt/home/run /mnt/root/{proc,sys,dev,tmp,etc,run,usr}
    for folder in bin lib lib64; do ln -s usr/$folder /mnt/root/$folder; done
    # Makes the user as useradd does (subuid(5)).
    { cat /etc/passwd; echo "person:x:2000:2000::/mnt/home:/bin/sh"; } >/mnt/passwd
    { cat /etc/group; echo "person:x:2000:"; } >/mnt/group
    echo person:100000:65536 | tee /mnt/subuid >/mnt/subgid
    for file in passwd group subuid subgid; do
        mount --bind "/mnt/$file" "/etc/$file"
    done
    # crun refuses to run where cgroups v1 and v2 are mixed.
    if mountpoint -q /sys/fs/cgroup/unified; then
        umount --recursive /sys/fs/cgroup
        mount -t cgroup2 cgroup2 /sys/fs/cgroup
    fi
    chown -R 2000:2000 /mnt/home /mnt/root
    chmod 700 /mnt/home /mnt/home/run
    cd /mnt/home
    split=$1
    shift
    env -i PATH="$PATH" HOME=/mnt/home XDG_RUNTIME_DIR=/mnt/home/run \
        setpriv --reuid=2000 --regid=2000 --clear-groups \
        podman --log-level=error --cgroup-manager=cgroupfs run --interactive --rm $NETWORK --volume=/usr:/usr:ro \
        "${@:1:split}" --rootfs /mnt/root "${@:split+1}"
' in-podman "${#options[@]}" "${options[@]}" "$@"
