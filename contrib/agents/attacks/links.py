"""Links that lead to keys, and to files of others."""
import os


def attack_served_files(lab):
    lab.start()
    files = lab.root / "code/environments/production/modules/web/files"
    ca = lab.root / "puppetserver/ca"
    os.symlink(ca / "ca_key.pem", files / "key")
    os.symlink(ca, files / "ca")
    os.symlink(lab.root / "puppet/ssl/private_keys", files / "keys")
    os.link(ca / "ca_key.pem", files / "hard")
    for name in ("key", "ca/ca_key.pem", "keys/localhost.pem", "hard"):
        for kind in ("file_content", "file_metadata"):
            reply = lab.ask("GET", f"/puppet/v3/{kind}/modules/web/{name}?environment=production&links=follow", "web1")
            lab.expect(f"{kind} of {name} is not served", reply.status == 404)


def attack_appended_files(lab):
    lab.start()
    lab.stop()
    target = lab.write("target", "before")
    lock = lab.root / "puppetserver/ca/.kukla-lock"
    lock.unlink(missing_ok=True)
    os.symlink(target, lock)
    try:
        lab.kukla("ca", "generate", "new")
        lab.expect("a lock that is a link is refused", False)
    except Exception as refused:
        lab.expect("a lock that is a link is refused", "symbolic link" in refused.stderr)
    lab.expect("its target is left alone", target.read_text() == "before")
