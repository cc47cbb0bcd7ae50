#!/usr/bin/env bash
# openid-provider.sh: fetches a real OpenID provider, glewlwyd, for the tests, and starts it.
#
# Usage: Tests/Support/openid-provider.sh            starts it (openid-provider.py says how it is spoken to)
#        Tests/Support/openid-provider.sh --fetch    downloads and unpacks what is missing, and no more
# Debian's own packages are unpacked below .build and not installed: installing them would start a service of the
# system's. Nothing is downloaded but by --fetch, which packaging/dependencies.sh does for the tests.
# Exit: 69 it is not here (EX_UNAVAILABLE), else that of openid-provider.py.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(cd "$here/../.." && pwd)/.build/openid-provider

fetch() {
    local package downloads
    [[ ! -e $folder/done ]] || return 0
    # Of what its installation would bring: the program, and the libraries that are not here.
    local -a wanted=(glewlwyd)
    mapfile -t -O 1 wanted < <(apt-get -qq --simulate --no-install-recommends install glewlwyd |
        sed -n -E 's/^Inst (lib[^ ]+) .*/\1/p' | grep -Ev '^libjs-|-perl$')
    downloads=$(mktemp -d)
    trap 'rm -rf "$downloads"' RETURN
    # Root's apt would fetch as another user, who cannot write here.
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
