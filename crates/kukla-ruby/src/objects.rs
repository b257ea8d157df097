//! Objects that may refer to themselves in a circle, so that they can be dropped when the interpreter ends.
//!
//! Objects count their references; a circle keeps itself alive. Nearly every circle goes through an environment that outlives its call,
//! through an instance variable or through a program whose calls remember methods of its own, so those are noted here, weakly, and
//! emptied at the end.

use std::rc::{Rc, Weak};

use crate::eval::{Env, Unit};
use crate::proc::ProcObject;
use crate::value::{ArrayObject, HashObject, Head, Object, Value};

/// The list of what may be part of a circle.
#[derive(Default)]
pub(crate) struct Objects {
    envs: Vec<Weak<Env>>,
    objects: Vec<Weak<Object>>,
    units: Vec<Weak<Unit>>,
    sweep_at: usize,
}

impl Objects {
    /// An environment that outlives its activation.
    pub(crate) fn note_env(&mut self, env: &Rc<Env>) {
        self.envs.push(Rc::downgrade(env));
        self.sweep();
    }

    /// An object that gets its first instance variable.
    pub(crate) fn note_object(&mut self, object: &Rc<Object>) {
        self.objects.push(Rc::downgrade(object));
        self.sweep();
    }

    /// A program that was loaded.
    pub(crate) fn note_unit(&mut self, unit: &Rc<Unit>) {
        self.units.push(Rc::downgrade(unit));
        self.sweep();
    }

    fn len(&self) -> usize {
        self.envs.len() + self.objects.len() + self.units.len()
    }

    /// Forgets what is gone, each time the list has doubled.
    fn sweep(&mut self) {
        if self.len() <= self.sweep_at.max(1024) {
            return;
        }
        self.envs.retain(|env| env.strong_count() > 0);
        self.objects.retain(|object| object.strong_count() > 0);
        self.units.retain(|unit| unit.strong_count() > 0);
        self.sweep_at = 2 * self.len();
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        for env in self.envs.drain(..) {
            if let Some(env) = env.upgrade() {
                let slots: Vec<Value> = env.slots.borrow_mut().iter_mut().map(std::mem::take).collect();
                drop(slots);
            }
        }
        for object in self.objects.drain(..) {
            if let Some(object) = object.upgrade() {
                object.head.clear_variables();
                object.clear_payload();
            }
        }
        for unit in self.units.drain(..) {
            if let Some(unit) = unit.upgrade() {
                unit.forget();
            }
        }
    }
}

/// Containers take more stack, if needed, to drop their values: a long chain of objects is dropped one inside the other.
macro_rules! drop_deeply {
    ($($kind:ty => |$this:ident| $contents:expr;)*) => {
        $(impl Drop for $kind {
            #[inline]
            fn drop(&mut self) {
                let $this = self;
                if let Some(contents) = $contents {
                    kukla_syntax::deep(|| drop(contents));
                }
            }
        })*
    };
}

drop_deeply! {
    Head => |this| this.take_variables();
    ArrayObject => |this| this.take_items();
    HashObject => |this| this.take_table();
    Object => |this| this.take_payload();
    ProcObject => |this| this.take_body();
    Env => |this| this.take_slots();
}
