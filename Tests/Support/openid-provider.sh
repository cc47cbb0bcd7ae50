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

# Those of glewlwyd's dependencies that no usual machine has; a library that is missing beside them is fetched as well.
readonly packages=(
    glewlwyd libconfig9 libhoel1.4 libiddawc1.1 libmariadb3 libmicrohttpd12 liboath0 liborcania2.3 librhonabwy1.1
    libulfius2.7 libyder2.0
)
readonly usual=(libcbor0.8 libjansson4 libldap-2.5-0 libsasl2-2 libpq5 libcurl3-gnutls libgnutls30 libsqlite3-0)

fetch() {
    local package downloads
    [[ ! -e $folder/done ]] || return 0
    local -a wanted=("${packages[@]}")
    for package in "${usual[@]}"; do
        [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            wanted+=("$package")
    done
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
