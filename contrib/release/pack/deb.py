"""`kukla_VERSION_ARCH.deb`, written by dpkg-deb."""

import os
import shutil
import subprocess
import tempfile
from email.utils import formatdate
from pathlib import Path

from .release import DESCRIPTION, ROOT, SUMMARY, TEMPLATES, Entry, compress, fill, is_fast

CONFIGURATION = ["/etc/puppetlabs/puppet/kukla.toml"]


def make(release):
    if not shutil.which("dpkg-deb"):
        raise FileNotFoundError("dpkg-deb (Debian's package dpkg)")
    for target in release.targets:
        files = release.installation(target, "/usr/share/zsh/vendor-completions")
        files["/usr/share/doc/kukla/copyright"] = Entry(fill("copyright", repository=release.repository).encode())
        files["/usr/share/doc/kukla/changelog.gz"] = Entry(compress((ROOT / "CHANGELOG.md").read_bytes()))
        files["/usr/share/doc/kukla/changelog.Debian.gz"] = Entry(compress(changelog(release)))
        files["/DEBIAN/conffiles"] = Entry("".join(f"{path}\n" for path in CONFIGURATION).encode())
        for script in ("postinst", "prerm", "postrm"):
            files[f"/DEBIAN/{script}"] = Entry((TEMPLATES / f"deb.{script}").read_bytes(), 0o755)
        installed = sum(len(entry.content) for path, entry in files.items() if not path.startswith("/DEBIAN"))
        long = "\n".join(f" {line}" for line in DESCRIPTION.splitlines())
        files["/DEBIAN/control"] = Entry(
            fill(
                "deb.control",
                version=release.version,
                architecture=target.debian,
                size=-(-installed // 1024),
                repository=release.repository,
                description=f"{SUMMARY}\n{long}",
            ).encode()
        )
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch) / "root"
            root.mkdir()
            release.lay_out(files, root)
            path = release.out / f"kukla_{release.version}-1_{target.debian}.deb"
            command = ["dpkg-deb", "--root-owner-group", *(["-Zgzip", "-z1"] if is_fast() else ["-Zxz"]), "--build", str(root), str(path)]
            environment = {**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch)}
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            release.record(path)


def changelog(release):
    when = formatdate(release.epoch, localtime=False)
    return (
        f"kukla ({release.version}-1) unstable; urgency=medium\n\n  * Version {release.version}; see changelog.gz.\n\n"
        f" -- Kukla developers <kukla@example.com>  {when}\n"
    ).encode()
