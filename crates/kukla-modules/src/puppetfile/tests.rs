use kukla_world::MemoryWorld;

use super::edit::Editor;
use super::*;

fn read(text: &str) -> Result<Puppetfile, Problem> {
    let world = MemoryWorld::default();
    Puppetfile::evaluate(&world, Path::new("/r/Puppetfile"), text.as_bytes(), &ReadOptions::default())
}

fn lines(text: &str) -> Vec<String> {
    let shown = |module: &Declaration| {
        let spec = if module.keep_spec { " spec" } else { "" };
        format!("{} {} {}: {}{spec}", module.line, module.path().display(), module.title, module.source)
    };
    read(text).unwrap().modules.iter().map(shown).collect()
}

#[test]
fn all_forms_of_declarations() {
    let text = r#"
forge 'https://forge.example.com'
branch = 'main'
mod 'puppetlabs/stdlib', '9.4.1'
mod "puppetlabs-apt"
mod 'puppet-nginx', :latest
mod 'a/range', '>= 1.0.0 < 2.0.0'
mod 'site', :git => 'https://git.example.com/site.git', :ref => branch
mod 'tagged', git: 'git@git.example.com:tagged.git', tag: 'v1', exclude_spec: false
mod 'tracked',
  git:            'u',
  branch:         :control_branch,
  default_branch: 'production'
moduledir 'external'
mod 'own', local: true
mod 'placed', git: 'u', commit: 'abc', install_path: 'site/'
mod 'tar', type: 'tarball', source: 'https://example.com/t.tar.gz', version: 'AA00000000000000000000000000000000000000000000000000000000000000'
%w[one two].each { |name| mod "x/#{name}", '1.0.0' }
mod 'typed/forge', type: 'forge', version: '2.0.0'
mod 'typed', type: 'git', source: 'u', version: 'v2'
mod 'linked', :git => 'u', :link => 'true', :fallback => 'develop|master', :ignore-unreachable => true
mod 'summed/module', '1.0.0', :sha256sum => 'aa'
mod 'svn', svn: 'https://svn.example.com', revision: '12'
"#;
    let file = read(text).unwrap();
    assert_eq!(file.forge.as_deref(), Some("https://forge.example.com"));
    assert_eq!(file.moduledir, Path::new("external"));
    assert_eq!(
        lines(text),
        [
            "4 modules/stdlib puppetlabs-stdlib: forge 9.4.1",
            "5 modules/apt puppetlabs-apt: forge any version",
            "6 modules/nginx puppet-nginx: forge latest",
            "7 modules/range a-range: forge >= 1.0.0 < 2.0.0",
            "8 modules/site site: git https://git.example.com/site.git main",
            "9 modules/tagged tagged: git git@git.example.com:tagged.git v1 spec",
            "10 modules/tracked tracked: git u :control_branch or production",
            "15 external/own own: local",
            "16 site/placed placed: git u abc spec",
            "17 external/tar tar: tarball https://example.com/t.tar.gz AA00000000000000000000000000000000000000000000000000000000000000",
            "18 external/one x-one: forge 1.0.0",
            "18 external/two x-two: forge 1.0.0",
            "19 external/forge typed-forge: forge 2.0.0",
            "20 external/typed typed: git u v2",
            "21 external/linked linked: git u :control_branch or develop or master",
            "22 external/module summed-module: forge 1.0.0",
            "23 external/svn svn: svn https://svn.example.com 12",
        ]
    );
}

#[test]
fn mistakes_have_a_line_and_a_reason() {
    let cases = [
        ("mod 'a/b'\nmod 'c/b'", "/r/Puppetfile:2: the module 'b' is also declared on line 1"),
        ("\nmod 'b', '1.0.0'", "/r/Puppetfile:2: expected 'author/b' for a module of the Forge, got 'b'"),
        ("mod 'a/b', 'no version'", "/r/Puppetfile:1: 'no version' is not a valid version of a Forge module"),
        ("mod 'a b', git: 'u'", "/r/Puppetfile:1: the module name 'a b' is neither 'name' nor 'author/name'"),
        (
            "mod 'b', gti: 'u'",
            "/r/Puppetfile:1: the options of the module 'b' do not say where it comes from",
        ),
        (
            "mod 'b', git: 'u', install_path: '../x'",
            "/r/Puppetfile:1: '../x' is not within the directory of the Puppetfile",
        ),
        ("\n\nmodd 'b'", "/r/Puppetfile:3: unrecognized declaration 'modd'"),
        ("mod 'b', git: 1", "/r/Puppetfile:1: expected a string for `git`, got 1"),
        ("\nraise 'no'", "/r/Puppetfile:2: no"),
        ("mod 'a/b', '1.0.0', '2'", "/r/Puppetfile:1: expected options after the version, got '2'"),
    ];
    for (text, expected) in cases {
        let problem = read(text).unwrap_err().to_string();
        assert_eq!(problem, format!("invalid Puppetfile {expected}"), "{text}");
    }
    let syntax = read("mod 'a/b',\n\nmod(").unwrap_err().to_string();
    assert!(
        syntax.starts_with("invalid Puppetfile /r/Puppetfile:") && syntax.contains("syntax error"),
        "{syntax}"
    );
    let endless = read("loop { }").unwrap_err();
    assert!(endless.with_help().contains("check its loops"), "{}", endless.with_help());
}

const EDITED: &str = "# modules\nforge 'x'\n\n# the base\nmod 'a/b', '1.0.0' # pinned\nmod \"c/d\",\n  :latest\nmod 'e',\n  git: 'u', # there\n  tag: 'v1'\nVERSION = '2.0.0'\nmod 'f/g', VERSION\nmod 'h/i'\n";

#[test]
fn edits_change_literals_only() {
    let world = MemoryWorld::default();
    let options = ReadOptions::default();
    let mut editor = Editor::new(&world, Path::new("/r/Puppetfile"), EDITED, &options).unwrap();
    editor.set_version("b", "1.1.0").unwrap();
    editor.set_version("c/d", "3.0.0").unwrap();
    editor.set_version("e", "v2").unwrap();
    editor.set_version("i", "4.0.0").unwrap();
    editor.add("new-one", "mod 'new/one', '1.0.0'").unwrap();
    let expected = EDITED
        .replace("'1.0.0' # pinned", "'1.1.0' # pinned")
        .replace("  :latest", "  '3.0.0'")
        .replace("'v1'", "'v2'")
        .replace("mod 'h/i'\n", "mod 'h/i', '4.0.0'\nmod 'new/one', '1.0.0'\n");
    assert_eq!(editor.text, expected);
    editor.remove("b").unwrap();
    editor.remove("e").unwrap();
    let expected = expected
        .replace("mod 'a/b', '1.1.0' # pinned\n", "")
        .replace("mod 'e',\n  git: 'u', # there\n  tag: 'v2'\n", "");
    assert_eq!(editor.text, expected);
    let computed = editor.set_version("g", "3.0.0").unwrap_err();
    assert!(computed.to_string().contains("does not state it as a literal"), "{computed}");
    assert!(editor.set_version("c/d", "1'; system('x'); '").is_err());
    assert!(editor.add("c/d", "mod 'c/d'").is_err());
    assert!(editor.remove("gone").is_err());
    assert_eq!(editor.text, expected, "a refused change leaves the text alone");
}

#[test]
fn a_change_that_affects_others_is_refused() {
    let world = MemoryWorld::default();
    let text = "mod 'a/b', '1.0.0' unless false\n";
    let mut editor = Editor::new(&world, Path::new("/r/Puppetfile"), text, &ReadOptions::default()).unwrap();
    assert!(editor.remove("b").is_err());
    assert_eq!(editor.text, text);
}
