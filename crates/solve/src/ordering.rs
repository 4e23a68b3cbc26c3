//! Orderings that bring the entries of a matrix near its diagonal (Cuthill & McKee, 1969).

use std::cmp::Reverse;

use crate::{Pattern, PatternError};

/// An order of the rows and one of the columns: `rows[k]` is the row at place k.
#[derive(Clone, Debug)]
pub(crate) struct Ordering {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    pub(crate) lower: usize,
    pub(crate) upper: usize,
}

impl Ordering {
    /// Rows and columns as they are, with so many diagonals below and above the main one.
    pub(crate) fn natural(size: usize, [lower, upper]: [usize; 2]) -> Self {
        let order: Vec<u32> = (0..size as u32).collect();
        Ordering { rows: order.clone(), columns: order, lower, upper }
    }

    /// The best of three orderings of a square pattern: as it is; by the graph of A + Aᵀ, which
    /// treats equation i and unknown i as one; by the graph that joins equations to unknowns, which
    /// also helps when equations and unknowns are numbered independently.
    pub(crate) fn narrow(pattern: &Pattern) -> Result<Self, PatternError> {
        let (rows, columns) = (pattern.rows(), pattern.columns());
        if rows > u32::MAX as usize / 2 {
            return Err(PatternError::TooLarge { rows, columns });
        }
        let n = rows as u32;
        let natural = Self::new(pattern, (0..n).collect(), (0..n).collect());
        if natural.lower.max(natural.upper) <= 1 {
            return Ok(natural);
        }
        let edges: Vec<_> = pattern.addresses().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
        let order = breadth_first(&Pattern::new(n as usize, n as usize, &edges)?);
        let symmetric = Self::new(pattern, order.clone(), order);

        let edges: Vec<_> = pattern.addresses().flat_map(|(i, j)| [(i, n + j), (n + j, i)]).collect();
        let order = breadth_first(&Pattern::new(2 * n as usize, 2 * n as usize, &edges)?);
        let (rows, columns): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&node| node < n);
        let columns = columns.into_iter().map(|node| node - n).collect();
        let independent = Self::new(pattern, rows, columns);

        let best = if symmetric.cost() < natural.cost() { symmetric } else { natural };
        Ok(if independent.cost() < best.cost() { independent } else { best })
    }

    /// Reversing both orders exchanges the two bandwidths; elimination prefers few rows below.
    fn new(pattern: &Pattern, mut rows: Vec<u32>, mut columns: Vec<u32>) -> Self {
        let (row_place, column_place) = (inverse(&rows), inverse(&columns));
        let (mut lower, mut upper) = (0, 0);
        for (i, j) in pattern.addresses() {
            let (i, j) = (row_place[i as usize] as usize, column_place[j as usize] as usize);
            lower = lower.max(i.saturating_sub(j));
            upper = upper.max(j.saturating_sub(i));
        }
        if lower > upper {
            rows.reverse();
            columns.reverse();
            (lower, upper) = (upper, lower);
        }
        Self { rows, columns, lower, upper }
    }

    /// Multiplications to eliminate a column.
    pub(crate) fn cost(&self) -> usize {
        (self.lower + 1) * (self.lower + self.upper + 1)
    }
}

/// The place of each member of a permutation.
pub(crate) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    for (k, &member) in order.iter().enumerate() {
        place[member as usize] = k as u32;
    }
    place
}

/// The nodes of a graph, component by component, each from a node at its rim and by distance from
/// it; nodes of few neighbours first.
fn breadth_first(graph: &Pattern) -> Vec<u32> {
    let n = graph.rows();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for node in 0..n as u32 {
        if !seen[node as usize] {
            let start = rim(graph, node, &mut seen);
            visit(graph, start, &mut seen, &mut order);
        }
    }
    order
}

/// A node from which its component looks deep: the last and least connected one of a search,
/// searched from again as long as the depth grows.
fn rim(graph: &Pattern, node: u32, seen: &mut [bool]) -> u32 {
    let mut reached = Vec::new();
    let (mut start, mut best) = (node, 0);
    loop {
        reached.clear();
        let depth = visit(graph, start, seen, &mut reached);
        for &node in &reached {
            seen[node as usize] = false;
        }
        let last = last_level(graph, &reached, depth);
        match last {
            Some(node) if depth.levels > best => (start, best) = (node, depth.levels),
            _ => return start,
        }
    }
}

/// How deep a search went, and where its last level starts in the order of visit.
#[derive(Clone, Copy)]
struct Depth {
    levels: usize,
    last: usize,
}

fn last_level(graph: &Pattern, reached: &[u32], depth: Depth) -> Option<u32> {
    let degree = |&&node: &&u32| (graph.row(node as usize).len(), Reverse(node));
    reached.get(depth.last..)?.iter().min_by_key(degree).copied()
}

/// Appends the component of `start` to `order`, breadth first.
fn visit(graph: &Pattern, start: u32, seen: &mut [bool], order: &mut Vec<u32>) -> Depth {
    let first = order.len();
    order.push(start);
    seen[start as usize] = true;
    let mut depth = Depth { levels: 0, last: 0 };
    let (mut level, mut end) = (first, first + 1);
    while level < end {
        depth = Depth { levels: depth.levels + 1, last: level - first };
        for k in level..end {
            let begin = order.len();
            for &next in graph.row(order[k] as usize) {
                if !seen[next as usize] {
                    seen[next as usize] = true;
                    order.push(next);
                }
            }
            order[begin..].sort_by_key(|&node| graph.row(node as usize).len());
        }
        (level, end) = (end, order.len());
    }
    depth
}
