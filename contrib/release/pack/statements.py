"""Statements about the artefacts: bills of materials, provenance (in-toto, SLSA), checksums."""

import hashlib
import json
import os
import subprocess
import sys

from .release import ROOT


def make(release):
    for target in release.targets:
        bill = subprocess.run([sys.executable, str(ROOT / ".ci/sbom"), target.triple], check=True, stdout=subprocess.PIPE)
        release.write(f"kukla-{release.version}-{target.triple}.cdx.json", bill.stdout)
    release.write(f"kukla-{release.version}.provenance.json", json.dumps(provenance(release), indent=1) + "\n")
    sums = "".join(f"{digest(path)}  {path.name}\n" for path in sorted(release.made, key=lambda path: path.name))
    release.write("SHA256SUMS", sums)


def provenance(release):
    """An in-toto statement of SLSA provenance: what was built, from which commit, with which tools."""
    commit = os.environ.get("KUKLA_COMMIT", "unknown")
    rustc = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    versions = dict(line.split(": ", 1) for line in rustc.splitlines() if ": " in line)
    materials = [
        {"uri": f"git+{release.repository}@refs/tags/v{release.version}", "digest": {"gitCommit": commit}},
        {"uri": "Cargo.lock", "digest": {"sha256": digest(ROOT / "Cargo.lock")}},
        {"uri": f"pkg:generic/rustc@{versions['release']}", "digest": {"gitCommit": versions["commit-hash"]}},
    ]
    if release.profile:
        materials.append({"uri": release.profile.name, "digest": {"sha256": digest(release.profile)}})
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": digest(path)}} for path in release.made],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{release.repository}/blob/v{release.version}/contrib/release/all",
                "externalParameters": {"version": release.version, "targets": [target.triple for target in release.targets]},
                "internalParameters": {"SOURCE_DATE_EPOCH": release.epoch},
                "resolvedDependencies": materials,
            },
            # Nothing about this run that another run would not repeat, so that the statement can be reproduced too.
            "runDetails": {"builder": {"id": f"{release.repository}/blob/v{release.version}/contrib/release/all"}},
        },
    }


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
