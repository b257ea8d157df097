"""npm packages: `kukla` finds and starts the binary, which is in a package for each platform (`@kukla/linux-x64`)."""

import json

from .archive import tar_gz
from .release import ROOT, SUMMARY, TEMPLATES, Entry


def make(release):
    common = {
        "version": release.version,
        "license": "Apache-2.0",
        "homepage": release.repository,
        "repository": {"type": "git", "url": f"git+{release.repository}.git"},
    }
    for target in release.targets:
        about = {
            "name": f"@kukla/linux-{target.npm}",
            "description": f"The binary of kukla for Linux on {target.rpm}",
            **common,
            "os": ["linux"],
            "cpu": [target.npm],
        }
        files = {"package/bin/kukla": Entry(release.binary(target), 0o755)}
        write(release, f"kukla-linux-{target.npm}", about, files)
    about = {
        "name": "kukla",
        "description": SUMMARY,
        "keywords": ["puppet", "openvox", "linter", "formatter", "compiler", "hiera"],
        **common,
        "bin": {"kukla": "bin/kukla.js", "kukla-ci": "bin/kukla-ci"},
        "engines": {"node": ">=14"},
        "optionalDependencies": {f"@kukla/linux-{target.npm}": release.version for target in release.targets},
    }
    files = {
        "package/bin/kukla.js": Entry((TEMPLATES / "npm.kukla.js").read_bytes(), 0o755),
        "package/bin/kukla-ci": release.ci,
    }
    write(release, "kukla", about, files)


def write(release, name, about, files):
    files = {
        "package/package.json": Entry((json.dumps(about, indent=2) + "\n").encode()),
        "package/LICENSE": Entry((ROOT / "LICENSE").read_bytes()),
        "package/README.md": Entry((ROOT / "README.md").read_bytes()),
        **files,
    }
    release.write(f"npm-{name}-{release.version}.tgz", tar_gz(files, release.epoch))
