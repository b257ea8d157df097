"""Command line: `python3 -m pack --out DIR TARGET=BINARY ...`, with SOURCE_DATE_EPOCH and KUKLA_COMMIT in the environment."""

import argparse
from pathlib import Path

from . import deb, npm, oci, recipes, rpm, statements, tarballs, wheel
from .release import TARGETS, Release

# In this order: recipes name tarballs, and statements everything before them.
FORMATS = [tarballs, deb, rpm, oci, wheel, npm, recipes, statements]


def main():
    parser = argparse.ArgumentParser(prog="pack", description="Make the artefacts of a release from finished binaries.")
    parser.add_argument("--out", type=Path, required=True, help="directory for the artefacts")
    parser.add_argument("--profile", type=Path, help="profile that the binaries were optimised with; it becomes an artefact")
    parser.add_argument("binaries", nargs="+", metavar="TARGET=BINARY", help=f"targets: {', '.join(TARGETS)}")
    arguments = parser.parse_args()
    binaries = dict(one.split("=", 1) for one in arguments.binaries)
    unknown = binaries.keys() - TARGETS.keys()
    if unknown:
        parser.error(f"unknown target '{sorted(unknown)[0]}'; expected one of {', '.join(TARGETS)}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    release = Release({target: Path(path) for target, path in binaries.items()}, arguments.out)
    if arguments.profile:
        release.profile = release.write(f"kukla-{release.version}.profdata.xz", arguments.profile.read_bytes())
    for one in FORMATS:
        name = one.__name__.split(".")[-1]
        try:
            one.make(release)
        except FileNotFoundError as missing:
            raise SystemExit(f"pack: cannot make {name}: not found: {missing}") from None
        print(f"pack: {name}", flush=True)


main()
