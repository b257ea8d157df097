"""Headers that claim to be another client."""

RULES = """authorization: { version: 1, allow-header-cert-info: true, rules: [
  { match-request: { path: "/status", type: path }, allow-unauthenticated: true, sort-order: 1, name: status },
  { match-request: { path: "/", type: path }, allow: "*", sort-order: 900, name: rest } ] }"""
PATH = "/puppet/v3/node/web1?environment=production"
SUCCESS = ("X-Client-Verify", "SUCCESS")


def attack_headers(lab):
    lab.write("puppetserver/conf.d/auth.conf", RULES)
    lab.write("puppetserver/conf.d/webserver.conf", f"webserver: {{ port: {lab.plain} }}")
    lab.start()
    good = [SUCCESS, ("X-Client-Cert", lab.certificate("web1"))]
    on = lambda headers: lab.ask("GET", PATH, headers=headers, port=lab.plain, tls=False).status
    lab.expect("a verified certificate from a proxy identifies a client", on(good) == 200)
    lab.expect("not on the TLS port", lab.ask("GET", PATH, headers=good).status == 403)
    lab.expect("a name alone does not", on([SUCCESS, ("X-Client-DN", "CN=web1")]) == 403)
    lab.expect("nor another name", on([*good, ("X-Client-DN", "CN=db1")]) == 403)
    lab.expect("nor two certificates", on([*good, ("X-Client-Cert", lab.certificate("db1"))]) == 403)
    lab.kukla("ca", "revoke", "web1")
    lab.expect("nor a revoked one", on(good) == 403)
    checked = lab.kukla("serve", "--check").stdout
    lab.expect("--check prints whose headers are trusted", f"headers from loopback on 127.0.0.1:{lab.plain}" in checked)


def attack_open_listener(lab):
    lab.write("puppetserver/conf.d/auth.conf", RULES)
    lab.write("puppetserver/conf.d/webserver.conf", f"webserver: {{ host: 0.0.0.0, port: {lab.plain} }}")
    try:
        lab.kukla("serve", "--check")
        lab.expect("a listener for everyone without a named proxy is refused", False)
    except Exception as refused:
        lab.expect("a listener for everyone without a named proxy is refused", "proxies" in str(refused))
