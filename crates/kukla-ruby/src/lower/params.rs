//! Parameters of methods and blocks.

use ruby_prism as prism;

use super::{Lowerer, SuperArgument};
use crate::program::{Keyword, MultiTarget, Param, Params, VariableSlot};

impl Lowerer {
    pub(super) fn method_parameters(&mut self, node: Option<prism::ParametersNode<'_>>) -> Params {
        match node {
            Some(node) => self.parameters(&node),
            None => Params { simple: true, ..Params::default() },
        }
    }

    pub(super) fn block_parameters(&mut self, node: Option<prism::Node<'_>>) -> Params {
        let Some(node) = node else { return Params { simple: true, ..Params::default() } };
        if let Some(numbered) = node.as_numbered_parameters_node() {
            let names: Vec<Vec<u8>> =
                (1..=numbered.maximum()).map(|number| format!("_{number}").into_bytes()).collect();
            let mut moves = Vec::new();
            let required = names.iter().map(|name| self.required(name, false, &mut moves)).collect();
            return Params { required, simple: true, moves: moves.into(), ..Params::default() };
        }
        if node.as_it_parameters_node().is_some() {
            let mut moves = Vec::new();
            let required = Box::new([self.required(b"it", false, &mut moves)]);
            return Params { required, simple: true, it: true, moves: moves.into(), ..Params::default() };
        }
        let Some(block) = node.as_block_parameters_node() else { return Params::default() };
        let params = self.method_parameters(block.parameters());
        for local in &block.locals() {
            if let Some(local) = local.as_block_local_variable_node() {
                self.place(local.name().as_slice(), 0);
            }
        }
        params
    }

    /// A required parameter, which arrives in the next slot of the stack whether or not it stays there.
    fn required(&mut self, name: &[u8], repeated: bool, moves: &mut Vec<(u32, u16)>) -> Param {
        let slot = self.scope_mut().locals;
        let number = self.name(name);
        if repeated {
            self.scope_mut().locals += 1;
            // Only `super` knows it by this name.
            let hidden = format!("%{slot}").into_bytes();
            self.scope_mut().variables.insert(hidden.clone(), VariableSlot::Local(slot));
            self.scope_mut().arguments.push(SuperArgument::One(hidden));
            return Param { name: Some(number), place: VariableSlot::Local(slot), pattern: None };
        }
        let place = self.place(name, 0);
        if let VariableSlot::Env(_, at) = place {
            self.scope_mut().locals += 1;
            moves.push((slot, at));
        }
        self.scope_mut().arguments.push(SuperArgument::One(name.to_vec()));
        Param { name: Some(number), place, pattern: None }
    }

    fn named(&mut self, name: &[u8]) -> Param {
        let place = self.place(name, 0);
        Param { name: Some(self.name(name)), place, pattern: None }
    }

    /// A parameter that `super` hands on. Of several called `_` only the first is the variable.
    fn handed_on(&mut self, name: &[u8], repeated: bool, argument: fn(Vec<u8>) -> SuperArgument) -> Param {
        if !repeated {
            self.scope_mut().arguments.push(argument(name.to_vec()));
            return self.named(name);
        }
        let slot = self.scope_mut().locals;
        self.scope_mut().locals += 1;
        let hidden = format!("%{slot}").into_bytes();
        self.scope_mut().variables.insert(hidden.clone(), VariableSlot::Local(slot));
        self.scope_mut().arguments.push(argument(hidden));
        Param { name: Some(self.name(name)), place: VariableSlot::Local(slot), pattern: None }
    }

    fn destructured(&mut self, node: &prism::MultiTargetNode<'_>) -> MultiTarget {
        self.multi_target(&node.lefts(), node.rest(), &node.rights())
    }

    fn required_list(
        &mut self,
        nodes: &prism::NodeList<'_>,
        simple: &mut bool,
        moves: &mut Vec<(u32, u16)>,
    ) -> Box<[Param]> {
        let params = nodes.iter().map(|node| {
            if let Some(required) = node.as_required_parameter_node() {
                return self.required(required.name().as_slice(), required.is_repeated_parameter(), moves);
            }
            *simple = false;
            let pattern = node.as_multi_target_node().map(|multi| Box::new(self.destructured(&multi)));
            // What is taken apart is kept as well, for `super`.
            let hidden = format!("%{}", node.location().start()).into_bytes();
            let place = self.place(&hidden, 0);
            self.scope_mut().arguments.push(SuperArgument::One(hidden));
            Param { name: None, place, pattern }
        });
        params.collect()
    }

    fn parameters(&mut self, node: &prism::ParametersNode<'_>) -> Params {
        let mut simple = true;
        let mut moves = Vec::new();
        let required = self.required_list(&node.requireds(), &mut simple, &mut moves);
        let mut params = Params { required, moves: moves.into(), ..Params::default() };
        params.optional = node
            .optionals()
            .iter()
            .filter_map(|optional| {
                let optional = optional.as_optional_parameter_node()?;
                let name = optional.name();
                let repeated = optional.is_repeated_parameter();
                let param = self.handed_on(name.as_slice(), repeated, SuperArgument::One);
                let default = self.expression(&optional.value());
                Some((param, default))
            })
            .collect();
        if let Some(rest) = node.rest() {
            if let Some(rest) = rest.as_rest_parameter_node() {
                let name = rest.name().map_or_else(|| b"*".to_vec(), |name| name.as_slice().to_vec());
                params.rest = Some(self.handed_on(&name, rest.is_repeated_parameter(), SuperArgument::Rest));
            } else {
                params.trailing_comma = true;
            }
        }
        let mut ignored = Vec::new();
        params.post = self.required_list(&node.posts(), &mut simple, &mut ignored);
        params.keywords = node
            .keywords()
            .iter()
            .filter_map(|keyword| {
                if let Some(required) = keyword.as_required_keyword_parameter_node() {
                    let name = required.name();
                    self.scope_mut().arguments.push(SuperArgument::Keyword(name.as_slice().to_vec()));
                    let place = self.place(name.as_slice(), 0);
                    return Some(Keyword { name: self.id(&name), place, default: None });
                }
                let optional = keyword.as_optional_keyword_parameter_node()?;
                let name = optional.name();
                self.scope_mut().arguments.push(SuperArgument::Keyword(name.as_slice().to_vec()));
                let place = self.place(name.as_slice(), 0);
                let default = Some(self.expression(&optional.value()));
                Some(Keyword { name: self.id(&name), place, default })
            })
            .collect();
        if let Some(rest) = node.keyword_rest() {
            if let Some(rest) = rest.as_keyword_rest_parameter_node() {
                let name = rest.name().map_or_else(|| b"**".to_vec(), |name| name.as_slice().to_vec());
                self.scope_mut().arguments.push(SuperArgument::KeywordRest(name.clone()));
                params.keyword_rest = Some(self.named(&name));
            } else if rest.as_no_keywords_parameter_node().is_some() {
                params.no_keywords = true;
            } else {
                params.forwarding = true;
                self.scope_mut().arguments.push(SuperArgument::Rest(b"*".to_vec()));
                self.scope_mut().arguments.push(SuperArgument::KeywordRest(b"**".to_vec()));
                params.rest = Some(self.named(b"*"));
                params.keyword_rest = Some(self.named(b"**"));
                params.block = Some(self.named(b"&"));
            }
        }
        if let Some(block) = node.block()
            && let Some(block) = block.as_block_parameter_node()
        {
            let name = block.name().map_or_else(|| b"&".to_vec(), |name| name.as_slice().to_vec());
            params.block = Some(self.named(&name));
        }
        params.simple = simple
            && params.optional.is_empty()
            && params.rest.is_none()
            && params.post.is_empty()
            && params.keywords.is_empty()
            && params.keyword_rest.is_none()
            && !params.no_keywords
            && params.block.is_none()
            && !params.trailing_comma;
        params
    }
}
