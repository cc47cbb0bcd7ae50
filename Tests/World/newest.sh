#!/usr/bin/env bash
# newest.sh: fetches what Debian has newer than this machine, for the tests with real programs.
#
# Usage: Tests/World/newest.sh
# Debian's own packages, verified by their signed index, are unpacked below .build/world and not installed:
#   git/bin/git              of sid, with every library that it needs, down to the C library
#   git-lfs-SUITE/bin        of trixie and of sid
#   go/bin/go                of sid
#   keyrings-SUITE           a root with the keyrings of trixie and of sid, for Tests/Support/in-suite.sh
#   lemonldap-SUITE          one with LemonLDAP::NG, of bookworm as well
# And of PyPI:
#   canaille                 a virtual environment of Python with Canaille
# What is there already stays; `rm -r .build/world` starts afresh. What cannot be had is named, and the tests that need
# it name it again.
# Exit: 0 all is there, 1 not.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
readonly world=$root/.build/world
# shellcheck source=Tests/Support/apt-suite.bash
. "$root/Tests/Support/apt-suite.bash"

say() { printf 'newest: %s\n' "$*" >&2; }

# As if nothing were installed, and from an index that may have been archived: its signature counts, not its date.
apt() {
    local tool=$1
    "apt-$tool" -qq -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false \
        -o APT::Install-Recommends=false -o Acquire::Languages=none "${@:2}"
}

# unpack SUITE PACKAGES FOLDER [PATTERN]: packages and all that they depend on, or those with such names alone.
unpack() {
    local suite=$1 packages=$2 folder=$3 pattern=${4:-.} apt=$world/apt-$1 uris names file
    (
        configure_apt deb "$suite" "$apt" || exit 1
        [[ -e $apt/updated ]] || {
            # Its status says whether all entries answered; what counts is whether one of them has the package.
            apt get update >>"$world/log" 2>&1 || true
            touch "$apt/updated"
        }
        # shellcheck disable=SC2086 # one word each
        uris=$(apt get install --yes --print-uris $packages)
        mapfile -t names < <(sed -E "s/^'[^']*' ([^_]+)_.*/\1/" <<<"$uris" | grep -E -- "$pattern")
        ((${#names[@]} > 0)) || exit 1
        rm -rf "$folder.part" "$apt/debs"
        mkdir -p "$folder.part" "$apt/debs"
        cd "$apt/debs"
        # Where this is called, an error ends nothing by itself.
        apt get download "${names[@]}" || exit 1
        for file in ./*.deb; do dpkg --extract "$file" "$folder.part" || exit 1; done
        rm -rf "$apt/debs"
    ) >>"$world/log" 2>&1
}

# A program of another release needs that release's C library and loader, and so does all that it runs from its own
# folder. What it runs of this machine's, a credential helper above all, must not meet them: hence no LD_LIBRARY_PATH,
# but paths in these very files.
bind() { # FOLDER FILE…
    local folder=$1 loader libraries file
    loader=$(find "$folder" -name 'ld-linux*.so.*' -print -quit)
    libraries=$(dirname "$(find "$folder" -name 'libz.so.1' -print -quit)")
    for file in "${@:2}"; do
        [[ -f $file && ! -L $file ]] || continue
        [[ $(head -c 4 "$file") == $'\x7fELF' ]] || continue
        patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$file" || return 1
    done
}

# program FOLDER FILE [VARIABLE=VALUE…]: FOLDER/bin/NAME runs it.
program() {
    local name
    name=$(basename "$2")
    mkdir -p "$1/bin"
    printf '#!/bin/sh\nexec env%s "%s" "$@"\n' "$(printf ' "%s"' "${@:3}" | sed 's/^ ""$//')" "$2" >"$1/bin/$name"
    chmod +x "$1/bin/$name"
}

fetch_git() {
    local folder=$world/git
    command -v patchelf >/dev/null || return 1
    unpack sid git "$folder" && rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    bind "$folder" "$folder"/usr/bin/git "$folder"/usr/lib/git-core/* >>"$world/log" 2>&1 || return 1
    program "$folder" "$folder/usr/bin/git" "GIT_EXEC_PATH=$folder/usr/lib/git-core" \
        "GIT_TEMPLATE_DIR=$folder/usr/share/git-core/templates"
    "$folder/bin/git" version >>"$world/log" 2>&1
}

fetch_lfs() { # SUITE
    local folder=$world/git-lfs-$1
    unpack "$1" git-lfs "$folder" '^git-lfs$' && rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    program "$folder" "$folder/usr/bin/git-lfs"
    "$folder/bin/git-lfs" version >>"$world/log" 2>&1
}

fetch_go() {
    local folder=$world/go go
    unpack sid golang-go "$folder" '^golang-' && rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    # Debian's package has a folder for the programs and one for the rest; links between them lead to /usr.
    go=$(echo "$folder"/usr/lib/go-*/bin/go)
    program "$folder" "$go" "GOROOT=$(cd "$(dirname "$go")/.." && pwd)"
    "$folder/bin/go" version >>"$world/log" 2>&1
}

# Programs that are windows look for more than libraries at its place, so they get a root of their own, as a package's
# scripts would leave it as far as they need it.
fetch_keyrings() { # SUITE
    local folder=$world/keyrings-$1 place
    unpack "$1" 'gnome-keyring keepassxc-full kwallet6 libqca-qt6-plugins fonts-dejavu-core libc-bin' "$folder" ||
        return 1
    for place in bin sbin lib lib64; do [[ -e $folder.part/$place ]] || ln -s "usr/$place" "$folder.part/$place"; done
    rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    "$root/Tests/Support/in-suite.sh" "$folder" keepassxc-cli --version >>"$world/log" 2>&1
}

# Its portal, with what that loads of what its package merely recommends, and what serves a Perl program by HTTP.
fetch_lemonldap() { # SUITE
    local folder=$world/lemonldap-$1 place
    unpack "$1" "liblemonldap-ng-portal-perl libcrypt-jwt-perl libemail-address-xs-perl libemail-sender-perl \
        libio-string-perl libmime-tools-perl libstring-random-perl libplack-perl libc-bin" "$folder" || return 1
    for place in bin sbin lib lib64; do [[ -e $folder.part/$place ]] || ln -s "usr/$place" "$folder.part/$place"; done
    rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    "$root/Tests/Support/in-suite.sh" "$folder" perl -MLemonldap::NG::Portal::Issuer::OpenIDConnect -e 1 \
        >>"$world/log" 2>&1
}

fetch_canaille() {
    {
        rm -rf "$world/canaille" && python3 -m venv "$world/canaille" &&
            "$world/canaille/bin/pip" install --quiet --disable-pip-version-check 'canaille[front,oidc]==0.3.6' &&
            "$world/canaille/bin/python" -c 'import canaille.oidc.provider'
    } >>"$world/log" 2>&1
}

mkdir -p "$world"
# Two at once would unpack into the same folders.
exec 9>"$world/lock"
flock 9
: >"$world/log"
status=0
for what in git 'lfs trixie' 'lfs sid' go 'keyrings trixie' 'keyrings sid' \
    'lemonldap bookworm' 'lemonldap trixie' 'lemonldap sid' canaille; do
    done=$world/done-${what/ /-}
    [[ ! -e $done ]] || continue
    # shellcheck disable=SC2086 # a function's name and its argument
    if fetch_$what; then
        touch "$done"
    else
        say "could not fetch $what of Debian; see $world/log"
        status=1
    fi
done
# What is still missing is looked for in new lists the next time.
rm -rf "$world"/apt-*
((status == 0))
