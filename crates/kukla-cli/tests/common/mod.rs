//! A control repository, and edits of it at random; a directory to put one in.

#![allow(dead_code)] // each test uses its part

use std::path::PathBuf;

/// A directory of a test's own, gone at the end.
pub struct Directory {
    /// Where it lies.
    pub root: PathBuf,
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

impl Directory {
    /// An empty one.
    pub fn new(name: &str) -> Directory {
        let root = std::env::temp_dir().join(format!("kukla-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        // What is there has one name only.
        Directory { root: root.canonicalize().unwrap() }
    }

    /// Writes a file.
    pub fn put(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &str) {
        let _ = std::fs::remove_file(self.root.join(path));
    }
}

/// A control repository with every kind of input that a catalog can have.
pub const FILES: [(&str, &str); 22] = [
    ("environment.conf", "modulepath = modules\n"),
    (
        "hiera.yaml",
        "version: 5\nhierarchy:\n- name: All\n  paths: ['nodes/%{trusted.certname}.yaml', '%{facts.role}.yaml', common.yaml]\n- name: Any\n  glob: extra/*.yaml\n- name: Own\n  lookup_key: app::backend\n  path: own.json\n",
    ),
    ("manifests/site.pp", "include app\nif $facts['role'] == 'db' { include app::db }\n"),
    (
        "modules/app/manifests/init.pp",
        "class app(Integer $size = 0, App::Colour $colour = red, Hash $more = {}) {\n  file { '/epp': content => epp('app/a.epp') }\n  file { '/erb': content => template('app/a.erb') }\n  notify { \"${size} ${colour} ${more} ${app::shout('x')} ${app::ruby('y')} ${file('app/plain')}\": }\n  notify { \"extra ${lookup('extra', default_value => 'none')} ${lookup('own', default_value => 'none')}\": }\n}\n",
    ),
    (
        "modules/app/manifests/db.pp",
        "class app::db($name_of = lookup('db', default_value => 'plain')) {\n  app::thing { $name_of: }\n}\n",
    ),
    (
        "modules/app/manifests/thing.pp",
        "define app::thing($n = $facts['kernel']) { notify { \"thing ${title} ${n}\": } }\n",
    ),
    ("modules/app/functions/shout.pp", "function app::shout($text) { \"${text}!\" }\n"),
    (
        "modules/app/functions/backend.pp",
        "function app::backend(String $key, Hash $options, Puppet::LookupContext $context) {\n  $all = $context.cached_file_data($options['path']) |$text| { $text }\n  if $key == 'own' { 'from the backend' } else { $context.not_found }\n}\n",
    ),
    ("modules/app/types/colour.pp", "type App::Colour = Enum[red, green, blue]\n"),
    (
        "modules/app/lib/puppet/functions/app/ruby.rb",
        "require_relative '../../../app_helper'\nPuppet::Functions.create_function(:'app::ruby') do\n  dispatch(:run) { param 'String', :text }\n  def run(text)\n    AppHelper.twice(text)\n  end\nend\n",
    ),
    ("modules/app/lib/app_helper.rb", "module AppHelper\n  def self.twice(text)\n    text * 2\n  end\nend\n"),
    ("modules/app/templates/a.epp", "welcome <%= $facts['os'] %>\n"),
    ("modules/app/templates/a.erb", "size <%= @size %> <%= scope['facts']['role'] %>\n"),
    ("modules/app/files/plain", "plain"),
    ("modules/app/hiera.yaml", "version: 5\nhierarchy:\n- name: Own\n  path: own.yaml\n"),
    ("modules/app/data/own.yaml", "app::colour: green\n"),
    ("data/common.yaml", "app::more: {a: \"%{lookup('greeting')}\"}\ngreeting: hello\nunused: 1\n"),
    ("data/web.yaml", "app::size: 2\n"),
    ("data/db.yaml", "app::size: 3\nlookup_options: {app::more: {merge: hash}}\n"),
    ("data/extra/one.yaml", "extra: one\n"),
    ("data/nodes/n1.yaml", "app::more: {b: 1}\n"),
    ("data/own.json", "{}"),
];

/// Texts that a file can become, most of them fit for it.
pub const TEXTS: [(&str, &[&str]); 20] = [
    (
        "data/common.yaml",
        &[
            "app::more: {a: 2}\n",
            "greeting: bye\napp::more: {a: \"%{lookup('greeting')}\"}\n",
            "unused: 2\n",
            "just: text\nextra: common\n",
            "- no hash\n",
            "",
            "a: [\n",
        ],
    ),
    (
        "data/web.yaml",
        &["app::size: 7\n", "app::size: 2\nnobody: asked\n", "app::colour: blue\n", "app::size: wrong\n"],
    ),
    ("data/db.yaml", &["db: other\n", "app::size: 3\n", "lookup_options: {app::more: {merge: deep}}\n"]),
    ("data/extra/one.yaml", &["extra: two\n", "nothing: 1\n"]),
    ("data/extra/another.yaml", &["extra: another\n", "app::size: 9\n"]),
    ("data/nodes/n1.yaml", &["app::more: {b: 2}\n", "greeting: mine\n"]),
    ("data/nodes/n2.yaml", &["app::size: 22\n", "db: two\n"]),
    ("data/own.json", &["{\"a\": 1}"]),
    (
        "hiera.yaml",
        &[
            "version: 5\nhierarchy:\n- name: All\n  paths: [common.yaml]\n",
            "version: 5\n",
            "version: 5\nhierarchy:\n- name: All\n  paths: ['%{facts.kernel}.yaml', common.yaml]\n",
        ],
    ),
    ("data/Linux.yaml", &["app::size: 50\n"]),
    (
        "manifests/site.pp",
        &[
            "include app\n",
            "# a comment\ninclude app\n",
            "include app\nwarning(\"on ${trusted['certname']}\")\n",
            "include nothing\n",
        ],
    ),
    (
        "modules/app/manifests/db.pp",
        &[
            "class app::db { app::thing { ['a', 'b']: } }\n",
            "class app::db { notify { a: require => Notify[b] } notify { b: require => Notify[a] } }\n",
        ],
    ),
    (
        "modules/app/manifests/thing.pp",
        &[
            "define app::thing { notify { \"other ${title}\": } }\n",
            "define app::thing { notify { \"on ${trusted['certname']}\": tag => [$trusted['certname'], $title] } }\n",
            "define app::thing { notify { $title: message => [$facts, Sensitive('x')] } -> notify { 'after': } }\n",
        ],
    ),
    (
        "modules/app/functions/shout.pp",
        &["function app::shout($text) { \"${text}?\" }\n", "function app::shout($text) { $facts['os'] }\n"],
    ),
    (
        "modules/app/types/colour.pp",
        &["type App::Colour = Enum[red, green]\n", "type App::Colour = String\n"],
    ),
    (
        "modules/app/lib/app_helper.rb",
        &[
            "module AppHelper\n  def self.twice(text)\n    text.upcase\n  end\nend\n",
            "module AppHelper\nend\n",
        ],
    ),
    (
        "modules/app/lib/puppet/functions/app/ruby.rb",
        &[
            "Puppet::Functions.create_function(:'app::ruby') do\n  def ruby(text)\n    text.reverse + closure_scope['facts']['kernel']\n  end\nend\n",
        ],
    ),
    (
        "modules/app/templates/a.erb",
        &[
            "<%= @facts['kernel'] %>\n",
            "<%= scope.lookupvar('os') %> <%= scope.function_lookup(['greeting', nil, nil, 'x']) %>\n",
        ],
    ),
    ("modules/app/templates/a.epp", &["<%= $role %>\n"]),
    ("modules/app/files/plain", &["fancy", "plain"]),
];

/// How many nodes there are.
pub const NODES: usize = 8;

/// Numbers that look like chance and are the same each time.
pub struct Chance(pub u64);

impl Chance {
    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A change of a control repository.
pub enum Edit {
    /// The facts of a node are others: its number, operating system and uptime.
    Facts(usize, &'static str, usize),
    /// A file goes.
    Remove(&'static str),
    /// A file gets a text.
    Put(&'static str, &'static str),
}

impl Edit {
    /// The next one.
    pub fn next(chance: &mut Chance) -> Edit {
        match chance.below(10) {
            0 => Edit::Facts(chance.below(NODES), ["Debian", "Ubuntu"][chance.below(2)], chance.below(100)),
            1 => Edit::Remove(TEXTS[chance.below(TEXTS.len())].0),
            2 | 3 => {
                let (path, text) = FILES[chance.below(FILES.len())];
                Edit::Put(path, text)
            }
            _ => {
                let (path, texts) = TEXTS[chance.below(TEXTS.len())];
                Edit::Put(path, texts[chance.below(texts.len())])
            }
        }
    }
}

impl std::fmt::Display for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Edit::Facts(node, os, uptime) => write!(f, "facts of n{node}: {os}, {uptime}"),
            Edit::Remove(path) => write!(f, "{path} is gone"),
            Edit::Put(path, text) => write!(f, "{path}: {text}"),
        }
    }
}

/// The role that a node has among its facts.
pub fn role(node: usize) -> &'static str {
    if node.is_multiple_of(2) { "web" } else { "db" }
}

/// A number that the environment may set.
pub fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
