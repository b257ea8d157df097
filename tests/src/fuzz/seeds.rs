//! Texts to begin with: for each reader a few that between them use all it knows, and those that once broke it.

pub(super) const PROGRAMS: &[&str] = &[
    "class a::b(Integer[1, 2] $x = 3, *$y) inherits c { include d, e\n file { ['/x', \"${y}/z\"]: ensure => file; default: mode => '0644', * => $o } }",
    "@@x { 'y': } -> Y['z'] ~> Z <| a == 'b' and (c != 1 or d == true) |> { e +> [f] } <- W <<| |>>",
    "$r = 'ab' ? { /^a(b)/ => \"x$1 ${[1, 2].map |$u| { $u + 1 }}\", default => { 'k' => undef, l => -0x1F } }\nnotice($r)",
    "if 1 in [1, 2] and !('b' =~ /x/) { notice(@(A), @(\"B\"/L$)) } elsif 1.5e3 < 017 { } else { 'e' }\n one\n  | - A\n two ${facts} \\\n B\n",
    "case 1 { 2, 'b': { [$c, $d] = [1, 2] } default: { notice \"no\\t\\u{1f600}\" } }\nunless true { } else { }\n# c\n/* d */",
    "function f::g(Optional[String] $x, *$y) >> Any { $y.each |$k, $v| { next() } return [*$y] }\nf::g('a', 1, 2)",
    "node default, /re/, a.b.c { } type T = Struct[{ a => Integer }] define d ($x) { notify { $x: } } d { 'a': x => 'b' }",
    "define a($n) { if $n > 0 { a { \"x${n}\": n => $n - 1 } } } a { 'x': n => 5 } File { mode => '1' } notify { 'a': } -> notify { 'b': }",
    "<%- | String $x = 'y', | -%>\ntext <%= $x -%>\n<% if $y { %>a<%# c %>b<% } -%>\n  <%% %%> <%= { a => 1 } %>\n",
    "$x = Integer[1, 300].reduce([]) |$m, $i| { [$m, $m] }\nnotice($x)",
    "$x = Integer[1, 300].reduce(Integer) |$m, $i| { Tuple[$m, $m] }\nnotice($x == $x, \"${x}\")",
    "@(\"A\")\nfoo ${bar\nA",
    "\"${@(A)}\n\"\nfoo\nA\n",
];

pub(super) const NOTATIONS: &[&str] = &[
    "(block (= (var \"a\") 1) (call {:functor (qn \"notice\") :args [(var \"a\")]}))",
    "{:a 1 :b [nil true -1.5e3 \"x\\o033\\n\"]}",
    "[(a) [] {} \"\\\"\"]",
];

pub(super) const YAML: &[&str] = &[
    "[\" !<xa\"!, b]",
    "a: &x [1, 'two', \"th\\u0072ee\\n\", ~, 1.5e3, 0x1F, 0o17, 1_000, true, 2001-12-14, :sym]\nb: *x\n<<: {c: 1}\n",
    "---\n- |\n  literal\n  text\n- >-\n  folded\n  text\n- !!str 1\n- !ruby/sym a\n- ? complex\n  : value\n...\n",
    "{a: [b, {c: d}], 'e f': \"g\", ? h : i}",
    "%YAML 1.1\n%TAG ! tag:x,2000:\n--- !t\na: !<x> b\n",
    "!omap\n- a: 1\n- b: 2\n",
    "\"\\",
    "[\"a\"!, b]",
    "{a: [b, \"a\"!, b]{",
    "[?\"a\"!,ym a",
    "|\n  foo\\",
];

pub(super) const JSON: &[&str] = &[
    "{\"a\": [1, -2.5e-3, true, false, null, \"x\\u00e9\\ud83d\\ude00\\n\"], \"b\": {\"c\": {}}}",
    "[9223372036854775808, 1e999]",
];

pub(super) const HOCON: &[&str] = &[
    "a { b : 1 }\na { c = ${a.b} x ${?HOME}/y }\nl = [1, ${a.c}] [3]\nl += 4\ninclude \"x\"\n\"q.r\" = \"\"\"s\"\"\" // c\n",
    "a = 1\na = ${a} 2\nb = ${c}{x: 1}\nc { y = 10s, z = 012, w = .5, v = 1e5 }\n",
    "a = ${b}\nb = ${a}",
];

/// The key that opens the envelope among the seeds.
pub(super) const KEY: &str = include_str!("key.pem");

pub(super) const EYAML: &[&str] = &[
    "ENC[PKCS7,MIH0BgkqhkiG9w0BBwOggeYwgeMCAQAxgZ8wgZwCAQAwBTAAAgEAMA0GCSqGSIb3DQEBAQUABIGAgPX2V8P8rR7NwBm8kgdlFomJMhQZ214tixF/v56h7I72raOUqXmwhSI+/9nD6Vgz1A2NJbKwpwUtn1HNqaPHBiqlSEcYLREo1k9hcQPz1KoroE6Fkz58n8HVjd4goBvaa14yWeZuzJgdnq0P4JhDI1MbfBLHe17esijG/ypMiuEwPAYJKoZIhvcNAQcBMB0GCWCGSAFlAwQBKgQQpVj40xeKrYifkzPHQJPUrIAQx2ekdtBRUr9GuPRwQkqjqA==]",
    "x ENC[PKCS7,MIIBeQYJKoZIhvcNAQcDoIIBajCCAWYCAQAxggEhMIIBHQIBADAFMAACAQEw] y ENC[GPG,abc=] ENC[",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----\n",
];

pub(super) const PATTERNS: &[&str] = &[
    "\\A(?<year>\\d{4})-(?i:a|b)+?[^[:alpha:]&&[a-z]]\\k<year>(?=x)(?<!y)\\z",
    "(?mx) a . # c\n | \\p{Alpha}\\h\\R\\X (?>b*+) \\G\\K",
    "(a)\\1(?:\\2(b))*(?#c)[\\]\\-]{2,3}",
    "^\\s*$",
    "(?:.(\\1?))*",
];

pub(super) const FORMATS: &[&str] = &[
    "%5.1f|%-10s|%<a>d|%{a}|%1$s|%*d|%+x|% o|%#b|%e|%g|%a|%c|%%",
    "%.65536e",
    "%#-+ 010.3p",
    "%(d",
    "%[s",
    "% a",
];

pub(super) const TIME_FORMATS: &[&str] = &[
    "%Y-%m-%dT%H:%M:%S.%L%z %Z %j %U %s %N %3N %-d %e %^a %#b %:z %010Y",
    "%D-%H:%M:%S.%-N",
    "2001-12-14 21:59:43 +0100",
    "Europe/Berlin",
];

pub(super) const VERSIONS: &[&str] = &[
    "1.2.3-rc.1+build.5",
    ">=1.0.0 <2.0.0 || ~1.2 || ^0.3.x || 1.2.3 - 2.0.0",
    "x",
    "1.X.*",
    ">1.0.0-alpha",
];

pub(super) const ADDRESSES: &[&str] =
    &["https://user:pw@[::1]:8080/a/b%20c?d=e&f#g", "mailto:a@b", "puppet:///modules/x", "//h", "urn:x:y"];

pub(super) const SPANS: &[&str] = &["1-02:03:04.5", "-00:10", "10:20:30", "99999999999999999999-00:00:00"];

pub(super) const TYPES: &[&str] = &[
    "Struct[{a => Optional[Integer[1, default]], Optional[b] => Variant[String[1], Enum['x', 'y']]}]",
    "Callable[[Array[Pattern[/a/]], Hash[String, Any], 1, 2], Callable, Tuple[Float[1.0], Type[Sensitive[NotUndef]]]]",
    "Object[{name => 'A', attributes => {a => {type => Integer, value => 1}}, functions => {f => Callable[Integer, Any]}}]",
    "Init[Timestamp['2000-01-01', default]]",
    "Runtime['ruby', 'x'] ",
    "File['/a', 'b']",
];

pub(super) const REQUESTS: &[&str] = &[
    r#"{"id": 1, "method": "eval", "params": {"code": "[1, $facts['a']]", "facts": {"a": [null, 1.5]}, "settings": {"limit_steps": 1000}}}"#,
    r#"{"id": "x", "method": "compile", "params": {"code": "notify { 'a': }", "node": "n", "classes": {"a": {"b": 1}}, "deadline": 5}}"#,
    r#"{"method": "parse", "params": {"code": "<%= 1 %>", "epp": true}}"#,
    r#"{"method": "lookup", "params": {"key": ["a", "b.c"], "merge": {"strategy": "deep"}, "default": null, "type": "Hash[String, Data]"}}"#,
    r#"{"method": "version"}"#,
];

pub(super) const FACTS: &[&str] = &[
    r#"{"name": "web1", "values": {"networking": {"fqdn": "web1.example.com"}, "os": {"family": "Debian"}}}"#,
    "--- !ruby/object:Puppet::Node::Facts\nname: web1\nvalues:\n  a: &x [1]\n  b: *x\n",
    r#"[{"certname": "a", "name": "b", "value": 1}]"#,
];

pub(super) const CATALOGS: &[&str] = &[
    r#"{"tags": ["a"], "name": "n", "version": 1, "environment": "e", "resources": [{"type": "Notify", "title": "a", "tags": [], "file": "x", "line": 1, "exported": false, "parameters": {"message": {"__ptype": "Sensitive", "__pvalue": "s"}}}], "edges": [{"source": "Class[main]", "target": "Notify[a]"}], "classes": ["a"]}"#,
    r#"{"resources": [], "edges": []}"#,
];

pub(super) const RESOURCE_TYPES: &[&str] = &[
    "Puppet::Type.newtype(:thing) do\n  @doc = <<-DOC\n  x\n  DOC\n  ensurable\n  newparam(:name, namevar: true) { desc 'n'; validate { |v| raise ArgumentError, \"bad #{v}\" unless v =~ /^a/ } }\n  newproperty(:x) do\n    newvalues(:a, /b+/)\n    defaultto { :a }\n    munge { |v| v.to_s.downcase }\n  end\n  autorequire(:file) { self[:x] }\nend\n",
    "module Puppet; Type.newtype(:thing) do def self.title_patterns; [[/^(.*?)\\/(.*)$/m, [[:name, ->(x) { x }], [:x]]]]; end; newparam(:name); newparam(:x); end; end",
];

pub(super) const HIERARCHIES: &[&str] = &[
    "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n  - name: \"%{facts.a}\"\n    paths: [common.yaml, '%{::b}/c.yaml']\n    options: {x: 1}\nk: \"%{lookup('l')} %{alias('m')} %{literal('%')}{x}\"\nl: [1, \"%{hiera('k')}\"]\nlookup_options: {k: {merge: {strategy: deep, knockout_prefix: '--'}, convert_to: [Array]}, '^l': {merge: unique}}\n",
    "version: 5\nhierarchy: [{name: a, globs: ['*.yaml'], mapped_paths: [facts, f, '%{f}.yaml']}]\nk: {a: {b: 1}}\n",
    ":backends: yaml\n:hierarchy: [common]\n",
];

pub(super) const NUMBERS: &[&str] = &[
    "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "zyxwvutsrqponmlkjihgfedcba9876543210ZYXWVUTSRQPONMLKJIHGFEDCBA!#$%&/()=?*+'-_.:,;<>|@{[]}\\~^",
];
