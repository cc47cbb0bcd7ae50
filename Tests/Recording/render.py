#!/usr/bin/python3
"""render.py: draws a recording of a terminal as an animated SVG, light and dark, and writes its text into a document.

Usage: Tests/Recording/render.py CAST PICTURE [DOCUMENT]

CAST is a recording in asciinema's format (asciicast v2). PICTURE-light.svg and PICTURE-dark.svg are written: CSS
animation and no script, so that a page may show them as images; the reader's own fonts; the text of the last screen as
description. Without animation, or for readers who want none, they show the last screen. In DOCUMENT, the lines between
<!-- recording:WHAT:begin --> and <!-- recording:WHAT:end --> become what the screen showed at the mark WHAT (in
capitals), or at the end for LAST.
"""

import html
import itertools
import json
import os
import re
import sys
import unicodedata
from typing import NamedTuple

import pyte

CELL, LINE, SIZE = 8.4, 20, 14
MARGIN, BAR, CAPTION = 16, 34, 40
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
WORDS = "system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif"

# The colours of programs, each chosen for readability on its background.
THEMES = {
    "light": {
        "background": "#ffffff", "bar": "#eef0f2", "border": "#d0d7de", "default": "#24292f", "caption": "#57606a",
        "black": "#24292f", "red": "#b3261e", "green": "#116329", "brown": "#7d4e00", "blue": "#0550ae",
        "magenta": "#8250df", "cyan": "#1b6f78", "white": "#57606a",
    },
    "dark": {
        "background": "#0d1117", "bar": "#1c2128", "border": "#444c56", "default": "#e6edf3", "caption": "#9198a1",
        "black": "#8b949e", "red": "#ff7b72", "green": "#56d364", "brown": "#e3b341", "blue": "#79c0ff",
        "magenta": "#d2a8ff", "cyan": "#56d4dd", "white": "#e6edf3",
    },
}


class Run(NamedTuple):
    """Adjacent characters with the same look."""

    column: int
    columns: int
    text: str
    colour: str
    is_bold: bool
    is_wide: bool


class Frame(NamedTuple):
    """The screen from one moment on."""

    time: float
    rows: tuple
    cursor: tuple


class Shown(NamedTuple):
    """A drawing with its time; it stays if it has no end."""

    begin: float
    end: float
    drawing: str


def colour(name):
    """The theme's colour for a name; bright colours are the theme's own, others are not supported."""
    name = name.removeprefix("bright")
    return name if name in THEMES["light"] else "default"


def is_wide(cell):
    """Whether a cell holds half of a wide character, which gets its own run so that the other cells keep their places."""
    return not cell.data or unicodedata.east_asian_width(cell.data[0]) in "WF"


def runs(row, width):
    """The runs of a row, without spaces at their ends."""
    cells = [row[column] for column in range(width)]
    result, column = [], 0
    for look, group in itertools.groupby(cells, key=lambda cell: (colour(cell.fg), cell.bold, is_wide(cell))):
        group = list(group)
        text = "".join(cell.data for cell in group)
        begin = len(text) - len(text.lstrip(" "))
        if text.strip(" "):
            # An empty cell follows a wide character, so columns are counted in cells.
            columns = len(group) - begin - (len(text) - len(text.rstrip(" ")))
            result.append(Run(column + begin, columns, text.strip(" "), *look))
        column += len(group)
    return tuple(result)


def play(events, width, height):
    """The frames of a recording, its captions, and the texts of its named moments."""
    screen = pyte.Screen(width, height)
    stream = pyte.Stream(screen)
    frames, captions, moments = [], [], {}
    for moment, kind, text in events:
        if kind == "m" and text.isupper():
            moments[text] = as_text(screen)
        elif kind == "m":
            captions.append((moment, text))
        elif kind == "o":
            stream.feed(text)
            rows = tuple(runs(screen.buffer[row], width) for row in range(height))
            if frames and frames[-1].time == moment:
                frames.pop()
            frames.append(Frame(moment, rows, (screen.cursor.x, screen.cursor.y)))
    moments["LAST"] = as_text(screen)
    return frames, captions, moments


def as_text(screen):
    """The screen's text, without a prompt that has no command."""
    lines = [line.rstrip() for line in screen.display]
    while lines and re.fullmatch(r"(\S+ \$)?", lines[-1]):
        lines.pop()
    return "\n".join(lines)


def draw_run(run, row):
    """Draws one run of a row."""
    colours = [run.colour] if run.colour != "default" else []
    look = " ".join(["b"] * run.is_bold + ["w"] * run.is_wide + colours)
    attributes = f' class="{look}"' if look else ""
    # textLength keeps the columns aligned in every font.
    length = f' textLength="{run.columns * CELL:.1f}"' if run.columns > 1 else ""
    if run.is_wide:
        length += ' lengthAdjust="spacingAndGlyphs"'
    place = f'x="{MARGIN + run.column * CELL:.1f}" y="{BAR + MARGIN + row * LINE + SIZE}"'
    return f"<text {place}{length}{attributes}>{html.escape(run.text, quote=False)}</text>"


def lasting(changes, duration):
    """Ends each of (time, drawing) at the start of the next one; empty ones are left out."""
    ends = [change[0] for change in changes[1:]] + [duration]
    return [Shown(begin, end, drawing) for (begin, drawing), end in zip(changes, ends) if drawing]


def changes_of_row(frames, row):
    """The times and new contents of a row's changes."""
    changes = []
    for content, group in itertools.groupby(frames, key=lambda frame: frame.rows[row]):
        changes.append((next(group).time, "".join(draw_run(run, row) for run in content)))
    return changes


def animate(shown, duration):
    """The drawings with their animations, and the style that these need."""
    names, drawings, style = {}, [], []
    for begin, end, drawing in shown:
        if (begin, end) not in names:
            name = f"k{len(names)}"
            names[begin, end] = name
            steps = [(0, "hidden")] if begin > 0 else []
            steps.append((begin, "visible"))
            if end < duration:
                steps.append((end, "hidden"))
            frames = "".join(f"{100 * time / duration:.3f}%{{visibility:{what}}}" for time, what in steps)
            # Without animation, only the last screen is visible.
            rest = "" if end == duration else "visibility:hidden;"
            style.append(f"@keyframes {name}{{{frames}}}.{name}{{{rest}animation-name:{name}}}")
        drawings.append(f'<g class="s {names[begin, end]}">{drawing}</g>')
    return drawings, style


def cursor_style(frames, duration):
    """The cursor's positions, as an animation of one rectangle."""
    steps = "".join(
        f"{100 * frame.time / duration:.3f}%{{transform:{place(frame.cursor)}}}" for frame in frames)
    return f"@keyframes cursor{{{steps}}}.cursor{{transform:{place(frames[-1].cursor)};animation-name:cursor}}"


def place(cursor):
    """The position of a cell in CSS."""
    return f"translate({MARGIN + cursor[0] * CELL:.1f}px,{BAR + MARGIN + cursor[1] * LINE - 2}px)"


def picture(theme, frames, captions, header, text):
    """The whole picture in one theme."""
    duration, width = header["duration"], header["width"]
    height = 1 + max(row for frame in frames for row in [frame.cursor[1], *range(len(frame.rows))] if
                     row == frame.cursor[1] or frame.rows[row])
    across, down = 2 * MARGIN + width * CELL, BAR + 2 * MARGIN + height * LINE
    shown = [each for row in range(height) for each in lasting(changes_of_row(frames, row), duration)]
    shown += lasting(
        [(time, f'<text class="c" x="{across / 2:.1f}" y="{down + 27}">{html.escape(words)}</text>')
         for time, words in captions], duration)
    drawings, style = animate(shown, duration)
    colours = "".join(
        f".{name}{{fill:{value}}}" for name, value in theme.items()
        if name not in ("background", "bar", "border", "default", "caption"))
    dots = "".join(
        f'<circle cx="{MARGIN + 6 + 20 * index}" cy="{BAR / 2}" r="6" fill="{colour}"/>'
        for index, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"]))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {down + CAPTION}" \
width="{across:.0f}" height="{down + CAPTION}" lang="{header["env"]["LANGUAGE"]}" role="img" \
aria-labelledby="title description">
<title id="title">{html.escape(header["title"], quote=False)}</title>
<desc id="description">{html.escape(text, quote=False)}</desc>
<style>
text{{font:{SIZE}px {FONTS};fill:{theme["default"]};white-space:pre}}
.c{{font:15px {WORDS};fill:{theme["caption"]};text-anchor:middle}}
.b{{font-weight:bold}}.w{{font-size:{SIZE + 1}px}}{colours}
.s,.cursor{{animation:{duration:.3f}s step-end infinite}}
{"".join(style)}
{cursor_style(frames, duration)}
@media (prefers-reduced-motion:reduce){{.s,.cursor{{animation:none}}}}
</style>
<rect x=".5" y=".5" width="{across - 1:.1f}" height="{down - 1}" rx="8" fill="{theme["background"]}" \
stroke="{theme["border"]}"/>
<path d="M1 {BAR}V8.5A7.5 7.5 0 0 1 8.5 1H{across - 8.5:.1f}A7.5 7.5 0 0 1 {across - 1:.1f} 8.5V{BAR}Z" \
fill="{theme["bar"]}"/>{dots}
<rect class="cursor" width="{CELL}" height="{LINE - 1}" fill="{theme["caption"]}" fill-opacity=".6"/>
{chr(10).join(drawings)}
</svg>
"""


def keep_text(document, moments):
    """Writes the screens' text into the document."""
    with open(document, encoding="utf-8") as file:
        text = file.read()
    for what, screen in moments.items():
        begin, end = f"<!-- recording:{what}:begin -->", f"<!-- recording:{what}:end -->"
        block = f"{begin}\n```\n{screen}\n```\n{end}"
        text = re.sub(f"{re.escape(begin)}.*?{re.escape(end)}", lambda _, block=block: block, text, flags=re.DOTALL)
    with open(document, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    """Reads the recording, and writes pictures and text."""
    with open(sys.argv[1], encoding="utf-8") as file:
        header, *events = map(json.loads, file)
    frames, captions, moments = play(events, header["width"], header["height"])
    for name, theme in THEMES.items():
        path = f"{sys.argv[2]}-{name}.svg"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        svg = picture(theme, frames, captions, header, moments["LAST"])
        if len(svg.encode()) > 150_000:
            sys.exit(f"render.py: {path} would have {len(svg.encode())} bytes, more than a page should load")
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg)
        print(f"{path}: {len(svg.encode())} bytes, {header['duration']:.0f} s")
    for document in sys.argv[3:]:
        keep_text(document, moments)


main()
