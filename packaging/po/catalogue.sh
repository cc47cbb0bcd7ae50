#!/usr/bin/env bash
# catalogue.sh: updates, checks and builds the catalogues of texts for people.
#
# Usage: packaging/po/catalogue.sh update          adds new texts to every packaging/po/*.po, and removes old ones
#        packaging/po/catalogue.sh check           fails if a text is missing, fuzzy or obsolete, or lacks a placeholder
#        packaging/po/catalogue.sh build FOLDER    writes FOLDER/LANGUAGE/LC_MESSAGES/git-credential-gitspace.mo
# To list untranslated texts after `update`: msgattrib --untranslated packaging/po/ko.po
# Exit: 0 success, 1 a catalogue or a source has an error (printed with its place), 64 usage.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

readonly program=git-credential-gitspace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gettext has no parser for Swift: each source is reduced to its texts, on their lines, which parse as C. A text must be
# one literal, since a text built at run time cannot be looked up.
texts_of() {
    perl -0777 -ne '
        s{^\s*//.*$}{}mg;
        my ($line, $at, $bad) = (1, 0, 0);
        while (m{\bMessage\(\s*+(?:("(?!"")(?:[^"\\\n]|\\["\\])*")\s*[,)]|(?!verbatim:))}g) {
            my $before = substr($_, $at, $-[0] - $at);
            my $lines = ($before =~ tr/\n//);
            $at = $-[0];
            $line += $lines;
            if (defined $1) { print "\n" x $lines, qq{Message($1); } }
            else { print "\n" x $lines; print STDERR "$ARGV:$line: the text is not one plain literal\n"; $bad = 1 }
        }
        END { $? = 1 if $bad }' "$1"
}

# Writes the template: every text of the sources, with the files that contain it.
extract() {
    local source status=0
    while IFS= read -r source; do
        mkdir -p "$work/$(dirname "$source")"
        texts_of "$source" >"$work/$source" || status=1
    done < <(find Sources -name '*.swift' | LC_ALL=C sort)
    ((status == 0)) || return 1
    # Marks each text as a format, so that msgfmt compares the placeholders.
    (cd "$work" && find Sources -name '*.swift' | LC_ALL=C sort |
        xgettext --language=C --from-code=UTF-8 --keyword --keyword=Message:1 --flag=Message:1:c-format --no-wrap \
            --add-location=file --files-from=- --output="$1")
    # A date would make every new template differ.
    sed -i '/^"POT-Creation-Date:/d' "$1"
}

# Prints a catalogue with exactly the texts of the template.
merged() { # PO POT
    msgmerge --quiet --no-fuzzy-matching --no-wrap --add-location=file --output-file=- "$1" "$2" |
        msgattrib --no-obsolete --no-wrap | sed '/^"POT-Creation-Date:/d'
}

complain() {
    printf '%s: %s\n' "$1" "$2" >&2
    status=1
}

# A placeholder may end in any sound, and most Korean particles depend on the sound before them. Units, and particles
# that are the same after every word, may follow a placeholder.
particles() {
    msgattrib --no-wrap --no-location "$1" | grep -nP '^(msgstr )?".*%[1-9][$]s(?!분|초|개|일|회|에|의|까지)\p{Hangul}'
}

check() {
    local catalogue status=0
    extract "$work/texts.pot" || exit 1
    for catalogue in packaging/po/*.po; do
        merged "$catalogue" "$work/texts.pot" >"$work/merged.po"
        diff -u --label "$catalogue" --label 'the sources' "$catalogue" "$work/merged.po" >&2 ||
            complain "$catalogue" 'not in step with the sources: packaging/po/catalogue.sh update'
        msgfmt --check --output-file=/dev/null "$catalogue" || complain "$catalogue" 'does not compile'
        [[ -z $(msgattrib --untranslated "$catalogue") ]] || complain "$catalogue" 'texts are missing'
        [[ -z $(msgattrib --only-fuzzy "$catalogue") ]] || complain "$catalogue" 'texts are fuzzy'
        [[ $catalogue != */ko.po ]] || ! particles "$catalogue" >&2 ||
            complain "$catalogue" 'a particle stands behind a place'
    done
    return "$status"
}

case ${1-} in
update)
    extract "$work/texts.pot"
    for catalogue in packaging/po/*.po; do
        merged "$catalogue" "$work/texts.pot" >"$work/merged.po"
        cp "$work/merged.po" "$catalogue"
        printf '%s: ' "$catalogue"
        msgfmt --statistics --output-file=/dev/null "$catalogue"
    done
    ;;
check) check ;;
build)
    (($# == 2)) || { exec "$here/catalogue.sh" --help; }
    for catalogue in packaging/po/*.po; do
        msgfmt --check --output-file="$work/messages.mo" "$catalogue"
        install -D -m 644 "$work/messages.mo" "$2/$(basename "$catalogue" .po)/LC_MESSAGES/$program.mo"
    done
    ;;
*)
    printf 'usage: %s update | check | build FOLDER\n' "${0##*/}" >&2
    exit 64
    ;;
esac
