"""A server on loopback with an authority of its own, and clients that send bytes as they are."""
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.parse

KUKLA = os.path.realpath(os.environ.get("KUKLA", "target/quick/kukla"))
SITE = 'notify { "this is ${environment}": }\n'


class Reply:
    def __init__(self, status, head, body):
        self.status, self.head, self.body = status, head, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


class Lab:
    def __init__(self):
        self.failed = 0
        self.server = None
        self.sockets = []
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="kukla-attack-"))
        self.port = random.randint(20000, 40000)
        self.plain = self.port + 1
        for environment in ("production", "secret"):
            self.write(f"code/environments/{environment}/manifests/site.pp", SITE)
            self.write(f"code/environments/{environment}/modules/web/files/small.txt", "small\n")
        self.write(
            "puppet/puppet.conf",
            f"[server]\ncertname = localhost\ndns_alt_names = localhost\nkey_type = ec\nvardir = {self.root}/var\n"
            f"environmentpath = {self.root}/code/environments\n",
        )

    def __enter__(self):
        self.kukla("ca", "setup")
        for name in ("web1", "db1"):
            self.kukla("ca", "generate", name)
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    ### The server

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def attempt(self, *arguments):
        """Runs a command that may fail."""
        confdir = [] if arguments[0] == "store" else ["--confdir", str(self.root / "puppet")]
        return subprocess.run([KUKLA, *arguments, *confdir], capture_output=True, text=True)

    def kukla(self, *arguments):
        done = self.attempt(*arguments)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done

    def starts(self):
        """Whether the server starts."""
        try:
            self.start()
            return True
        except RuntimeError:
            return False
        finally:
            self.stop()

    def start(self, *options):
        """Starts the server and waits until it answers."""
        self.log = open(self.root / "log", "a")
        command = [KUKLA, "serve", "--confdir", str(self.root / "puppet"), "--listen", f"127.0.0.1:{self.port}", *options]
        self.server = subprocess.Popen(command, stderr=self.log)
        for _ in range(300):
            try:
                if self.ask("GET", "/status/v1/simple").text == "running":
                    return self
            except OSError:
                if self.server.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(self.logged())

    def stop(self):
        for each in self.sockets:
            each.close()
        self.sockets = []
        if self.server:
            self.server.terminate()
            self.server.wait()
            self.server = None

    def reload(self):
        self.server.send_signal(signal.SIGHUP)
        self.wait_for("reloaded", lambda: "reload" in self.logged())

    def logged(self):
        return (self.root / "log").read_text()

    def memory(self):
        """The largest memory of the server so far, in bytes."""
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))) * 1024

    ### Clients

    def connect(self, node=None, port=None, tls=True):
        raw = socket.create_connection(("127.0.0.1", port or self.port), timeout=30)
        self.sockets.append(raw)
        if not tls:
            return raw
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.root / "puppet/ssl/certs/ca.pem")
        if node:
            ssldir = self.root / "puppet/ssl"
            context.load_cert_chain(ssldir / f"certs/{node}.pem", ssldir / f"private_keys/{node}.pem")
        secure = context.wrap_socket(raw, server_hostname="localhost")
        self.sockets.append(secure)
        return secure

    def ask(self, method, path, node=None, headers=(), body=b"", **where):
        connection = self.connect(node, **where)
        try:
            return send(connection, method, path, headers, body)
        finally:
            connection.close()

    def catalog(self, node="web1", query="?environment=production", form=""):
        return self.ask("POST", f"/puppet/v3/catalog/{node}{query}", node, [FORM], form.encode())

    def certificate(self, name):
        return urllib.parse.quote((self.root / f"puppet/ssl/certs/{name}.pem").read_text())

    def request(self, name, extensions=""):
        """A certificate request; `extensions` are lines of OpenSSL's configuration."""
        wanted = "req_extensions = wanted\n" if extensions else ""
        lines = f"[req]\ndistinguished_name = dn\nprompt = no\n{wanted}[dn]\nCN = {name}\n"
        config = self.write("request.cnf", lines + (f"[wanted]\n{extensions}\n" if extensions else ""))
        command = ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-utf8"]
        command += ["-keyout", str(self.root / "request.key"), "-config", str(config)]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def openssl(self, *arguments):
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True).stdout

    def submit(self, name, extensions=""):
        return self.ask("PUT", f"/puppet-ca/v1/certificate_request/{name}", headers=[TEXT], body=self.request(name, extensions))

    def has_signed(self, name):
        return (self.root / f"puppetserver/ca/signed/{name}.pem").exists()

    ### Findings

    def expect(self, what, is_so):
        if not is_so:
            self.failed += 1
        print(("as expected: " if is_so else "NOT AS EXPECTED: ") + what)

    def wait_for(self, what, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                return self.expect(what, False)
            time.sleep(0.05)
        self.expect(what, True)


FORM = ("Content-Type", "application/x-www-form-urlencoded")
JSON = ("Content-Type", "application/json")
TEXT = ("Content-Type", "text/plain")


def head(method, path, headers=(), length=None):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers)]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def send(connection, method, path, headers=(), body=b""):
    try:
        connection.sendall(head(method, path, headers, len(body)) + body)
    except OSError:
        pass  # a server that refuses a large request does so before all of it has arrived
    return read(connection)


def read(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("closed without a reply")
        data += more
    top, body = data.split(b"\r\n\r\n", 1)
    lines = top.decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    while len(body) < int(fields.get("content-length", 0)):
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return Reply(int(lines[0].split()[1]), fields, body)
