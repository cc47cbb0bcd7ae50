#!/usr/bin/env bash
# gateway.sh: measures git through `share`, git alone, and git through mitmproxy with an addon that adds the header;
# prints the table of docs/benchmarks.md.
#
# Usage: Tests/Bench/gateway.sh [ROUNDS [MEGABYTES]]    (default 7 and 500)
#   Prints Markdown to stdout, and progress to stderr. The host is nginx with git-http-backend and TLS on loopback.
#   Each round runs each contender once, one after the other; each result is checked.
# Exit: 0 success, 1 unexpected result of a program, 64 wrong usage.
# shellcheck disable=SC2016  # $ is git's, nginx's or the inner shell's here
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Bench/bench.bash
. "$here/bench.bash"

rounds=${1-7} size=${2-500}
if ! [[ $rounds =~ ^[1-9][0-9]*$ && $size =~ ^[1-9][0-9]*$ ]] || (($# > 2)); then
    printf 'usage: %s [ROUNDS [MEGABYTES]]\n' "${0##*/}" >&2
    exit 64
fi
enter_keyring "$@"
export GIT_CONFIG_NOSYSTEM=1
PATH=$(dirname "$ours"):$PATH

started=()
# shellcheck disable=SC2317  # the trap calls it
finish() {
    ((${#started[@]} == 0)) || kill -- "${started[@]}" 2>/dev/null || true
    wait || true
    rm -rf "$scratch"
}
trap finish EXIT

say() { printf 'gateway: %s\n' "$*" >&2; }

# Starts a host that requires the password: nginx, fcgiwrap, git-http-backend.
start_host() {
    local port=$1
    "$root/Tests/Support/certificate.sh" "$scratch"
    printf '%s:%s\n' "$account" "$(openssl passwd -apr1 "$password")" >"$scratch/users"
    cat >"$scratch/nginx.conf" <<END
user root;
worker_processes 2;
daemon off;
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events { worker_connections 512; }
http {
    access_log off;
    client_max_body_size 0;
    client_body_temp_path $scratch/body;
    fastcgi_temp_path $scratch/fastcgi;
    proxy_temp_path $scratch/proxy; uwsgi_temp_path $scratch/uwsgi; scgi_temp_path $scratch/scgi;
    server {
        listen 127.0.0.1:$port ssl;
        ssl_certificate $scratch/tls.pem;
        ssl_certificate_key $scratch/tls.key;
        auth_basic git;
        auth_basic_user_file $scratch/users;
        location / {
            fastcgi_pass unix:$scratch/cgi;
            fastcgi_buffering off;
            fastcgi_request_buffering off;
            fastcgi_read_timeout 600;
            fastcgi_param SCRIPT_FILENAME $(git --exec-path)/git-http-backend;
            fastcgi_param GIT_PROJECT_ROOT $scratch/host;
            fastcgi_param GIT_HTTP_EXPORT_ALL 1;
            fastcgi_param PATH_INFO \$uri;
            fastcgi_param QUERY_STRING \$query_string;
            fastcgi_param REQUEST_METHOD \$request_method;
            fastcgi_param CONTENT_TYPE \$content_type;
            fastcgi_param CONTENT_LENGTH \$content_length;
            fastcgi_param HTTP_CONTENT_ENCODING \$http_content_encoding;
            fastcgi_param GIT_PROTOCOL \$http_git_protocol;
            fastcgi_param REMOTE_USER \$remote_user;
        }
    }
}
END
    # A session of its own, so that its children can be ended as well.
    setsid fcgiwrap -c 64 -s "unix:$scratch/cgi" >"$scratch/cgi.log" 2>&1 &
    started+=("-$!")
    nginx -c "$scratch/nginx.conf" >"$scratch/nginx.out" 2>&1 &
    started+=($!)
    until curl -q --silent --output /dev/null --cacert "$scratch/ca.pem" "https://localhost:$port/"; do
        kill -0 $! 2>/dev/null || fail "nginx: $(cat "$scratch/nginx.out" "$scratch/nginx.log")"
        sleep 0.1
    done
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# make_repository NAME MEGABYTES: makes a repository with incompressible files of 5 MB.
make_repository() {
    git init --quiet --bare "$scratch/host/acme/$1"
    git -C "$scratch/host/acme/$1" config http.receivepack true
    git init --quiet "$scratch/$1"
    for ((i = 0; i < $2; i += 5)); do head -c 5000000 /dev/urandom >"$scratch/$1/$i"; done
    git -C "$scratch/$1" add .
    git -C "$scratch/$1" -c core.compression=0 commit --quiet --message "$2 MB"
    git -C "$scratch/$1" push --quiet "$scratch/host/acme/$1" HEAD:main
    git -C "$scratch/host/acme/$1" symbolic-ref HEAD refs/heads/main
}

# settings NAME: the git configuration of a contender, as GIT_CONFIG_* variables in an array of that name.
settings() {
    local -a pairs=("${@:2}")
    local number
    printf '%s=%s\n' HOME "$scratch/home-$1" GIT_TERMINAL_PROMPT 0 GIT_CONFIG_COUNT $((${#pairs[@]} / 2))
    for ((number = 0; number < ${#pairs[@]}; number += 2)); do
        printf 'GIT_CONFIG_KEY_%d=%s\nGIT_CONFIG_VALUE_%d=%s\n' $((number / 2)) "${pairs[number]}" $((number / 2)) \
            "${pairs[number + 1]}"
    done
}

# as CONTENDER ARGUMENT…: runs git with a contender's configuration.
as() {
    local -a environment
    mapfile -t environment <"$scratch/settings-$1"
    env "${environment[@]}" git "${@:2}"
}

# timed COMMAND…: prints a command's duration in milliseconds.
timed() {
    local start=${EPOCHREALTIME/./}
    "$@" >"$scratch/out" 2>&1 || fail "$*: $(cat "$scratch/out")"
    printf '%d\n' $(((${EPOCHREALTIME/./} - start) / 1000))
}

median() { sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

list() { timed as "$1" ls-remote "https://localhost:$port/acme/large"; }
clone() {
    rm -rf "$scratch/clone"
    timed as "$1" clone --quiet --no-checkout "https://localhost:$port/acme/large" "$scratch/clone"
}
push() {
    git -C "$scratch/host/acme/push" update-ref -d refs/heads/bench
    git -C "$scratch/host/acme/push" prune --expire=now
    timed as "$1" -C "$scratch/small" push --quiet "https://localhost:$port/acme/push" HEAD:bench
}

# row WHAT TEXT TARGET [ROUNDS]: measures each contender, and prints a table row.
row() {
    local contender round what=$1
    for contender in "${contenders[@]}"; do : >"$scratch/$what-$contender"; done
    for ((round = 0; round <= ${4-$rounds}; round++)); do
        for contender in "${contenders[@]}"; do
            say "$what, $contender, round $round"
            # Round 0 is a warm-up.
            if ((round == 0)); then "$what" "$contender" >/dev/null; else "$what" "$contender" >>"$scratch/$what-$contender"; fi
        done
    done
    local direct through theirs
    direct=$(median "$scratch/$what-direct") through=$(median "$scratch/$what-gateway") theirs=–
    [[ ! -e $scratch/settings-mitmproxy ]] || theirs=$(median "$scratch/$what-mitmproxy")
    printf '| %s | %s | %s | **%s** | %s | %s |\n' "$2" "$direct" "$through" \
        "$(awk "BEGIN { printf \"%.2f (%+d)\", $through / $direct, $through - $direct }")" "$3" "$theirs"
}

mkdir -p "$scratch/host" "$scratch"/home-{direct,gateway,mitmproxy}
port=$(free_port)
git config --global user.name bench
git config --global user.email bench@example.com
git config --global init.defaultBranch main
git config --global http.sslCAInfo "$scratch/ca.pem"
say "making repositories of $size and $((size * 2 / 5)) MB"
make_repository large "$size"
make_repository small $((size * 2 / 5))
git init --quiet --bare "$scratch/host/acme/push"
git -C "$scratch/host/acme/push" config http.receivepack true
start_host "$port"
printf 'protocol=https\nhost=localhost:%s\nusername=%s\npassword=%s\n' "$port" "$account" "$password" |
    git-credential-gitspace store
git-credential-gitspace share bench --host "localhost:$port" >"$scratch/share" 2>&1 &
started+=($!)
sharing=$!
until grep -q 'press Ctrl-C' "$scratch/share"; do
    kill -0 "$sharing" || fail "share: $(cat "$scratch/share")"
    sleep 0.1
done
folder=$XDG_RUNTIME_DIR/gitspace/bench
sed "s|%2Frun%2Fgitspace|${folder//\//%2F}|" "$folder/gitconfig" >"$scratch/gitconfig"
header="Authorization: Basic $(printf '%s:%s' "$account" "$password" | base64 -w 0)"
contenders=(direct gateway)
settings direct http.sslCAInfo "$scratch/ca.pem" http.extraHeader "$header" >"$scratch/settings-direct"
settings gateway include.path "$scratch/gitconfig" >"$scratch/settings-gateway"
if command -v mitmdump >/dev/null; then
    contenders+=(mitmproxy)
    proxy_port=$(free_port)
    cat >"$scratch/addon.py" <<END
def requestheaders(flow):
    flow.request.headers["Authorization"] = "${header#*: }"
END
    mitmdump --quiet --listen-host 127.0.0.1 --listen-port "$proxy_port" --set "confdir=$scratch/mitm" \
        --set stream_large_bodies=1 --set "ssl_verify_upstream_trusted_ca=$scratch/ca.pem" \
        --scripts "$scratch/addon.py" >"$scratch/mitm.log" 2>&1 &
    started+=($!)
    until [[ -s $scratch/mitm/mitmproxy-ca-cert.pem ]]; do sleep 0.1; done
    settings mitmproxy http.sslCAInfo "$scratch/mitm/mitmproxy-ca-cert.pem" http.proxy "http://127.0.0.1:$proxy_port" \
        >"$scratch/settings-mitmproxy"
fi

printf '%s\n' '| what | direct, ms | through `share`, ms | ratio (difference) | target | mitmproxy, ms |' '|---|---|---|---|---|---|'
row list '`git ls-remote`' '+25 ms' $((rounds * 3))
row clone "\`git clone\` of $size MB" '1.15'
row push "\`git push\` of $((size * 2 / 5)) MB" '1.15'

say 'fifty clones at once'
for number in {1..50}; do
    as gateway clone --quiet --depth 1 "https://localhost:$port/acme/push" "$scratch/many-$number" 2>"$scratch/many.log" &
    many+=($!)
done
# The most memory, in kB, that any process of a connection uses: in total, and without shared pages.
highest() {
    local child in_all=0 own=0 value
    for child in $(<"/proc/$sharing/task/$sharing/children"); do
        value=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$child/status" 2>/dev/null || true)
        ((${value:-0} <= in_all)) || in_all=$value
        value=$(awk '/^Private_/ { sum += $2 } END { print sum }' "/proc/$child/smaps_rollup" 2>/dev/null || true)
        ((${value:-0} <= own)) || own=$value
    done
    printf '%s %s\n' "$in_all" "$own"
}
for process in "${many[@]}"; do wait "$process" || fail "a clone of fifty: $(cat "$scratch/many.log")"; done
rm -rf "$scratch/clone"
as gateway clone --quiet --no-checkout "https://localhost:$port/acme/large" "$scratch/clone" &
cloning=$!
in_all=0 own=0
while kill -0 "$cloning" 2>/dev/null; do
    read -r now_in_all now_own < <(highest)
    ((now_in_all <= in_all)) || in_all=$now_in_all
    ((now_own <= own)) || own=$now_own
    sleep 0.05
done
wait "$cloning"
printf '\nFifty clones at once: all succeed. Memory of a connection at its most, while it clones %s MB: %s.\n' "$size" \
    "$(awk "BEGIN { printf \"%.1f MB, of which %.1f MB are its own\", $in_all / 1024, $own / 1024 }")"
