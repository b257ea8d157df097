//! Variables of ERB templates.

use kukla_ruby::erb::Trim;
use kukla_ruby::outline::{Call, Expr, Node, Outline, Target};
use kukla_syntax::{Span, deep};
use rustc_hash::FxHashSet;

/// A variable of Puppet's that a template reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableUse {
    /// The name without `@`, as in `port` or `apache::port`.
    pub name: String,
    /// The position: of `@port`, or of the name in `scope['port']`.
    pub span: Span,
}

/// The names that a template uses.
#[derive(Clone, Debug, Default)]
pub struct TemplateOutline {
    /// The variables it reads, each at its first use: as `@name`, `scope['name']` or `scope.lookupvar('name')`. Those that it sets itself or
    /// tests for existence are left out.
    pub variables: Vec<VariableUse>,
    /// The variables it treats as a list or hash under no other condition than that they are set.
    pub iterated: Vec<String>,
    /// The strings that may name other templates, such as `apache/vhost.erb`.
    pub paths: Vec<String>,
}

/// Methods that lists and hashes have, and strings and numbers have not.
const COLLECTION_METHODS: &[&str] = &[
    "each",
    "each_pair",
    "each_with_index",
    "map",
    "collect",
    "select",
    "reject",
    "sort",
    "sort_by",
    "keys",
    "values",
    "join",
    "flatten",
    "has_key?",
    "key?",
];

/// Methods with which a template finds out what a variable holds.
const TYPE_TESTS: &[&str] =
    &["is_a?", "kind_of?", "instance_of?", "respond_to?", "class", "to_a", "==", "===", "!=", "=~"];

impl TemplateOutline {
    /// Reads a template.
    pub fn new(template: &str) -> TemplateOutline {
        let outline = Outline::of_template(template, Trim::DASH, "_erbout");
        let mut reader = Reader::default();
        outline.body().walk(|node| reader.read(node));
        let Reader { mut variables, paths, excluded, tested, .. } = reader;
        variables.retain(|variable| !excluded.contains(&variable.name));
        let mut iterated = Vec::new();
        if !outline.has_errors() {
            let mut conditions = Vec::new();
            find_iterated(outline.body(), &mut conditions, &mut iterated);
            iterated.retain(|name| !tested.contains(name));
        }
        TemplateOutline { variables, iterated, paths }
    }
}

#[derive(Default)]
struct Reader {
    variables: Vec<VariableUse>,
    paths: Vec<String>,
    /// Variables that the template sets, or whose existence it tests.
    excluded: FxHashSet<String>,
    /// Variables that may hold something else than a list or hash, as far as the template is concerned.
    tested: FxHashSet<String>,
}

impl Reader {
    fn read(&mut self, node: &Node) -> bool {
        match &node.expr {
            Expr::InstanceVariable(_) => {
                if let Some(name) = variable(node) {
                    self.use_variable(name, node.span);
                }
            }
            Expr::Assign(assign) => {
                if let Target::InstanceVariable(name) = &assign.target {
                    let name = name.trim_start_matches('@').to_owned();
                    self.tested.insert(name.clone());
                    self.excluded.insert(name);
                }
            }
            Expr::Defined(inner) => {
                self.excluded.extend(variable(inner).map(str::to_owned));
                return false;
            }
            Expr::Text(_) => self.paths.extend(node.literal().filter(|text| is_path(text))),
            Expr::Array(elements) => self.test(elements.iter()),
            Expr::Case(subject, _) => self.test([&**subject].into_iter()),
            Expr::Call(call) => self.call(call),
            _ => {}
        }
        true
    }

    fn call(&mut self, call: &Call) {
        self.test(call.args.iter());
        if TYPE_TESTS.contains(&call.name.as_str()) {
            self.test(call.receiver.iter());
        }
        let names = || call.args.iter().filter_map(|arg| Some((arg.literal()?, arg.span)));
        let is_on_scope = is_scope(call.receiver.as_ref());
        match call.name.as_str() {
            "has_variable?" => self.excluded.extend(names().map(|(name, _)| plain(&name))),
            "exist?" | "include?" if is_on_scope => {
                self.excluded.extend(names().map(|(name, _)| plain(&name)));
            }
            "[]" | "lookupvar" if is_on_scope => {
                names().take(1).for_each(|(name, span)| self.use_variable(&plain(&name), span));
            }
            _ => {}
        }
    }

    fn test<'n>(&mut self, nodes: impl Iterator<Item = &'n Node>) {
        self.tested.extend(nodes.filter_map(variable).map(str::to_owned));
    }

    fn use_variable(&mut self, name: &str, span: Span) {
        if self.variables.iter().all(|known| known.name != name) {
            self.variables.push(VariableUse { name: name.to_owned(), span });
        }
    }
}

/// A variable's name as `scope` takes it, without the leading `::` of the top scope.
fn plain(name: &str) -> String {
    name.trim_start_matches("::").to_owned()
}

/// Whether a call is made on the scope of a template, and not on a variable of a block that has its name.
fn is_scope(receiver: Option<&Node>) -> bool {
    receiver
        .and_then(Node::as_call)
        .is_some_and(|call| call.name == "scope" && call.receiver.is_none() && call.args.is_empty())
}

/// The variable of Puppet's that an instance variable is.
fn variable(node: &Node) -> Option<&str> {
    let Expr::InstanceVariable(name) = &node.expr else { return None };
    let name = name.strip_prefix('@')?;
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_').then_some(name)
}

/// Whether a string may name a template of a module.
fn is_path(text: &str) -> bool {
    let Some((module, rest)) = text.split_once('/') else { return false };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    module.starts_with(|c: char| c.is_ascii_lowercase()) && module.chars().all(is_word) && !rest.is_empty()
}

/// Finds the variables that are treated as lists or hashes. `conditions` are those under which a node is evaluated: `Some` for one that
/// only asks whether a variable is set.
fn find_iterated<'n>(node: &'n Node, conditions: &mut Vec<Option<&'n str>>, found: &mut Vec<String>) {
    let mut under = |condition: Option<&'n str>, nodes: &[&'n Node], found: &mut Vec<String>| {
        conditions.push(condition);
        nodes.iter().for_each(|node| deep(|| find_iterated(node, conditions, found)));
        conditions.pop();
    };
    match &node.expr {
        Expr::If(test, yes, no) => {
            under(variable(test), &[&**yes], found);
            under(None, &[&**no], found);
            deep(|| find_iterated(test, conditions, found));
        }
        Expr::And(left, right) => {
            under(variable(left), &[&**right], found);
            deep(|| find_iterated(left, conditions, found));
        }
        Expr::Or(left, right) => {
            under(None, &[&**right], found);
            deep(|| find_iterated(left, conditions, found));
        }
        Expr::Case(subject, rest) => {
            under(None, &rest.iter().collect::<Vec<_>>(), found);
            deep(|| find_iterated(subject, conditions, found));
        }
        Expr::Call(call) => {
            if let Some(block) = &call.block {
                under(None, &[&block.body], found);
            }
            if let Some(name) = call.receiver.as_ref().and_then(variable)
                && COLLECTION_METHODS.contains(&call.name.as_str())
                && conditions.iter().all(|condition| *condition == Some(name))
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_owned());
            }
            let evaluated = call.receiver.iter().chain(&call.args).chain(&call.block_argument);
            evaluated.for_each(|node| deep(|| find_iterated(node, conditions, found)));
        }
        // Code that runs later, elsewhere or perhaps not at all.
        Expr::Method(_) | Expr::Namespace(_) | Expr::Singleton(_) | Expr::Defined(_) => {}
        Expr::Begin(..) | Expr::Other(_) => {
            let mut inside = Vec::new();
            node.each_child(&mut |child| inside.push(child));
            under(None, &inside, found);
        }
        _ => node.each_child(&mut |child| deep(|| find_iterated(child, conditions, found))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(template: &str) -> Vec<String> {
        TemplateOutline::new(template).variables.into_iter().map(|variable| variable.name).collect()
    }

    #[test]
    fn variables_in_code_are_read() {
        let text = "a@b.c <%= @one %> <%# @no %> <%% @no %> <% @two = 1 %><%= @two %><% if @three == 3 # @no %>\nx@y<% end %>";
        assert_eq!(names(text), ["one", "three"]);
        let first = &TemplateOutline::new(text).variables[0];
        assert_eq!(&text[first.span.range()], "@one");
        assert_eq!(
            names("<%= \"#{@a}-#@b\" %> <%= '@no #{@no}' %> <%= foo(\n  @c,\n  :d => @e) %>"),
            ["a", "b", "c", "e"]
        );
        assert_eq!(names("<% @a ||= 1 %><% @b, @c = 1, 2 %><%= @a + @b + @c + @d %>"), ["d"]);
        assert_eq!(names("<% x = <<E\n@no #{@a}\nE\n%><%= @@no %><%= @Upper %>"), ["a"]);
    }

    #[test]
    fn variables_of_the_scope_are_read() {
        let text = "<%= scope['a'] %> <%= scope[\"::b::c\"] %> <%= scope.lookupvar('d') %> <%= scope.lookupvar(\n 'e') %> <%= scope[name] %>";
        assert_eq!(names(text), ["a", "b::c", "d", "e"]);
        let first = &TemplateOutline::new(text).variables[0];
        assert_eq!(&text[first.span.range()], "'a'");
        // A variable of a block takes the place of the scope.
        assert_eq!(
            names("<% @list.each do |scope| %><%= scope['no'] %><% end %><%= scope['a'] %>"),
            ["list", "a"]
        );
        assert_eq!(names("<% x.each do |y| y.each { |scope| scope['no'] } ; scope['b'] end %>"), ["b"]);
    }

    #[test]
    fn variables_that_may_be_absent_are_left_out() {
        assert_eq!(names("<% if has_variable?('a') %><%= @a %><% end %><%= @b %>"), ["b"]);
        assert_eq!(names("<% if scope.has_variable?(\n\"a\") && @a %><% end %>"), Vec::<String>::new());
        assert_eq!(names("<% if defined?(@a) %><%= @a %><% end %>"), Vec::<String>::new());
        assert_eq!(names("<% if scope.exist?('a') %><%= scope['a'] %><% end %>"), Vec::<String>::new());
    }

    #[test]
    fn lists_and_hashes() {
        let iterated = |text: &str| TemplateOutline::new(text).iterated;
        let text = "<% @a.each do |x| -%><%= x %><% end -%><% if @b -%><%= @b.join(' ') %><% end -%>
            <%- if @other -%><% @c.each do |x| %><% end %><% end %><% if @d.is_a?(Array) %><% @d.each {|x| %><% } %><% end %>";
        assert_eq!(iterated(text), ["a", "b"]);
        assert!(iterated("<% @a.each do |x| %>").is_empty());
        assert_eq!(iterated("<%= foo(@a.sort\n  .map { |x| @b.each { } }) %>"), ["a"]);
        assert_eq!(iterated("<%= @a.join if @b %><% @c.keys rescue nil %><% @d && @d.each { } %>"), ["d"]);
        assert!(iterated("<% [@a].flatten.each { } ; @a.join %>").is_empty());
        assert!(iterated("<% case @a when String then 1 else @a.join end %>").is_empty());
        assert!(iterated("# @a.each <%# @a.each %>").is_empty());
    }

    #[test]
    fn names_of_templates() {
        let text = "'web/no' <%= scope.function_template(['web/part.erb', \"web/#{x}\"]) %><%# 'web/no' %>";
        assert_eq!(TemplateOutline::new(text).paths, ["web/part.erb"]);
    }
}
