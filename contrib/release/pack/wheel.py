"""`kukla-VERSION-py3-none-….whl`: `pip install kukla` puts the binary on the path of the environment; it contains almost no Python."""

import base64
import hashlib

from .archive import zip_archive
from .release import ROOT, SUMMARY, TEMPLATES, Entry, fill


def make(release):
    for target in release.targets:
        # A static binary runs beside any C library; pip takes the wheel if it knows one of these names.
        platform = f"manylinux_2_17_{target.rpm}.manylinux2014_{target.rpm}.musllinux_1_1_{target.rpm}"
        information = f"kukla-{release.version}.dist-info"
        metadata = fill("wheel.metadata", version=release.version, summary=SUMMARY, repository=release.repository)
        tags = "".join(f"Tag: py3-none-{one}\n" for one in platform.split("."))
        files = {
            "kukla/__init__.py": Entry((TEMPLATES / "wheel.init.py").read_bytes()),
            "kukla/__main__.py": Entry((TEMPLATES / "wheel.main.py").read_bytes()),
            f"kukla-{release.version}.data/scripts/kukla": Entry(release.binary(target), 0o755),
            f"kukla-{release.version}.data/scripts/kukla-ci": release.ci,
            f"{information}/METADATA": Entry((metadata + "\n" + (ROOT / "README.md").read_text()).encode()),
            f"{information}/WHEEL": Entry(f"Wheel-Version: 1.0\nGenerator: kukla\nRoot-Is-Purelib: false\n{tags}".encode()),
            f"{information}/licenses/LICENSE": Entry((ROOT / "LICENSE").read_bytes()),
        }
        record = "".join(f"{path},sha256={digest(entry.content)},{len(entry.content)}\n" for path, entry in files.items())
        files[f"{information}/RECORD"] = Entry(f"{record}{information}/RECORD,,\n".encode())
        release.write(f"kukla-{release.version}-py3-none-{platform}.whl", zip_archive(files, release.epoch))


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
