//! The parts of a compilation whose cost is counted one by one: the difference between a scenario with many of something and one with few.

use std::fmt::Write as _;

use crate::scenario::Scenario;

/// One part of compilations.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name among the limits.
    pub name: &'static str,
    /// A description of one of it.
    pub about: &'static str,
    /// A scenario with few of it, or none.
    pub few: Scenario,
    /// One with more.
    pub many: Scenario,
    /// How many more.
    pub count: u64,
}

/// All parts that are counted.
pub fn all() -> Vec<Part> {
    let part = |name, about, count, make: &dyn Fn(&'static str, usize) -> Scenario, few: usize| Part {
        name,
        about,
        few: make(name, few),
        many: make(name, few + count),
        count: count as u64,
    };
    vec![
        part("ruby_start", "until the first line of Ruby runs", 1, &|name, n| inline(name, n, "<%= 1 %>"), 0),
        Part {
            name: "puppet_classes",
            about: "Puppet's own classes in Ruby",
            few: inline("puppet_classes", 1, "<%= 1 %>"),
            many: inline("puppet_classes", 1, "<%= Puppet::Parser %>"),
            count: 1,
        },
        part("ruby_function", "a call of a function in Ruby", 200, &ruby_function, 10),
        part("template", "an ERB template of 20 lines", 200, &template, 10),
        part(
            "class_parameter",
            "a class parameter from data",
            400,
            &|name, n| parameters(name, n, PATHS),
            40,
        ),
        part("backend_parameter", "the same from a function in Ruby", 400, &backend, 40),
        part("deep_merge", "a deep merge of 20 keys over six levels", 50, &deep_merge, 10),
        part("resource", "a resource", 1000, &resources, 100),
        part("define", "an instance of a defined type", 500, &defines, 50),
    ]
}

fn inline(name: &'static str, count: usize, text: &str) -> Scenario {
    Scenario::new(
        name,
        format!("$x = {}\n", if count == 0 { "''".into() } else { format!("inline_template('{text}')") }),
    )
}

fn ruby_function(name: &'static str, count: usize) -> Scenario {
    let site = format!("Integer[1, {count}].each |$n| {{ $x = testing::twice([$n, 'a']) }}\n");
    let code = "Puppet::Functions.create_function(:'testing::twice') do\n  dispatch :twice do\n    param 'Array', :values\n  end\n\n  def twice(values)\n    values + values\n  end\nend\n";
    Scenario::new(name, site).with("modules/testing/lib/puppet/functions/testing/twice.rb", code)
}

fn template(name: &'static str, count: usize) -> Scenario {
    let site = format!(
        "$user = 'www'\n$ports = [80, 443]\n$options = {{ 'a' => '1', 'b' => '2' }}\nInteger[1, {count}].each |$n| {{ $x = template('testing/page.erb') }}\n"
    );
    let mut text = String::from(
        "# managed\nUser <%= @user %>\n<% @ports.each do |port| -%>\nListen <%= port %>\n<% end -%>\n<% if @missing -%>\nMissing <%= @missing %>\n<% end -%>\n<% @options.sort.each do |name, value| -%>\n<%= name %> = <%= value %>\n<% end -%>\n",
    );
    (0..9).for_each(|n| text += &format!("Line{n} <%= @user %>\n"));
    Scenario::new(name, site).with("modules/testing/templates/page.erb", text)
}

/// Each compilation is that of another node, so that its data has to be searched.
const PATHS: &str = "version: 5\ndefaults:\n  datadir: data\n  data_hash: yaml_data\nhierarchy:\n  - name: node\n    path: \"nodes/%{trusted.certname}.yaml\"\n  - name: group\n    path: \"groups/%{facts.group}.yaml\"\n  - name: common\n    path: common.yaml\n";

fn parameters(name: &'static str, count: usize, config: &str) -> Scenario {
    const EACH: usize = 20;
    let mut scenario = Scenario::new(name, String::new()).with("hiera.yaml", config);
    let (mut site, mut data) = (String::new(), String::from("---\n"));
    for class in 0..count / EACH {
        let _ = writeln!(site, "include testing::c{class}");
        let mut code = format!("class testing::c{class} (\n");
        for parameter in 0..EACH {
            let _ = writeln!(code, "  String $p{parameter},");
            let _ = writeln!(data, "testing::c{class}::p{parameter}: value {parameter}");
        }
        code += ") { }\n";
        scenario = scenario.with(format!("modules/testing/manifests/c{class}.pp"), code);
    }
    scenario.files[0].1 = site;
    scenario.with("data/common.yaml", data)
}

fn backend(name: &'static str, count: usize) -> Scenario {
    let config = "version: 5\ndefaults:\n  datadir: data\nhierarchy:\n  - name: node\n    path: \"nodes/%{trusted.certname}.yaml\"\n    data_hash: yaml_data\n  - name: ruby\n    lookup_key: testing::data\n    path: common.yaml\n";
    let code = "require 'yaml'\n\nPuppet::Functions.create_function(:'testing::data') do\n  dispatch :data do\n    param 'String[1]', :key\n    param 'Hash', :options\n    param 'Puppet::LookupContext', :context\n  end\n\n  def data(key, options, context)\n    return context.cached_value(key) if context.cache_has_key(key)\n    return context.not_found unless File.exist?(options['path'])\n    data = context.cached_file_data(options['path']) { |text| YAML.safe_load(text) }\n    Puppet.debug(\"looking for #{key}\")\n    context.not_found unless data.include?(key)\n    context.cache(key, context.interpolate(data[key]))\n  end\nend\n";
    parameters(name, count, config).with("modules/testing/lib/puppet/functions/testing/data.rb", code)
}

fn deep_merge(name: &'static str, count: usize) -> Scenario {
    const LEVELS: usize = 6;
    let mut config = String::from(
        "version: 5\nhierarchy:\n  - name: node\n    path: \"nodes/%{trusted.certname}.yaml\"\n",
    );
    let site = format!(
        "Integer[1, {count}].each |$n| {{ $x = lookup(\"settings_${{n}}\", {{ merge => deep }}) }}\n"
    );
    let mut scenario = Scenario::new(name, site);
    for level in 0..LEVELS {
        let _ = writeln!(config, "  - name: level {level}\n    path: level{level}.yaml");
        let mut data = String::from("---\n");
        for key in 1..=count {
            let _ = writeln!(data, "settings_{key}:");
            for entry in 0..20 {
                let _ = writeln!(data, "  entry{}: value of {level}", entry + level);
            }
        }
        scenario = scenario.with(format!("data/level{level}.yaml"), data);
    }
    scenario.with("hiera.yaml", config)
}

fn resources(name: &'static str, count: usize) -> Scenario {
    let site = format!(
        "Integer[1, {count}].each |$n| {{ file {{ \"/tmp/f${{n}}\": ensure => file, mode => '0644', content => \"${{n}}\" }} }}\n"
    );
    Scenario::new(name, site)
}

fn defines(name: &'static str, count: usize) -> Scenario {
    let site = format!("Integer[1, {count}].each |$n| {{ testing::one {{ \"n${{n}}\": port => $n }} }}\n");
    let code = "define testing::one (Integer $port, String $owner = 'root', Boolean $active = true) {\n  if $active { notify { \"${title} ${owner} ${port}\": } }\n}\n";
    Scenario::new(name, site).with("modules/testing/manifests/one.pp", code)
}
