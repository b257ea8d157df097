"""`kukla-VERSION-1.ARCH.rpm`, written by rpmbuild from a spec that only lists finished files."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .release import DESCRIPTION, ROOT, SUMMARY, Entry, fill, is_fast


def make(release):
    if not shutil.which("rpmbuild"):
        raise FileNotFoundError("rpmbuild (Debian's package rpm)")
    for target in release.targets:
        files = release.installation(target, "/usr/share/zsh/site-functions")
        files["/usr/share/licenses/kukla/LICENSE"] = Entry((ROOT / "LICENSE").read_bytes())
        listed = []
        for path in sorted(files):
            kind = "%config(noreplace) " if path.startswith("/etc/") else "%doc " if "/doc/" in path else ""
            listed.append(f"{kind}{path}")
        with tempfile.TemporaryDirectory() as scratch:
            top = Path(scratch)
            release.lay_out(files, top / "files")
            (top / "kukla.spec").write_text(
                fill(
                    "kukla.spec",
                    version=release.version,
                    summary=SUMMARY,
                    description=DESCRIPTION,
                    repository=release.repository,
                    source=top / "files",
                    files="\n".join(listed),
                    date=time.strftime("%a %b %d %Y", time.gmtime(release.epoch)),
                )
            )
            settings = {
                "_topdir": top / "build",
                "_buildhost": "reproducible",
                "use_source_date_epoch_as_buildtime": 1,
                "clamp_mtime_to_source_date_epoch": 1,
                "_binary_payload": "w1.gzdio" if is_fast() else "w19.zstdio",
                "_build_id_links": "none",
            }
            defines = [word for name, value in settings.items() for word in ("--define", f"{name} {value}")]
            command = ["rpmbuild", "--quiet", "-bb", "--target", f"{target.rpm}-linux", *defines, str(top / "kukla.spec")]
            environment = {**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch), "TZ": "UTC"}
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"pack: rpmbuild failed\n{done.stdout}{done.stderr}")
            for built in (top / "build/RPMS").rglob("*.rpm"):
                release.record(Path(shutil.copy(built, release.out / built.name)))
