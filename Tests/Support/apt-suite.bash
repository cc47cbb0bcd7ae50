# apt-suite.bash: packages of another suite, from the archive that this machine trusts. Sourced, not run.
# shellcheck shell=bash
#
# The machine's apt configuration is read, never written: lists, cache and downloads belong to the caller, so it needs
# no root and leaves nothing behind.

# derive_sources deb|deb-src SUITE FOLDER: converts the machine's sources to sources of the suite, with the same address
# and key. Both of apt's formats are kept, so that every other option keeps its meaning; only architectures and
# components, which select binary packages, are dropped. Foreign repositories named after the release are converted too;
# they lack the suite, and apt skips them. Status 1: there are no sources.
derive_sources() {
    local kind=$1 wanted=$2 into=$3 list='' parts='' codename file
    eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:-sid}")

    for file in "$list" "$parts"/*.list; do
        [[ -f $file ]] || continue
        awk -v codename="$codename" -v suite="$wanted" -v kind="$kind" '
            $1 != "deb" || !match($0, /^[ \t]*deb[ \t]+(\[[^]]*\][ \t]*)?[^ \t]+[ \t]+/) { next }
            {
                head = substr($0, 1, RLENGTH)
                split(substr($0, RLENGTH + 1), rest)
            }
            rest[1] == codename || rest[1] ~ /^(stable|testing|unstable|sid)$/ {
                sub(/deb/, kind, head)
                gsub(/arch[+-]?=[^] \t]+/, "", head)
                print head suite " main"
            }' "$file"
    done >"$into/machine.list"

    for file in "$parts"/*.sources; do
        [[ -f $file ]] || continue
        # Print a stanza at its end, since fields come in any order. Continuation lines of a replaced field are dropped;
        # those of a key in the stanza stay.
        awk -v codename="$codename" -v suite="$wanted" -v kind="$kind" '
            function flush() {
                if (binary && ours && !disabled)
                    printf "Types: %s\nSuites: %s\nComponents: main\n%s\n", kind, suite, kept
                kept = ""; binary = ours = disabled = 0
            }
            function look(text,    words, count, i) {
                count = split(text, words)
                for (i = 1; i <= count; i++) {
                    if (field == "types" && words[i] == "deb") binary = 1
                    if (field == "suites" && (words[i] == codename || words[i] ~ /^(stable|testing|unstable|sid)$/)) ours = 1
                    if (field == "enabled" && tolower(words[i]) ~ /^(no|false|without|off|disable|0)$/) disabled = 1
                }
            }
            /^[ \t]*$/ { flush(); next }
            /^#/ { next }
            /^[^ \t]/ { field = tolower($0); sub(/[ \t]*:.*/, "", field); value = $0; sub(/^[^:]*:/, "", value); look(value) }
            /^[ \t]/ { look($0) }
            field !~ /^(types|suites|components|architectures|enabled|targets)$/ { kept = kept $0 "\n" }
            END { flush() }' "$file"
    done >"$into/machine.sources"

    [[ -s $into/machine.list || -s $into/machine.sources ]]
}

# configure_apt deb|deb-src SUITE FOLDER: writes a separate apt configuration. The way to the archive (such as a proxy)
# comes from the machine; its hooks, which would act on the machine's own lists, are left out. Status 1: no sources.
configure_apt() {
    local apt=$3
    mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    derive_sources "$1" "$2" "$apt/sources" || return 1
    {
        apt-config dump | grep -E '^Acquire::(https?|Retries|ForceIPv[46]|Check-(Date|Valid-Until))\b' || true
        printf '%s "%s";\n' \
            Dir::Etc::main /dev/null Dir::Etc::parts /dev/null \
            Dir::Etc::sourcelist /dev/null Dir::Etc::sourceparts "$apt/sources" \
            Dir::State::lists "$apt/lists" Dir::Cache "$apt/cache"
    } >"$apt/apt.conf"
    export APT_CONFIG=$apt/apt.conf
}
