"""Settings that are misspelt, of the wrong kind, or name files that do not exist."""


def check(lab):
    return lab.attempt("serve", "--check")


def attack_misspelt_settings(lab):
    good = (lab.root / "puppet/puppet.conf").read_text()
    for text, near in [
        ("[puppet]\nautosing = true\n", "autosign"),
        ("[server]\ntreads = 4\n", "threads"),
        ("[authorisation]\nversion = 1\n", "authorization"),
        ("[limits]\nconections = 5\n", "connections"),
        ("[ca]\npendng = 5\n", "pending"),
        ("[[ca.signing.rules]]\nnames = ['a']\ntokn = true\n", "token"),
        ("[server]\nthreads = 'many'\n", "threads"),
        ("[server]\nrole = 'compilers'\n", "compiler"),
        ("[puppet]\nautosign = true\n", None),
    ]:
        lab.write("puppet/kukla.toml", text)
        done = check(lab)
        line = text.splitlines()[-1]
        if near is None:
            lab.expect(f"{line} is accepted", done.returncode == 0)
        else:
            lab.expect(f"{line} is refused, and the message names {near}", done.returncode != 0 and near in done.stderr)
    (lab.root / "puppet/kukla.toml").unlink()
    for line, named in [("node_terminus = exec\nexternal_nodes = /nowhere/classifier", "/nowhere/classifier"), ("autosign = /nowhere/autosign", "/nowhere/autosign")]:
        lab.write("puppet/puppet.conf", f"{good}{line}\n")
        done = check(lab)
        lab.expect(f"a file that does not exist is refused: {named}", done.returncode != 0 and named in done.stderr)


def attack_reload(lab):
    toml = lab.write("puppet/kukla.toml", "[limits]\nconnections = 100\n")
    lab.start()
    toml.write_text("[limits]\nconections = 50\n")
    lab.reload()
    lab.expect("a reload with a mistake keeps the old settings", "cannot reload" in lab.logged() and lab.catalog().status == 200)
    toml.write_text('[limits]\nconnections = 50\n[webserver]\nhost = "127.0.0.1"\nport = 1\n')
    lab.reload()
    lab.wait_for("the log names what has changed", lambda: "limits.connections: 100 -> 50" in lab.logged())
    lab.wait_for("and what needs a restart", lambda: "until the server is restarted" in lab.logged())
