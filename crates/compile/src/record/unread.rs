//! Stores that nobody reads are dropped, by entries: a member that only its neighbours' sums need is not kept in memory.

use super::entry::{Entry, array};
use super::item::Item;
use crate::program::{Address, Kernel, Op, Store, Write};
use cotangent_expr::Domain;
use std::collections::HashMap;

/// Which entries of arrays are read: from the first to the last of each kernel; and to which something is added, which reads them,
/// too, if anybody reads the sums.
#[derive(Default)]
struct Read(HashMap<usize, Vec<(i64, i64)>>, Vec<(usize, (i64, i64))>);

/// Every entry.
const ALL: (i64, i64) = (i64::MIN, i64::MAX);

/// The entries that an address has in a kernel.
pub(super) fn span(kernel: &Kernel, address: &Address) -> (i64, i64) {
    let ends = match &kernel.domain {
        Domain::Ranges(ranges) => match ranges.as_slice() {
            [] => Some((0, 0)),
            [r] => r.low.as_constant().zip(r.high.as_constant()),
            _ => None,
        },
        Domain::Points(_) => None,
    };
    let Some((entry, (low, high))) = Entry::new(address).zip(ends) else { return ALL };
    let [first, last] = [low, high].map(|at| entry.at(at).offset);
    (first.min(last), first.max(last))
}

impl Read {
    fn whole(&mut self, arrays: impl IntoIterator<Item = usize>) {
        arrays.into_iter().for_each(|array| self.0.entry(array).or_default().push(ALL));
    }

    fn by(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Kernel(kernel) => {
                    for op in &kernel.ops {
                        let Op::Load(address) = op else { continue };
                        let (own, spans) = (span(kernel, address), self.0.entry(array(address)).or_default());
                        if !spans.iter().any(|known| known.0 <= own.0 && own.1 <= known.1) {
                            spans.push(own);
                        }
                    }
                    let added = kernel.stores.iter().filter(|store| store.write != Write::Set);
                    self.1.extend(added.map(|store| (array(&store.to), span(kernel, &store.to))));
                }
                region => {
                    self.whole(region.own_arrays());
                    region.bodies().for_each(|body| self.by(body));
                }
            }
        }
    }

    fn has(&self, kernel: &Kernel, store: &Store) -> bool {
        let own = span(kernel, &store.to);
        let Some(spans) = self.0.get(&array(&store.to)) else { return false };
        let added = self.1.iter().filter(|(to, _)| *to == array(&store.to)).map(|(_, span)| span);
        spans.iter().chain(added).any(|read| read.0 <= own.1 && own.0 <= read.1)
    }
}

/// Drops stores that nobody reads; whether there were any.
pub(super) fn drop_unread(parts: &mut [Vec<Item>; 2], results: &[usize]) -> bool {
    fn drop(items: &mut Vec<Item>, read: &Read) -> bool {
        let mut any = false;
        items.retain_mut(|item| match item {
            Item::Kernel(kernel) => {
                let stores = std::mem::take(&mut kernel.stores);
                let before = stores.len();
                kernel.stores = stores.into_iter().filter(|store| read.has(kernel, store)).collect();
                any |= kernel.stores.len() < before;
                kernel.drop_unused();
                !kernel.stores.is_empty()
            }
            region => {
                region.bodies_mut().for_each(|body| any |= drop(body, read));
                true
            }
        });
        any
    }
    let mut read = Read::default();
    read.whole(results.iter().copied());
    parts.iter().for_each(|items| read.by(items));
    let [once, each] = parts;
    drop(once, &read) | drop(each, &read)
}
