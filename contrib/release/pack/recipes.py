"""Texts for other package managers, which name tarballs and their checksums: a Homebrew formula and a PKGBUILD; the installer."""

import hashlib

from .release import SUMMARY, fill


def make(release):
    checksums = {}
    for target in release.targets:
        tarball = release.out / f"kukla-{release.version}-{target.triple}.tar.gz"
        checksums[target.rpm] = hashlib.sha256(tarball.read_bytes()).hexdigest()
    values = dict(version=release.version, repository=release.repository, downloads=release.downloads, summary=SUMMARY)
    release.write("kukla.rb", fill("kukla.rb", **values, platforms=platforms(release, checksums)))
    architectures = " ".join(f"'{machine}'" for machine in checksums)
    sources = "\n".join(
        f"source_{target.rpm}=(\"{release.downloads}/kukla-$pkgver-{target.triple}.tar.gz\")\n"
        f"sha256sums_{target.rpm}=('{checksums[target.rpm]}')"
        for target in release.targets
    )
    release.write("install.sh", fill("install.sh", **values))
    release.write("PKGBUILD", fill("PKGBUILD", **values, architectures=architectures, sources=sources))


def platforms(release, checksums):
    blocks = []
    for target in release.targets:
        name = "on_arm" if target.rpm == "aarch64" else "on_intel"
        blocks.append(
            f"    {name} do\n"
            f"      url \"{release.downloads}/kukla-{release.version}-{target.triple}.tar.gz\"\n"
            f"      sha256 \"{checksums[target.rpm]}\"\n"
            "    end"
        )
    return "\n".join(blocks)
