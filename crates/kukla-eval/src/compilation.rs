//! The state that a whole compilation shares, whatever is being evaluated.

use std::rc::Rc;

use kukla_hiera::Session;
use kukla_values::Budget;
use kukla_world::record::{Record, Tracker};
use kukla_world::{Isolated, World};

use crate::annotations::Annotations;
use crate::bytes::ByteStrings;
use crate::environment::{Environment, Node};
use crate::inspection::Inspection;
use crate::messages::{Log, Messages};
use crate::remark::{Remark, Remarks, RemarksMade};
use crate::settings::LogLevel;

/// The state that a whole compilation shares.
#[derive(Debug)]
pub(crate) struct Compilation<'e> {
    environment: &'e Environment,
    node: &'e Node,
    /// Files, the clock and the like, for this compilation alone.
    world: Isolated<'e>,
    /// The data session, if there is one and no lookup uses it.
    data: Option<Box<Session>>,
    budget: Rc<Budget>,
    /// How deep expressions are nested at this point.
    pub nesting: u32,
    messages: Messages,
    remarks_made: RemarksMade,
    annotations: Annotations,
    byte_strings: ByteStrings,
    /// The finished catalog that policies look at, if that is what is compiled.
    pub inspection: Option<Box<Inspection>>,
}

impl<'e> Compilation<'e> {
    pub fn new(environment: &'e Environment, node: &'e Node, budget: Rc<Budget>) -> Compilation<'e> {
        Compilation {
            environment,
            node,
            world: Isolated::new(&*environment.world, &node.name),
            data: None,
            messages: Messages::new(environment.settings.log_level, Rc::clone(&budget)),
            budget,
            nesting: 0,
            remarks_made: RemarksMade::default(),
            annotations: Annotations::default(),
            byte_strings: ByteStrings::default(),
            inspection: None,
        }
    }

    /// The environment, shared with other compilations.
    #[inline]
    pub fn environment(&self) -> &'e Environment {
        self.environment
    }

    /// The node the catalog is for.
    #[inline]
    pub fn node(&self) -> &'e Node {
        self.node
    }

    /// Records the inputs of the compilation, if the world is recorded.
    pub fn tracker(&self) -> Option<&Tracker<'e>> {
        self.world.tracker()
    }

    /// Files, the clock and the like, for what this compilation alone asks of them.
    pub fn world(&self) -> &dyn World {
        &self.world
    }

    /// Whether random numbers were drawn that follow from the node's name.
    pub fn has_seeded_numbers(&self) -> bool {
        self.world.has_seeded_numbers()
    }

    /// The inputs of the compilation so far; `None` unless the world is recorded.
    pub fn take_record(&mut self) -> Option<Record> {
        self.tracker()?.used(&self.environment.inputs());
        let mut record = self.world.take_record()?;
        if let Some(session) = &self.data {
            record.data.extend(session.used());
        }
        Some(record)
    }

    #[inline]
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn shared_budget(&self) -> Rc<Budget> {
        Rc::clone(&self.budget)
    }

    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    pub fn messages_mut(&mut self) -> &mut Messages {
        &mut self.messages
    }

    /// The annotations of values.
    pub fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    pub fn annotations_mut(&mut self) -> &mut Annotations {
        &mut self.annotations
    }

    /// Strings that a catalog shows as bytes.
    pub fn byte_strings(&self) -> &ByteStrings {
        &self.byte_strings
    }

    pub fn byte_strings_mut(&mut self) -> &mut ByteStrings {
        &mut self.byte_strings
    }

    /// The data session, if there is one and no lookup uses it.
    pub fn data(&self) -> Option<&Session> {
        self.data.as_deref()
    }

    /// Replaces the data session and returns the one before.
    pub fn replace_data(&mut self, data: Option<Box<Session>>) -> Option<Box<Session>> {
        std::mem::replace(&mut self.data, data)
    }

    /// Takes secrets that the data gave out of a text.
    pub fn redact(&self, text: &mut String) {
        if let Some(data) = &self.data {
            data.redact(text);
        }
    }

    /// All messages without the secrets they may mention, which are then forgotten.
    pub fn take_logs(&mut self) -> Vec<Log> {
        let mut logs = self.messages.take();
        for log in &mut logs {
            self.redact(&mut log.message);
            if let Some(rule) = &mut log.rule {
                rule.edit_texts(&mut |text| self.redact(text));
            }
        }
        logs
    }

    /// Which remarks were made.
    pub fn remarks_made_mut(&mut self) -> &mut RemarksMade {
        &mut self.remarks_made
    }

    /// Makes remarks that have not been made yet.
    #[cold]
    pub fn remark(&mut self, remarks: &Remarks) {
        for remark in self.remarks_made.take_new(remarks) {
            match &*remark {
                Remark::Text { source, program } => {
                    self.messages.warn_of(source, program.warnings.iter().cloned());
                }
                Remark::Module(fault) => self.messages.say(LogLevel::Err, fault.clone()),
                Remark::Metaparameter { name, owner } => {
                    let message = format!(
                        "{name} is a metaparam; this value will inherit to all contained resources in the {owner} definition"
                    );
                    self.messages.say(LogLevel::Warning, message);
                }
                Remark::Read(inputs) => {
                    if let Some(tracker) = self.tracker() {
                        tracker.used(inputs);
                    }
                }
            }
        }
    }
}
