"""`kukla-VERSION-oci.tar`: an OCI image layout with an image for each architecture, written without an engine.

`podman load`, `docker load` (25 or later) and `skopeo copy oci-archive:…` read it. The image has the binary, two files with the
names of users, and an empty /tmp; there is no shell in it.
"""

import hashlib
import json
import time

from .archive import tar
from .release import SUMMARY, Entry, compress

LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def make(release):
    blobs = {}

    def blob(content, media_type, **more):
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = Entry(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content), **more}

    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch))
    labels = {
        "org.opencontainers.image.title": "kukla",
        "org.opencontainers.image.description": SUMMARY,
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.source": release.repository,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    images = []
    for target in release.targets:
        layer = tar(contents(release, target), release.epoch, DIRECTORIES)
        config = {
            "architecture": target.oci,
            "os": "linux",
            "created": created,
            "config": {
                "Entrypoint": ["/usr/bin/kukla"],
                "Env": ["PATH=/usr/bin"],
                "WorkingDir": "/repository",
                "Labels": labels,
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
            "history": [{"created": created, "created_by": "contrib/release/all"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": blob(to_json(config), CONFIG),
            "layers": [blob(compress(layer), LAYER)],
            "annotations": labels,
        }
        platform = {"architecture": target.oci, "os": "linux"}
        images.append(blob(to_json(manifest), MANIFEST, platform=platform))
    index = blob(to_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": images}), INDEX)
    index["annotations"] = {"org.opencontainers.image.ref.name": release.version}
    files = {
        "oci-layout": Entry(to_json({"imageLayoutVersion": "1.0.0"})),
        "index.json": Entry(to_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [index]})),
        **dict(sorted(blobs.items())),
    }
    directories = [("blobs", 0o755), ("blobs/sha256", 0o755)]
    release.write(f"kukla-{release.version}-oci.tar", tar(files, release.epoch, directories))


DIRECTORIES = [("etc", 0o755), ("repository", 0o755), ("tmp", 0o1777), ("usr", 0o755), ("usr/bin", 0o755)]


def contents(release, target):
    return {
        "etc/passwd": Entry(b"root:x:0:0:root:/:/usr/sbin/nologin\npuppet:x:52:52:puppet:/var/lib/kukla:/usr/sbin/nologin\n"),
        "etc/group": Entry(b"root:x:0:\npuppet:x:52:\n"),
        "usr/bin/kukla": Entry(release.binary(target), 0o755),
    }


def to_json(document):
    return json.dumps(document, indent=1, sort_keys=True).encode()
