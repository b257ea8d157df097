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
    "X\n/* d */['z'] ~> Integer\n# c\n/* d */[1, 2]",
    "<% if $y { %>a<% } <-%>\n  text <%= 1 %>\n",
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
    r#"{"method": "lint", "params": {"code": "$a = \"b\"\n", "path": "a/manifests/b.pp", "checks": ["double_quoted_strings"], "fix": true, "options": {"relative": true}}}"#,
    r#"{"method": "format", "params": {"code": "if $a{b}\n", "path": "a.epp", "range": [1, 2], "options": {"width": 80, "indent": 4}}}"#,
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

pub(super) const RUBY: &[&str] = &[
    "class A < Struct.new(:x)\n  include Comparable\n  attr_reader :y\n  def initialize(x, *r, k: 1, **o, &b) = super(x)\n  def <=>(o) = x <=> o.x\nend\np A.new(1).clamp(A.new(0), A.new(2))",
    "h = Hash.new { |t, k| t[k] = k * 2 }\nh[1]; h[:a] rescue p $!\nputs \"#{h} #{h.map { |k, v| [v, k] }.to_h.inspect}\"",
    "x, (y, *z), *w = [1, [2, 3]], 4\ncase {a: [1, {b: 2}]}\nin {a: [Integer => n, {b:}]} if n < b then p n, b\nelse p 0\nend",
    "def f(n) = n < 2 ? n : f(n - 1) + f(n - 2)\np f(9), [3, 1, 2].sort_by { -_1 }, %w[a b].each_with_index.map { |s, i| s * i }",
    "begin\n  raise ArgumentError, 'x' if true\nrescue TypeError, ArgumentError => e\n  retry if (t = (t || 0) + 1) < 3\n  puts e.full_message\nelse 1\nensure p 2\nend",
    "s = <<~A + <<-'B'\n  x#{1 + 1}\n    y\nA\n raw\\n\n B\nputs s.gsub(/(?<v>[a-z])(\\d)?/) { $~[:v].upcase }, s =~ /\\bx/, $1, s.scan(/./m).tally",
    "i = 0\nwhile true do i += 1; next if i.odd?; break if i > 9 end\nuntil i == 0 do i -= 1 end\nfor a, b in {c: 1} do p a, b end\nloop { break i }",
    "m = Module.new { def self.included(b) = b.extend(self); def q(...) = send(:p, ...) }\nClass.new { include m; alias_method :r, :q; private :r; def method_missing(n, *a) = n }.new.zap",
    "e = Enumerator.new { |y| y << 1 << 2; y.yield 3, 4 }\np e.next, e.peek, e.lazy.map { |v| v }.first(2), e.size\ncatch(:t) { throw :t, 1 }",
    "format('%05.1f|%-5s|%+x|%p', 1.25, :a, 255, nil) + [1, 2].pack('C*').unpack1('H*') + 10.digits.to_s + 2.0.to_r.to_s + 1e100.to_i.to_s",
    "eval('1 + 1', binding); instance_variable_set(:@a, 1); define_singleton_method(:z) { @a }; z; Object.const_get(:String).new('x').frozen?",
    "require 'json'; require 'yaml'; require 'set'; p JSON.parse('[1, {\"a\": null}]'), {a: [1]}.to_yaml, YAML.load('- &a [1]\n- *a'), Set[1] | [2]",
    "File.read('/etc/passwd') rescue p $!; `id` rescue p $!; open('|id') rescue p $!; ENV['HOME'] rescue p $!; Time.now rescue p $!; rand rescue p $!; require 'a'",
    "a = []; a << a; p a, a.hash, a == a, a.flatten rescue p $!\nb = 'x'; 50.times { b = [b, b] }; b.hash",
    "Integer('0b11', exception: false); Float('1_0.5'); Rational('1/3') + Complex('1+2i'); 7.divmod(-2); 2**100 % 7; -7 >> 1; 5.pow(3, 7); 10.0 / 3",
];

pub(super) const ERB: &[&str] = &[
    "# <%= @a %>\n<% @list.each do |x| -%>\n- <%= x.inspect %>\n<% end -%>\n<%# comment %>\n<%% literal %%>\n",
    "<%- if @a == 'x' -%>\n  yes <%= @list.map { |v| v.to_s.upcase }.join(', ') %>\n<%- else -%>\n  no\n<%- end -%>\n",
    "<% def helper(x) \n \"<#{x}>\" \n end %><%= helper(@a) %><%= _erbout.size %>\n<% _erbout << 'more' %>\n",
    "a\r\n<%= 1 %>\r\n<%= \"%>\" %>\n<% case @a\n when 'x' then %>X<% end %>\n%% not code\n% neither\n",
    "<%= scope['::facts'] rescue 'none' %><%= @undefined.nil? %><%= `id` rescue $!.class %>\n",
];

/// Requests for certificates.
pub(super) const CERTIFICATE_REQUESTS: &[&str] = &[
    "-----BEGIN CERTIFICATE REQUEST-----\nMIIBCTCBrwIBADAPMQ0wCwYDVQQDDAR3ZWIxMFkwEwYHKoZIzj0CAQYIKoZIzj0D\nAQcDQgAEo0wFOA9SvaAucWkuFUPPY+gZn8dyd+jX+HKAo3RJZ+aPR1JnHUOeuxMY\nJ/Oeg1MHEjXp0i25BIEEfUcCZVR2zKA+MDwGCSqGSIb3DQEJDjEvMC0wFQYDVR0R\nBA4wDIIEd2ViMYcECgAAATAUBgsrBgEEAYKMTAEBDQQFDAN3ZWIwCgYIKoZIzj0E\nAwIDSQAwRgIhAJOtC5GwcLzhO6DL6ymnEWGM15AdOL9aY4NzC51L20osAiEAlKog\n8SlVD4FV2jlwtgTWvmwXzXUmHQaQlWk+y9H8Aq8=\n-----END CERTIFICATE REQUEST-----\n",
];

/// Certificates.
pub(super) const CERTIFICATES: &[&str] = &[
    "-----BEGIN CERTIFICATE-----\nMIIBbjCCARSgAwIBAgIUZIaEU+Tw/rk+kmoHliX5T/hAIjEwCgYIKoZIzj0EAwIw\nDzENMAsGA1UEAwwEd2ViMTAeFw0yNjExMTcxMDUxNTRaFw0yNjEyMTcxMDUxNTRa\nMA8xDTALBgNVBAMMBHdlYjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASjTAU4\nD1K9oC5xaS4VQ89j6Bmfx3J36Nf4coCjdEln5o9HUmcdQ567Exgn856DUwcSNenS\nLbkEgQR9RwJlVHbMo04wTDAVBgNVHREEDjAMggR3ZWIxhwQKAAABMBQGCysGAQQB\ngoxMAQENBAUMA3dlYjAdBgNVHQ4EFgQUc3MTPFWehx82vb/bjBmf5gcSYcAwCgYI\nKoZIzj0EAwIDSAAwRQIgWIWj0x4Q54DeSk4qUqxkLK4TDY6wqyXjRtPT5CFj1ecC\nIQD/3oMNuYUM/7ICW/K5jLACl0TAmZL/XRH4xXAcMN6X1A==\n-----END CERTIFICATE-----\n",
];

/// Paths and parameters of requests.
pub(super) const CALLS: &[&str] = &[
    "/puppet/v3/file_content/modules/ntp/a%20b/../c",
    "/puppet/v3/file_bucket_file/sha256/00//etc/motd",
    "facts_format=application%2Fjson&facts=%257B%257D&ignore=.svn&ignore=CVS",
    "web1.example.com",
];

/// Rules for who may do what.
pub(super) const RULES: &[&str] = &[
    "authorization: { version: 1, rules: [ { match-request: { path: \"^/puppet/v3/catalog/([^/]+)$\", type: regex, method: [get, post] }, allow: [\"$1\", { extensions: { pp_role: web } }], sort-order: 500, name: a } ] }",
];

/// Sessions of editors, one message in each line.
pub(super) const SESSIONS: &[&str] = &[
    r#"{"jsonrpc": "2.0", "method": "initialized", "params": {}}
{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp", "languageId": "puppet", "version": 1, "text": "class a ($x = 1) {\n  notify { \"é ${x}\": }\n  file { '/a': ensure => file }\n}\n"}}}
{"jsonrpc": "2.0", "id": 1, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 1, "character": 4}}}
{"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 1, "character": 16}}}
{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp", "version": 2}, "contentChanges": [{"range": {"start": {"line": 1, "character": 13}, "end": {"line": 2, "character": 3}}, "text": "'"}]}}
{"jsonrpc": "2.0", "id": 3, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 4, "method": "textDocument/semanticTokens/full", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 5, "method": "textDocument/foldingRange", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 6, "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 7, "method": "textDocument/rename", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 11}, "newName": "y"}}
{"jsonrpc": "2.0", "id": 8, "method": "textDocument/references", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 11}, "context": {"includeDeclaration": true}}}
{"jsonrpc": "2.0", "id": 9, "method": "textDocument/codeAction", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}, "context": {"diagnostics": []}}}
{"jsonrpc": "2.0", "id": 10, "method": "textDocument/inlayHint", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}}"#,
    r#"{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///site/data/common.yaml", "languageId": "yaml", "version": 1, "text": "a::x: \"%{facts.os.family} %{lookup('a::x')}\"\n"}}}
{"jsonrpc": "2.0", "id": 1, "method": "textDocument/completion", "params": {"textDocument": {"uri": "file:///site/data/common.yaml"}, "position": {"line": 0, "character": 12}}}
{"jsonrpc": "2.0", "id": 2, "method": "textDocument/definition", "params": {"textDocument": {"uri": "file:///site/data/common.yaml"}, "position": {"line": 0, "character": 2}}}
{"jsonrpc": "2.0", "id": 3, "method": "textDocument/formatting", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "options": {"tabSize": 2, "insertSpaces": true}}}
{"jsonrpc": "2.0", "id": 4, "method": "textDocument/selectionRange", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "positions": [{"line": 0, "character": 3}]}}
{"jsonrpc": "2.0", "id": 5, "method": "textDocument/signatureHelp", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 3}}}
{"jsonrpc": "2.0", "id": 6, "method": "textDocument/prepareCallHierarchy", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 6}}}
{"jsonrpc": "2.0", "id": 7, "method": "workspace/symbol", "params": {"query": "a"}}
{"jsonrpc": "2.0", "id": 8, "method": "textDocument/linkedEditingRange", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 3}}}
{"jsonrpc": "2.0", "id": 9, "method": "textDocument/codeLens", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 10, "method": "textDocument/documentLink", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}}}
{"jsonrpc": "2.0", "id": 11, "method": "textDocument/onTypeFormatting", "params": {"textDocument": {"uri": "file:///site/modules/a/manifests/init.pp"}, "position": {"line": 0, "character": 3}, "ch": "}", "options": {"tabSize": 2, "insertSpaces": true}}}
{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 9}}
{"jsonrpc": "2.0", "method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///site/data/common.yaml"}}}
{"jsonrpc": "2.0", "id": 12, "method": "shutdown", "params": null}
{"jsonrpc": "2.0", "method": "exit", "params": null}"#,
];
