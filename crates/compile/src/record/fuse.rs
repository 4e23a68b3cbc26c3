//! Joining loops: what runs over the same members becomes one loop.
//!
//! Loops are members of a group, each moved along a common axis so that everything it reads was made at the same point or
//! before. The axis is cut where a member begins or ends; between two cuts there is one loop, with the operations of all
//! members that are there. At a point members follow each other in the order in which they were recorded, so what one stores
//! another takes from a register. Sums over all points are made in parts, one for each such loop: their rounding may differ
//! in the last digit from that of a single loop. All other numbers are the same to the last bit.

use super::alike;
use super::entry::{Entry, array};
use super::item::Item;
use super::unread::drop_unread;
use crate::program::{Address, Binary, Kernel, Op, Store, Unary, Write};
use cotangent_expr::{Atom, Domain, Ix};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Joins the loops of a step with arrays of these lengths: what has to be done once, and what in each step. `changing` are
/// the inputs that change from step to step, `results` the arrays that are asked for.
pub(super) fn fused(arrays: &[usize], items: Vec<Item>, changing: &[usize], results: &[usize]) -> [Vec<Item>; 2] {
    let items = requirements_last(hoisted(items));
    let mut boundaries = BTreeMap::new();
    family_boundaries(arrays, &items, &mut boundaries);
    let varying = dependent(&items, changing.iter().chain(results).copied());
    let (mut each, once): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|item| stays(item, &varying));
    let once = joined(arrays, once, &boundaries);
    alike::merge(&once, &mut each);
    let mut parts = [once, joined(arrays, each, &boundaries)];
    while drop_unread(&mut parts, results) {}
    parts
}

/// The arrays that depend on others or on what regions do, and these.
fn dependent(items: &[Item], others: impl Iterator<Item = usize>) -> HashSet<usize> {
    let mut varying: HashSet<usize> = others.chain(items.iter().flat_map(Item::changed)).collect();
    loop {
        let known = varying.len();
        for item in items {
            if let Item::Kernel(kernel) = item
                && touched(kernel).any(|(array, _)| varying.contains(&array))
            {
                varying.extend(writes(kernel));
            }
        }
        if varying.len() == known {
            return varying;
        }
    }
}

/// Whether an item makes something of these arrays.
fn stays(item: &Item, varying: &HashSet<usize>) -> bool {
    match item {
        Item::Kernel(kernel) => writes(kernel).any(|array| varying.contains(&array)),
        _ => true,
    }
}

/// Moves what does not depend on the unknowns of an iteration, or on the stage that is repeated, out of it.
fn hoisted(items: Vec<Item>) -> Vec<Item> {
    let mut out = vec![];
    for mut item in items {
        item.bodies_mut().for_each(|body| *body = hoisted(std::mem::take(body)));
        let own = item.own_arrays();
        // What is done otherwise is often not done at all, so that nothing of it is done before.
        if let Some(body) = item.bodies_mut().next() {
            let varying = dependent(body, own.into_iter());
            let (inside, constant) = std::mem::take(body).into_iter().partition(|item| stays(item, &varying));
            *body = inside;
            out.extend::<Vec<Item>>(constant);
        }
        out.push(item);
    }
    out
}

/// Requirements are looked at when all is computed.
fn requirements_last(items: Vec<Item>) -> Vec<Item> {
    let (last, mut first): (Vec<Item>, Vec<Item>) =
        items.into_iter().partition(|item| matches!(item, Item::Require { .. }));
    let bodies = first.iter_mut().flat_map(Item::bodies_mut);
    bodies.for_each(|body| *body = requirements_last(std::mem::take(body)));
    first.extend(last);
    first
}

fn reads(kernel: &Kernel) -> impl Iterator<Item = usize> {
    kernel.ops.iter().filter_map(|op| if let Op::Load(a) = op { Some(array(a)) } else { None })
}

fn writes(kernel: &Kernel) -> impl Iterator<Item = usize> {
    kernel.stores.iter().map(|s| array(&s.to))
}

/// The arrays of a kernel, and whether it changes them.
fn touched(kernel: &Kernel) -> impl Iterator<Item = (usize, bool)> {
    reads(kernel).map(|a| (a, false)).chain(writes(kernel).map(|a| (a, true)))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    Read,
    Write,
    /// Adds a sum over all points.
    Reduce,
}

/// A loop over low..high, or a single point.
#[derive(Clone)]
struct Member {
    kernel: Kernel,
    low: i64,
    high: i64,
    /// How far it was moved.
    shift: i64,
    accesses: Vec<(Entry, Access)>,
}

impl Member {
    /// If the kernel is a plain loop or a point, and all addresses are affine.
    fn new(kernel: &Kernel) -> Option<Member> {
        let (low, high) = match &kernel.domain {
            Domain::Ranges(ranges) => match ranges.as_slice() {
                [] => (0, 1),
                [r] => (r.low.as_constant()?, r.high.as_constant()? + 1),
                _ => return None,
            },
            Domain::Points(_) => return None,
        };
        let mut accesses = vec![];
        for op in &kernel.ops {
            match op {
                Op::Load(a) => accesses.push((Entry::new(a)?, Access::Read)),
                Op::Index(i) if !i.terms().iter().all(|(atom, _)| matches!(atom, Atom::Var(0))) => return None,
                _ => {}
            }
        }
        for store in &kernel.stores {
            let to = Entry::new(&store.to)?;
            accesses.push((to, if store.write == Write::Reduce { Access::Reduce } else { Access::Write }));
        }
        accesses.sort_unstable_by_key(|(e, access)| (e.array, e.stride, e.offset, *access as u8));
        accesses.dedup();
        Some(Member { kernel: kernel.clone(), low, high, shift: 0, accesses })
    }

    fn is_point(&self) -> bool {
        self.high - self.low == 1
    }

    fn part(&self, low: i64, high: i64) -> Member {
        Member { low, high, ..self.clone() }
    }

    /// The points at which two of the entries that it writes are the same one, as x[i] and x[n + 1 - i] in the middle: what is added
    /// to it twice there has to be seen as one entry.
    fn meetings(&self) -> impl Iterator<Item = i64> {
        let written = || self.accesses.iter().filter(|(_, access)| *access == Access::Write).map(|(entry, _)| entry);
        let pairs = written().enumerate().flat_map(move |(k, a)| written().take(k).map(move |b| (a, b)));
        let apart = pairs.filter(|(a, b)| a.array == b.array && a.stride != b.stride);
        let points = apart.filter_map(|(a, b)| {
            let (rest, stride) = (b.offset - a.offset, a.stride - b.stride);
            (rest % stride == 0).then(|| rest / stride)
        });
        points.filter(|at| (self.low..self.high).contains(at))
    }

    /// The points at which families begin or end in the arrays it goes through entry by entry.
    fn ends(&self, arrays: &[usize], boundaries: &BTreeMap<usize, BTreeSet<i64>>) -> BTreeSet<i64> {
        let mut cuts = BTreeSet::new();
        if self.accesses.iter().any(|(e, _)| !(0..=1).contains(&e.stride)) {
            return cuts;
        }
        for (entry, _) in self.accesses.iter().filter(|(e, _)| e.stride == 1) {
            let own = boundaries.get(&arrays[entry.array]).into_iter().flatten().map(|at| at - entry.offset);
            cuts.extend(own);
        }
        cuts
    }

    /// Cut at these points.
    fn cut(self, arrays: &[usize], boundaries: &BTreeMap<usize, BTreeSet<i64>>) -> Vec<Member> {
        if self.high - self.low <= SHORT {
            return (self.low..self.high).map(|at| self.part(at, at + 1)).collect();
        }
        let inside = |at: &i64| (self.low + 1..self.high).contains(at);
        let mut cuts = self.ends(arrays, boundaries);
        cuts.retain(inside);
        if cuts.len() > MOST_CUTS {
            cuts.clear();
        }
        cuts.extend(self.meetings().flat_map(|at| [at, at + 1]).filter(inside));
        if cuts.is_empty() {
            return vec![self];
        }
        let ends: Vec<i64> = [self.low].into_iter().chain(cuts).chain([self.high]).collect();
        let points = |pair: &[i64]| match pair[1] - pair[0] <= SHORT {
            true => (pair[0]..pair[1]).map(|at| [at, at + 1]).collect(),
            false => vec![[pair[0], pair[1]]],
        };
        ends.windows(2).flat_map(points).map(|[low, high]| self.part(low, high)).collect()
    }

    /// Whether most of it would be inside of a span.
    fn is_beside(&self, shift: i64, (begin, end): (i64, i64)) -> bool {
        let common = (self.high + shift).min(end) - (self.low + shift).max(begin);
        2 * common >= self.high - self.low
    }

    fn moved(mut self, shift: i64) -> Member {
        self.low += shift;
        self.high += shift;
        self.shift += shift;
        self.accesses.iter_mut().for_each(|(entry, _)| *entry = entry.moved(shift));
        self
    }
}

/// A loop of so few points is taken for these: it would have no others to run with.
const SHORT: i64 = 4;

/// A loop with more cuts than this is left as it is.
const MOST_CUTS: usize = 12;

/// Where families begin or end in arrays, by the length of these: where loops with a step of one do.
fn family_boundaries(arrays: &[usize], items: &[Item], out: &mut BTreeMap<usize, BTreeSet<i64>>) {
    for kernel in items.iter().flat_map(Item::kernels) {
        let Some(member) = Member::new(kernel).filter(|m| m.high - m.low > 1) else { continue };
        for (entry, _) in member.accesses.iter().filter(|(e, _)| e.stride == 1) {
            let ends = [member.low + entry.offset, member.high + entry.offset];
            let len = arrays[entry.array];
            let inside = ends.into_iter().filter(|at| (1..len as i64).contains(at));
            out.entry(len).or_default().extend(inside);
        }
    }
}

/// Loops on one axis, or a kernel that is no plain loop.
enum Group {
    Loops(Vec<Member>),
    Other(Kernel),
}

/// How a member can join a group.
enum Fit {
    /// It has nothing to do with it.
    Free,
    /// If it is moved by at least so much: because of loops, and of points.
    From(Option<i64>, Option<i64>),
    Never,
}

impl Group {
    fn fit(&self, member: &Member) -> Fit {
        let members = match self {
            Group::Loops(members) => members,
            Group::Other(kernel) => {
                let meets = touched(kernel).any(|(array, changes)| {
                    member.accesses.iter().any(|(e, access)| e.array == array && (changes || *access != Access::Read))
                });
                return if meets { Fit::Never } else { Fit::Free };
            }
        };
        let (mut loops, mut points) = (None, None);
        for own in members {
            for (a, of_own) in &own.accesses {
                for (b, of_new) in &member.accesses {
                    if a.array != b.array || (*of_own == Access::Read && *of_new == Access::Read) {
                        continue;
                    }
                    match (of_own, of_new) {
                        (Access::Reduce, Access::Reduce) => continue,
                        (Access::Reduce, _) => return Fit::Never,
                        _ => {}
                    }
                    let Some(least) = after(own, *a, member, *b) else { continue };
                    let bound = if a.stride != 0 && b.stride != 0 { &mut loops } else { &mut points };
                    *bound = Some(bound.map_or(least, |known: i64| known.max(least)));
                }
            }
        }
        match (loops, points) {
            (None, None) => Fit::Free,
            _ => Fit::From(loops, points),
        }
    }

    /// Where its loops begin and end.
    fn span(&self) -> Option<(i64, i64)> {
        let Group::Loops(members) = self else { return None };
        let loops = || members.iter().filter(|m| !m.is_point());
        loops().map(|m| m.low).min().zip(loops().map(|m| m.high).max())
    }

    fn end(&self) -> Option<i64> {
        self.span().map(|(_, end)| end)
    }
}

/// How far a new member must at least be moved so that it meets an entry not before a member of the group has: at a point
/// that both have, the new one follows. None if they have no entry in common.
fn after(own: &Member, a: Entry, new: &Member, b: Entry) -> Option<i64> {
    match (a.stride, b.stride) {
        (0, 0) => (a.offset == b.offset).then_some(own.high - 1 - new.low),
        (0, stride) => {
            let rest = a.offset - b.offset;
            let at = rest / stride;
            let meets = rest % stride == 0 && (new.low..new.high).contains(&at);
            meets.then(|| if own.is_point() { own.low - at } else { own.high - at })
        }
        (stride, 0) => {
            let rest = b.offset - a.offset;
            let at = rest / stride;
            let meets = rest % stride == 0 && (own.low..own.high).contains(&at);
            // Only a point that both have to themselves is known to be the same entry.
            meets.then(|| if new.is_point() { at - new.low } else { at + 1 - new.low })
        }
        (first, second) if first == second => {
            let rest = b.offset - a.offset;
            let shift = rest / first;
            let meets = rest % first == 0 && new.low + shift < own.high && own.low < new.high + shift;
            meets.then_some(shift)
        }
        _ => {
            let span = |m: &Member, e: Entry| {
                let ends = [m.low, m.high - 1].map(|i| e.stride * i + e.offset);
                (ends[0].min(ends[1]), ends[0].max(ends[1]))
            };
            let (one, other) = (span(own, a), span(new, b));
            (one.0 <= other.1 && other.0 <= one.1).then_some(own.high - new.low)
        }
    }
}

/// The first point of a group: for what has nothing to wait for.
const FIRST: i64 = -1;

#[derive(Default)]
struct Groups(Vec<Group>);

impl Groups {
    fn kernel(&mut self, kernel: Kernel, arrays: &[usize], boundaries: &BTreeMap<usize, BTreeSet<i64>>) {
        match Member::new(&kernel) {
            Some(member) if member.high <= member.low => {}
            Some(member) => member.cut(arrays, boundaries).into_iter().for_each(|part| self.member(part)),
            None => self.0.push(Group::Other(kernel)),
        }
    }

    /// Puts a member into the last group that it has to do with, or a later one.
    fn member(&mut self, member: Member) {
        for k in (0..self.0.len()).rev() {
            match self.0[k].fit(&member) {
                Fit::Free => {}
                Fit::Never => return self.join(k + 1, member),
                Fit::From(loops, points) => {
                    let group = &mut self.0[k];
                    let least = loops.max(points).unwrap_or(FIRST);
                    let shift = match (member.is_point(), group.span()) {
                        (true, _) => least.max(FIRST - member.low),
                        // As near as possible to what it reads, if that is where the others are, too.
                        (false, Some(span)) if loops.is_some() && member.is_beside(least, span) => least,
                        (false, Some((_, end))) => least.max(end - member.high),
                        (false, None) => least.max(-member.low),
                    };
                    // A loop that begins where the others have ended is none with them.
                    let apart = !member.is_point() && group.end().is_some_and(|end| member.low + shift >= end);
                    return match group {
                        Group::Loops(members) if !apart => members.push(member.moved(shift)),
                        _ => self.join(k + 1, member),
                    };
                }
            }
        }
        self.join(0, member);
    }

    /// Puts a member into the last group from `first` on, with none of which it has to do; or into a new one.
    fn join(&mut self, first: usize, member: Member) {
        let loops = || (first..self.0.len()).rev().filter(|&k| matches!(self.0[k], Group::Loops(_)));
        // With loops of about its own length, if there are any.
        let length = |k: usize| self.0[k].span().map_or(0, |(begin, end)| end - begin);
        let free = loops().find(|&k| 2 * length(k) >= member.high - member.low).or_else(|| loops().next());
        let k = free.unwrap_or_else(|| {
            self.0.push(Group::Loops(vec![]));
            self.0.len() - 1
        });
        let shift = match (member.is_point(), self.0[k].end()) {
            (true, _) => FIRST - member.low,
            (false, Some(end)) => end - member.high,
            (false, None) => -member.low,
        };
        if let Group::Loops(members) = &mut self.0[k] {
            members.push(member.moved(shift));
        }
    }

    fn emit(self, out: &mut Vec<Item>) {
        for group in self.0 {
            match group {
                Group::Other(kernel) => out.push(Item::Kernel(kernel)),
                Group::Loops(members) => {
                    let ends: BTreeSet<i64> = members.iter().flat_map(|m| [m.low, m.high]).collect();
                    let ends: Vec<i64> = ends.into_iter().collect();
                    for pair in ends.windows(2) {
                        let (low, high) = (pair[0], pair[1]);
                        let mut body = Body::new(low, high);
                        members.iter().filter(|m| m.low <= low && high <= m.high).for_each(|m| body.take(m));
                        out.extend(body.finish().map(Item::Kernel));
                    }
                }
            }
        }
    }
}

fn joined(arrays: &[usize], items: Vec<Item>, boundaries: &BTreeMap<usize, BTreeSet<i64>>) -> Vec<Item> {
    let mut out = vec![];
    let mut groups = Groups::default();
    for item in items {
        match item {
            Item::Kernel(kernel) => groups.kernel(kernel, arrays, boundaries),
            mut region => {
                std::mem::take(&mut groups).emit(&mut out);
                region.bodies_mut().for_each(|body| *body = joined(arrays, std::mem::take(body), boundaries));
                out.push(region);
            }
        }
    }
    groups.emit(&mut out);
    out
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(Option<(i64, i64)>, u64),
    Pi,
    Index(String),
    Load(Entry),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
}

/// The operations of all members between two cuts of the axis.
struct Body {
    low: i64,
    high: i64,
    ops: Vec<Op>,
    known: HashMap<Key, u32>,
    /// The last store to each entry.
    stored: HashMap<Entry, usize>,
    stores: Vec<Store>,
}

impl Body {
    fn new(low: i64, high: i64) -> Body {
        Body { low, high, ops: vec![], known: HashMap::new(), stored: HashMap::new(), stores: vec![] }
    }

    fn entry(&self, address: &Address, shift: i64) -> Option<Entry> {
        let entry = Entry::new(address)?.moved(shift);
        Some(if self.high - self.low == 1 { entry.at(self.low) } else { entry })
    }

    fn op(&mut self, key: Key, op: Op) -> u32 {
        let Body { ops, known, .. } = self;
        *known.entry(key).or_insert_with(|| {
            ops.push(op);
            ops.len() as u32 - 1
        })
    }

    /// The value of an entry now: what was stored before, or from memory.
    fn value(&mut self, entry: Entry) -> u32 {
        match self.stored.get(&entry) {
            Some(&store) => self.stores[store].value,
            None => self.op(Key::Load(entry), Op::Load(entry.address())),
        }
    }

    fn take(&mut self, member: &Member) {
        let mut places = Vec::with_capacity(member.kernel.ops.len());
        for op in &member.kernel.ops {
            let at = |k: u32| places[k as usize];
            let place = match op {
                Op::Constant(n) => self.op(Key::Constant(n.as_ratio(), n.to_f64().to_bits()), op.clone()),
                Op::Pi => self.op(Key::Pi, Op::Pi),
                Op::Index(i) => {
                    let point = match self.high - self.low {
                        1 => Ix::constant(self.low - member.shift),
                        _ => Ix::var(0).shifted(-member.shift),
                    };
                    let i = i.substitute(&[point]);
                    self.op(Key::Index(format!("{i:?}")), Op::Index(i))
                }
                Op::Load(address) => match self.entry(address, member.shift) {
                    Some(entry) => self.value(entry),
                    None => 0,
                },
                Op::Unary(f, a) => self.op(Key::Unary(*f, at(*a)), Op::Unary(*f, at(*a))),
                Op::Binary(f, a, b) => {
                    let (a, b) = (at(*a), at(*b));
                    self.op(Key::Binary(*f, a, b), Op::Binary(*f, a, b))
                }
            };
            places.push(place);
        }
        for store in &member.kernel.stores {
            let Some(entry) = self.entry(&store.to, member.shift) else { continue };
            let mut value = places[store.value as usize];
            if store.write == Write::Reduce {
                self.stores.push(Store { to: entry.address(), value, write: Write::Reduce });
                continue;
            }
            if store.write == Write::Add {
                let before = self.value(entry);
                value = self.op(Key::Binary(Binary::Add, before, value), Op::Binary(Binary::Add, before, value));
            }
            match self.stored.get(&entry) {
                Some(&known) => self.stores[known].value = value,
                None => {
                    self.stored.insert(entry, self.stores.len());
                    self.stores.push(Store { to: entry.address(), value, write: Write::Set });
                }
            }
        }
    }

    fn finish(self) -> Option<Kernel> {
        let domain = match self.high - self.low {
            1 => Domain::point(),
            _ => Domain::range("k", self.low, self.high - 1),
        };
        let kernel = Kernel { domain, ops: self.ops, stores: self.stores };
        (!kernel.stores.is_empty()).then_some(kernel)
    }
}
