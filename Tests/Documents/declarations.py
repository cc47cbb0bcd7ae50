#!/usr/bin/env python3
"""declarations.py: whether everything that one module offers to others has a documentation comment.

Usage: Tests/Documents/declarations.py FOLDER
FOLDER has what the compiler writes about each module, with Package.swift's GITSPACE_SYMBOLS: what is declared, with which
access and which comment. Looked at are the modules of Sources, and in them what is package or public: swift-format's rule
AllPublicDeclarationsHaveDocumentation looks at public alone.
No comment of its own is needed by
  - a case of an enum: the enum's comment says what its cases are, and most names are those of a format;
  - a member that a protocol requires: the comment is the protocol's;
  - an initialiser whose parameters are the properties that it fills, or that has none;
  - a text for people: it is its own description. So is an enum without cases that holds some, below a documented one.
Exit: 0 it has, 1 not: each that has none is named with its line; 2 there is nothing in the folder.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What protocols of the standard library require: how a value is written, compared, and made of an interpolated text.
STANDARD = {
    "description", "debugDescription", "==(_:_:)", "<(_:_:)", "hash(into:)", "init(stringInterpolation:)",
    "init(literalCapacity:interpolationCount:)", "appendLiteral(_:)", "appendInterpolation(_:)",
}
# A type's, protocol's or extension's name, and what it inherits from: of conformances to protocols of other modules that are package,
# the compiler's output says nothing.
CONFORMANCE = re.compile(r"^ *[\w ()]*\b(?:class|struct|enum|protocol|extension) (?:\w+\.)*(\w+)(?:<[^>]*>)?: ([^{]*)\{", re.M)


def load(folder):
    """Every symbol of every module by its identifier, and the relations between them."""
    symbols, relations = {}, []
    for path in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        symbols |= {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
        relations += graph["relationships"]
    return symbols, relations


def conformances():
    """By the name of a type, the names of the protocols that it says it conforms to."""
    found = {}
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        for name, protocols in CONFORMANCE.findall(path.read_text(encoding="utf-8")):
            found.setdefault(name, set()).update(re.findall(r"\w+", protocols))
    return found


def place(symbol):
    """File and line of a symbol; None for what the compiler adds, and for another package's."""
    location = symbol.get("location")
    path = pathlib.Path(location["uri"].removeprefix("file://")) if location else None
    if path is None or not path.is_relative_to(ROOT / "Sources"):
        return None
    return str(path.relative_to(ROOT)), location["position"]["line"] + 1


class Declarations:
    """The declarations of all modules, and which of them need a comment."""

    def __init__(self, symbols, relations):
        self._symbols = symbols
        # By identifier: what a symbol is a member of, the members of a type. By a protocol's name: what it requires.
        self._owner, self._members, self._requirements = {}, {}, {}
        self._conformances = conformances()
        for relation in relations:
            source, target = relation["source"], relation["target"]
            if relation["kind"] in ("memberOf", "requirementOf"):
                self._owner[source] = target
                self._members.setdefault(target, []).append(source)
            if relation["kind"] == "requirementOf" and target in symbols:
                name = symbols[target]["names"]["title"]
                self._requirements.setdefault(name, set()).add(symbols[source]["names"]["title"])

    def undocumented(self):
        """The symbols that lack a comment."""
        for identifier, symbol in self._symbols.items():
            is_offered = symbol["accessLevel"] in ("package", "public", "open")
            if is_offered and place(symbol) and "docComment" not in symbol and not self._is_plain(identifier):
                yield symbol

    def _is_plain(self, identifier):
        """Whether a declaration needs no comment of its own."""
        symbol = self._symbols[identifier]
        kind, owner = symbol["kind"]["identifier"], self._owner.get(identifier)
        members = [self._symbols[member] for member in self._members.get(identifier, ())]
        if kind == "swift.enum.case" or self._is_required(*symbol["pathComponents"][-2:]):
            return True
        if kind == "swift.enum":
            holds_texts = not any(member["kind"]["identifier"] == "swift.enum.case" for member in members)
            return holds_texts and "docComment" in self._symbols.get(owner, {}) and all(map(self._is_text, members))
        return self._is_text(symbol) or (kind == "swift.init" and self._fills_properties(symbol, owner))

    def _is_required(self, owner, title=""):
        """Whether a protocol of ours, to which the owner conforms or which it extends, requires a member of that name."""
        protocols, todo = set(), {owner}
        while todo:
            protocols |= todo
            todo = set().union(*(self._conformances.get(name, set()) for name in todo)) - protocols
        return title in STANDARD or any(title in self._requirements.get(protocol, ()) for protocol in protocols)

    def _is_text(self, symbol):
        """Whether it is a constant that holds a text for people."""
        types = {part["spelling"] for part in symbol["declarationFragments"] if part["kind"] == "typeIdentifier"}
        return symbol["kind"]["identifier"] == "swift.type.property" and types in ({"Message"}, {"VerbHelp"})

    def _fills_properties(self, symbol, owner):
        """Whether each parameter has the name of a property of the type."""
        names = {self._symbols[member]["names"]["title"] for member in self._members.get(owner, ())}
        parameters = symbol.get("functionSignature", {}).get("parameters", ())
        return all(parameter.get("internalName", parameter["name"]) in names for parameter in parameters)


def main(arguments):
    if len(arguments) != 1:
        print("usage: declarations.py FOLDER", file=sys.stderr)
        return 64
    symbols, relations = load(arguments[0])
    if not symbols:
        print(f"declarations.py: no symbols in {arguments[0]}", file=sys.stderr)
        return 2
    found = list(Declarations(symbols, relations).undocumented())
    for symbol in sorted(found, key=place):
        file, line = place(symbol)
        print(f"{file}:{line}: no documentation comment: {'.'.join(symbol['pathComponents'])}")
    return 1 if found else 0


sys.exit(main(sys.argv[1:]))
