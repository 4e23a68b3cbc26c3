//! Arrays that are alike: what is made once is often made several times, by different functions or for different families of
//! coordinates, such as the inverses of masses. In each step only one of these is read.

use super::entry::{Entry, array};
use super::item::Item;
use super::unread::span;
use crate::program::{Kernel, Op, Write};
use cotangent_expr::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What is found in the place of an array.
#[derive(Clone, Copy)]
enum Instead {
    /// Everywhere the same.
    Constant(Number),
    /// The entries of another array, so much further on.
    Shifted(usize, i64),
}

/// A store: the kernel it is in, the entry, and the operation whose value is stored.
type Stored = (usize, Entry, u32);

/// Reads the arrays that are made once where others are alike; `once` and `each` are what is done once and in each step.
pub(super) fn merge(once: &[Item], each: &mut [Item]) {
    let kernels: Vec<&Kernel> = once.iter().flat_map(Item::kernels).collect();
    let written = each.iter().flat_map(Item::kernels).flat_map(|k| k.stores.iter().map(|s| array(&s.to)));
    let changed: HashSet<usize> = written.collect();
    let (mut stores, mut others) = (BTreeMap::<usize, Vec<Stored>>::new(), changed);
    for (k, kernel) in kernels.iter().enumerate() {
        for store in &kernel.stores {
            match Entry::new(&store.to) {
                Some(entry) if store.write == Write::Set => {
                    stores.entry(entry.array).or_default().push((k, entry, store.value));
                }
                _ => _ = others.insert(array(&store.to)),
            }
        }
    }
    stores.retain(|array, list| !others.contains(array) && is_made_once(&kernels, list));
    let instead = instead(&kernels, &stores);
    each.iter_mut().for_each(|item| replace(item, &instead));
}

/// Whether no entry is stored twice.
fn is_made_once(kernels: &[&Kernel], list: &[Stored]) -> bool {
    let is_one = |&(k, entry, _): &Stored| entry.stride != 0 || kernels[k].domain.is_point();
    let mut spans: Vec<(i64, i64)> = list.iter().map(|&(k, entry, _)| span(kernels[k], &entry.address())).collect();
    spans.sort_unstable();
    list.iter().all(is_one) && spans.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

fn instead(kernels: &[&Kernel], stores: &BTreeMap<usize, Vec<Stored>>) -> HashMap<usize, Instead> {
    let all: HashSet<Stored> = stores.values().flatten().copied().collect();
    // The stores of the same value in a kernel, by arrays.
    let mut equal: HashMap<(usize, u32), Vec<Entry>> = HashMap::new();
    for &(k, entry, value) in stores.values().flatten() {
        equal.entry((k, value)).or_default().push(entry);
    }
    let mut out: HashMap<usize, Instead> = HashMap::new();
    for (&own, list) in stores {
        let constant = |&(k, _, value): &Stored| match kernels[k].ops[value as usize] {
            Op::Constant(c) => Some(c),
            _ => None,
        };
        let first = constant(&list[0]);
        if let Some(c) = first
            && list.iter().all(|store| constant(store).is_some_and(|other| same(c, other)))
        {
            out.insert(own, Instead::Constant(c));
            continue;
        }
        let &(k, entry, value) = &list[list.len() - 1];
        let is_alike = |other: &&Entry| {
            other.array < own && other.stride == entry.stride && !out.contains_key(&other.array) && {
                let (to, shift) = (other.array, other.offset - entry.offset);
                let moved = |e: Entry| Entry { array: to, offset: e.offset + shift, ..e };
                list.iter().all(|&(k, e, value)| all.contains(&(k, moved(e), value)))
            }
        };
        if let Some(other) = equal[&(k, value)].iter().find(is_alike) {
            out.insert(own, Instead::Shifted(other.array, other.offset - entry.offset));
        }
    }
    out
}

/// Whether numbers are the same, a zero with its sign.
fn same(a: Number, b: Number) -> bool {
    a.as_ratio() == b.as_ratio() && a.to_f64().to_bits() == b.to_f64().to_bits()
}

fn replace(item: &mut Item, instead: &HashMap<usize, Instead>) {
    match item {
        Item::Kernel(kernel) => {
            for op in &mut kernel.ops {
                let Op::Load(address) = op else { continue };
                match instead.get(&array(address)) {
                    Some(&Instead::Constant(c)) => *op = Op::Constant(c),
                    Some(&Instead::Shifted(other, shift)) => {
                        let at = address.at.shifted(shift);
                        *op = Op::Load(Entry::anywhere(other, at));
                    }
                    None => {}
                }
            }
        }
        region => region.bodies_mut().flatten().for_each(|item| replace(item, instead)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Binary, Store};
    use cotangent_expr::{Domain, Ix};

    const MASSES: usize = 0;
    const INVERSES: usize = 1;
    const MOVED: usize = 2;
    const OTHER_END: usize = 3;
    const ZEROS: usize = 4;
    const ZERO_AND_ONE: usize = 5;

    fn load(array: usize, at: Ix) -> Op {
        Op::Load(Entry::anywhere(array, at))
    }

    /// Stores of 1/m, m and 0 at points from `low` to `high`: which goes to which array, how much further on.
    fn made(low: i64, high: i64, stores: &[(usize, u32, i64)]) -> Item {
        let (at, domain) = match low < high {
            true => (Ix::var(0), Domain::range("k", low, high)),
            false => (Ix::constant(low), Domain::point()),
        };
        let one = Op::Constant(Number::from(1.0));
        let ops = vec![load(MASSES, at.clone()), one, Op::Binary(Binary::Div, 1, 0), Op::Constant(Number::ZERO)];
        let store = |&(array, value, shift): &(usize, u32, i64)| {
            let to = Entry::anywhere(array, at.shifted(shift));
            Store { to, value, write: Write::Set }
        };
        Item::Kernel(Kernel { domain, ops, stores: stores.iter().map(store).collect() })
    }

    #[test]
    fn one_of_several_is_read() {
        let (mass, inverse, zero) = (0, 2, 3);
        let common = [(INVERSES, inverse, 0), (MOVED, inverse, 7), (ZEROS, zero, 0)];
        let last = [(OTHER_END, mass, 0), (ZERO_AND_ONE, 1, 0)];
        let rest = [(OTHER_END, inverse, 0), (ZERO_AND_ONE, zero, 0)];
        let once = [made(0, 8, &[&common[..], &rest].concat()), made(9, 9, &[&common[..], &last].concat())];
        let arrays = [INVERSES, MOVED, OTHER_END, ZEROS, ZERO_AND_ONE];
        let ops: Vec<Op> = arrays.iter().map(|&array| load(array, Ix::var(0).shifted(20))).collect();
        let mut each = [Item::Kernel(Kernel { domain: Domain::range("k", 0, 9), ops, stores: vec![] })];
        merge(&once, &mut each);
        let Item::Kernel(kernel) = &each[0] else { panic!("a kernel") };
        let read = |op: &Op| match op {
            Op::Load(a) => Ok((array(a), a.at.offset())),
            Op::Constant(c) => Err(c.to_f64()),
            other => panic!("{other:?}"),
        };
        let found: Vec<Result<(usize, i64), f64>> = kernel.ops.iter().map(read).collect();
        // What is the same up to its end is not the same, nor what is constant up to there.
        let expected = [Ok((INVERSES, 20)), Ok((INVERSES, 13)), Ok((OTHER_END, 20)), Err(0.0), Ok((ZERO_AND_ONE, 20))];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_changes_or_is_made_twice_is_read_as_it_is() {
        let inverse = 2;
        let once = [
            made(0, 9, &[(INVERSES, inverse, 0), (MOVED, inverse, 7)]),
            made(4, 4, &[(INVERSES, 0, 0)]),
            made(0, 9, &[(ZEROS, 3, 0)]),
        ];
        let mut each = [made(0, 9, &[(ZEROS, 1, 0)])];
        let Item::Kernel(kernel) = &mut each[0] else { panic!("a kernel") };
        kernel.ops.extend([load(MOVED, Ix::var(0)), load(ZEROS, Ix::var(0))]);
        let before = kernel.ops.clone();
        merge(&once, &mut each);
        let Item::Kernel(kernel) = &each[0] else { panic!("a kernel") };
        assert_eq!(kernel.ops, before);
    }
}
