//! An elimination order that makes few new entries: approximate minimum degree (Amestoy, Davis &
//! Duff, 1996).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Pattern;

/// An order in which to eliminate the nodes of a graph (symmetric, its loops ignored), each time
/// one of few neighbours; `None` if the zeros of the diagonal allow none.
///
/// A node without a diagonal entry – the multiplier of a constraint – makes no pivot before some
/// neighbours have been eliminated and filled it in. It waits for half of them: one may turn out
/// to contribute nothing (the x of a rod that stands upright).
///
/// Nodes of very many neighbours come last, for they would be touched in every step. Once more than
/// `limit` entries have been made the rest comes in any order.
pub(crate) fn order(graph: &Pattern, has_diagonal: &[bool], limit: usize) -> Option<Vec<u32>> {
    let n = graph.rows();
    let dense = 16.max((10.0 * (n as f64).sqrt()) as usize);
    let is_dense = |i: u32| graph.row(i as usize).len() > dense;
    let mut quotient = Quotient::new(graph, is_dense);
    let mut late = Vec::new();
    let mut waiting = vec![0usize; n];
    let mut queue = BinaryHeap::new();
    for i in 0..n as u32 {
        let helps = |&&j: &&u32| j != i && has_diagonal[j as usize];
        let helpers = graph.row(i as usize).iter().filter(helps);
        let early = helpers.clone().filter(|&&j| !is_dense(j)).count();
        let bare = !has_diagonal[i as usize];
        if bare && helpers.count() == 0 {
            return None;
        }
        if is_dense(i) || (bare && early == 0) {
            quotient.remove(i);
            late.push(i);
        } else if bare {
            waiting[i as usize] = early.div_ceil(2);
        } else {
            queue.push(Reverse((quotient.degree[i as usize], i)));
        }
    }
    late.sort_by_key(|&i| (!has_diagonal[i as usize], graph.row(i as usize).len(), i));
    let mut order = Vec::with_capacity(n);
    let mut entries = 0;
    while let Some(Reverse((degree, pivot))) = queue.pop() {
        if quotient.degree[pivot as usize] != degree || quotient.is_gone(pivot) {
            continue; // an entry of before its degree changed
        }
        entries += degree;
        let left = n - order.len() - late.len();
        if entries > limit || degree + 1 >= left {
            // In a complete graph every order is as good as any other.
            let rest = (0..n as u32).filter(|&i| !quotient.is_gone(i));
            let mut rest: Vec<_> = rest.collect();
            rest.sort_by_key(|&i| (waiting[i as usize] > 0, i));
            order.extend(rest);
            break;
        }
        quotient.eliminate(pivot, left - 1);
        order.push(pivot);
        for &i in graph.row(pivot as usize) {
            // Only those with a diagonal of their own fill in that of another.
            if waiting[i as usize] > 0 && has_diagonal[pivot as usize] {
                waiting[i as usize] -= 1;
            }
        }
        for &i in graph.row(pivot as usize).iter().chain(&quotient.members[pivot as usize]) {
            if waiting[i as usize] == 0 && !quotient.is_gone(i) {
                queue.push(Reverse((quotient.degree[i as usize], i)));
            }
        }
    }
    order.extend(late);
    (order.len() == n).then_some(order)
}

/// The graph that is left: an eliminated node becomes an element, which joins all its members, so
/// the new edges need not be stored one by one.
struct Quotient {
    /// For each node left: neighbours joined by an edge of the matrix and by no element.
    neighbours: Vec<Vec<u32>>,
    /// For each node left: the elements it is a member of.
    elements: Vec<Vec<u32>>,
    /// For each element: the nodes it joins.
    members: Vec<Vec<u32>>,
    /// An upper bound of the number of neighbours.
    degree: Vec<usize>,
    state: Vec<State>,
    /// For each element seen in this step: how many members are not in the new element.
    outside: Vec<usize>,
    stamp: Vec<u32>,
    mark: Vec<u32>,
    step: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Node,
    Element,
    /// Absorbed by another element, or not part of the graph.
    Gone,
}

impl Quotient {
    fn new(graph: &Pattern, ignored: impl Fn(u32) -> bool) -> Self {
        let n = graph.rows();
        let neighbours = |i: usize| -> Vec<u32> {
            graph.row(i).iter().copied().filter(|&j| j as usize != i && !ignored(j)).collect()
        };
        let neighbours: Vec<_> = (0..n).map(neighbours).collect();
        Self {
            degree: neighbours.iter().map(Vec::len).collect(),
            neighbours,
            elements: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            state: vec![State::Node; n],
            outside: vec![0; n],
            stamp: vec![0; n],
            mark: vec![0; n],
            step: 0,
        }
    }

    fn is_gone(&self, i: u32) -> bool {
        self.state[i as usize] != State::Node
    }

    fn remove(&mut self, i: u32) {
        self.state[i as usize] = State::Gone;
    }

    /// Makes `pivot` an element; `left` nodes remain.
    fn eliminate(&mut self, pivot: u32, left: usize) {
        let p = pivot as usize;
        self.step += 1;
        self.state[p] = State::Element;
        self.mark[p] = self.step;
        let mut members = std::mem::take(&mut self.neighbours[p]);
        let absorbed = std::mem::take(&mut self.elements[p]);
        for &e in &absorbed {
            members.append(&mut self.members[e as usize]);
            self.state[e as usize] = State::Gone;
        }
        members.retain(|&i| {
            let new = self.state[i as usize] == State::Node && self.mark[i as usize] != self.step;
            self.mark[i as usize] = self.step;
            new
        });
        for &i in &members {
            let mut elements = std::mem::take(&mut self.elements[i as usize]);
            elements.retain(|&e| self.state[e as usize] == State::Element);
            for &e in &elements {
                let e = e as usize;
                if self.stamp[e] != self.step {
                    self.stamp[e] = self.step;
                    self.members[e].retain(|&m| self.state[m as usize] == State::Node);
                    self.outside[e] = self.members[e].len();
                }
                self.outside[e] -= 1;
            }
            self.elements[i as usize] = elements;
        }
        for &i in &members {
            let mut degree = members.len() - 1;
            let mut elements = std::mem::take(&mut self.elements[i as usize]);
            elements.retain(|&e| {
                let outside = self.outside[e as usize];
                if outside == 0 {
                    self.state[e as usize] = State::Gone; // its members are all in the new one
                }
                degree += outside;
                outside > 0
            });
            elements.push(pivot);
            self.elements[i as usize] = elements;
            let (mark, state, step) = (&self.mark, &self.state, self.step);
            let neighbours = &mut self.neighbours[i as usize];
            neighbours.retain(|&j| mark[j as usize] != step && state[j as usize] == State::Node);
            degree += neighbours.len();
            let grown = self.degree[i as usize] + members.len() - 1;
            self.degree[i as usize] = degree.min(grown).min(left.saturating_sub(1));
        }
        self.members[p] = members;
    }
}
