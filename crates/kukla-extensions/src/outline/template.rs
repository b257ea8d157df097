//! Variables of ERB templates.

use kukla_ruby::erb::Trim;
use kukla_ruby::outline::{Call, Expr, NameUse, Node, Outline, SyntaxError, Target};
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
    /// The variables on which it always calls a method that `nil` does not have.
    pub needed: Vec<String>,
    /// The names that it always uses without `@`, and that are neither local variables nor methods that every template has.
    pub bare: Vec<NameUse>,
    /// The strings that may name other templates, such as `apache/vhost.erb`.
    pub paths: Vec<String>,
    /// The syntax error because of which it cannot be rendered.
    pub syntax_error: Option<SyntaxError>,
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

/// Methods of `nil`, operators included, and those that all objects have.
const METHODS_OF_NIL: &[&str] = &[
    "!",
    "!=",
    "!~",
    "&",
    "<=>",
    "==",
    "===",
    "=~",
    "^",
    "__id__",
    "__send__",
    "class",
    "clone",
    "display",
    "dup",
    "enum_for",
    "eql?",
    "equal?",
    "extend",
    "freeze",
    "frozen?",
    "hash",
    "inspect",
    "instance_eval",
    "instance_exec",
    "instance_of?",
    "instance_variable_defined?",
    "instance_variable_get",
    "instance_variable_set",
    "instance_variables",
    "is_a?",
    "itself",
    "kind_of?",
    "method",
    "methods",
    "nil?",
    "object_id",
    "public_send",
    "rationalize",
    "respond_to?",
    "send",
    "singleton_class",
    "tap",
    "then",
    "to_a",
    "to_c",
    "to_enum",
    "to_f",
    "to_h",
    "to_i",
    "to_json",
    "to_r",
    "to_s",
    "to_yaml",
    "yield_self",
    "|",
];

/// Methods that may be called in every template without a receiver and without arguments: those of all objects, and of templates.
const METHODS_OF_TEMPLATES: &[&str] = &[
    "abort",
    "all_tags",
    "at_exit",
    "binding",
    "block_given?",
    "caller",
    "caller_locations",
    "class",
    "classes",
    "clone",
    "display",
    "dup",
    "exit",
    "fail",
    "file",
    "fork",
    "freeze",
    "gets",
    "global_variables",
    "hash",
    "inspect",
    "instance_variables",
    "itself",
    "lambda",
    "local_variables",
    "loop",
    "methods",
    "object_id",
    "p",
    "print",
    "private_methods",
    "proc",
    "public_methods",
    "putc",
    "puts",
    "raise",
    "rand",
    "readline",
    "readlines",
    "result",
    "scope",
    "script_line",
    "select",
    "singleton_class",
    "sleep",
    "srand",
    "string",
    "tags",
    "test",
    "to_s",
];

impl TemplateOutline {
    /// Reads a template.
    pub fn new(template: &str) -> TemplateOutline {
        let outline = Outline::of_template(template, Trim::DASH, "_erbout");
        let mut reader = Reader::default();
        outline.body().walk(|node| reader.read(node));
        let Reader { mut variables, paths, excluded, tested, .. } = reader;
        variables.retain(|variable| !excluded.contains(&variable.name));
        let mut demands = Demands::default();
        if !outline.has_errors() {
            let mut conditions = Vec::new();
            demands.find(outline.body(), &mut conditions);
            demands.iterated.retain(|name| !tested.contains(name));
            let names = outline.names();
            demands.bare.retain(|used| names.methods().all(|method| method != used.name));
        }
        let Demands { iterated, needed, bare } = demands;
        let syntax_error = outline.syntax_error().cloned();
        TemplateOutline { variables, iterated, needed, bare, paths, syntax_error }
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

/// The demands that a template makes on the variables where it is rendered.
#[derive(Default)]
struct Demands {
    iterated: Vec<String>,
    needed: Vec<String>,
    bare: Vec<NameUse>,
}

impl Demands {
    /// Finds the demands of a node. `conditions` are those under which it is evaluated: `Some` for one that only asks whether a variable is
    /// set.
    fn find<'n>(&mut self, node: &'n Node, conditions: &mut Vec<Option<&'n str>>) {
        match &node.expr {
            Expr::If(test, yes, no) => {
                self.find_under(variable(test), &[&**yes], conditions);
                self.find_under(None, &[&**no], conditions);
                deep(|| self.find(test, conditions));
            }
            Expr::And(left, right) => {
                self.find_under(variable(left), &[&**right], conditions);
                deep(|| self.find(left, conditions));
            }
            Expr::Or(left, right) => {
                self.find_under(None, &[&**right], conditions);
                deep(|| self.find(left, conditions));
            }
            Expr::Case(subject, rest) => {
                self.find_under(None, &rest.iter().collect::<Vec<_>>(), conditions);
                deep(|| self.find(subject, conditions));
            }
            Expr::Call(call) => {
                if let Some(block) = &call.block {
                    self.find_under(None, &[&block.body], conditions);
                }
                self.add_call(call, conditions);
                let evaluated = call.receiver.iter().chain(&call.args).chain(&call.block_argument);
                evaluated.for_each(|node| deep(|| self.find(node, conditions)));
            }
            // Code that runs later, elsewhere or perhaps not at all.
            Expr::Method(_) | Expr::Namespace(_) | Expr::Singleton(_) | Expr::Defined(_) => {}
            Expr::Begin(..) | Expr::Other(_) => {
                let mut inside = Vec::new();
                node.each_child(&mut |child| inside.push(child));
                self.find_under(None, &inside, conditions);
            }
            _ => node.each_child(&mut |child| deep(|| self.find(child, conditions))),
        }
    }

    fn find_under<'n>(
        &mut self,
        condition: Option<&'n str>,
        nodes: &[&'n Node],
        conditions: &mut Vec<Option<&'n str>>,
    ) {
        conditions.push(condition);
        nodes.iter().for_each(|node| deep(|| self.find(node, conditions)));
        conditions.pop();
    }

    fn add_call(&mut self, call: &Call, conditions: &[Option<&str>]) {
        let method = call.name.as_str();
        if let Some(name) = call.receiver.as_ref().and_then(variable) {
            let is_asked_for = conditions.iter().all(|condition| *condition == Some(name));
            if is_asked_for && COLLECTION_METHODS.contains(&method) {
                add_once(&mut self.iterated, name);
            }
            if conditions.is_empty() && !call.is_safe && !METHODS_OF_NIL.contains(&method) {
                add_once(&mut self.needed, name);
            }
        }
        let is_name =
            method.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let is_bare = call.receiver.is_none()
            && call.args.is_empty()
            && !call.has_parentheses
            && call.block.is_none()
            && call.block_argument.is_none();
        if is_name && is_bare && conditions.is_empty() && !METHODS_OF_TEMPLATES.contains(&method) {
            self.bare.push(NameUse { name: method.to_owned(), span: call.name_span, is_own: true });
        }
    }
}

fn add_once(names: &mut Vec<String>, name: &str) {
    if names.iter().all(|known| known != name) {
        names.push(name.to_owned());
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

    #[test]
    fn calls_that_fail_for_variables_that_are_not_set() {
        let needed = |template: &str| TemplateOutline::new(template).needed;
        assert_eq!(
            needed("<%= @a.upcase %><%= @b + 1 %><% @c.each do |x| %><%= @d.size %><% end %>"),
            ["a", "b", "c"]
        );
        assert_eq!(
            needed("<%= @a.nil? %><%= @b.to_s %><% if @c %><%= @c.size %><% end %><%= @d %>"),
            Vec::<String>::new()
        );
        assert_eq!(
            needed("<%= @a && @a.size %><%= @b.size rescue 1 %><%= @c&.size %>"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn names_without_an_at_sign() {
        let bare = |template: &str| -> Vec<String> {
            TemplateOutline::new(template).bare.into_iter().map(|used| used.name).collect()
        };
        assert_eq!(
            bare("<%= port %><% x = 1 %><%= x %><%= scope['a'] %><% if a %><%= b %><% end %>"),
            ["port", "a"]
        );
        assert_eq!(
            bare(
                "<% def f; 1; end %><%= f %><%= g() %><%= h 1 %><%= @i %><% @l.each { |j| %><%= j %><% } %>"
            ),
            Vec::<String>::new()
        );
    }

    #[test]
    fn syntax_errors_have_positions_in_the_template() {
        let at = |template: &'static str| {
            let error = TemplateOutline::new(template).syntax_error.unwrap();
            &template[error.span.range()]
        };
        assert_eq!(at("a\n<% if @b %>\nc\n"), "if");
        assert_eq!(at("<% @a.each do |x| %>\nc\n"), "do");
        assert!(TemplateOutline::new("<% if @a %>b<% end %>").syntax_error.is_none());
    }
}
