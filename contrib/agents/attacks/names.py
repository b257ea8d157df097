"""Names and messages that lead elsewhere."""
import json

from lab import JSON

RULES = """authorization: { version: 1, rules: [
  { match-request: { path: "/status", type: path }, allow-unauthenticated: true, sort-order: 1, name: status },
  { match-request: { path: "/", type: path }, allow: "*", sort-order: 900, name: rest } ] }"""


def attack_names(lab):
    lab.write("puppetserver/conf.d/auth.conf", RULES)
    lab.start()
    for name in ("../x", "a/b", "a\nb", "", "n" * 251, "n" * 255):
        body = {"certname": name, "environment": "production", "persistence": {"facts": False, "catalog": False}}
        reply = lab.ask("POST", "/puppet/v4/catalog", "web1", [JSON], json.dumps(body).encode())
        lab.expect(f"a service gets no catalog of {name[:20]!r} ({len(name)} characters)", reply.status == 400)
    for length in range(251, 256):
        for path in (f"/puppet/v3/node/{'n' * length}?environment=production", f"/puppet-ca/v1/certificate_request/{'n' * length}"):
            lab.expect(f"{length} characters are refused", lab.ask("GET", path, "web1").status in (400, 404))


def attack_log(lab):
    lab.write("code/environments/production/manifests/site.pp", 'notice("first\\nerror: forged \\u001b[2J")\n')
    lab.start("--log-format", "text")
    lab.expect("a catalog is compiled", lab.catalog().status == 200)
    lines = lab.logged().splitlines()
    lab.expect("no message begins a line of the log", not any(line.startswith("error: forged") for line in lines))
    lab.expect("or controls a terminal", "\x1b" not in lab.logged())
