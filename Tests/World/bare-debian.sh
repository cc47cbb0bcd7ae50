#!/usr/bin/env bash
# bare-debian.sh: runs the tests on a minimal Debian with only Swift, git and make, or without Swift.
#
# Usage: Tests/World/bare-debian.sh [OPTION…] SUITE [COMMAND [ARGUMENT…]]     (as root; default: make test)
#   SUITE            bookworm (Debian 12) or trixie (13)
#   --as WHO         root; user, which has no sudo, after root has run packaging/dependencies.sh test; or both, one
#                    after the other (the default)
#   --own-swift      use the system's own Swift, which packaging/dependencies.sh installs, instead of this machine's
#   --folder FOLDER  where the systems are kept (default: git-credential-gitspace/bare-debian in XDG_CACHE_HOME)
#   --lend FOLDER    a folder of this machine that appears read-only as /srv
#   --keep           keep what the run has installed and built, and continue from the last --keep
# The first run of a suite makes its system with debootstrap (packaging/dependencies.sh debian). Each run writes into a
# layer over it that is discarded, so that every run starts from the minimal system. The command runs in a clean clone
# of HEAD, in its own namespaces, with this machine's Swift, Debian mirror, proxy and sources of git packages.
# Exit: 0 passed, 1 the preparation failed, 64 usage; otherwise the status of the command that failed.
set -euo pipefail

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly tree
readonly inside_tree=git-credential-gitspace
# The folder of the toolchain inside.
readonly inside_swift=/usr/local/swift

say() { printf 'bare-debian: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}
usage() {
    printf 'usage: %s [OPTION…] bookworm|trixie [COMMAND [ARGUMENT…]]\n' "${0##*/}" >&2
    exit 64
}

# MARK: inside

# Mounts a file or folder of this machine read-only.
lend() { # WHAT WHERE
    mkdir -p "$2"
    mount --bind "$1" "$2"
    mount -o remount,bind,ro "$2"
}

# Changes the root to the system, with its own devices, processes and memory; nothing of this machine stays visible.
enter() {
    local device
    mount -t overlay overlay -o "lowerdir=$system/root,upperdir=$system/layer/upper,workdir=$system/layer/work" \
        "$system/layer/merged" || fail 'this file system cannot be written over in layers (overlayfs): try --folder'
    cd "$system/layer/merged"
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys
    mount -t tmpfs -o mode=755 tmpfs dev
    for device in null zero full random urandom tty; do
        touch "dev/$device"
        mount --bind "/dev/$device" "dev/$device"
    done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    ln -s pts/ptmx dev/ptmx
    ln -s /proc/self/fd dev/fd
    for device in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${device%:*}" "dev/${device#*:}"; done
    mount -t tmpfs -o mode=1777 tmpfs tmp
    mount -t tmpfs -o mode=755 tmpfs run
    [[ -z $lent ]] || lend "$lent" ./srv
    [[ -z $swift ]] || lend "$swift" ".$inside_swift"
    mkdir -p ./var/lib/bare-debian
    lend "$system/layer/clone" ./var/lib/bare-debian
    # Keeps downloaded packages for the next run.
    mount --bind "$system/archives" var/cache/apt/archives
    while IFS= read -r folder; do lend "$folder" ".$folder"; done <"$system/layer/package-folders"
    hostname "bare-$suite"
    pivot_root . .
    umount --lazy .
    cd /
}

# as NAME COMMAND…: runs a command as a user without a terminal, and with no variables of this machine but the proxy's.
as() {
    local name=$1 home variable proxy=()
    home=$(getent passwd "$name" | cut -d : -f 6)
    (
        cd "$home/$inside_tree"
        for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
            [[ -z ${!variable:-} ]] || proxy+=("$variable=${!variable}")
        done
        exec setsid --wait setpriv --reuid "$name" --regid "$name" --init-groups env -i "${proxy[@]}" HOME="$home" \
            USER="$name" LOGNAME="$name" SHELL=/bin/bash TERM="${TERM:-dumb}" \
            PATH="$inside_swift/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "${@:2}"
    )
}

# Clones HEAD into the home folder, or updates the clone of a kept layer.
clone() { # NAME
    local home
    home=$(getent passwd "$1" | cut -d : -f 6)
    if [[ -d $home/$inside_tree/.git ]]; then
        as "$1" git fetch --quiet origin HEAD
        as "$1" git checkout --quiet --force --detach FETCH_HEAD
    else
        install -d -o "$1" -g "$1" "$home/$inside_tree"
        as "$1" git -c init.defaultBranch=main clone --quiet file:///var/lib/bare-debian/tree.git .
    fi
}

# timed WHO COMMAND…: runs a command, and prints its status and duration.
timed() {
    local begun=$SECONDS result=0
    as "$@" || result=$?
    say "$suite, as $1: $( ((result == 0)) && echo passed || echo "FAILED with status $result") after" \
        "$((SECONDS - begun)) s: ${*:2}"
    return "$result"
}

inside() {
    local status=0 first
    # /proc is still the outer one, and so is the process ID.
    read -r first _ </proc/self/stat
    printf '%s\n' "$first" >"$system/layer/first"
    enter
    if [[ $who != user ]]; then
        clone root
        timed root "$@" || status=$?
    fi
    if [[ $who != root ]]; then
        getent passwd tester >/dev/null || useradd --create-home --shell /bin/bash tester
        clone root
        timed root packaging/dependencies.sh test
        clone tester
        timed tester "$@" || status=$?
    fi
    return "$status"
}

# MARK: outside

# Prints this machine's Debian sources for the wanted suite: one "URI RELEASE COMPONENT" per line.
sources() {
    local host
    host=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    apt-get indextargets --format "\$(ORIGIN) \$(REPO_URI) \$(CODENAME) \$(COMPONENT)" 'Created-By: Packages' |
        sed -n "s/^Debian \([^ ]*\) ${host:-none}\([^ ]*\) \([^ ]*\)\$/\1 $suite\2 \3/p" >"$system/sources"
    [[ -s $system/sources ]] || {
        printf 'http://deb.debian.org/debian %s main\n' "$suite" "$suite-updates"
        printf 'http://deb.debian.org/debian-security %s-security main\n' "$suite"
    } >"$system/sources"
    sort -u "$system/sources"
}

# The settings of apt that are needed to reach packages; the others stay out.
acquisition() { apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv[46]|Check-(Date|Valid-Until))\b' || true; }

# Makes the system with debootstrap, once.
bootstrap() {
    local root=$system/root.part mirror http_proxy=${http_proxy-}
    # TMPDIR names a folder of this machine that does not exist inside.
    unset TMPDIR
    mirror=$(sources | awk -v suite="$suite" '$2 == suite {print $1; exit}')
    eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    say "making a bare $suite in $system"
    rm -rf "$root"
    http_proxy=$http_proxy debootstrap --variant=minbase --include=ca-certificates,git,make "$suite" \
        "$root" "$mirror" >"$system/bootstrap.log" 2>&1 || fail "debootstrap failed: see $system/bootstrap.log"
    configure "$root"
    [[ -n $own_swift ]] || prepare_for_swift "$root"
    mv "$root" "$system/root"
}

# Installs what a lent Swift needs: a linker, the headers of C and C++, and its libraries. Swift has its own C compiler.
prepare_for_swift() { # ROOT
    # shellcheck disable=SC2016 # It is the other shell's to expand.
    chroot "$1" bash -euc 'export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        headers=$(apt-cache pkgnames libstdc++- | grep -E "^libstdc\+\+-[0-9]+-dev$" | sort -V | tail -n 1)
        apt-get -qq --yes --no-install-recommends install binutils-gold libc6-dev "$headers" libcurl4 libedit2 \
            libncurses6 libsqlite3-0 libxml2 tzdata zlib1g
        apt-get clean' >>"$system/bootstrap.log" 2>&1 || fail "what Swift needs is missing: see $system/bootstrap.log"
}

# Gives the system its package sources and name resolution.
configure() { # ROOT
    sources | sed 's/^/deb /' >"$1/etc/apt/sources.list"
    acquisition >"$1/etc/apt/apt.conf.d/90host"
    cp --dereference /etc/resolv.conf /etc/hosts "$1/etc/"
    printf '127.0.1.1 bare-%s\n' "$suite" >>"$1/etc/hosts"
    if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
        cp /usr/local/share/ca-certificates/*.crt "$1/usr/local/share/ca-certificates/"
        chroot "$1" update-ca-certificates >>"$system/bootstrap.log" 2>&1
    fi
}

# Lends the folders from which git gets packages. They belong to another user inside, so git must be told to trust them.
package_places() {
    local upper=$system/layer/upper scope key value
    mkdir -p "$upper/etc"
    rm -f "$upper/etc/gitconfig"
    git config --file "$upper/etc/gitconfig" safe.directory '*'
    : >"$system/layer/package-folders"
    for scope in --system --global; do
        while IFS= read -r -d '' key; do
            value=${key#*$'\n'} key=${key%%$'\n'*}
            git config --file "$upper/etc/gitconfig" --add "$key" "$value"
            [[ $key == url.* ]] || continue
            key=${key#url.} key=${key%.*} key=${key#file://}
            [[ ! -d $key ]] || printf '%s\n' "${key%/}" >>"$system/layer/package-folders"
        done < <(git config "$scope" --null --get-regexp '^(url\..*\.insteadof|http\.(proxy|sslcainfo))$' || true)
    done
    sort -u -o "$system/layer/package-folders" "$system/layer/package-folders"
}

# Kills the first process inside; all others, and the mounts, end with it.
child=''
# shellcheck disable=SC2317 # Called by a trap.
finish() {
    local first
    if [[ -n $child ]]; then
        read -r first <"$system/layer/first" || first=$child
        kill -KILL "$first" 2>/dev/null || true
        wait "$child" || true
    fi
    [[ -n $keep ]] || rm -rf "$system/layer"
}

who=both own_swift='' lent='' keep='' folder=${XDG_CACHE_HOME:-$HOME/.cache}/git-credential-gitspace/bare-debian
if [[ ${1-} == --inside ]]; then
    system=$2 suite=$3 who=$4 swift=$5 lent=$6
    inside "${@:7}"
    exit
fi
while [[ ${1-} == --* ]]; do
    case $1 in
    --as) who=${2-} && shift ;;
    --folder) folder=$(realpath --canonicalize-missing -- "${2-}") && shift ;;
    --lend) lent=$(realpath -- "${2-}") && shift ;;
    --own-swift) own_swift=yes ;;
    --keep) keep=yes ;;
    *) usage ;;
    esac
    shift || usage
done
[[ ${1-} =~ ^(bookworm|trixie)$ && $who =~ ^(root|user|both)$ && -n $folder ]] || usage
suite=$1
shift
(($# > 0)) || set -- make test
((EUID == 0)) || fail "only root can do this: sudo env PATH=\"\$PATH\" ${BASH_SOURCE[0]} …"
for tool in debootstrap unshare setpriv git; do
    command -v "$tool" >/dev/null || fail "$tool is missing; packaging/dependencies.sh debian installs it"
done
system=$folder/$suite swift=''
if [[ -n $own_swift ]]; then
    system=$system-own-swift
else
    swift=$(swiftc -print-target-info | sed -n 's,.*"runtimeResourcePath": "\(.*\)/lib/swift".*,\1,p')
    [[ -x $swift/bin/swift ]] || fail 'no Swift toolchain was found'
    [[ $swift != /usr ]] || fail 'a Swift in /usr cannot be lent; one in a folder of its own can, or --own-swift'
fi
mkdir -p "$system/archives/partial"
exec {lock}>"$system/lock"
flock --nonblock "$lock" || fail "another run uses $system"
[[ -d $system/root ]] || bootstrap
[[ -n $keep ]] || rm -rf "$system/layer"
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$system"/layer/{upper,work,merged,clone}
package_places
rm -rf "$system/layer/clone/tree.git" "$system/layer/first"
git clone --quiet --bare "file://$tree" "$system/layer/clone/tree.git"
git --git-dir="$system/layer/clone/tree.git" update-ref --no-deref HEAD "$(git -C "$tree" rev-parse HEAD)"

# Run in a job of its own: this shell then handles signals at once, and the job keeps their default actions, which a
# plain background process loses.
set -m
setpriv --pdeathsig KILL unshare --mount --pid --ipc --uts --fork --kill-child "${BASH_SOURCE[0]}" --inside "$system" \
    "$suite" "$who" "$swift" "$lent" "$@" </dev/null {lock}>&- &
child=$!
status=0
wait "$child" || status=$?
child=''
exit "$status"
