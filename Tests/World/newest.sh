#!/usr/bin/env bash
# newest.sh: fetches Debian packages newer than this machine's, for the tests with real programs.
#
# Usage: Tests/World/newest.sh
# Debian's own packages, verified by their signed index, are unpacked below .build/world, not installed:
#   git/bin/git              of sid, with all its libraries, including the C library
#   git-lfs-SUITE/bin        of trixie and of sid
#   go/bin/go                of sid
#   jj/bin/jj                of sid
#   keyrings-SUITE           a root with the keyrings of trixie and of sid, for Tests/Support/in-suite.sh
#   lemonldap-SUITE          a root with LemonLDAP::NG, of bookworm as well
# From PyPI:
#   canaille                 a virtual environment of Python with Canaille
#   python                   another one with uv, pre-commit, scmrepo and django-allauth
# Existing folders are kept; `rm -r .build/world` starts afresh. A failed download is reported, and the tests that need
# it report it again.
# Exit: 0 everything is there, 1 not.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
readonly world=$root/.build/world
# shellcheck source=Tests/Support/apt-suite.bash
. "$root/Tests/Support/apt-suite.bash"

say() { printf 'newest: %s\n' "$*" >&2; }

# Runs apt as if nothing were installed, with an index that may be archived: its signature is checked, its date is not.
apt() {
    local tool=$1
    "apt-$tool" -qq -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false \
        -o APT::Install-Recommends=false -o Acquire::Languages=none "${@:2}"
}

# unpack SUITE PACKAGES FOLDER [PATTERN]: unpacks packages with their dependencies, or only those with matching names.
unpack() {
    local suite=$1 packages=$2 folder=$3 pattern=${4:-.} apt=$world/apt-$1 uris names file
    (
        configure_apt deb "$suite" "$apt" || exit 1
        [[ -e $apt/updated ]] || {
            # The status says whether all sources answered; only the package is needed.
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
        # `set -e` has no effect in this call.
        apt get download "${names[@]}" || exit 1
        for file in ./*.deb; do dpkg --extract "$file" "$folder.part" || exit 1; done
        rm -rf "$apt/debs"
    ) >>"$world/log" 2>&1
}

# A program of another release needs that release's C library and loader, and so do the programs in its own folder.
# Programs of this machine that it starts, such as a credential helper, must not load them: therefore the paths are
# written into these files, and LD_LIBRARY_PATH is not used.
bind() { # FOLDER FILE…
    local folder=$1 loader libraries file
    loader=$(find "$folder" -name 'ld-linux*.so.*' -print -quit)
    libraries=$(dirname "$(find "$folder" -name 'libc.so.6' -print -quit)")
    for file in "${@:2}"; do
        [[ -f $file && ! -L $file ]] || continue
        [[ $(head -c 4 "$file") == $'\x7fELF' ]] || continue
        patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$file" || return 1
    done
}

# program FOLDER FILE [VARIABLE=VALUE…]: makes FOLDER/bin/NAME, which runs FILE.
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
    # Debian's package has separate folders for programs and data; its links lead to /usr.
    go=$(echo "$folder"/usr/lib/go-*/bin/go)
    program "$folder" "$go" "GOROOT=$(cd "$(dirname "$go")/.." && pwd)"
    "$folder/bin/go" version >>"$world/log" 2>&1
}

fetch_jj() {
    local folder=$world/jj
    command -v patchelf >/dev/null || return 1
    unpack sid jujutsu "$folder" && rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    bind "$folder" "$folder/usr/bin/jj" >>"$world/log" 2>&1 || return 1
    program "$folder" "$folder/usr/bin/jj"
    "$folder/bin/jj" --version >>"$world/log" 2>&1
}

# Graphical programs load more than libraries from fixed places, so they get a root of their own, set up as far as they
# need it.
fetch_keyrings() { # SUITE
    local folder=$world/keyrings-$1 place
    unpack "$1" 'gnome-keyring keepassxc-full kwallet6 libqca-qt6-plugins fonts-dejavu-core libc-bin' "$folder" ||
        return 1
    for place in bin sbin lib lib64; do [[ -e $folder.part/$place ]] || ln -s "usr/$place" "$folder.part/$place"; done
    rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
    "$root/Tests/Support/in-suite.sh" "$folder" keepassxc-cli --version >>"$world/log" 2>&1
}

# The portal, with the recommended packages that it loads, and a server for Perl programs.
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

fetch_python() {
    {
        rm -rf "$world/python" && python3 -m venv "$world/python" &&
            "$world/python/bin/pip" install --quiet --disable-pip-version-check \
                uv==0.13.9 pre-commit==4.7.0 scmrepo==3.6.2 'django-allauth[idp-oidc]==65.22.1' requests &&
            "$world/python/bin/python" -c 'import scmrepo.git, allauth, requests'
    } >>"$world/log" 2>&1
}

mkdir -p "$world"
# Two runs at once would unpack into the same folders.
exec 9>"$world/lock"
flock 9
: >"$world/log"
status=0
for what in git 'lfs trixie' 'lfs sid' go jj 'keyrings trixie' 'keyrings sid' \
    'lemonldap bookworm' 'lemonldap trixie' 'lemonldap sid' canaille python; do
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
# Remove the package lists, so that the next run looks for missing packages in new ones.
rm -rf "$world"/apt-*
((status == 0))
