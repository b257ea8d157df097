"""Tar and zip archives with the same bytes in every run."""

import io
import tarfile
import time
import zipfile

from .release import compress, is_fast


def tar(entries, epoch, directories=()):
    """A tar archive of `{path: Entry}` owned by root; directories are `(path, mode)`."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, mode in directories:
            archive.addfile(describe(path, mode, epoch, tarfile.DIRTYPE))
        for path, entry in entries.items():
            about = describe(path, entry.mode, epoch, tarfile.REGTYPE)
            about.size = len(entry.content)
            archive.addfile(about, io.BytesIO(entry.content))
    return out.getvalue()


def tar_gz(entries, epoch, directories=()):
    return compress(tar(entries, epoch, directories))


def describe(path, mode, epoch, kind):
    about = tarfile.TarInfo(path)
    about.mode, about.mtime, about.type = mode, epoch, kind
    about.uname = about.gname = "root"
    return about


def zip_archive(entries, epoch):
    # The format has no time before 1980.
    when = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, entry in entries.items():
            about = zipfile.ZipInfo(path, when)
            about.external_attr = (0o100000 | entry.mode) << 16
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, entry.content, compresslevel=1 if is_fast() else 9)
    return out.getvalue()
