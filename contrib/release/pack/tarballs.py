"""`kukla-VERSION-TARGET.tar.gz`: the binary, manual pages, completions, the unit. The layout is the one that `cargo binstall` expects."""

from .archive import tar_gz
from .release import ROOT, Entry


def make(release):
    for target in release.targets:
        name = f"kukla-{release.version}-{target.triple}"
        files = {f"{name}/kukla": Entry(release.binary(target), 0o755), f"{name}/kukla-ci": release.ci}
        for document in ("LICENSE", "README.md", "CHANGELOG.md"):
            files[f"{name}/{document}"] = Entry((ROOT / document).read_bytes())
        for path, content in release.generated.items():
            files[f"{name}/{path}"] = Entry(content)
        files[f"{name}/systemd/kukla.service"] = Entry((ROOT / "contrib/systemd/kukla.service").read_bytes())
        release.write(f"{name}.tar.gz", tar_gz(files, release.epoch))
