"""Requests that take far more memory than their size."""
import urllib.parse

from lab import FORM, JSON

SLOW = True

LARGEST = 16 << 20


def attack_size(lab):
    lab.start()
    large = b"a=" + b"x" * (96 << 20)
    for method, path in [("POST", "/puppet/v3/catalog/web1"), ("PUT", "/puppet/v3/report/web1"), ("PUT", "/puppet/v3/facts/web1")]:
        for kind in (FORM, JSON):
            status = lab.ask(method, f"{path}?environment=production", "web1", [kind], large).status
            lab.expect(f"96 MB to {path} as {kind[1]} are refused", status == 413)
    lab.expect("the server stays small", lab.memory() < 200 << 20)


def attack_shape(lab):
    lab.start()
    before = lab.memory()
    for unit in ("0,", "[],", "{},", '{"a":0},', '"",', "[[[[[0]]]]],"):
        room = LARGEST - 1000
        dense = "[" + unit * (room // len(unit)) + "0]"
        facts = '{"name":"web1","values":{"a":' + dense + "}}"
        lab.ask("PUT", "/puppet/v3/facts/web1?environment=production", "web1", [JSON], facts.encode())
        report = '{"host":"web1","time":"2026-11-16T05:26:58Z","environment":"production","logs":' + dense + "}"
        lab.ask("PUT", "/puppet/v3/report/web1?environment=production", "web1", [JSON], report.encode())
        form = "facts_format=application%2Fjson&facts=" + urllib.parse.quote(facts[: LARGEST // 4])
        lab.ask("POST", "/puppet/v3/catalog/web1?environment=production", "web1", [FORM], form.encode())
        many = "&".join(f"{number}=" for number in range(2_000_000))
        lab.ask("POST", "/puppet/v3/catalog/web1?environment=production", "web1", [FORM], many.encode()[:LARGEST])
        chunks = b"1\r\nx\r\n" * 400_000
        try:
            slow = lab.connect("web1")
            slow.sendall(b"PUT /puppet/v3/report/web1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
            slow.close()
        except OSError:
            pass
    grown = (lab.memory() - before) / LARGEST
    lab.expect(f"the largest request of any shape takes at most ten times its size ({grown:.1f})", grown <= 10)
    lab.expect("a catalog is compiled", lab.catalog().status == 200)
