//! The tables of `kukla.toml` with their keys.

use super::ValueKind::{Duration, Flag, Number, Path, Table, Tables, Text, Texts};
use super::{KeySchema, TableSchema, ValueKind};

const fn key(name: &'static str, kind: ValueKind, default: &'static str, meaning: &'static str) -> KeySchema {
    KeySchema { name, kind, default, meaning }
}

/// All tables, in the order of the reference page.
#[rustfmt::skip]
pub static TABLES: &[TableSchema] = &[
    TableSchema {
        name: "server",
        purpose: "The server, `kukla serve`.",
        keys: &[
            key("listen", Text, "`0.0.0.0:8140`", "Address and port to listen on"),
            key("threads", Number, "the number of processors", "Catalogs that are compiled at once"),
            key("role", Text, "`all`", "`all`, `ca` (only the certificate authority) or `compiler` (everything else)"),
            key("ca", Flag, "`true`", "`false` is another way to write `role = \"compiler\"`"),
            key("proxies", Texts, "none", "Addresses of proxies, besides loopback, whose headers identify clients"),
            key("store", Text, "none", "URL of the [store](manual/store.md) of facts, catalogs and reports"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "limits",
        purpose: "How much of the server one client, one request and one kind of work can take.",
        keys: &[
            key("request-bytes", Number, "16 MiB", "Bytes of the largest request"),
            key("all-requests-bytes", Number, "128 MiB", "Bytes of all requests that are being received or answered"),
            key("requests-bytes-per-node", Number, "32 MiB", "Bytes of all requests of one certificate"),
            key("requests-bytes-per-address", Number, "2 MiB", "Bytes of all requests of one address without certificates"),
            key("connections", Number, "10000", "Open connections"),
            key("connections-per-node", Number, "256", "Open connections of one certificate"),
            key("connections-per-address", Number, "1000", "Open connections of one address without certificates"),
            key("bytes-per-second", Number, "4096", "Bytes that a client has to send or accept each second"),
            key("stall-seconds", Number, "10", "Seconds for which a client may send or accept nothing"),
            key("arrival-seconds", Number, "60", "Seconds that a request may take to arrive"),
            key("wait-seconds", Number, "30", "Seconds that a request waits for memory or a free thread"),
            key("catalog-wait-seconds", Number, "120", "Seconds that a catalog waits for a free thread"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "ca",
        purpose: "The [certificate authority](manual/ca.md).",
        keys: &[
            key("audit-log", Path, "`audit.jsonl` in the directory of the authority", "File of the audit log: one line of JSON for each certificate that is signed, renewed, revoked or denied"),
            key("requests-per-minute", Number, "600", "Certificate requests that one address may send within a minute; more are answered with 429"),
            key("pending-per-peer", Number, "1000", "Pending requests that one address may have"),
            key("pending", Number, "10000", "Pending requests of all addresses together"),
            key("signing", Table, "none", "The signing policy, see below"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "ca.signing",
        purpose: "The signing policy: which requests are signed automatically. The first rule that fits the name of a request decides; if none fits, Puppet's setting `autosign` does.",
        keys: &[
            key("reserved", Texts, "none", "Names and patterns that are never signed automatically, besides the names of the server itself"),
            key("rules", Tables, "none", "The rules, in order: each is a table `[[ca.signing.rules]]`"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "ca.signing.rules",
        purpose: "A rule of the signing policy.",
        keys: &[
            key("names", Texts, "required", "Names that the rule is for; `*` matches anything but a dot, `**` anything"),
            key("action", Text, "`sign`", "`sign`, `wait` (for `kukla ca sign`) or `refuse`"),
            key("token", Flag, "`false`", "Whether the request must carry a one-time token of `kukla ca token create` as its challenge password"),
            key("extensions", Table, "none", "Extensions that the request must have, with the permitted value or a list of values: `{ pp_role = [\"web\", \"db\"] }`; `\"*\"` permits any"),
            key("ttl", Duration, "the setting `ca_ttl`", "Validity of the certificates"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "certificate-authority",
        purpose: "The permitted contents of requests, as in puppetserver's `ca.conf`.",
        keys: &[
            key("allow-subject-alt-names", Flag, "`false`", "Whether requests may ask for names besides their own"),
            key("allow-authorization-extensions", Flag, "`false`", "Whether requests may ask for extensions that grant rights, such as `pp_auth_role`"),
            key("allow-auto-renewal", Flag, "`false`", "Whether nodes may renew their certificates"),
            key("auto-renewal-cert-ttl", Duration, "`90d`", "Validity of renewed certificates"),
            key("ca-ttl", Duration, "the setting `ca_ttl`, or `5y`", "Validity of certificates"),
            key("enable-infra-crl", Flag, "`false`", "Whether agents get only the revocation list of infrastructure nodes"),
        ],
        ignored: &["allow-header-cert-info", "certificate-status", "proxy-config"],
    },
    TableSchema {
        name: "webserver",
        purpose: "Addresses and files of TLS, as in puppetserver's `webserver.conf`.",
        keys: &[
            key("ssl-host", Text, "`0.0.0.0`", "Address to listen on, together with `ssl-port`"),
            key("ssl-port", Number, "8140", "Port to listen on"),
            key("ssl-cert", Path, "the certificate in `ssldir`", "The server's certificate"),
            key("ssl-key", Path, "the key in `ssldir`", "Its private key"),
            key("ssl-ca-cert", Path, "those of the authority", "Certificates of trusted authorities"),
            key("ssl-crl-path", Path, "those of the authority", "Their revocation lists"),
            key("host", Text, "none", "Address for plain HTTP behind a proxy, together with `port`"),
            key("port", Number, "none", "Port for plain HTTP"),
        ],
        ignored: &[
            "acceptor-threads", "access-log-config", "allow-renegotiation", "cipher-suites", "client-auth", "default-server", "gzip-enable",
            "idle-timeout-milliseconds", "jmx-enable", "key-password", "key-store", "keystore", "max-threads", "post-config-script",
            "queue-max-size", "request-body-max-size", "request-header-max-size", "selector-threads", "shutdown-timeout-seconds",
            "sni-host-check", "sni-required", "so-linger-seconds", "ssl-acceptor-threads", "ssl-cert-chain", "ssl-protocols",
            "ssl-selector-threads", "static-content", "trust-password", "trust-store", "truststore",
        ],
    },
    TableSchema {
        name: "jruby-puppet",
        purpose: "Limits of compilation, as in puppetserver's `puppetserver.conf`.",
        keys: &[
            key("max-active-instances", Number, "the number of processors", "Catalogs that are compiled at once; `threads` in `[server]` takes precedence"),
            key("max-queued-requests", Number, "512", "Catalogs that may wait; further agents are asked to come back later"),
            key("max-retry-delay", Number, "30", "Seconds after which those come back, at most"),
            key("server-var-dir", Path, "the setting `vardir`", "Directory of variable data"),
        ],
        ignored: &[
            "borrow-timeout", "compile-mode", "disable-i18n", "environment-class-cache-enabled", "environment-vars", "flush-timeout", "gem-home",
            "gem-path", "http-client-ssl-protocols", "jruby-logger-name", "master-code-dir", "master-conf-dir", "master-log-dir",
            "master-run-dir", "master-var-dir", "max-requests-per-instance", "multithreaded", "profiler-output-file", "profiling-mode",
            "ruby-load-path", "server-code-dir", "server-conf-dir", "server-log-dir", "server-run-dir", "splay-instance-flush",
            "track-lookups", "use-legacy-auth-conf", "versioned-deploys-path",
        ],
    },
    TableSchema {
        name: "versioned-code",
        purpose: "Commands for static catalogs.",
        keys: &[
            key("code-id-command", Path, "none", "Prints the version of an environment"),
            key("code-content-command", Path, "none", "Prints a file of a version"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "authorization",
        purpose: "The rules of puppetserver's `auth.conf`.",
        keys: &[
            key("version", Number, "1", "Version of the format"),
            key("allow-header-cert-info", Flag, "`false`", "Whether a proxy passes the client's certificate in headers"),
            key("rules", Tables, "puppetserver's own", "The rules"),
        ],
        ignored: &["legacy-auth-conf"],
    },
    TableSchema {
        name: "puppet",
        purpose: "Settings of `puppet.conf`, over which they take precedence. All of Puppet's settings are accepted; the server uses these, and those that affect the language.",
        keys: &[
            key("certname", Text, "the name of the machine", "Name of the server in its certificate"),
            key("dns_alt_names", Texts, "`puppet`", "Further names of the server in its certificate"),
            key("environmentpath", Path, "`environments` in `codedir`", "Directory of environments"),
            key("basemodulepath", Path, "`modules` in `codedir`", "Directories of modules for all environments"),
            key("environment_timeout", Duration, "0", "Interval of looking for changed code; `unlimited` never looks"),
            key("node_terminus", Text, "`plain`", "`exec` to classify nodes with `external_nodes`"),
            key("external_nodes", Path, "none", "Command that classifies nodes"),
            key("trusted_external_command", Path, "none", "Command, or directory of commands, for further trusted facts"),
            key("trusted_oid_mapping_file", Path, "`custom_trusted_oid_mapping.yaml` in `confdir`", "Names of further extensions of certificates"),
            key("autosign", Text, "`autosign.conf` in `confdir`", "`true`, `false`, a file of names and patterns, or a command that decides"),
            key("allow_duplicate_certs", Flag, "`false`", "Whether a node may request a certificate although it has one"),
            key("ca_ttl", Duration, "`5y`", "Validity of certificates"),
            key("key_type", Text, "`rsa`", "`rsa` or `ec`: the kind of new keys"),
            key("keylength", Number, "4096", "Bits of new RSA keys, from 2048 to 4096"),
            key("cadir", Path, "`puppetserver/ca` beside `confdir`", "Directory of the certificate authority"),
            key("ssldir", Path, "`ssl` in `confdir`", "Directory of the server's own certificate"),
            key("vardir", Path, "`/var/lib/kukla`", "Directory of variable data"),
            key("reports", Texts, "`store`", "Report processors: `store`, `log`, `puppetdb`, `none`"),
            key("reportdir", Path, "`reports` in `vardir`", "Directory of reports"),
            key("bucketdir", Path, "`bucket` in `vardir`", "Directory of the file bucket"),
            key("fileserverconfig", Path, "`fileserver.conf` in `confdir`", "Directories that are served besides modules"),
            key("storeconfigs", Flag, "`false`", "Whether the PuppetDB of `puppetdb.conf` is used"),
            key("deadline", Number, "120", "Seconds that the compilation of a catalog may take"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "check",
        purpose: "[`kukla check`](manual/check.md), in the root of a repository.",
        keys: &[
            key("paths", Texts, "all", "Paths to check"),
            key("exclude", Texts, "none", "Patterns of paths that are not reported on"),
            key("baseline", Path, "none", "File of findings that are not reported again"),
            key("strict", Flag, "`false`", "Whether findings that are only likely are reported"),
            key("variables", Texts, "none", "Top-scope variables that a classifier sets"),
            key("facts", Texts, "none", "Facts that are not defined in the repository, such as external facts"),
            key("rules", Table, "none", "Severity of rules: `error`, `warning` or `off`"),
            key("ignore", Table, "none", "Rules that are off in files that match a pattern"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "compile",
        purpose: "[Options](commands.md#compile) of `kukla compile` and of other commands that have them, such as `modulepath`, `hiera-config`, `strict` and `enc`. `set` is a table of Puppet's settings. See [the manual](manual/effects.md#options-in-kuklatoml).",
        keys: &[],
        ignored: &[],
    },
    TableSchema {
        name: "policy",
        purpose: "[Options](commands.md#compile) below \"Access of code\": `commands`, `files`, `writes`, `env`, `network`, `clock`, `randomness`, `answers`, `ruby`. `kukla check` does not read them.",
        keys: &[],
        ignored: &[],
    },
    TableSchema {
        name: "facts",
        purpose: "The [facts](manual/facts.md) of nodes.",
        keys: &[
            key("path", Path, "`facts` in the repository", "File or directory of facts"),
            key("set", Text, "none", "Fact set of nodes without facts"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "nodes",
        purpose: "Nodes that node definitions do not name, for commands that compile all nodes.",
        keys: &[
            key("samples", Texts, "none", "Names of nodes that regular expressions of node definitions match"),
            key("facts", Table, "none", "Fact sets of nodes whose name matches a pattern"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "lint",
        purpose: "[`kukla lint`](manual/lint.md). The next `kukla.toml` at or above the first path counts; options of the command line come after it.",
        keys: &[
            key("plugins", Texts, "all", "Plugins of puppet-lint whose checks are on"),
            key("rules", Table, "none", "Severity of checks: `error`, `warning` or `off`"),
            key("exclude", Texts, "none", "Patterns of paths that are skipped"),
            key("baseline", Path, "none", "File of findings that are not reported again"),
            key("relative", Flag, "`false`", "Whether `autoloader_layout` compares paths from the root of the module"),
            key("top-scope-variables", Texts, "none", "Variables that `top_scope_facts` allows"),
            key("indent", Number, "2", "Blanks of a level for `strict_indent`"),
            key("documentation-styles", Texts, "all", "Styles that `parameter_documentation` accepts: `doc`, `kafo`, `strings`"),
        ],
        ignored: &[],
    },
    TableSchema {
        name: "fmt",
        purpose: "[`kukla fmt`](manual/fmt.md).",
        keys: &[
            key("width", Number, "140", "Columns of a line"),
            key("indent", Number, "2", "Spaces of a level"),
            key("arrows", Text, "`aligned`", "`aligned` or `single`: the spaces before arrows"),
            key("quotes", Text, "`single`", "`single` or `as-written`: the quotes of strings without interpolation or escapes"),
        ],
        ignored: &[],
    },
];
