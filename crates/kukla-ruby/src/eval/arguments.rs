//! Arguments: evaluating them for a call, and giving them to parameters.

use std::rc::Rc;

use super::Frame;
use crate::args::Args;
use crate::class::ClassId;
use crate::error::{Result, Unwind};
use crate::hash::Table;
use crate::method::MethodBody;
use crate::proc::{ProcBody, ProcObject};
use crate::program::{Arg, Arguments, Keyword, Pair, Param, Params};
use crate::ruby::Ruby;
use crate::symbol::sym;
use crate::value::{ArrayObject, HashObject, Head, Value};

impl Ruby<'_> {
    /// The arguments of a call, and whether the last one holds keywords.
    pub(super) fn arguments(&mut self, f: &Frame<'_>, args: &Arguments) -> Result<(Vec<Value>, bool)> {
        match args {
            Arguments::Plain(nodes) => {
                let mut list = Vec::with_capacity(nodes.len());
                for node in nodes {
                    list.push(self.eval(f, node)?);
                }
                Ok((list, false))
            }
            Arguments::Mixed(args) => self.mixed(f, args),
        }
    }

    pub(super) fn mixed(&mut self, f: &Frame<'_>, args: &[Arg]) -> Result<(Vec<Value>, bool)> {
        let mut list = Vec::with_capacity(args.len());
        let mut keywords = false;
        for arg in args {
            match arg {
                Arg::One(node) => list.push(self.eval(f, node)?),
                Arg::Splat(node) => {
                    let value = self.eval(f, node)?;
                    let items = self.splat(&value)?;
                    let items = items.items();
                    list.extend(items.iter().cloned());
                }
                Arg::Keywords(pairs) => {
                    let hash = HashObject::new(ClassId::HASH, Table::new());
                    self.fill_hash(f, &hash, pairs)?;
                    let only_splats = pairs.iter().all(|pair| matches!(pair, Pair::Splat(_)));
                    if !(only_splats && hash.table().is_empty()) {
                        keywords = true;
                        list.push(Value::Hash(hash));
                    }
                }
            }
        }
        if !keywords
            && matches!(args.last(), Some(Arg::Splat(_)))
            && let Some(Value::Hash(hash)) = list.last()
            && hash.table().keywords
        {
            let mut table = hash.table().clone();
            table.keywords = false;
            table.iterating = 0;
            list.pop();
            if !table.is_empty() {
                keywords = true;
                list.push(Value::hash(table));
            }
        }
        Ok((list, keywords))
    }

    /// `*value`
    pub fn splat(&mut self, value: &Value) -> Result<Rc<ArrayObject>> {
        let one = |value: &Value| ArrayObject::new(ClassId::ARRAY, vec![value.clone()]);
        match value {
            Value::Array(array) => Ok(array.clone()),
            Value::Nil if !self.is_nil_to_a_defined() => Ok(ArrayObject::new(ClassId::ARRAY, Vec::new())),
            Value::Int(_) | Value::Bool(_) | Value::Symbol(_) | Value::Float(_) => Ok(one(value)),
            value => match self.try_send(value, sym::TO_A, &[])? {
                Some(Value::Array(array)) => Ok(array),
                None | Some(Value::Nil) => Ok(one(value)),
                Some(other) => {
                    let (own, given) = (self.class_name_of(value), self.class_name_of(&other));
                    Err(self.type_error(format!("can't convert {own} to Array ({own}#to_a gives {given})")))
                }
            },
        }
    }

    fn is_nil_to_a_defined(&mut self) -> bool {
        let method = self.find_method(ClassId::NIL_CLASS, sym::TO_A);
        method.is_some_and(|method| !matches!(method.body, MethodBody::Native(_)))
    }

    /// `&value`
    pub(crate) fn block_of(&mut self, value: &Value) -> Result<Option<Rc<ProcObject>>> {
        match value {
            Value::Nil => Ok(None),
            Value::Proc(proc) => Ok(Some(proc.clone())),
            Value::Symbol(name) => Ok(Some(self.symbol_proc(*name))),
            value => match self.try_send(value, sym::TO_PROC, &[])? {
                Some(Value::Proc(proc)) => Ok(Some(proc)),
                None => {
                    let class = self.class_name_of(value);
                    Err(self.type_error(format!("wrong argument type {class} (expected Proc)")))
                }
                Some(other) => {
                    let (own, given) = (self.class_name_of(value), self.class_name_of(&other));
                    Err(self.type_error(format!("can't convert {own} to Proc ({own}#to_proc gives {given})")))
                }
            },
        }
    }

    /// `&:name`, which is a lambda.
    pub fn symbol_proc(&self, name: crate::Symbol) -> Rc<ProcObject> {
        Rc::new(ProcObject {
            head: Head::new(ClassId::PROC),
            body: ProcBody::Symbol(name),
            lambda: std::cell::Cell::new(true),
        })
    }

    /// Gives arguments to the parameters of a body. Methods and lambdas are strict about their number.
    pub(super) fn bind(&mut self, f: &Frame<'_>, args: &Args<'_>, strict: bool) -> Result<()> {
        let params = &f.body.params;
        let takes_keywords = !params.keywords.is_empty() || params.keyword_rest.is_some();
        let (mut list, mut keywords) = args.split();
        if !takes_keywords {
            if params.no_keywords && keywords.is_some_and(|keywords| !keywords.table().is_empty()) {
                return Err(self.argument_error("no keywords accepted"));
            }
            if let Some(hash) = keywords
                && !params.no_keywords
            {
                if params.rest.is_some() && self.keeps_keywords() {
                    hash.table_mut().keywords = true;
                }
                (list, keywords) = (args.list, None);
            }
        }
        let least = params.required.len() + params.post.len();
        let most = least + params.optional.len();
        let expanded;
        if !strict
            && list.len() == 1
            && (most > 1 || (most == 1 && (params.rest.is_some() || params.trailing_comma)))
            && let Some(array) = self.maybe_array(&list[0])?
        {
            expanded = array.to_vec();
            list = &expanded;
        }
        if strict && (list.len() < least || (list.len() > most && params.rest.is_none())) {
            return Err(self.wrong_arguments(f, list.len()));
        }
        let given = list.len();
        let nil = Value::Nil;
        // From the front: required ones, then optional ones as far as there are more than the others need, then the rest.
        let mut at = 0;
        for param in &params.required {
            let value = list.get(at).unwrap_or(&nil).clone();
            at += 1;
            self.bind_one(f, param, value)?;
        }
        let spare = given.saturating_sub(least);
        for (number, (param, default)) in params.optional.iter().enumerate() {
            let value = if number < spare {
                at += 1;
                list[at - 1].clone()
            } else {
                self.eval(f, default)?
            };
            self.bind_one(f, param, value)?;
        }
        let rest_length = spare.saturating_sub(params.optional.len());
        if let Some(rest) = &params.rest {
            let items: Vec<Value> = list.iter().skip(at).take(rest_length).cloned().collect();
            self.bind_one(f, rest, Value::array(items))?;
            at += rest_length;
        }
        for param in &params.post {
            let value = list.get(at).unwrap_or(&nil).clone();
            at += 1;
            self.bind_one(f, param, value)?;
        }
        if takes_keywords {
            self.bind_keywords(f, params, keywords)?;
        }
        if let Some(block) = &params.block {
            let value = args.block.map_or(Value::Nil, |block| Value::Proc(block.clone()));
            self.bind_one(f, block, value)?;
        }
        Ok(())
    }

    /// Whether the method that is being entered is marked with `ruby2_keywords`.
    fn keeps_keywords(&self) -> bool {
        let method = self.run.frames.last().and_then(|at| at.method());
        matches!(method.map(|method| &method.body), Some(MethodBody::Code(code)) if code.keeps_keywords.get())
    }

    fn bind_one(&mut self, f: &Frame<'_>, param: &Param, value: Value) -> Result<()> {
        match &param.pattern {
            Some(pattern) => {
                self.store(f, param.place, value.clone());
                let items = self.destructured(&value)?;
                self.spread(f, pattern, &items)
            }
            None => {
                self.store(f, param.place, value);
                Ok(())
            }
        }
    }

    #[cold]
    fn wrong_arguments(&mut self, f: &Frame<'_>, given: usize) -> Box<Unwind> {
        let params = &f.body.params;
        let least = params.required.len() + params.post.len();
        let most = least + params.optional.len();
        let mut expected = match (params.rest.is_some(), least == most) {
            (true, _) => format!("{least}+"),
            (false, true) => least.to_string(),
            (false, false) => format!("{least}..{most}"),
        };
        let missing: Vec<String> = params
            .keywords
            .iter()
            .filter(|keyword| keyword.default.is_none())
            .map(|keyword| f.unit.program.names[keyword.name as usize].to_string())
            .collect();
        if !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            expected.push_str(&format!("; required keyword{plural}: {}", missing.join(", ")));
        }
        self.wrong_number_of_arguments(given, expected)
    }

    fn bind_keywords(
        &mut self,
        f: &Frame<'_>,
        params: &Params,
        given: Option<&Rc<HashObject>>,
    ) -> Result<()> {
        let mut missing = Vec::new();
        let mut values = Vec::with_capacity(params.keywords.len());
        let mut found = 0;
        for keyword in &params.keywords {
            let key = Value::Symbol(f.unit.symbol(keyword.name));
            let value = match given {
                Some(given) => self.hash_get(given, &key)?,
                None => None,
            };
            found += usize::from(value.is_some());
            if value.is_none() && keyword.default.is_none() {
                missing.push(format!(":{}", f.unit.program.names[keyword.name as usize]));
            }
            values.push(value);
        }
        if !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            return Err(self.argument_error(format!("missing keyword{plural}: {}", missing.join(", "))));
        }
        let total = given.map_or(0, |given| given.table().len());
        match &params.keyword_rest {
            Some(rest) => {
                let hash = HashObject::new(ClassId::HASH, Table::new());
                if let Some(given) = given {
                    for (key, value) in self.other_keywords(f, &params.keywords, given) {
                        self.hash_set(&hash, key, value)?;
                    }
                }
                self.store(f, rest.place, Value::Hash(hash));
            }
            None if found < total => {
                let unknown =
                    given.map_or_else(Vec::new, |given| self.other_keywords(f, &params.keywords, given));
                let mut names = Vec::new();
                for (key, _) in &unknown {
                    names.push(self.inspect(key)?.to_str_lossy().into_owned());
                }
                let plural = if names.len() == 1 { "" } else { "s" };
                return Err(self.argument_error(format!("unknown keyword{plural}: {}", names.join(", "))));
            }
            None => {}
        }
        for (keyword, value) in params.keywords.iter().zip(values) {
            let value = match (value, &keyword.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(f, default)?,
                (None, None) => Value::Nil,
            };
            self.store(f, keyword.place, value);
        }
        Ok(())
    }

    fn other_keywords(&self, f: &Frame<'_>, known: &[Keyword], given: &HashObject) -> Vec<(Value, Value)> {
        let table = given.table();
        let others = table.iter().filter(|entry| match &entry.key {
            Value::Symbol(name) => !known.iter().any(|keyword| f.unit.symbol(keyword.name) == *name),
            _ => true,
        });
        others.map(|entry| (entry.key.clone(), entry.value.clone())).collect()
    }
}
