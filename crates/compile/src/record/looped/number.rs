//! The arithmetic of numbers that know where they are: what is done to whole vectors is a loop.

use super::{LoopRecorder, Looped, Part, address, parts};
use crate::program::{Binary, Op, Unary, Write};
use crate::record::numbers::{elementary, operators};
use crate::tape::{binary, unary};
use cotangent_expr::{Dim, Ix, Table};
use cotangent_scalar::{Place, Scalar, Sums};

/// The recorder that numbers of vectors refer to.
fn recorder_of<'t>(vectors: &[&[Looped<'t>]]) -> Option<&'t LoopRecorder> {
    vectors.iter().flat_map(|v| v.iter()).find_map(|x| match *x {
        Looped::Entry(_, _, recorder) => Some(recorder),
        Looped::Constant(_) => None,
    })
}

/// An index of a place, by the round.
fn index(place: &Place, rounds: usize, round: &Ix) -> Ix {
    match place {
        Place::Affine { start, step } => round.times(*step as i64).shifted(*start as i64),
        Place::Listed(_) if rounds == 1 => Ix::constant(place.at(0) as i64),
        Place::Listed(places) => {
            let values = places.iter().map(|&at| i64::from(at)).collect();
            let table = Table::new("place", vec![Dim { first: 0, len: rounds }], values);
            table.map_or_else(Ix::default, |table| Ix::table(table, vec![round.clone()]))
        }
    }
}

impl Looped<'_> {
    fn map(self, f: Unary) -> Self {
        match self {
            Looped::Constant(c) => Looped::Constant(unary(f, c)),
            Looped::Entry(_, _, r) => r.operation(&[self], |x| Op::Unary(f, x[0])),
        }
    }

    fn join(self, other: Self, f: Binary) -> Self {
        let recorder = match (self, other) {
            (Looped::Constant(a), Looped::Constant(b)) => return Looped::Constant(binary(f, a, b)),
            // Exact in IEEE arithmetic, whatever the other value is.
            (_, Looped::Constant(1.0)) if matches!(f, Binary::Mul | Binary::Div) => return self,
            (Looped::Constant(1.0), _) if f == Binary::Mul => return other,
            (Looped::Entry(_, _, r), _) | (_, Looped::Entry(_, _, r)) => r,
        };
        recorder.operation(&[self, other], |x| Op::Binary(f, x[0], x[1]))
    }
}

operators!(Looped);

impl Scalar for Looped<'_> {
    elementary!(Looped);

    fn each<const I: usize, const O: usize>(
        inputs: [&[Self]; I],
        outputs: [&mut [Self]; O],
        f: impl Fn([Self; I], [Self; O]) -> [Self; O],
    ) {
        let read: Vec<&[Self]> = inputs.iter().copied().chain(outputs.iter().map(|y| &**y)).collect();
        let len = read.iter().map(|x| x.len()).min().unwrap_or(0);
        let Some(recorder) = recorder_of(&read) else {
            // Nothing but constants: the same ones have the same result.
            let mut last: Option<(Vec<u64>, [Self; O])> = None;
            for k in 0..len {
                let bits = read_constants(&inputs, &outputs, k);
                let made = match &last {
                    Some((known, made)) if *known == bits => *made,
                    _ => f(std::array::from_fn(|i| inputs[i][k]), std::array::from_fn(|o| outputs[o][k])),
                };
                (0..O).for_each(|o| outputs[o][k] = made[o]);
                last = Some((bits, made));
            }
            return;
        };
        // Stretches in which every vector is entries of one array, or the same number.
        let stretches: Vec<Vec<(usize, usize, Part)>> = read.iter().map(|x| parts(&x[..len])).collect();
        let mut cuts: Vec<usize> = stretches.iter().flatten().map(|&(start, ..)| start).chain([len]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let made: [usize; O] = std::array::from_fn(|_| recorder.array(len));
        for pair in cuts.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            recorder.repeat(end - start, |k| {
                let lane = |v: usize| {
                    let own = stretches[v].partition_point(|&(first, ..)| first <= start) - 1;
                    let (first, _, part) = stretches[v][own];
                    match part {
                        Part::Entries(array, at) => {
                            let at = i64::from(at) + (start - first) as i64;
                            recorder.load(address(array as usize, k.shifted(at)))
                        }
                        Part::Same(x) => recorder.uniform(x),
                    }
                };
                let results = f(std::array::from_fn(lane), std::array::from_fn(|o| lane(I + o)));
                let store = |(&to, x)| (address(to, k.shifted(start as i64)), x, Write::Set);
                made.iter().zip(results).map(store).collect()
            });
        }
        for (out, &array) in outputs.into_iter().zip(&made) {
            out[..len].copy_from_slice(&recorder.entries(array));
        }
    }

    fn sums<const K: usize>(
        plan: &Sums<K>,
        onto: bool,
        inputs: [&[Self]; K],
        out: &mut [Self],
        term: impl Fn([Self; K]) -> Self,
        last: impl Fn(Self) -> Self,
    ) {
        let read: Vec<&[Self]> = inputs.iter().copied().chain([&*out]).collect();
        let Some(recorder) = recorder_of(&read) else {
            for (round, l) in plan.loops().iter().flat_map(|l| (0..l.rounds).map(move |round| (round, l))) {
                for (to, terms) in &l.sums {
                    let out = &mut out[to.at(round)];
                    let terms = terms.iter().map(|at| term(std::array::from_fn(|k| inputs[k][at[k].at(round)])));
                    *out = last(terms.fold(if onto { *out } else { Looped::Constant(0.0) }, |sum, term| sum + term));
                }
            }
            return;
        };
        let given: [(usize, i64); K] = inputs.map(|x| recorder.stretch(x));
        let before = onto.then(|| recorder.stretch(out));
        let made = recorder.array(out.len());
        for l in plan.loops() {
            recorder.repeat(l.rounds, |round| {
                let sum = |(to, terms): &(Place, Vec<[Place; K]>)| {
                    let to = index(to, l.rounds, round);
                    let mut terms = terms.iter().map(|at| {
                        term(std::array::from_fn(|k| {
                            let (array, first) = given[k];
                            recorder.load(address(array, index(&at[k], l.rounds, round).shifted(first)))
                        }))
                    });
                    let first = match before {
                        Some((array, first)) => Some(recorder.load(address(array, to.shifted(first)))),
                        None => terms.next(),
                    };
                    let sum = terms.fold(first.unwrap_or(Looped::Constant(0.0)), |sum, term| sum + term);
                    (address(made, to), last(sum), Write::Set)
                };
                l.sums.iter().map(sum).collect()
            });
        }
        out.copy_from_slice(&recorder.entries(made));
    }

    fn total(x: &[Self]) -> Self {
        let Some(recorder) = recorder_of(&[x]) else { return x.iter().fold(Looped::Constant(0.0), |sum, &x| sum + x) };
        let (array, first) = recorder.stretch(x);
        let sum = recorder.array(1);
        let to = || address(sum, Ix::constant(0));
        recorder.repeat(1, |_| vec![(to(), Looped::Constant(0.0), Write::Set)]);
        recorder.repeat(x.len(), |k| vec![(to(), recorder.load(address(array, k.shifted(first))), Write::Reduce)]);
        Looped::Entry(sum as u32, 0, recorder)
    }
}

fn read_constants(inputs: &[&[Looped<'_>]], outputs: &[&mut [Looped<'_>]], k: usize) -> Vec<u64> {
    let bits = |x: Looped<'_>| if let Looped::Constant(c) = x { c.to_bits() } else { 0 };
    inputs.iter().map(|x| bits(x[k])).chain(outputs.iter().map(|y| bits(y[k]))).collect()
}
