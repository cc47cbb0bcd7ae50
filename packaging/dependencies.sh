#!/usr/bin/env bash
# dependencies.sh: installs the missing Debian packages for a purpose.
#
# Usage: packaging/dependencies.sh [PURPOSE]     (default: build)
#   build        what the program needs
#   test         and its tests: a private keyring, TLS, a terminal, a locale, the manual's checker; sshd, if available
#   lint         the program and its tests, which are compiled, and checkers of the manual and of scripts
#   conformance  and the build of git from Debian's source package, for git's own test suite
#   bench        and a counter of instructions
#   bench-gateway  and the usual proxy
#   soak         the program, its tests, and a clock that can be changed
#   model        Spin, and a compiler for the programs that it makes; no Swift
#   completions  and the common shells
#   recording    and a terminal emulator without a window
#   world        the tests, and the real programs that they try; unavailable ones are reported and left out
#   debian       tools that make a minimal Debian, in which the tests run
#   deb          the program, and tools that make its Debian package
#   deb-test     tools that check and try that package where the program is not built; no Swift
# If nothing is missing, it is silent, and needs neither the network nor root. Otherwise it lists the missing packages,
# and uses sudo unless root runs it. On systems other than Debian and its derivatives, it lists the packages and
# continues, since they have other names there.
# Swift is installed if it is missing and the system has a package that is new enough: Debian 13 and newer.
# Exit: 0 nothing is missing (or not Debian), 1 something is missing and could not be installed.
set -euo pipefail

readonly needed_swift=6.0

build=(
    libsecret-1-dev libglib2.0-dev libqrencode-dev libcurl4-openssl-dev libssl-dev libseccomp-dev pkg-config gettext git
    make
)
# The package dbus has dbus-run-session and the session's configuration, also in releases that split it (dbus-daemon,
# since Debian 12).
readonly tests=(
    gnome-keyring dbus libsecret-tools libglib2.0-bin python3 python3-dbus python3-gi
    openssl curl procps strace time tmux mandoc expect locales
)
readonly conformance=(dpkg-dev gcc make perl libcurl4-openssl-dev libexpat1-dev zlib1g-dev)
readonly lint=(mandoc shellcheck python3 python3-venv)
readonly bench=(valgrind gcc)
readonly bench_gateway=(mitmproxy)
readonly soak=(libfaketime)
readonly model=(spin gcc libc6-dev)
readonly completions=(bash bash-completion zsh fish)
readonly recording=(python3-pyte)
# Installed if available: tests and tables report missing programs.
ssh=(openssh-client)
# With a running systemd, Debian's package would start a server that listens on the whole network.
[[ -d /run/systemd/system ]] || ssh+=(openssh-server)
readonly ssh
world=(
    bubblewrap chromium firefox-esr fonts-nanum
    keepassxc libkf5wallet-bin libqca-qt5-2-plugins xvfb xdotool screen bsdutils
    git-lfs cargo python3-pip python3-venv python3-git python3-dulwich python3-pygit2 patchelf "${ssh[@]}"
    cmake emacs-nox elpa-magit
    apache2-bin libapache2-mod-auth-openidc libapache2-mod-auth-gssapi
    ruby-doorkeeper ruby-doorkeeper-openid-connect ruby-activerecord ruby-sqlite3 puma
)
# These packages start services too.
[[ -d /run/systemd/system ]] || world+=(krb5-kdc krb5-admin-server krb5-user podman crun uidmap nginx-light)
readonly world
readonly debian=(git debootstrap debian-archive-keyring)
readonly deb=(debhelper dpkg-dev)

say() { printf 'dependencies: %s\n' "$*" >&2; }

# Whether a version is new enough: sorted as versions, the needed one comes first or is equal.
new_enough() { [[ -n $1 && $(printf '%s\n' "$needed_swift" "$1" | sort -V | head -n 1) == "$needed_swift" ]]; }

# The version of a package that apt would install, without Debian's revision.
packaged() { apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9][0-9.]*\).*/\1/p'; }

# Requires Swift, the system's own if it has one. The packages of swift.org differ by system, and a person chooses their
# place: so only a hint is printed.
require_swift() {
    local found=''
    if command -v swift >/dev/null; then
        found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p')
    elif command -v apt-cache >/dev/null; then
        # Without lists, apt knows only installed packages.
        compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || update
        if new_enough "$(packaged swiftlang)"; then
            # The package brings a C compiler, but not the C++ library that every Swift program is linked with.
            build+=(swiftlang g++)
            return
        fi
    fi
    new_enough "$found" || {
        say "Swift $needed_swift or later is needed, found ${found:-none}, and this system packages none. To get it" \
            'from swift.org, paste this line (see https://www.swift.org/install/linux/):'
        # shellcheck disable=SC2016 # It is the person's shell that expands it.
        printf '%s%s\n' "$(installing curl gpg)" \
            'curl -O "https://download.swift.org/swiftly/linux/swiftly-$(uname -m).tar.gz" &&' \
            ' tar -zxf "swiftly-$(uname -m).tar.gz" && ./swiftly init --quiet-shell-followup &&' \
            ' . "${SWIFTLY_HOME_DIR:-$HOME/.local/share/swiftly}/env.sh" && hash -r' | paste -sd '' >&2
        exit 1
    }
}

# The beginning of a command line that installs packages, if the system has apt.
installing() {
    ! command -v apt-get >/dev/null ||
        printf '%sapt-get install --yes %s && ' "$( ((EUID == 0)) || echo 'sudo ')" "$*"
}

# Prints the given packages that are not installed, one per line.
missing_of() {
    # dpkg-query reports an unknown package as an error; here it counts as missing.
    comm -23 <(printf '%s\n' "$@" | sort -u) \
        <(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
            sed -n 's/^installed //p' | sort -u)
}

# as_root WHAT COMMAND [ARGUMENT…]: runs a command as root; WHAT is the command that a person would type.
as_root() {
    if ((EUID == 0)); then
        "${@:2}"
    elif command -v sudo >/dev/null; then
        sudo "${@:2}"
    else
        say "neither root nor sudo; as root, run: $1"
        exit 1
    fi
}

# An error of a foreign repository is not fatal: the installation decides.
update() { as_root 'apt-get update' apt-get -qq update >&2 || say 'apt-get update reported errors; going on'; }

install() {
    local command="apt-get install --no-install-recommends $*"
    as_root "$command" apt-get -qq update >&2 || say 'apt-get update reported errors; going on'
    # --no-remove: fail rather than remove, for example, another variant of libcurl's headers.
    as_root "$command" env DEBIAN_FRONTEND=noninteractive apt-get -qq --yes --no-install-recommends --no-remove \
        -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 install "$@" >&2
}

# Must come first, since it may add to the packages of a build.
case ${1:-build} in
model | debian | deb-test) ;;
*) require_swift ;;
esac

case ${1:-build} in
build) packages=("${build[@]}") ;;
test) packages=("${build[@]}" "${tests[@]}") ;;
lint) packages=("${build[@]}" "${tests[@]}" "${lint[@]}") ;;
conformance) packages=("${build[@]}" "${tests[@]}" "${conformance[@]}") ;;
bench) packages=("${build[@]}" "${tests[@]}" "${bench[@]}") ;;
bench-gateway) packages=("${build[@]}" "${tests[@]}" "${bench_gateway[@]}") ;;
soak) packages=("${build[@]}" "${tests[@]}" "${soak[@]}") ;;
model) packages=("${model[@]}") ;;
completions) packages=("${build[@]}" "${tests[@]}" "${completions[@]}") ;;
recording) packages=("${build[@]}" "${tests[@]}" "${recording[@]}") ;;
world) packages=("${build[@]}" "${tests[@]}") ;;
debian) packages=("${debian[@]}") ;;
deb) packages=("${build[@]}" "${deb[@]}") ;;
deb-test) packages=("${tests[@]}" git lintian binutils) ;;
*)
    printf 'usage: %s [build|test|lint|conformance|bench|bench-gateway|soak|model|completions|recording|world|debian|deb|deb-test]\n' \
        "${0##*/}" >&2
    exit 64
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not Debian; what is needed has these names there: ${packages[*]}"
    exit 0
fi

mapfile -t missing < <(missing_of "${packages[@]}")
if ((${#missing[@]} > 0)); then
    say "missing: ${missing[*]}; installing"
    install "${missing[@]}" || {
        say "could not install: ${missing[*]}"
        exit 1
    }
fi

# Together if that works, otherwise one by one, so that one unavailable package does not prevent the others.
case ${1:-} in
test) optional=("${ssh[@]}") ;;
world) optional=("${world[@]}") ;;
*) optional=() ;;
esac
if ((${#optional[@]} > 0)); then
    mapfile -t missing < <(missing_of "${optional[@]}")
    if ((${#missing[@]} > 0)); then
        say "missing: ${missing[*]}; installing"
        (install "${missing[@]}") || for package in "${missing[@]}"; do
            (install "$package") || say "could not install $package; what needs it will be named as not run"
        done
    fi
fi

# Newer programs of Debian are unpacked below .build, not installed.
if [[ ${1:-} == world ]]; then
    "$(dirname "${BASH_SOURCE[0]}")/../Tests/World/newest.sh" ||
        say 'not all of it could be fetched; what needs it will be named as not run'
fi

# Debian has no package of actionlint.
if [[ ${1:-} == lint ]]; then
    "$(dirname "${BASH_SOURCE[0]}")/../Tests/Documents/workflows.sh" --fetch ||
        say 'could not fetch actionlint; the workflows will be checked without it'
fi

# glewlwyd, an OpenID provider, is unpacked below .build, not installed, since that would start a service. Without it,
# the tests that need it are skipped by name.
if [[ ${1:-} == test ]]; then
    "$(dirname "${BASH_SOURCE[0]}")/../Tests/Support/openid-provider.sh" --fetch ||
        say 'could not fetch glewlwyd; the tests with a real OpenID provider will be skipped'
fi
