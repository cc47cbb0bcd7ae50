#!/usr/bin/env python3
"""sbom.py: writes the components of a release as SPDX 2.3 (JSON).

Usage: packaging/sbom.py NAME FILE
NAME is the name of the published file. The document lists the program; its statically linked components (the packages that
SwiftPM has resolved, the libraries of the Swift toolchain, and the C library in the front door); and the shared libraries of
the full program, by the names in its dynamic section.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
FULL_PROGRAM = ROOT / ".build" / "release" / "stripped" / "git-credential-gitspace-full"


def output_of(*command):
    """The output of a program."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def package(name, version, **more):
    """A package of the document; properties that were not analysed are marked so."""
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
    return {
        "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION", **more}


def swift_packages():
    """The packages that SwiftPM has resolved and linked."""
    graph = json.loads(output_of("swift", "package", "show-dependencies", "--format", "json"))
    for dependency in graph["dependencies"]:
        yield package(
            dependency["identity"], dependency["version"], downloadLocation=f"git+{dependency['url']}",
            licenseDeclared="Apache-2.0 WITH Swift-exception")


def toolchain():
    """Swift's libraries and the C library, which are linked statically."""
    version = re.search(r"Swift version ([0-9.]+)", output_of("swift", "--version"))[1]
    yield package("swift", version, licenseDeclared="Apache-2.0 WITH Swift-exception")
    yield package("glibc", os.confstr("CS_GNU_LIBC_VERSION").split()[1], licenseDeclared="LGPL-2.1-or-later")


def shared_libraries():
    """The shared libraries that the full program needs."""
    for line in output_of("readelf", "--dynamic", "--wide", str(FULL_PROGRAM)).splitlines():
        if found := re.search(r"\(NEEDED\).*\[(.+)\]", line):
            yield package(found[1], "NOASSERTION")


def main(name, file):
    program = package(
        "git-credential-gitspace", output_of("packaging/version.sh").strip(), licenseDeclared="Apache-2.0",
        packageFileName=name,
        checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()}])
    linked, loaded = [*swift_packages(), *toolchain()], list(shared_libraries())
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program)]
    relations += [(program["SPDXID"], "STATIC_LINK", part) for part in linked]
    relations += [(program["SPDXID"], "DYNAMIC_LINK", part) for part in loaded]
    created = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        # A name of its own for each content: nothing has to be there (SPDX 2.3, 6.5).
        "documentNamespace": f"urn:sha256:{program['checksums'][0]['checksumValue']}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created), "creators": ["Tool: packaging/sbom.py"]},
        "packages": [program, *linked, *loaded],
        "relationships": [
            {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target["SPDXID"]}
            for source, kind, target in relations]}
    print(json.dumps(document, indent=2))


if len(sys.argv) != 3:
    print("usage: sbom.py NAME FILE", file=sys.stderr)
    sys.exit(64)
main(*sys.argv[1:])
