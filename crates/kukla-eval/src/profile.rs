//! Where the time of a compilation goes.

use std::fmt;
use std::time::Duration;

use kukla_values::Str;
use rustc_hash::FxHashMap;

use crate::vm::Vm;

/// The kind of a profiled spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SpotKind {
    /// Finding, reading and understanding the files of a definition.
    File,
    /// The code of a class.
    Class,
    /// The code of a defined type, over all of its resources.
    Define,
    /// A function that is built in or written in Puppet.
    Function,
    /// A function that a module brings in Ruby.
    Ruby,
    /// A template.
    Template,
    /// A question to the data.
    Lookup,
}

impl SpotKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            SpotKind::File => "file",
            SpotKind::Class => "class",
            SpotKind::Define => "define",
            SpotKind::Function => "function",
            SpotKind::Ruby => "ruby",
            SpotKind::Template => "template",
            SpotKind::Lookup => "lookup",
        }
    }
}

impl fmt::Display for SpotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something that took time, in one place among what called it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Its kind.
    pub kind: SpotKind,
    /// Its name.
    pub name: Str,
    /// Its caller: an earlier spot, if it was not the compilation itself.
    pub caller: Option<usize>,
    /// How often it was called from there.
    pub count: u64,
    /// How long it took from there, with all that it called.
    pub total: Duration,
}

/// Where the time of one compilation went, or of several.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// How long all of it took.
    pub total: Duration,
    /// The calls, each after its caller.
    pub spots: Vec<Spot>,
    index: FxHashMap<(Option<usize>, SpotKind, Str), usize>,
    /// The calls in progress, and when they began.
    open: Vec<(usize, Duration)>,
    began: Duration,
}

/// The same thing, from wherever it was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Its kind.
    pub kind: SpotKind,
    /// Its name.
    pub name: Str,
    /// How often it was called.
    pub count: u64,
    /// How long it took without what it called.
    pub own: Duration,
    /// How long it took with all that it called; what calls itself is not counted twice.
    pub total: Duration,
}

impl Profile {
    fn spot(&mut self, caller: Option<usize>, kind: SpotKind, name: Str) -> usize {
        let Profile { spots, index, .. } = self;
        *index.entry((caller, kind, name.clone())).or_insert_with(|| {
            spots.push(Spot { kind, name, caller, count: 0, total: Duration::ZERO });
            spots.len() - 1
        })
    }

    fn enter(&mut self, kind: SpotKind, name: Str, now: Duration) {
        let caller = self.open.last().map(|(spot, _)| *spot);
        let spot = self.spot(caller, kind, name);
        self.open.push((spot, now));
    }

    fn leave(&mut self, now: Duration, counts: bool) {
        if let Some((spot, since)) = self.open.pop()
            && counts
        {
            self.spots[spot].count += 1;
            self.spots[spot].total += now.saturating_sub(since);
        }
    }

    /// Adds another profile.
    pub fn absorb(&mut self, other: &Profile) {
        self.total += other.total;
        let mut here = Vec::with_capacity(other.spots.len());
        for Spot { kind, name, caller, count, total } in &other.spots {
            let spot = self.spot(caller.map(|caller| here[caller]), *kind, name.clone());
            self.spots[spot].count += count;
            self.spots[spot].total += *total;
            here.push(spot);
        }
    }

    /// How long each spot took without what it called.
    pub fn own_times(&self) -> Vec<Duration> {
        let mut own: Vec<Duration> = self.spots.iter().map(|spot| spot.total).collect();
        for spot in &self.spots {
            if let Some(caller) = spot.caller {
                own[caller] = own[caller].saturating_sub(spot.total);
            }
        }
        own
    }

    /// All spots, summed over their callers, the one with the most time of its own first.
    pub fn sums(&self) -> Vec<Sum> {
        let own = self.own_times();
        let mut sums = FxHashMap::<(SpotKind, &Str), Sum>::default();
        for (spot, own) in self.spots.iter().zip(own) {
            let Spot { kind, name, count, total, .. } = spot;
            let none =
                Sum { kind: *kind, name: name.clone(), count: 0, own: Duration::ZERO, total: Duration::ZERO };
            let sum = sums.entry((*kind, name)).or_insert(none);
            sum.count += count;
            sum.own += own;
            if !self.is_within_itself(spot) {
                sum.total += *total;
            }
        }
        let mut sums: Vec<Sum> = sums.into_values().filter(|sum| sum.count > 0).collect();
        sums.sort_by(|a, b| b.own.cmp(&a.own).then_with(|| (a.kind, &a.name).cmp(&(b.kind, &b.name))));
        sums
    }

    fn is_within_itself(&self, spot: &Spot) -> bool {
        let mut caller = spot.caller;
        while let Some(at) = caller {
            let outer = &self.spots[at];
            if outer.kind == spot.kind && outer.name == spot.name {
                return true;
            }
            caller = outer.caller;
        }
        false
    }
}

impl Vm<'_> {
    /// Notes from now on where the time goes.
    pub fn start_profile(&mut self) {
        self.profile = Some(Box::new(Profile { began: self.world().elapsed(), ..Profile::default() }));
    }

    /// Where the time went, if that was noted.
    pub fn take_profile(&mut self) -> Option<Profile> {
        let now = self.world().elapsed();
        let mut profile = *self.profile.take()?;
        profile.total = now.saturating_sub(profile.began);
        Some(profile)
    }

    /// Does something whose time is noted, if that is wanted.
    #[inline]
    pub fn profiled<T>(
        &mut self,
        kind: SpotKind,
        name: impl FnOnce() -> Str,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.profile.is_none() {
            return body(self);
        }
        self.clocked(kind, name(), |vm| (body(vm), true))
    }

    /// The same for something that may turn out not to count.
    pub(crate) fn clocked<T>(
        &mut self,
        kind: SpotKind,
        name: Str,
        body: impl FnOnce(&mut Self) -> (T, bool),
    ) -> T {
        let now = self.world().elapsed();
        if let Some(profile) = &mut self.profile {
            profile.enter(kind, name, now);
        }
        let (done, counts) = body(self);
        let now = self.world().elapsed();
        if let Some(profile) = &mut self.profile {
            profile.leave(now, counts);
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn what_calls_itself_is_counted_once() {
        let mut profile = Profile::default();
        profile.enter(SpotKind::Class, "a".into(), ms(0));
        profile.enter(SpotKind::Function, "f".into(), ms(1));
        profile.enter(SpotKind::Function, "f".into(), ms(2));
        profile.leave(ms(5), true);
        profile.leave(ms(7), true);
        profile.enter(SpotKind::File, "b".into(), ms(7));
        profile.leave(ms(9), false);
        profile.leave(ms(10), true);
        let mut twice = profile.clone();
        twice.absorb(&profile);
        let sums: Vec<_> =
            twice.sums().into_iter().map(|sum| (sum.name, sum.count, sum.own, sum.total)).collect();
        assert_eq!(sums, [("f".into(), 4, ms(12), ms(12)), ("a".into(), 2, ms(8), ms(20))]);
    }
}
