#!/usr/bin/env bash
# openid-provider.sh: fetches glewlwyd, a real OpenID provider, for the tests, and starts it.
#
# Usage: Tests/Support/openid-provider.sh            starts it (openid-provider.py describes its commands)
#        Tests/Support/openid-provider.sh --fetch    only downloads and unpacks missing packages
# Debian's packages are unpacked below .build and not installed, since an installation would start a system service.
# Only --fetch downloads anything; packaging/dependencies.sh uses it for the tests.
# Exit: 69 it has not been fetched (EX_UNAVAILABLE); otherwise the status of openid-provider.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$here/../.." && pwd)/.build/openid-provider

fetch() {
    local package downloads
    [[ ! -e $folder/done ]] || return 0
    mkdir -p "${folder%/*}"
    # Two steps at once (.ci/run) would unpack into the same folder: the second waits, then finds it there.
    exec 9>"$folder.lock"
    flock 9
    [[ ! -e $folder/done ]] || return 0
    # The program, and those of its libraries that are missing on this machine.
    local -a wanted=(glewlwyd)
    mapfile -t -O 1 wanted < <(apt-get -qq --simulate --no-install-recommends install glewlwyd |
        sed -n -E 's/^Inst (lib[^ ]+) .*/\1/p' | grep -Ev '^libjs-|-perl$')
    downloads=$(mktemp -d)
    trap 'rm -rf "$downloads"' RETURN
    # Root's apt would download as another user, who cannot write here.
    (cd "$downloads" && apt-get -qq -o APT::Sandbox::User=root download "${wanted[@]}") || return 1
    rm -rf "$folder"
    mkdir -p "$folder"
    for package in "$downloads"/*.deb; do dpkg --extract "$package" "$folder"; done
    touch "$folder/done"
}

if [[ ${1:-} == --fetch ]]; then
    fetch
    exit
fi
[[ -e $folder/done ]] || exit 69
exec python3 "$here/openid-provider.py" "$folder"
