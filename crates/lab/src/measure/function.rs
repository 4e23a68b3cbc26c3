//! The named functions of measurements.

use super::error::MeasureError;
use crate::fit::{fit_line, growth_exponent, observed_order};
use cotangent_scalar::larger;

/// A named function of series.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// What it is called.
    pub name: &'static str,
    /// What it takes, as it is written.
    pub arguments: &'static str,
    /// What it gives.
    pub summary: &'static str,
    apply: Apply,
}

/// By the name of the function, for messages.
type OfSeries = fn(&'static str, &[Vec<f64>]) -> Result<Vec<f64>, MeasureError>;

#[derive(Clone, Copy, Debug)]
enum Apply {
    /// Value by value.
    Each(fn(f64) -> f64),
    /// A number of the values of one series, which has some.
    Whole(fn(&[f64]) -> f64),
    /// Anything of so many series.
    Of(usize, OfSeries),
    /// Anything of one or more.
    Any(OfSeries),
}

/// Value by value; one value stands beside any.
pub(super) fn paired(
    function: &'static str,
    left: &[f64],
    right: &[f64],
    f: impl Fn(f64, f64) -> f64,
) -> Result<Vec<f64>, MeasureError> {
    match (left, right) {
        (left, [b]) => Ok(left.iter().map(|a| f(*a, *b)).collect()),
        ([a], right) => Ok(right.iter().map(|b| f(*a, *b)).collect()),
        _ if left.len() == right.len() => Ok(left.iter().zip(right).map(|(a, b)| f(*a, *b)).collect()),
        _ => Err(MeasureError::Lengths { function, left: left.len(), right: right.len() }),
    }
}

/// Functions are those of their names.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Function {
    /// The function of a name.
    pub(super) fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|f| f.name == name)
    }

    /// Its values.
    pub(super) fn apply(&self, given: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
        let wrong = MeasureError::Arguments { function: self.name, expected: self.arguments, given: given.len() };
        match (self.apply, given) {
            (Apply::Each(f), [a]) => Ok(a.iter().map(|x| f(*x)).collect()),
            (Apply::Whole(_), [a]) if a.is_empty() => Err(MeasureError::Empty { function: self.name }),
            (Apply::Whole(f), [a]) => Ok(vec![f(a)]),
            (Apply::Of(count, f), given) if given.len() == count => f(self.name, given),
            (Apply::Any(f), given) if !given.is_empty() => f(self.name, given),
            _ => Err(wrong),
        }
    }
}

macro_rules! functions {
    ($($name:literal ($arguments:literal) = $apply:expr, $summary:literal;)+) => {
        /// Every function, by what it is about.
        pub const FUNCTIONS: &[Function] =
            &[$(Function { name: $name, arguments: $arguments, summary: $summary, apply: $apply }),+];
    };
}

functions! {
    "abs"("a") = Apply::Each(f64::abs), "the size of each value";
    "sqrt"("a") = Apply::Each(f64::sqrt), "the square root of each value";
    "sin"("a") = Apply::Each(f64::sin), "the sine of each value";
    "cos"("a") = Apply::Each(f64::cos), "the cosine of each value";
    "exp"("a") = Apply::Each(f64::exp), "the exponential of each value";
    "log"("a") = Apply::Each(f64::ln), "the natural logarithm of each value";
    "norm"("a, b, …") = Apply::Any(norm), "√(a² + b² + …), value by value";
    "list"("a, b, …") = Apply::Any(|_, all| Ok(all.concat())), "the values of all, one series behind the other";
    "max"("a") = Apply::Whole(|a| a.iter().copied().fold(f64::NEG_INFINITY, larger)), "the largest value";
    "min"("a") = Apply::Whole(|a| -a.iter().map(|x| -x).fold(f64::NEG_INFINITY, larger)), "the least value";
    "mean"("a") = Apply::Whole(mean), "the mean value";
    "median"("a") = Apply::Whole(median), "the median: half of the values are less";
    "spread"("a") = Apply::Whole(spread), "the standard deviation from the mean";
    "count"("a") = Apply::Whole(|a| a.len() as f64), "how many values there are";
    "variation"("a") = Apply::Whole(variation), "the total variation of a periodic series: Σ |aᵢ₊₁ − aᵢ|";
    "first"("a") = Apply::Whole(|a| a[0]), "the first value";
    "last"("a") = Apply::Whole(|a| a[a.len() - 1]), "the last value";
    "running_max"("a") = Apply::Of(1, |_, all| Ok(running_max(&all[0]))), "the largest value so far";
    "steps"("a") = Apply::Of(1, |_, all| Ok(all[0].windows(2).map(|w| w[1] - w[0]).collect())),
        "the differences of neighbours";
    "positions"("a") = Apply::Of(1, |_, all| Ok((0..all[0].len()).map(|k| k as f64).collect())),
        "0, 1, 2, …, as many as there are values";
    "every"("a, n") = Apply::Of(2, every), "the first value and every n-th after it";
    "at"("a, time, t") = Apply::Of(3, at), "the value at the time nearest to t";
    "part"("a, time, from, to") = Apply::Of(4, part), "the values at times between two";
    "row"("u[*], time, t") = Apply::Of(3, row), "the members of a family at the time nearest to t";
    "slope"("x, y") = Apply::Of(2, |_, all| Ok(vec![fit_line(&all[0], &all[1])?.slope])),
        "the slope of the line of least squares";
    "exponent"("time, a") = Apply::Of(2, |_, all| Ok(vec![growth_exponent(&all[0], &all[1])?.exponent])),
        "p of a growth like tᵖ of the largest |a| so far";
    "order"("steps, errors") = Apply::Of(2, |_, all| Ok(vec![observed_order(&all[0], &all[1])?.value])),
        "p of errors like hᵖ";
    "zeros"("time, a") = Apply::Of(2, |name, all| crossings(name, all, |a, b| (a < 0.0) != (b < 0.0))),
        "the times at which a changes its sign";
    "rises"("time, a") = Apply::Of(2, |name, all| crossings(name, all, |a, b| a < 0.0 && b >= 0.0)),
        "the times at which a becomes positive";
    "exceeds"("time, a, level") = Apply::Of(3, exceeds), "the first time at which |a| is larger; infinite if never";
    "amplitudes"("a") = Apply::Of(1, |_, all| Ok(amplitudes(&all[0]))),
        "the periodogram |Σ aₙ exp(−2πikn/N)|/N of a − mean, for k from 0 to N/2";
    "where_largest"("a") = Apply::Whole(where_largest), "the position of the largest value, from 0";
}

fn mean(a: &[f64]) -> f64 {
    a.iter().sum::<f64>() / a.len() as f64
}

fn median(a: &[f64]) -> f64 {
    let mut sorted = a.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(a.len() - 1) / 2] + sorted[a.len() / 2]) / 2.0
}

fn spread(a: &[f64]) -> f64 {
    let middle = mean(a);
    (a.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

fn variation(a: &[f64]) -> f64 {
    a.iter().zip(a.iter().cycle().skip(1)).map(|(a, b)| (b - a).abs()).sum()
}

fn running_max(a: &[f64]) -> Vec<f64> {
    let mut so_far = f64::NEG_INFINITY;
    a.iter()
        .map(|x| {
            so_far = larger(so_far, *x);
            so_far
        })
        .collect()
}

fn norm(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    all.iter().try_fold(vec![0.0], |sum, a| paired(name, &sum, a, f64::hypot))
}

/// The one value that is meant.
fn one(a: &[f64]) -> Result<f64, MeasureError> {
    match a {
        [value] => Ok(*value),
        _ => Err(MeasureError::NotOne { count: a.len() }),
    }
}

fn same_length(function: &'static str, a: &[f64], b: &[f64]) -> Result<(), MeasureError> {
    match a.len() == b.len() {
        true => Ok(()),
        false => Err(MeasureError::Lengths { function, left: a.len(), right: b.len() }),
    }
}

fn every(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    let n = one(&all[1])?;
    if n < 1.0 {
        return Err(MeasureError::Empty { function: name });
    }
    Ok(all[0].iter().step_by(n as usize).copied().collect())
}

fn nearest(name: &'static str, times: &[f64], t: f64) -> Result<usize, MeasureError> {
    let distance = |k: &usize| (times[*k] - t).abs();
    let found = (0..times.len()).min_by(|i, k| distance(i).total_cmp(&distance(k)));
    found.ok_or(MeasureError::Empty { function: name })
}

fn at(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    same_length(name, &all[0], &all[1])?;
    Ok(vec![all[0][nearest(name, &all[1], one(&all[2])?)?]])
}

fn part(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    same_length(name, &all[0], &all[1])?;
    let (from, to) = (one(&all[2])?, one(&all[3])?);
    let within = all[0].iter().zip(&all[1]).filter(|(_, t)| (from..=to).contains(*t));
    Ok(within.map(|(a, _)| *a).collect())
}

fn row(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    let (members, times) = (&all[0], &all[1]);
    if times.is_empty() || members.len() % times.len() != 0 {
        return Err(MeasureError::Lengths { function: name, left: members.len(), right: times.len() });
    }
    let k = nearest(name, times, one(&all[2])?)?;
    Ok(members.iter().skip(k).step_by(times.len()).copied().collect())
}

/// Where the line through two neighbours is zero.
fn crossings(name: &'static str, all: &[Vec<f64>], is_one: fn(f64, f64) -> bool) -> Result<Vec<f64>, MeasureError> {
    let (t, a) = (&all[0], &all[1]);
    same_length(name, t, a)?;
    let crossed = (1..a.len()).filter(|&k| is_one(a[k - 1], a[k]));
    Ok(crossed.map(|k| t[k - 1] + (t[k] - t[k - 1]) * a[k - 1] / (a[k - 1] - a[k])).collect())
}

fn exceeds(name: &'static str, all: &[Vec<f64>]) -> Result<Vec<f64>, MeasureError> {
    let (t, a, level) = (&all[0], &all[1], one(&all[2])?);
    same_length(name, t, a)?;
    let found = t.iter().zip(a).find(|(_, a)| a.is_nan() || a.abs() > level);
    Ok(vec![found.map_or(f64::INFINITY, |(t, _)| *t)])
}

/// By the definition, as N is small.
fn amplitudes(a: &[f64]) -> Vec<f64> {
    let (n, middle) = (a.len(), if a.is_empty() { 0.0 } else { mean(a) });
    let turns: Vec<f64> = (0..n).map(|j| std::f64::consts::TAU * j as f64 / n as f64).collect();
    let amplitude = |k: usize| {
        let sums = a.iter().enumerate().fold([0.0, 0.0], |[c, s], (j, x)| {
            let angle = turns[j * k % n];
            [c + (x - middle) * angle.cos(), s + (x - middle) * angle.sin()]
        });
        sums[0].hypot(sums[1]) / n as f64
    };
    (0..=n / 2).filter(|_| n > 0).map(amplitude).collect()
}

fn where_largest(a: &[f64]) -> f64 {
    (0..a.len()).max_by(|&i, &k| a[i].total_cmp(&a[k]).then(k.cmp(&i))).map_or(0.0, |k| k as f64)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn half_of_the_values_are_on_each_side_of_the_median() {
        assert_eq!(median(&[3.0, -1.0, 100.0]), 3.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 50.0]), 3.0);
        assert_eq!(median(&[7.0]), 7.0);
    }
}
