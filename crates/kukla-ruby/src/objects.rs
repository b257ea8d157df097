//! Objects that may refer to themselves in a circle, so that they can be dropped when the interpreter ends.
//!
//! Objects count their references; a circle keeps itself alive. Nearly every circle goes through an environment that outlives its call,
//! through an instance variable or through a program whose calls remember methods of its own, so those are noted here, weakly, and
//! emptied at the end.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::eval::{Env, Unit};
use crate::proc::ProcObject;
use crate::value::{ArrayObject, HashObject, Head, Object, RangeObject, Value};

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

/// How many objects are dropped one inside the other before the rest waits until these are gone.
const NESTED_DROPS: u32 = 48;

/// The contents that wait to be dropped on a thread.
struct Dropping {
    depth: Cell<u32>,
    later: RefCell<Vec<Box<dyn Any>>>,
}

thread_local! {
    static DROPPING: Dropping = const { Dropping { depth: Cell::new(0), later: RefCell::new(Vec::new()) } };
}

/// Drops the contents of an object. A chain of objects may be as long as there is memory, so only the first few are dropped one inside the
/// other, and the others one after the other.
fn drop_contents<T: 'static>(contents: T) {
    let mut contents = Some(contents);
    // A thread that ends has no variables any more.
    let _ = DROPPING.try_with(|dropping| match dropping.depth.get() {
        0 => kukla_syntax::deep(|| {
            dropping.depth.set(1);
            drop(contents.take());
            while let Some(next) = { dropping.later.borrow_mut().pop() } {
                drop(next);
            }
            dropping.depth.set(0);
        }),
        depth if depth < NESTED_DROPS => {
            dropping.depth.set(depth + 1);
            drop(contents.take());
            dropping.depth.set(depth);
        }
        _ => {
            if let Some(contents) = contents.take() {
                dropping.later.borrow_mut().push(Box::new(contents));
            }
        }
    });
}

/// Containers drop their values by [`drop_contents`].
macro_rules! drop_deeply {
    ($($kind:ty => |$this:ident| $contents:expr;)*) => {
        $(impl Drop for $kind {
            #[inline]
            fn drop(&mut self) {
                let $this = self;
                if let Some(contents) = $contents {
                    drop_contents(contents);
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
    RangeObject => |this| Some((std::mem::take(&mut this.begin), std::mem::take(&mut this.end)));
    ProcObject => |this| this.take_body();
    Env => |this| this.take_slots();
}
