"""A store that is replaced, moved or does not answer."""
import json
import socket

from lab import JSON


def facts(lab, node="web1"):
    body = json.dumps({"name": node, "values": {"kernel": "Linux"}}).encode()
    return lab.ask("PUT", f"/puppet/v3/facts/{node}?environment=production", node, [JSON], body).status


def nodes(lab, name):
    return lab.kukla("store", "query", "nodes[certname] {}", "--store", f"sqlite:{lab.root}/{name}").stdout


def attack_replaced_file(lab):
    lab.start("--store", f"sqlite:{lab.root}/store.db")
    lab.expect("facts are stored", facts(lab) == 200)
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (lab.root / name).unlink(missing_ok=True)
    lab.expect("and again after the file was removed", facts(lab, "db1") == 200 and "db1" in nodes(lab, "store.db"))


def attack_changed_url(lab):
    toml = lab.write("puppet/kukla.toml", f'[server]\nstore = "sqlite:{lab.root}/a.db"\n')
    lab.start()
    facts(lab)
    toml.write_text(f'[server]\nstore = "sqlite:{lab.root}/b.db"\n')
    lab.reload()
    lab.expect("the log names the change", "a.db" in lab.logged() and "b.db" in lab.logged())
    lab.expect("another store is used after a reload", facts(lab, "db1") == 200 and "db1" in nodes(lab, "b.db"))


def attack_silent_database(lab):
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    lab.write("puppet/kukla.toml", "")
    try:
        lab.start("--store", f"postgres://kukla@127.0.0.1:{port}/kukla")
        lab.expect("a database that says nothing is not waited for", False)
    except RuntimeError as error:
        lab.expect("a database that says nothing is not waited for", "timed out" in str(error))
