//! The integer points over which a family's term is repeated.

use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::index::Ix;
use std::sync::Arc;

/// A loop variable with its inclusive bounds, which may depend on the variables before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The name it is printed with.
    pub name: Arc<str>,
    /// The first value.
    pub low: Ix,
    /// The last value; the range is empty if it is less than `low`.
    pub high: Ix,
}

/// Nested integer ranges, or a list of points where ranges do not describe the set.
///
/// No variable at all is the one-point domain of a plain, index-free term.
#[derive(Clone, Debug)]
pub enum Domain {
    /// `i in a..b, j in c(i)..d(i), …`
    Ranges(Vec<Range>),
    /// Explicit points.
    Points(Points),
}

/// An explicit list of integer points.
#[derive(Clone, Debug)]
pub struct Points {
    /// The names of the variables.
    pub names: Vec<Arc<str>>,
    /// The points one after the other, one value per variable.
    pub values: Arc<[i64]>,
    digest: Digest,
}

impl Domain {
    /// The domain with a single point and no variable.
    pub fn point() -> Domain {
        Domain::Ranges(vec![])
    }

    /// One variable from `low` to `high`.
    pub fn range(name: &str, low: i64, high: i64) -> Domain {
        Domain::Ranges(vec![Range { name: name.into(), low: Ix::constant(low), high: Ix::constant(high) }])
    }

    /// The given points (a flat list, one value per name); a box becomes ranges.
    pub fn from_points(names: Vec<Arc<str>>, values: Vec<i64>) -> Domain {
        let arity = names.len();
        if arity == 0 {
            return Domain::point();
        }
        if let Some(hull) = box_of(arity, &values) {
            let ranges = names.into_iter().zip(hull).map(|(name, (a, b))| Range {
                name,
                low: Ix::constant(a),
                high: Ix::constant(b),
            });
            return Domain::Ranges(ranges.collect());
        }
        let digest = values.iter().fold(Hasher::new(0x7074).word(arity as u64), |h, &v| h.word(v as u64)).finish();
        Domain::Points(Points { names, values: values.into(), digest })
    }

    /// How many variables there are.
    pub fn arity(&self) -> usize {
        match self {
            Domain::Ranges(ranges) => ranges.len(),
            Domain::Points(points) => points.names.len(),
        }
    }

    /// Whether this is the one-point domain.
    pub fn is_point(&self) -> bool {
        self.arity() == 0
    }

    /// The name of variable `v`.
    pub fn name(&self, v: usize) -> Option<&Arc<str>> {
        match self {
            Domain::Ranges(ranges) => ranges.get(v).map(|r| &r.name),
            Domain::Points(points) => points.names.get(v),
        }
    }

    /// The names of all variables.
    pub fn names(&self) -> Vec<Arc<str>> {
        match self {
            Domain::Ranges(ranges) => ranges.iter().map(|r| r.name.clone()).collect(),
            Domain::Points(points) => points.names.clone(),
        }
    }

    /// The smallest box known to hold every point, or `None` if the domain is empty.
    pub fn hull(&self) -> Option<Vec<(i64, i64)>> {
        match self {
            Domain::Ranges(ranges) => {
                let mut hull = Vec::with_capacity(ranges.len());
                for r in ranges {
                    let (low, high) = (r.low.loose_bounds(&hull)?.0, r.high.loose_bounds(&hull)?.1);
                    (low <= high).then_some(())?;
                    hull.push((low, high));
                }
                Some(hull)
            }
            Domain::Points(points) => {
                let mut hull = vec![(i64::MAX, i64::MIN); points.names.len()];
                for point in points.values.chunks_exact(hull.len()) {
                    for (h, &v) in hull.iter_mut().zip(point) {
                        *h = (h.0.min(v), h.1.max(v));
                    }
                }
                hull.iter().all(|h| h.0 <= h.1).then_some(hull)
            }
        }
    }

    /// Checks that each bound refers to earlier variables only and is defined wherever it is used.
    pub fn check(&self) -> Result<(), Error> {
        let Domain::Ranges(ranges) = self else { return Ok(()) };
        let ahead = |(k, r): (usize, &Range)| (r.low.free() | r.high.free()).checked_shr(k as u32).unwrap_or(0) != 0;
        if ranges.iter().enumerate().any(ahead) {
            return Err(Error::Unbound);
        }
        // By bounds; point by point where those cannot tell. An empty domain uses no bound.
        let Some(hull) = self.hull() else { return Ok(()) };
        for (k, r) in ranges.iter().enumerate() {
            if r.low.bounds(&hull[..k]).is_some() && r.high.bounds(&hull[..k]).is_some() {
                continue;
            }
            let outer = Domain::Ranges(ranges[..k].to_vec());
            if !outer.for_each(&mut |vars| r.low.eval(vars).is_some() && r.high.eval(vars).is_some()) {
                return Err(Error::Undefined);
            }
        }
        Ok(())
    }

    /// Whether the bounds of every variable are constants.
    pub fn is_rectangular(&self) -> bool {
        match self {
            Domain::Ranges(ranges) => {
                ranges.iter().all(|r| r.low.as_constant().is_some() && r.high.as_constant().is_some())
            }
            Domain::Points(_) => false,
        }
    }

    /// Calls `visit` with every point in order, until it returns `false`; returns whether all
    /// points were visited. Points at which a bound cannot be evaluated are skipped. Does not
    /// allocate for up to 16 variables.
    pub fn for_each(&self, visit: &mut dyn FnMut(&[i64]) -> bool) -> bool {
        fn nest(ranges: &[Range], point: &mut [i64], level: usize, visit: &mut dyn FnMut(&[i64]) -> bool) -> bool {
            let Some(range) = ranges.get(level) else { return visit(&point[..level]) };
            let (Some(low), Some(high)) = (range.low.eval(&point[..level]), range.high.eval(&point[..level])) else {
                return true;
            };
            (low..=high).all(|i| {
                point[level] = i;
                nest(ranges, point, level + 1, visit)
            })
        }
        let reversed = |r: &Range| r.low.as_constant().zip(r.high.as_constant()).is_some_and(|(a, b)| b < a);
        match self {
            // Outer points without inner ones are not worth a visit each.
            Domain::Ranges(ranges) if ranges.iter().any(reversed) => true,
            Domain::Ranges(ranges) if ranges.len() <= 16 => nest(ranges, &mut [0; 16], 0, visit),
            Domain::Ranges(ranges) => nest(ranges, &mut vec![0; ranges.len()], 0, visit),
            Domain::Points(points) => points.values.chunks_exact(points.names.len()).all(visit),
        }
    }

    /// The number of points, counting no further than `limit`. Ranges that depend on one another
    /// are counted by visiting all but the innermost variable; where that takes more than `limit`
    /// visits the answer is `limit`, even if most of them have no point.
    pub fn count(&self, limit: u64) -> u64 {
        fn nest(ranges: &[Range], point: &mut Vec<i64>, visits: &mut u64, limit: u64) -> u64 {
            let Some((first, rest)) = ranges.split_first() else { return 1 };
            let (Some(low), Some(high)) = (first.low.eval(point), first.high.eval(point)) else { return 0 };
            if rest.is_empty() {
                return if low <= high { (high.saturating_sub(low) as u64).saturating_add(1) } else { 0 };
            }
            let mut count = 0u64;
            for i in low..=high {
                *visits += 1;
                point.push(i);
                count = count.saturating_add(nest(rest, point, visits, limit));
                point.pop();
                if *visits >= limit || count >= limit {
                    return limit;
                }
            }
            count
        }
        match self {
            Domain::Points(points) => ((points.values.len() / points.names.len()) as u64).min(limit),
            Domain::Ranges(_) if self.hull().is_none() => 0,
            Domain::Ranges(ranges) if self.is_rectangular() => ranges
                .iter()
                .map(|r| match (r.low.as_constant(), r.high.as_constant()) {
                    (Some(a), Some(b)) if a <= b => (b.saturating_sub(a) as u64).saturating_add(1),
                    _ => 0,
                })
                .fold(1, u64::saturating_mul)
                .min(limit),
            Domain::Ranges(ranges) => nest(ranges, &mut vec![], &mut 0, limit).min(limit),
        }
    }

    /// The content hash that identifies the set of points.
    pub fn digest(&self) -> Digest {
        match self {
            Domain::Ranges(ranges) => {
                ranges.iter().fold(Hasher::new(0x726e), |h, r| r.high.feed(r.low.feed(h))).finish()
            }
            Domain::Points(points) => points.digest,
        }
    }
}

/// Names are for printing: two domains with the same points are the same.
impl PartialEq for Domain {
    fn eq(&self, other: &Self) -> bool {
        self.digest() == other.digest()
    }
}
impl Eq for Domain {}

/// The bounds of a list of points that fills a box in lexicographic order.
fn box_of(arity: usize, values: &[i64]) -> Option<Vec<(i64, i64)>> {
    let (first, last) = (values.get(..arity)?, values.get(values.len().checked_sub(arity)?..)?);
    let hull: Vec<(i64, i64)> = first.iter().zip(last).map(|(&a, &b)| (a, b)).collect();
    let count = hull.iter().try_fold(1i64, |n, &(a, b)| n.checked_mul(b.checked_sub(a)?.checked_add(1)?))?;
    (count as usize == values.len() / arity).then_some(())?;
    let mut point: Vec<i64> = first.to_vec();
    for given in values.chunks_exact(arity) {
        (given == point).then_some(())?;
        for v in (0..arity).rev() {
            if point[v] < hull[v].1 {
                point[v] += 1;
                break;
            }
            point[v] = hull[v].0;
        }
    }
    Some(hull)
}

/// A range for each variable.
type Cuboid = Vec<(i64, i64)>;

impl Points {
    /// The boxes the points make up, if these are at most `most` and no point occurs twice.
    pub(crate) fn boxes(&self, most: usize) -> Option<Vec<Cuboid>> {
        fn split(points: &[&[i64]], most: usize) -> Option<Vec<Cuboid>> {
            // Slices of equal first value; consecutive ones with the same rest are joined.
            let mut slabs: Vec<((i64, i64), Vec<Cuboid>)> = vec![];
            for slice in points.chunk_by(|a, b| a[0] == b[0]) {
                let first = slice[0][0];
                let rest: Vec<&[i64]> = slice.iter().map(|p| &p[1..]).collect();
                let inner = if rest[0].is_empty() { vec![vec![]] } else { split(&rest, most)? };
                match slabs.last_mut() {
                    Some(((_, last), same)) if *same == inner && last.checked_add(1) == Some(first) => *last = first,
                    _ => slabs.push(((first, first), inner)),
                }
                if slabs.len() > most {
                    return None;
                }
            }
            let with = |range, rest: Cuboid| std::iter::once(range).chain(rest).collect();
            let all: Vec<Cuboid> =
                slabs.into_iter().flat_map(|(range, inner)| inner.into_iter().map(move |c| with(range, c))).collect();
            (all.len() <= most).then_some(all)
        }
        let mut all: Vec<&[i64]> = self.values.chunks_exact(self.names.len()).collect();
        all.sort_unstable();
        let distinct = all.windows(2).all(|w| w[0] != w[1]);
        if distinct && !all.is_empty() { split(&all, most) } else { None }
    }
}
