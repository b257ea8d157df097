"""Damage to the files of the certificate authority, and requests that want more than they should get."""
import json
import os
import time

from lab import JSON

ALLOWED = "certificate-authority: { allow-subject-alt-names: true, allow-authorization-extensions: true }\n"


def status(lab, node):
    """The status of a request with the certificate of web1."""
    return lab.ask("GET", "/puppet/v3/environments", node).status


def attack_revocation_list(lab):
    crl = lab.root / "puppetserver/ca/ca_crl.pem"
    lab.kukla("ca", "revoke", "web1")
    whole = crl.read_bytes()
    half = whole[: len(whole) // 2]
    last = whole[whole.rindex(b"-----BEGIN") :]
    for damage, content in [("missing", None), ("empty", b""), ("cut off", half), ("without its first list", last), ("nonsense", b"x\n")]:
        crl.unlink() if content is None else crl.write_bytes(content)
        lab.expect(f"with a list that is {damage} no server starts", not lab.starts())
        for action in (["sign", "--all"], ["generate", "new"], ["revoke", "db1"]):
            lab.expect(f"and `ca {action[0]}` is refused", lab.attempt("ca", *action).returncode != 0)
        lab.expect("nor is a new list written", not crl.exists() if content is None else crl.read_bytes() == content)
        crl.write_bytes(whole)
    lab.start()
    lab.expect("a revoked node is refused", refused(lab, "web1"))
    for damage, content in [("missing", None), ("empty", b""), ("cut off", half)]:
        crl.unlink() if content is None else crl.write_bytes(content)
        lab.expect(f"and stays so while the list is {damage}", refused(lab, "web1") and status(lab, "db1") == 200)
        crl.write_bytes(whole)


def refused(lab, node):
    try:
        return status(lab, node) == 403
    except OSError:
        return True  # within TLS


def attack_links(lab):
    ca = lab.root / "puppetserver/ca"
    # Any user may be the owner; only the superuser can give files away.
    target = lab.write("target", "before")
    for name in (".kukla-lock", "inventory.txt", "audit.jsonl"):
        kept = ca / f"{name}.kept"
        if (ca / name).exists():
            (ca / name).rename(kept)
        os.symlink(target, ca / name)
        about = target.stat()
        refusal = lab.attempt("ca", "generate", "new")
        lab.expect(f"{name} that is a link is not followed", refusal.returncode != 0 and not lab.has_signed("new"))
        now = target.stat()
        lab.expect("its target is left alone", target.read_text() == "before" and (now.st_uid, now.st_mode) == (about.st_uid, about.st_mode))
        (ca / name).unlink()
        if kept.exists():
            kept.rename(ca / name)


def attack_judged_request(lab):
    other = lab.root / "other.pem"
    other.write_bytes(lab.request("web9"))
    waiting = lab.root / "puppetserver/ca/requests/web9.pem"
    script = lab.write("judge", f"#!/bin/sh\ncp {other} {waiting}\nexit 0\n")
    script.chmod(0o755)
    lab.write("puppet/puppet.conf", (lab.root / "puppet/puppet.conf").read_text() + f"autosign = {script}\n")
    lab.start()
    lab.submit("web9")
    key = lab.openssl("req", "-in", str(other), "-noout", "-pubkey")
    signed = lab.root / "puppetserver/ca/signed/web9.pem"
    lab.expect(
        "a request that replaces the judged one is not signed",
        not signed.exists() or lab.openssl("x509", "-in", str(signed), "-noout", "-pubkey") != key,
    )


def attack_names(lab):
    lab.write("puppetserver/conf.d/ca.conf", ALLOWED)
    lab.write("puppet/puppet.conf", (lab.root / "puppet/puppet.conf").read_text() + "autosign = true\n")
    lab.start()
    for number, name in enumerate(("DNS:localhost", "DNS:puppet", "DNS:LOCALHOST", "DNS:x,DNS:puppet")):
        lab.submit(f"thief{number}", f"subjectAltName = {name}")
        lab.expect(f"autosign does not hand out {name}", not lab.has_signed(f"thief{number}"))
    for name in ("localhost", "puppet"):
        before = (lab.root / "puppetserver/ca/signed/localhost.pem").read_bytes()
        lab.submit(name)
        after = (lab.root / "puppetserver/ca/signed/localhost.pem").read_bytes()
        lab.expect(f"nor a certificate of {name}", before == after and not lab.has_signed("puppet"))
    lab.submit("rights", "1.3.6.1.4.1.34380.1.3.39 = ASN1:UTF8String:true")
    lab.expect("nor pp_cli_auth", not lab.has_signed("rights"))
    lab.submit("fair", "subjectAltName = DNS:www")
    lab.expect("another name is signed", lab.has_signed("fair"))
    for length in range(251, 256):
        reply = lab.ask("PUT", f"/puppet-ca/v1/certificate_request/{'n' * length}", body=lab.request("n"))
        lab.expect(f"a name of {length} characters gets 400", reply.status == 400)


def attack_terminal(lab):
    lab.write("puppetserver/conf.d/ca.conf", ALLOWED)
    lab.start()
    lab.submit("noisy", "1.3.6.1.4.1.34380.1.3.13 = ASN1:UTF8String:role\x1b[2J\x07\n1.3.6.1.4.1.34380.1.3.1 = ASN1:UTF8String:true")
    listed = lab.kukla("ca", "list").stdout
    lab.expect("the request is listed", "noisy" in listed)
    lab.expect("without control characters", not any(ord(c) < 32 and c != "\n" for c in listed))


def attack_files_of_requests(lab):
    lab.start()
    lab.submit("waiting")
    mode = (lab.root / "puppetserver/ca/requests/waiting.pem").stat().st_mode & 0o777
    lab.expect(f"others cannot read requests ({mode:o})", mode & 0o007 == 0)


def attack_serial(lab):
    ca = lab.root / "puppetserver/ca"
    serial, inventory = ca / "serial", ca / "inventory.txt"
    numbers = lambda: [line.split()[0] for line in inventory.read_text().splitlines()]
    for damage in ("missing", "empty", "old"):
        {"missing": serial.unlink, "empty": lambda: serial.write_text(""), "old": lambda: serial.write_text("0001")}[damage]()
        lab.kukla("ca", "generate", f"after-{damage}")
        lab.expect(f"no number is given twice when `serial` is {damage}", len(set(numbers())) == len(numbers()))
    serial.unlink()
    inventory.unlink()
    lab.expect("without `serial` and inventory nothing is signed", lab.attempt("ca", "generate", "more").returncode != 0)


def attack_validity(lab):
    lab.expect("no certificate outlives the authority", lab.attempt("ca", "generate", "long", "--ttl", "20y").returncode != 0)
    lab.expect("not by a setting either", lab.attempt("ca", "generate", "long", "--set", "ca_ttl=20y").returncode != 0)
    lab.kukla("ca", "generate", "admin", "--extension", "pp_cli_auth=true")
    lab.start()
    lab.submit("web9")
    for ttl in ("0", "-1", "1.5", '"soon"', '"0s"', "true", "[]", '"20y"', "18446744073709551615"):
        body = f'{{"desired_state":"signed","cert_ttl":{ttl}}}'.encode()
        reply = lab.ask("PUT", "/puppet-ca/v1/certificate_status/web9", "admin", [JSON], body)
        lab.expect(f"cert_ttl {ttl} gets 400", reply.status == 400 and not lab.has_signed("web9"))


def attack_crash(lab):
    script = lab.write("judge", "#!/bin/sh\nsleep 60\n")
    script.chmod(0o755)
    lab.write("puppet/puppet.conf", (lab.root / "puppet/puppet.conf").read_text() + f"autosign = {script}\n")
    lab.start()
    connection = lab.connect()
    body = lab.request("web9")
    connection.sendall(b"PUT /puppet-ca/v1/certificate_request/web9 HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    lab.wait_for("the request is judged", lambda: (lab.root / "puppetserver/ca/requests/web9.pem").exists())
    time.sleep(0.2)
    lab.server.kill()
    lab.server.wait()
    lab.server = None
    lab.expect("a crash signs nothing", not lab.has_signed("web9"))
    script.write_text("#!/bin/sh\nexit 0\n")
    lab.start()
    lab.wait_for("after it the judgement is made again", lambda: lab.has_signed("web9"))


def attack_audit_log(lab):
    log = lab.root / "puppetserver/ca/audit.jsonl"
    lab.kukla("ca", "revoke", "db1")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lab.expect("signing and revoking are recorded", {"sign", "revoke"} <= {line["action"] for line in lines})
    log.unlink()
    log.mkdir()
    lab.expect("what cannot be recorded is not signed", lab.attempt("ca", "generate", "new").returncode != 0 and not lab.has_signed("new"))


def attack_rotation(lab):
    lab.start()
    lab.kukla("ca", "rotate", "--new-key")
    lab.kukla("ca", "generate", "new")
    lab.expect("nodes of both keys are served", (status(lab, "web1"), status(lab, "new")) == (200, 200))
    lab.kukla("ca", "revoke", "web1")
    lab.kukla("ca", "revoke", "new")
    lab.expect("and refused once they are revoked", refused(lab, "web1") and refused(lab, "new"))
    held = lab.attempt("ca", "rotate", "--finish")
    lab.expect("the rotation does not end while it locks out a node", held.returncode != 0 and "db1" in held.stderr)
    lab.kukla("ca", "rotate", "--finish", "--force")
    lab.expect("at its end the former key is worth nothing", refused(lab, "db1"))
    lab.kukla("ca", "generate", "last")
    lab.expect("and the present one is", status(lab, "last") == 200)
    lab.kukla("ca", "revoke", "last")
    lab.expect("revocations after it count", refused(lab, "last"))


def attack_long_lists(lab):
    signed = lab.root / "puppetserver/ca/signed"
    text = (signed / "web1.pem").read_text()

    def listed(count):
        for number in range(count):
            (signed / f"n{number}.pem").write_text(text)
        begun = time.monotonic()
        lab.kukla("ca", "list", "--all")
        return time.monotonic() - begun

    few, many = listed(300), listed(1200)
    lab.expect(f"a list of four times as many takes not much more than four times ({few:.2f} s, {many:.2f} s)", many < 8 * few + 0.5)
