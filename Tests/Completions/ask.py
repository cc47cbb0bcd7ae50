#!/usr/bin/python3
"""ask.py: prints what a shell offers at the end of a line when a person presses Tab.

Usage: Tests/Completions/ask.py bash|zsh|fish <LINES

Each line of standard input is typed into a real, interactive shell (fish is asked by its own `complete -C`), and all offers
are inserted: bash and zsh have a key for that. Prints one line for each: the line, a tab, and the sorted offers. A shell
that does not answer within half a minute ends the script with status 1.

bash needs BASH_COMPLETION, the file that sets up completion; zsh needs FPATH_FIRST, the folder of the completion.
"""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

# Alt-* inserts all offers; Ctrl-X p passes the line on, and clears it.
SETUP = {
    "bash": r"""
source "$BASH_COMPLETION"
bind '"\e*": insert-completions'
hand_over() { printf '%s' "$READLINE_LINE" >"$RESULT.new"; mv "$RESULT.new" "$RESULT"; READLINE_LINE=''; }
bind -x '"\C-xp": hand_over'
PS1='ready> '
""",
    "zsh": r"""
fpath=("$FPATH_FIRST" $fpath)
autoload -U compinit
compinit -u -d "$RESULT.dump"
zstyle ':completion:all-matches:*' completer _all_matches
zstyle ':completion:all-matches:*' old-matches only
zstyle ':completion:*' completer _all_matches _complete
zstyle ':completion:*' insert yes
bindkey -e
bindkey '\e*' complete-word
hand_over() { printf '%s' "$BUFFER" >"$RESULT.new"; mv "$RESULT.new" "$RESULT"; BUFFER=''; zle -I; }
zle -N hand_over
bindkey '^Xp' hand_over
PS1='ready> '
""",
}


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, name, folder):
        self.result = os.path.join(folder, "result")
        start = os.path.join(folder, ".zshrc" if name == "zsh" else "start")
        with open(start, "w", encoding="utf-8") as file:
            file.write(SETUP[name])
        arguments = ["bash", "--noprofile", "--rcfile", start, "-i"] if name == "bash" else ["zsh", "-i"]
        environment = dict(os.environ, RESULT=self.result, ZDOTDIR=folder, TERM="vt100", INPUTRC="/dev/null")
        child, self.terminal = pty.fork()
        if child == 0:
            os.execvpe(arguments[0], arguments, environment)
        self.shown = b""
        self.wait_for(lambda: b"ready> " in self.shown)

    def wait_for(self, condition):
        """Reads the shell's output until the condition holds."""
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end:
                sys.exit(f"ask.py: no answer; the shell showed: {self.shown!r}")
            if select.select([self.terminal], [], [], 0.02)[0]:
                self.shown += os.read(self.terminal, 4096)

    def ask(self, line):
        """Returns a line after all offers were inserted at its end."""
        os.write(self.terminal, line.encode() + b"\x1b*\x18p")
        self.wait_for(lambda: os.path.exists(self.result))
        with open(self.result, encoding="utf-8") as file:
            text = file.read()
        os.unlink(self.result)
        return text


def main():
    """Reads lines, and prints their offers."""
    name = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        shell = None if name == "fish" else Shell(name, folder)
        for line in sys.stdin.read().splitlines():
            begun = line[: line.rfind(" ") + 1]
            if shell is None:
                output = subprocess.run(
                    ["fish", "-c", "complete -C $argv[1]", line],
                    check=True, capture_output=True, text=True, timeout=30).stdout
                offers = [offer.split("\t")[0] for offer in output.splitlines()]
            else:
                text = shell.ask(line)
                # Without offers, the line stays as it was typed.
                offers = [] if text == line else text[len(begun):].split()
            # Shells differ in how much of --option=value they show, and in whether they append an equals sign.
            offers = [re.sub(r"^--[a-z-]+=(.+)|=$", r"\1", offer) for offer in offers]
            print(line, " ".join(sorted(offers)), sep="\t", flush=True)


main()
