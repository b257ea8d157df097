"""Clients that hold connections, memory and threads without doing anything."""
import time

from lab import head

SLOW = True


def attack_announced_bodies(lab):
    lab.start("--threads", "1")
    for number in range(1040):
        stranger = lab.connect()
        stranger.sendall(head("PUT", f"/puppet-ca/v1/certificate_request/n{number}", length=60000))
    begun = time.monotonic()
    statuses = {lab.catalog().status for _ in range(5)}
    took = time.monotonic() - begun
    lab.expect(f"1,040 idle strangers delay nobody ({took:.2f} s for five catalogs)", statuses == {200} and took < 5)


def attack_connections(lab):
    lab.start()
    for _ in range(3000):
        lab.connect(tls=False)
    lab.expect("an agent behind the address of 3,000 connections gets its catalog", lab.catalog().status == 200)


def attack_slow_readers(lab):
    lab.write("puppet/kukla.toml", "[limits]\nstall-seconds = 2\n")
    large = lab.write("code/environments/production/modules/web/files/large.bin", "")
    with open(large, "r+b") as file:
        file.truncate(256 << 20)
    lab.start()
    path = "/puppet/v3/file_content/modules/web/{}?environment=production"
    readers = [lab.connect("web1") for _ in range(200)]
    for reader in readers:
        reader.sendall(head("GET", path.format("large.bin")))
    small = lab.ask("GET", path.format("small.txt"), "db1")
    lab.expect("200 readers that do not read hold no thread", small.text == "small\n")
    readers[0].settimeout(60)
    time.sleep(5)

    def is_closed():
        try:
            while readers[0].recv(1 << 20):
                pass
        except OSError:
            pass
        return True

    lab.wait_for("and are cut off", is_closed)


def attack_slow_senders(lab):
    lab.write("puppet/kukla.toml", "[limits]\nstall-seconds = 2\n")
    lab.start()
    slow = lab.connect("web1")
    slow.sendall(head("PUT", "/puppet/v3/report/web1", length=50000) + b"{")
    lab.expect("a sender that stops is cut off", b" 408 " in slow.recv(65536))
