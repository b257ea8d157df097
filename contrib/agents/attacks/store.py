"""A store that is replaced, moved or does not answer."""
import json
import os
import signal
import socket
import subprocess
import time

from lab import JSON

SLOW = True


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


def processes_of(url):
    """The server of a database, and its children."""
    session = subprocess.Popen(["psql", "-AtXq", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    session.stdin.write("SELECT pg_backend_pid();\n")
    session.stdin.flush()
    server = parent(int(session.stdout.readline()))
    session.stdin.close()
    session.wait()
    return [server] + [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and parent(int(pid)) == server]


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def attack_stopped_database(lab):
    """With a real PostgreSQL, whose processes are stopped: tests/store/with-postgres contrib/agents/attack store."""
    url = os.environ.get("KUKLA_TEST_POSTGRES")
    if not url:
        print("skipped: KUKLA_TEST_POSTGRES names no database")
        return
    url += "/postgres"
    lab.start("--store", url)
    lab.expect("facts are stored", facts(lab) == 200)
    processes = processes_of(url)
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        for number in range(3):
            begun = time.monotonic()
            status, took = facts(lab), time.monotonic() - begun
            lab.expect(f"a request gets 503 in time ({took:.1f} s)", status == 503 and took < 30)
        begun = time.monotonic()
        status, took = facts(lab), time.monotonic() - begun
        lab.expect(f"after three failures at once ({took:.1f} s)", status == 503 and took < 1)
        lab.expect("and requests that need no store are answered", lab.ask("GET", "/status/v1/simple").text == "running")
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)
    lab.wait_for("it is used again once it answers", lambda: facts(lab) == 200)
