"""Links in modules that lead to keys."""
import os


def attack_served_files(lab):
    lab.start()
    files = lab.root / "code/environments/production/modules/web/files"
    ca = lab.root / "puppetserver/ca"
    os.symlink(ca / "ca_key.pem", files / "key")
    os.symlink(ca, files / "ca")
    os.symlink(lab.root / "puppet/ssl/private_keys", files / "keys")
    os.link(ca / "ca_key.pem", files / "hard")
    os.symlink("/proc/self/environ", files / "environment")
    os.symlink("/proc/self/root", files / "root")
    os.symlink(lab.root / "puppet/puppet.conf", files / "settings")
    for name in ("environment", "root/proc/self/cmdline", "settings", "key", "ca/ca_key.pem", "keys/localhost.pem", "hard"):
        for kind in ("file_content", "file_metadata"):
            reply = lab.ask("GET", f"/puppet/v3/{kind}/modules/web/{name}?environment=production&links=follow", "web1")
            lab.expect(f"{kind} of {name} is not served", reply.status == 404)
