"""What all artefacts share: the version, the time, the binaries, and the files that an installation consists of."""

import gzip
import os
import subprocess
import tempfile
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = Path(__file__).resolve().parent / "templates"
SUMMARY = "The Puppet language in one static binary: check, compile, compare, test and serve"
DESCRIPTION = """Kukla reads the control repository that a team has today, unchanged: it checks
manifests and data, compiles catalogs as Puppet 8 does, shows the effect of a
change on every node, formats and lints, and serves Puppet and OpenVox agents.
It needs neither Ruby nor a JVM."""


@dataclass(frozen=True)
class Target:
    """An architecture and its names in each packaging format."""

    triple: str
    debian: str
    rpm: str
    npm: str
    oci: str


TARGETS = {
    "x86_64-unknown-linux-gnu": Target("x86_64-unknown-linux-gnu", "amd64", "x86_64", "x64", "amd64"),
    "aarch64-unknown-linux-gnu": Target("aarch64-unknown-linux-gnu", "arm64", "aarch64", "arm64", "arm64"),
}


@dataclass(frozen=True)
class Entry:
    """A file of an installation."""

    content: bytes
    mode: int = 0o644


@dataclass
class Release:
    """One release: binaries by target, and where the artefacts go."""

    binaries: dict[str, Path]
    out: Path
    profile: Path | None = None
    made: list[Path] = field(default_factory=list)

    @cached_property
    def manifest(self):
        return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]

    @property
    def version(self):
        return self.manifest["version"]

    @property
    def repository(self):
        return self.manifest["repository"]

    @property
    def downloads(self):
        """Where people get the artefacts of this version from."""
        return f"{self.repository}/releases/download/v{self.version}"

    @cached_property
    def epoch(self):
        """The time of everything in the artefacts."""
        return int(os.environ["SOURCE_DATE_EPOCH"])

    @property
    def targets(self):
        return [TARGETS[triple] for triple in sorted(self.binaries, reverse=True)]

    def binary(self, target):
        return self.binaries[target.triple].read_bytes()

    @property
    def ci(self):
        """The script for CI, which goes wherever the binary goes."""
        return Entry((ROOT / "contrib/ci/kukla-ci").read_bytes(), 0o755)

    def write(self, name, content):
        path = self.out / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.record(path)

    def record(self, path):
        self.made.append(path)
        return path

    @cached_property
    def generated(self):
        """The manual pages and completion scripts, by name. The binary of this machine writes them; they are the same everywhere."""
        kukla = os.environ.get("KUKLA_NATIVE") or str(self.binaries[native_target()])
        files = {}
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run([kukla, "man", "--output", scratch], check=True, stderr=subprocess.DEVNULL)
            for page in sorted(Path(scratch).iterdir()):
                files[f"man/{page.name}"] = page.read_bytes()
        for shell, name in (("bash", "kukla.bash"), ("zsh", "_kukla"), ("fish", "kukla.fish")):
            made = subprocess.run([kukla, "completions", shell], check=True, stdout=subprocess.PIPE)
            files[f"completions/{name}"] = made.stdout
        return files

    def installation(self, target, zsh):
        """The files of a package for the whole system, by absolute path; `zsh` is the directory of completions for zsh."""
        template = lambda name: Entry((TEMPLATES / name).read_bytes())
        files = {
            "/usr/bin/kukla": Entry(self.binary(target), 0o755),
            "/usr/bin/kukla-ci": self.ci,
            "/usr/lib/systemd/system/kukla.service": Entry((ROOT / "contrib/systemd/kukla.service").read_bytes()),
            "/usr/lib/sysusers.d/kukla.conf": template("sysusers.conf"),
            "/usr/lib/tmpfiles.d/kukla.conf": template("tmpfiles.conf"),
            "/etc/puppetlabs/puppet/kukla.toml": template("kukla.toml"),
            "/usr/share/bash-completion/completions/kukla": Entry(self.generated["completions/kukla.bash"]),
            f"{zsh}/_kukla": Entry(self.generated["completions/_kukla"]),
            "/usr/share/fish/vendor_completions.d/kukla.fish": Entry(self.generated["completions/kukla.fish"]),
            "/usr/share/doc/kukla/README.md": Entry((ROOT / "README.md").read_bytes()),
        }
        for name, page in self.generated.items():
            if name.startswith("man/"):
                files[f"/usr/share/man/man1/{Path(name).name}.gz"] = Entry(compress(page))
        return files

    def lay_out(self, files, root):
        """Writes files below `root`, with the time of the release."""
        for path, entry in files.items():
            file = root / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(entry.content)
            file.chmod(entry.mode)
        for path in [root, *root.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
            os.utime(path, (self.epoch, self.epoch))


def is_fast():
    """Whether KUKLA_PACK_FAST asks for weak compression, for work on the packaging itself."""
    return bool(os.environ.get("KUKLA_PACK_FAST"))


def compress(content):
    return gzip.compress(content, 1 if is_fast() else 9, mtime=0)


def native_target():
    return f"{os.uname().machine}-unknown-linux-gnu"


def fill(name, **values):
    """A template with its `@NAME@` replaced; it is an error if one is left."""
    text = (TEMPLATES / name).read_text()
    for key, value in values.items():
        text = text.replace(f"@{key.upper()}@", str(value))
    left = [word for word in text.split() if word.startswith("@") and word.endswith("@") and word[1:-1].isupper()]
    if left:
        raise SystemExit(f"pack: {name}: no value for {left[0]}")
    return text
