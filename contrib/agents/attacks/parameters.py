"""Parameters that a rule reads differently from a handler."""

RULES = """authorization: { version: 1, rules: [
  { match-request: { path: "/status", type: path }, allow-unauthenticated: true, sort-order: 1, name: status },
  { match-request: { path: "/puppet/v3/catalog", type: path, query-params: { environment: secret } }, deny: "*", sort-order: 100, name: secret },
  { match-request: { path: "/puppet/v3/catalog", type: path }, allow: "*", sort-order: 300, name: catalogs } ] }"""


def attack_environment(lab):
    lab.write("puppetserver/conf.d/auth.conf", RULES)
    lab.start()
    lab.expect("production is allowed", "this is production" in lab.catalog().text)
    for query, form in [
        ("?environment=secret", ""),
        ("?environment=production", "environment=secret"),
        ("?environment=production&environment=secret", ""),
        ("?environment=secret&environment=production", ""),
        ("?environment[]=production&environment=secret", ""),
        ("?environment=production", "environment%5B%5D=secret"),
        ("", "environment=secret"),
    ]:
        reply = lab.catalog(query=query, form=form)
        lab.expect(f"{query} {form} is refused", reply.status in (400, 403) and "this is secret" not in reply.text)
