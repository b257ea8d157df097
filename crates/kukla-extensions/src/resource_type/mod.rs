//! A module's own resource types, read from their Ruby source without running it.
//!
//! `lib/puppet/type/NAME.rb` calls `newtype` with a block, whose calls to `newparam`, `newproperty` and `ensurable` name the
//! attributes. Almost all of these name them literally, or in a loop over a literal list, or in a method of a mixin that does;
//! a reader that knows literals, loops, methods and mixins gets them without Ruby. A type that it cannot read is marked open:
//! any attribute is accepted then, which is better than refusing a good manifest.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use kukla_catalog::types::{Change, NativeType, TitlePattern, Titles};
use kukla_ruby::outline::Outline;
use kukla_syntax::roomy;
use kukla_values::Name;

mod read;
mod run;
mod value;

pub use run::{Judge, execute, judge};

/// The `lib` directories of modules, in which the code of a type finds the files that it requires.
pub trait TypeLibrary {
    /// The outline of a file below some module's `lib` directory, such as `puppet_x/keystone/type.rb`.
    fn outline(&self, path: &str) -> Option<Arc<Outline>>;

    /// Whether any module has a provider for this type: then the type has a `provider` parameter.
    fn has_providers(&self, type_name: &str) -> bool;
}

/// Reads the type that `lib/puppet/type/NAME.rb` defines. `None` if the file defines no type of that name.
pub fn read(name: &str, source: &Outline, library: &dyn TypeLibrary) -> Option<NativeType> {
    let mut model = roomy(|| read::read(name, source, library))?;
    if library.has_providers(name) && !model.by_api {
        model.parameter("provider", false);
    }
    Some(model.into_type(name))
}

/// A title pattern: the regular expression, and each attribute with the changes made to its text.
pub type Pattern = (String, Vec<(String, Vec<Change>)>);

/// The attributes and title patterns of a type.
#[derive(Debug, Default)]
pub struct TypeModel {
    properties: IndexSet<String>,
    /// Parameters, each with whether it is a name variable.
    parameters: IndexMap<String, bool>,
    patterns: Option<Vec<Pattern>>,
    shared: bool,
    open: bool,
    /// Whether it is made with the Resource API, whose types choose their provider themselves.
    by_api: bool,
}

impl TypeModel {
    /// The model of a type whose code was run: its properties, its parameters and whether each is a name variable, its title patterns,
    /// and whether two resources of the same name may be two things.
    pub fn new(
        properties: impl IntoIterator<Item = String>,
        parameters: impl IntoIterator<Item = (String, bool)>,
        patterns: Option<Vec<Pattern>>,
        shared: bool,
    ) -> TypeModel {
        let (properties, parameters) = (properties.into_iter().collect(), parameters.into_iter().collect());
        TypeModel { properties, parameters, patterns, shared, open: false, by_api: false }
    }

    fn property(&mut self, name: &str) {
        self.properties.insert(name.into());
    }

    fn parameter(&mut self, name: &str, is_namevar: bool) {
        *self.parameters.entry(name.into()).or_default() |= is_namevar;
    }

    /// The type of that name.
    pub fn into_type(self, name: &str) -> NativeType {
        let intern = |name: &String| Name::new(name).as_str();
        let sorted = |mut names: Vec<&'static str>| {
            names.sort_unstable();
            Cow::Owned(names)
        };
        let namevars: Vec<_> = self
            .parameters
            .iter()
            .filter(|(name, is)| **is || *name == "name")
            .map(|(name, _)| intern(name))
            .collect();
        let titles = match self.patterns {
            Some(patterns) if is_whole_title(&patterns, &namevars) => {
                if namevars.len() == 1 {
                    Titles::Whole
                } else {
                    Titles::First
                }
            }
            Some(patterns) => Titles::Patterns(
                patterns
                    .into_iter()
                    .map(|(regexp, names)| TitlePattern {
                        regexp: regexp.into(),
                        attributes: names.iter().map(|(name, _)| intern(name)).collect::<Vec<_>>().into(),
                        changes: names.into_iter().map(|(_, changes)| changes).collect(),
                    })
                    .collect(),
            ),
            None => Titles::Whole,
        };
        NativeType {
            name: Name::new(name).as_str(),
            properties: sorted(self.properties.iter().map(intern).collect()),
            parameters: sorted(self.parameters.iter().map(|(name, _)| intern(name)).collect()),
            // A type that could not be read may have unknown name variables; its title is its name.
            namevars: if self.open && namevars.is_empty() { vec!["name"].into() } else { namevars.into() },
            titles,
            isomorphic: !self.shared,
            open: self.open,
        }
    }
}

/// Whether the only pattern gives the whole title to the first name variable.
fn is_whole_title(patterns: &[Pattern], namevars: &[&str]) -> bool {
    match patterns {
        [(regexp, names)] if regexp == "(?m-ix:(.*))" => {
            matches!(&names[..], [(only, changes)] if changes.is_empty() && namevars.first() == Some(&only.as_str()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files<'a>(&'a [(&'a str, &'a str)]);

    /// Reads a type from its text.
    fn read(name: &str, source: &str, library: &Files<'_>) -> Option<NativeType> {
        super::read(name, &Outline::new(source), library)
    }

    impl TypeLibrary for Files<'_> {
        fn outline(&self, path: &str) -> Option<Arc<Outline>> {
            let file = self.0.iter().find(|(name, _)| *name == path);
            file.map(|(_, text)| Arc::new(Outline::new(text)))
        }
        fn has_providers(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn literal_names() {
        let source = "Puppet::Type.newtype(:thing) do
          @isomorphic = false
          ensurable
          newparam(:path, :namevar => true) { desc 'x' }
          newparam('colour') { isnamevar }
          %w[a b].each { |x| newproperty(\"p_#{x}\") }
          def self.title_patterns
            [[%r{^(.*):(\\d+)$}i, [[:path], [:colour, lambda { |x| x }]]]]
          end
        end";
        let ty = read("thing", source, &Files(&[])).unwrap();
        assert_eq!(*ty.properties, ["ensure", "p_a", "p_b"]);
        assert_eq!(*ty.namevars, ["path", "colour"]);
        assert!(!ty.isomorphic && !ty.open);
        let Titles::Patterns(patterns) = &ty.titles else { panic!("no patterns") };
        assert_eq!(
            (&*patterns[0].regexp, &*patterns[0].attributes),
            ("(?i-mx:^(.*):(\\d+)$)", &["path", "colour"][..])
        );
    }

    #[test]
    fn title_patterns_change_parts_of_titles() {
        let with = |code: &str| {
            let source = format!(
                "Puppet::Type.newtype(:thing) do
                  newparam(:name, :namevar => true)
                  def self.title_patterns; [[/(.*)/m, [[:name, {code}]]]]; end
                end"
            );
            read("thing", &source, &Files(&[])).unwrap()
        };
        let changes = |code: &str| match with(code).titles {
            Titles::Patterns(patterns) => patterns[0].changes.concat(),
            _ => Vec::new(),
        };
        for identity in ["lambda { |x| x }", "->(x) { x.to_s }", "proc { |x| x }", "Proc.new { |x| x }"] {
            assert_eq!(changes(identity), [], "{identity}");
            assert!(!with(identity).open);
        }
        assert_eq!(changes("->(x) { x.strip.downcase }"), [Change::Strip, Change::Downcase]);
        let replace = Change::Replace("/+$".into(), String::new(), false);
        assert_eq!(changes("lambda { |x| x.sub(%r{/+$}, '') }"), [replace]);
        assert!(with("lambda { |x| Other.munge(x) }").open);
    }

    #[test]
    fn procs_and_singleton_methods() {
        let source = "Puppet::Type.newtype(:thing) do
          common = proc { newparam(:url); ensurable }
          feature :x, _('text')
          instance_eval(&common)
          newparam(:name)
          newparam(:area) { isnamevar }
          define_singleton_method(:title_patterns) { [[/^(.*)@(.*)$/, [[:name], [:area]]]] }
        end";
        let ty = read("thing", source, &Files(&[])).unwrap();
        assert_eq!((&*ty.properties, &*ty.parameters), (&["ensure"][..], &["area", "name", "url"][..]));
        assert!(!ty.open && matches!(ty.titles, Titles::Patterns(_)));
    }

    #[test]
    fn mixins() {
        let mixin = "module PuppetX; module Settings; def create_parameters(extra)
            newparam(:name)
            newparam(extra)
          end; end; end";
        let source = "require 'puppet_x/settings'
          Puppet::Type.newtype(:thing) do
            extend PuppetX::Settings
            create_parameters(:secret)
          end";
        let ty = read("thing", source, &Files(&[("puppet_x/settings.rb", mixin)])).unwrap();
        assert_eq!(*ty.parameters, ["name", "secret"]);
        assert!(!ty.open);
    }

    #[test]
    fn titles_defined_on_the_type() {
        let helper = "module Helper; def self.fill(type)
            type.define_singleton_method(:title_patterns) { [[%r{^(.*)/(.*)$}, [[:section], [:setting]]]] }
            type.newparam(:section) { isnamevar }
            type.newparam(:setting) { isnamevar }
          end; end";
        let source = "require File.join(File.dirname(__FILE__), '..', '..', 'helper')
          Puppet::Type.newtype(:thing) { Helper.fill(self) }";
        let ty = read("thing", source, &Files(&[("helper.rb", helper)])).unwrap();
        assert!(matches!(&ty.titles, Titles::Patterns(patterns) if patterns.len() == 1) && !ty.open);
    }

    #[test]
    fn procedures_for_several_types() {
        let common = "module Common; PARAMS = Proc.new do ensurable; newparam(:url) { desc 'x' } end; end";
        let source = "require_relative '../../common'
          Puppet::Type.newtype(:thing) do
            @doc = _('a thing')
            instance_eval(&Common::PARAMS)
            newparam(:name, namevar: true)
          end";
        let ty = read("thing", source, &Files(&[("common.rb", common)])).unwrap();
        assert_eq!((&*ty.properties, &*ty.parameters), (&["ensure"][..], &["name", "url"][..]));
        assert!(!ty.open);
    }

    #[test]
    fn types_that_cannot_be_read_are_open() {
        let source = "Puppet::Type.newtype(:thing) { newparam(:name); Other.list.each { |x| newparam(x) } }";
        assert!(read("thing", source, &Files(&[])).unwrap().open);
        assert!(read("other", source, &Files(&[])).is_none());
        assert!(read("thing", "class Thing; end )(", &Files(&[])).is_none());
    }

    #[test]
    fn resource_api() {
        let source = "Puppet::ResourceApi.register_type(
          name: 'thing',
          title_patterns: [{ pattern: %r{^(?<pkg>.*[^-])-(?<via>.*)$}, desc: 'x' }],
          attributes: {
            ensure: { type: 'Enum[present, absent]' },
            pkg: { type: 'String', behaviour: :namevar },
            via: { type: 'String', behaviour: :namevar },
            force: { type: 'Boolean', behavior: :parameter },
            seen: { type: 'String', behaviour: :read_only },
            born: { type: 'String', behaviour: :init_only },
          },
        )";
        let ty = read("thing", source, &Files(&[])).unwrap();
        assert_eq!(
            (&*ty.properties, &*ty.parameters),
            (&["born", "ensure"][..], &["force", "pkg", "seen", "via"][..])
        );
        let Titles::Patterns(patterns) = &ty.titles else { panic!("no patterns") };
        assert_eq!(&*patterns[0].attributes, ["pkg", "via"]);
    }

    /// Code that a reader without limits would follow until it runs out of stack, memory or time.
    #[test]
    fn endless_code() {
        let ty = "Puppet::Type.newtype(:thing) { newparam(:name) }";
        let negations = format!("{}f", "!".repeat(200));
        for source in [
            format!("{ty}; f = lambda {{ f.call }}; f.call"),
            format!("def self.f; [{negations}, {negations}]; end; self.f; {ty}"),
            format!("x = 'a'; 40.times {{ x = [x, x] }}; {ty}"),
            format!("X = 'a'; 40.times {{ X = {{ X => X }} }}; {ty}"),
            format!("x = 'a'; 40.times {{ x = \"#{{x}}#{{x}}\" }}; {ty}"),
            format!("x = []; 1000.times {{ 1000.times {{ x = [x] }} }}; {ty}"),
            format!("{ty}; x = [1]; 1000.times {{ 1000.times {{ x.tap {{ |y| x }} }} }}"),
            format!("x = (%w[{}]).join('{}'); {ty}", "a ".repeat(10_000), "b".repeat(10_000)),
        ] {
            let Some(ty) = read("thing", &source, &Files(&[])) else { panic!("no type: {source:.80}") };
            assert!(ty.open || source.contains("join"), "{source:.80}");
        }
    }

    #[test]
    fn many_attributes() {
        let source = "Puppet::Type.newtype(:thing) do
          newparam(:name)
          150.times { |a| 150.times { |b| newproperty(\"p#{a}_#{b}\") } }
        end";
        let ty = read("thing", source, &Files(&[])).unwrap();
        assert_eq!(ty.properties.len(), 150 * 150);
        assert!(!ty.open);
    }
}
