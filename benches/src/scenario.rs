//! The scenarios, under the names of Puppet's benchmark suite.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::full_catalog::full_catalog;

/// A generated environment and the catalog to compile from it.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name Puppet's suite has for it.
    pub name: &'static str,
    /// Files by path, relative to the scenario's directory.
    pub files: Vec<(String, String)>,
    /// Whether the data lies in the global layer rather than in the environment.
    pub global_data: bool,
}

impl Scenario {
    pub(crate) fn new(name: &'static str, site: impl Into<String>) -> Scenario {
        Scenario { name, files: vec![("site.pp".into(), site.into())], global_data: false }
    }

    pub(crate) fn with(mut self, path: impl Into<String>, text: impl Into<String>) -> Scenario {
        self.files.push((path.into(), text.into()));
        self
    }

    /// Writes the files below `root` and gives the parameters of the `compile` request.
    #[allow(clippy::disallowed_methods)]
    pub fn write(&self, root: &Path) -> std::io::Result<Value> {
        let environment = root.join("environments/production");
        for (path, text) in &self.files {
            let path = environment.join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(root))?;
            std::fs::write(path, text)?;
        }
        std::fs::create_dir_all(environment.join("modules"))?;
        let mut params = json!({
            "node": "testing.example.com",
            "facts": {
                "kernel": "Linux",
                "os": {"family": "Debian", "name": "Debian"},
                "networking": {"fqdn": "testing.example.com"},
                "domain": "example.com",
                "group": "web",
                "stage": "prod",
                "whereami": "portland",
            },
            "manifest": environment.join("site.pp"),
            "environmentpath": root.join("environments"),
            "modulepath": [environment.join("modules")],
        });
        if self.global_data {
            params["hiera_config"] = json!(environment.join("global.yaml"));
        }
        Ok(params)
    }
}

/// All scenarios at their usual size.
pub fn all() -> Vec<Scenario> {
    vec![
        empty_catalog(),
        many_modules(100),
        defined_types(100),
        virtual_collection(200),
        full_catalog(20),
        catalog_memory(),
        many_resources(10_000),
        large_values(100),
        evaluations(2_000),
        fq_var_lookup(500),
        type_inference(100),
        function_loading(200),
        templates_epp(500),
        hiera("hiera_function", false, "hiera", 2_000),
        hiera("hiera_env_lookup", false, "lookup", 2_000),
        hiera("hiera_global_lookup", true, "lookup", 2_000),
        hiera_include(400),
        hiera_conf_interpol(2_000),
        hiera_deep_merge(60),
    ]
}

/// Next to nothing: what a compilation costs by itself.
pub fn empty_catalog() -> Scenario {
    Scenario::new("empty_catalog", "notice('hello world')")
}

/// The same under the name of the scenario with which Puppet counts the objects that compilations leave behind: here, the
/// column to look at is that of the memory.
pub fn catalog_memory() -> Scenario {
    Scenario::new("catalog_memory", "notice('hello world')")
}

/// Modules of thirteen classes in as many files.
pub fn many_modules(modules: usize) -> Scenario {
    let mut site = String::new();
    let mut scenario = Scenario::new("many_modules", "");
    for n in 0..modules {
        let _ = writeln!(site, "include module{n}");
        let root = format!("modules/module{n}");
        let classes: Vec<String> =
            std::iter::once("internal".into()).chain((0..=10).map(|role| format!("role{role}"))).collect();
        let mut body = String::new();
        for class in &classes {
            let _ = writeln!(body, "  class {{ \"module{n}::{class}\": }}");
            let text = format!("class module{n}::{class} {{\n  notify {{ \"module{n}::{class}\": }}\n}}\n");
            scenario = scenario.with(format!("{root}/manifests/{class}.pp"), text);
        }
        let metadata = json!({
            "name": format!("forge-module{n}"),
            "author": "forge",
            "version": "1.0.0",
            "license": "Apache-2.0",
            "summary": "one of many modules",
            "source": "",
            "dependencies": [],
        });
        scenario = scenario
            .with(format!("{root}/manifests/init.pp"), format!("class module{n} {{\n{body}}}\n"))
            .with(format!("{root}/metadata.json"), metadata.to_string());
    }
    scenario.files[0].1 = site;
    scenario
}

/// Two instances of a defined type from each of many modules.
pub fn defined_types(modules: usize) -> Scenario {
    let mut site = String::new();
    let mut scenario = Scenario::new("defined_types", "");
    for n in 0..modules {
        let _ = writeln!(site, "module{n}::testing {{ 'first': }}\nmodule{n}::testing {{ 'second': }}");
        scenario = scenario.with(
            format!("modules/module{n}/manifests/testing.pp"),
            format!("define module{n}::testing {{\n  notify {{ \"in module{n}: ${{title}}\": }}\n}}\n"),
        );
    }
    scenario.files[0].1 = site;
    scenario
}

/// Virtual resources, each collected by a collector of its own.
pub fn virtual_collection(count: usize) -> Scenario {
    let mut site = String::new();
    for n in 0..count {
        let _ = writeln!(site, "@notify {{ 'name{n}': }}");
    }
    for n in 0..count {
        let _ = writeln!(site, "Notify <| title == 'name{n}' |>");
    }
    Scenario::new("virtual_collection", site)
}

/// Plain resources with relationships: how cost grows with the size of a catalog.
pub fn many_resources(count: usize) -> Scenario {
    let site = format!(
        "Integer[1, {count}].each |$n| {{\n  file {{ \"/srv/data/${{n}}\":\n    ensure  => file,\n    mode    => '0644',\n    owner   => 'root',\n    content => \"number ${{n}}\",\n    require => File['/srv/data'],\n  }}\n}}\nfile {{ '/srv/data': ensure => directory }}\n"
    );
    Scenario::new("many_resources", site)
}

/// Classes whose parameters hold large values, so that the document is.
pub fn large_values(classes: usize) -> Scenario {
    let mut site =
        String::from("$large = Integer[1, 200].map |$n| { \"element number ${n} of a long list\" }\n");
    for n in 0..classes {
        let _ = writeln!(
            site,
            "class holder{n} ($data) {{ notify {{ 'holder{n}': message => $data }} }}\nclass {{ 'holder{n}': data => $large }}"
        );
    }
    Scenario::new("large_values", site)
}

/// Short expressions, over and over: variables of all kinds, interpolation, calls, type checks.
pub fn evaluations(rounds: usize) -> Scenario {
    let repeat = |text: &str| vec![text; 20].join(", ");
    let site = format!(
        "$x = 'x'\ninclude testing\nInteger[1, {rounds}].each |$n| {{\n  $a = [{}]\n  $b = [{}]\n  $c = [{}]\n  $d = [{}]\n  $e = [{}]\n  $f = [{}]\n}}\n",
        repeat("$x"),
        repeat("$::x"),
        repeat("$testing::param_a"),
        repeat("\"...$x...${x}...\""),
        repeat("assert_type(Integer, 1)"),
        repeat("testing::func('x', 'y')"),
    );
    Scenario::new("evaluations", site)
        .with("modules/testing/manifests/init.pp", "class testing ($param_a = '10', $param_b = '20') {\n}\n")
        .with("modules/testing/functions/func.pp", "function testing::func($a, $b) {\n  \"${a}${b}\"\n}\n")
}

/// Resources whose attributes are fully qualified variables of a parameter class.
pub fn fq_var_lookup(files: usize) -> Scenario {
    let mut body = String::from(
        "class tree {\n  include tree::params\n  file { $tree::params::root: ensure => directory, owner => $tree::params::owner, group => $tree::params::team }\n  user { $tree::params::owner: ensure => present, gid => $tree::params::team }\n  group { $tree::params::team: ensure => present }\n",
    );
    for n in 1..=files {
        let _ = writeln!(
            body,
            "  file {{ \"${{tree::params::root}}/leaf{n}\":\n    ensure  => file,\n    content => 'leaf',\n    owner   => $tree::params::owner,\n    group   => $tree::params::team,\n    require => File[\"${{tree::params::root}}\"],\n  }}"
        );
    }
    body.push_str("}\n");
    Scenario::new("fq_var_lookup", "include tree\n")
        .with(
            "modules/tree/manifests/params.pp",
            "class tree::params {\n  $root = '/srv/tree'\n  $owner = 'gardener'\n  $team = 'forest'\n}\n",
        )
        .with("modules/tree/manifests/init.pp", body)
}

/// Lambdas with a structured parameter type, called on a list of hashes.
pub fn type_inference(rounds: usize) -> Scenario {
    let mut site = String::from(
        "$read = { 'mode' => 'read', 'path' => ['one', 'two'] }\n$write = { 'mode' => 'write', 'path' => ['three', 'four'] }\n$one = { 'key' => 'a', 'value' => $read }\n$two = { 'key' => 3, 'value' => $write }\n$list = [$one, $two, $one, $two, $one, $two, $one, $two, $one, $two, $one, $two, $one, $two, $one, $two, $one, $two, $one, $two]\n",
    );
    for _ in 0..rounds * 10 {
        site.push_str("$list.each |Struct[{key => Variant[Integer[1, 3], Enum[a, b, c]], value => Struct[{mode => Enum[read, write, update], path => Array[String]}]}] $v| { }\n");
    }
    Scenario::new("type_inference", site)
}

/// Functions of the environment and of modules, each calling the next.
pub fn function_loading(functions: usize) -> Scenario {
    let site = format!("notice(testing::f{}())\n", functions - 1);
    let mut scenario = Scenario::new("function_loading", site);
    for n in 0..functions {
        let body = match n {
            0 => "'the end'".to_owned(),
            _ => format!("testing::f{}()", n - 1),
        };
        scenario = scenario.with(
            format!("modules/testing/functions/f{n}.pp"),
            format!("function testing::f{n}() {{\n  {body}\n}}\n"),
        );
    }
    scenario
}

/// One template, rendered many times.
pub fn templates_epp(count: usize) -> Scenario {
    let site = format!(
        "Integer[1, {count}].each |$n| {{\n  notify {{ \"rendered ${{n}}\": message => epp('testing/page.epp', {{ 'n' => $n, 'items' => ['a', 'b', 'c'] }}) }}\n}}\n"
    );
    Scenario::new("templates_epp", site).with(
        "modules/testing/templates/page.epp",
        "<%- | Integer $n, Array[String] $items | -%>\n# page <%= $n %>\n<% $items.each |$item| { -%>\nitem = <%= $item.upcase %> of <%= $n * 2 %>\n<% } -%>\n<% if $n > 10 { -%>\nlarge = true\n<% } -%>\n",
    )
}

/// Lookups whose values are made of other lookups, in the environment's or the global layer.
pub fn hiera(name: &'static str, global: bool, function: &str, rounds: usize) -> Scenario {
    let rounds = rounds / 100;
    let site = format!(
        "$level = 'test'\n$keys = Integer[0, 99].map |$n| {{ \"x${{n}}\" }}\nInteger[1, {rounds}].each |$round| {{\n  $keys.each |$key| {{ $found = {function}($key) }}\n}}\n"
    );
    let mut common = String::new();
    let mut data = String::new();
    for n in 0..100 {
        let _ = writeln!(common, "a{n}: value a{n}\nb{n}: value b{n}\nc{n}: value c{n}");
        let _ =
            writeln!(common, "joined{n}: \"%{{lookup('a{n}')}}, %{{lookup('b{n}')}}, %{{lookup('c{n}')}}\"");
        let _ = writeln!(data, "x{n}: \"%{{lookup('joined{n}')}}\"");
    }
    let config = "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n  - name: common\n    path: common.yaml\n  - name: configured\n    path: \"%{level}/data.yaml\"\n";
    let mut scenario = Scenario::new(name, site)
        .with("data/common.yaml", common)
        .with("data/test/data.yaml", data)
        .with(if global { "global.yaml" } else { "hiera.yaml" }, config);
    scenario.global_data = global;
    scenario
}

/// Classes listed in data at several levels.
pub fn hiera_include(rounds: usize) -> Scenario {
    let site = format!(
        "Integer[1, {rounds}].each |$n| {{\n  lookup('classes', Array[String], 'unique').include\n}}\n"
    );
    Scenario::new("hiera_include", site)
        .with("data/common.yaml", "classes:\n  - testing\n  - testing::one\n")
        .with("data/more.yaml", "classes:\n  - testing::two\n")
        .with("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    paths: [more.yaml, common.yaml]\n")
        .with("modules/testing/manifests/init.pp", "class testing { }\n")
        .with("modules/testing/manifests/one.pp", "class testing::one { }\n")
        .with("modules/testing/manifests/two.pp", "class testing::two { }\n")
}

/// A hierarchy whose paths are made of many variables.
pub fn hiera_conf_interpol(rounds: usize) -> Scenario {
    let mut config =
        String::from("version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n");
    for n in 0..20 {
        let _ = writeln!(
            config,
            "  - name: level {n}\n    path: \"%{{facts.os.family}}/%{{facts.kernel}}/level{n}.yaml\""
        );
    }
    config.push_str("  - name: common\n    path: common.yaml\n");
    let site = format!("Integer[1, {rounds}].each |$n| {{\n  $found = lookup('wanted')\n}}\n");
    Scenario::new("hiera_conf_interpol", site)
        .with("hiera.yaml", config)
        .with("data/common.yaml", "wanted: found\n")
}

/// Hashes that are merged deeply from several files of data, about 0.7 MB of it.
pub fn hiera_deep_merge(keys: usize) -> Scenario {
    const LEVELS: usize = 6;
    let mut config = String::from("version: 5\nhierarchy:\n");
    let mut scenario = Scenario::new(
        "hiera_deep_merge",
        format!(
            "Integer[1, {keys}].each |$n| {{\n  notify {{ \"settings ${{n}}\": message => lookup(\"settings_${{n}}\", {{ merge => deep }}) }}\n}}\n"
        ),
    );
    for level in 0..LEVELS {
        let _ = writeln!(config, "  - name: level {level}\n    path: level{level}.yaml");
        let mut data = String::from("---\n");
        for key in 1..=keys {
            let _ = writeln!(data, "settings_{key}:");
            for group in 0..10 {
                let _ = writeln!(
                    data,
                    "  group{group}:\n    enabled: true\n    list{level}: [alpha, beta, {level}]"
                );
                for entry in 0..5 {
                    let _ = writeln!(data, "    entry{}: \"value of {level}, {entry}\"", entry * 3 + level);
                }
            }
        }
        scenario = scenario.with(format!("data/level{level}.yaml"), data);
    }
    scenario.with("hiera.yaml", config)
}
