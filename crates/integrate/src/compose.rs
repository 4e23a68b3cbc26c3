//! Compositions: several steps of a symmetric method, of other sizes, make one of higher order.
//!
//! ```text
//! Ψ_h = Φ_{γ_s h} ∘ … ∘ Φ_{γ₂ h} ∘ Φ_{γ₁ h},   γᵢ = γ_{s+1−i},   Σ γᵢ = 1
//! ```
//!
//! If Φ is symmetric, symplectic, or keeps constraints, so does Ψ; its order is that of the
//! composition if Φ is symmetric of order 2.
//!
//! Hairer, Lubich & Wanner, Geometric Numerical Integration, II.4 and V.3.2, where the coefficients
//! are given to 26 digits.

use cotangent_dynamics::{Failure, Machine, State, Stepper};
use cotangent_scalar::{Dd, Scalar};

/// A composition, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composition {
    /// Order 4, 3 stages: the triple jump.
    Yoshida4,
    /// Order 6, 7 stages (solution A).
    Yoshida6,
    /// Order 8, 15 stages (solution D).
    Yoshida8,
    /// Order 4, 5 stages.
    Suzuki4,
    /// Order 6, 9 stages.
    KahanLi6,
    /// Order 8, 17 stages.
    KahanLi8,
    /// Order 10, 35 stages.
    SofroniouSpaletta10,
}

impl Composition {
    /// Every composition.
    pub const ALL: [Composition; 7] = [
        Composition::Yoshida4,
        Composition::Yoshida6,
        Composition::Yoshida8,
        Composition::Suzuki4,
        Composition::KahanLi6,
        Composition::KahanLi8,
        Composition::SofroniouSpaletta10,
    ];

    /// The composition with this name.
    pub fn named(name: &str) -> Option<Composition> {
        Composition::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Composition::Yoshida4 => "yoshida-4",
            Composition::Yoshida6 => "yoshida-6",
            Composition::Yoshida8 => "yoshida-8",
            Composition::Suzuki4 => "suzuki-4",
            Composition::KahanLi6 => "kahan-li-6",
            Composition::KahanLi8 => "kahan-li-8",
            Composition::SofroniouSpaletta10 => "sofroniou-spaletta-10",
        }
    }

    /// The order, around a symmetric method of order 2.
    pub fn order(self) -> u32 {
        match self {
            Composition::Yoshida4 | Composition::Suzuki4 => 4,
            Composition::Yoshida6 | Composition::KahanLi6 => 6,
            Composition::Yoshida8 | Composition::KahanLi8 => 8,
            Composition::SofroniouSpaletta10 => 10,
        }
    }

    /// Where it comes from.
    pub fn reference(self) -> &'static str {
        match self {
            Composition::Yoshida4 => "H. Yoshida, Phys. Lett. A 150 (1990) 262; M. Suzuki; E. Forest",
            Composition::Yoshida6 | Composition::Yoshida8 => "H. Yoshida, Phys. Lett. A 150 (1990) 262",
            Composition::Suzuki4 => "M. Suzuki, Phys. Lett. A 146 (1990) 319",
            Composition::KahanLi6 | Composition::KahanLi8 => "W. Kahan & R.-C. Li, Math. Comp. 66 (1997) 1089",
            Composition::SofroniouSpaletta10 => "M. Sofroniou & G. Spaletta, Optim. Methods Softw. 20 (2005) 597",
        }
    }

    /// γ₁ … γ_s in double-double, their sum 1 to its last digit.
    pub(crate) fn coefficients(self) -> Vec<Dd> {
        let outer: Vec<Dd> = match self {
            Composition::Yoshida4 => {
                // 1/(2 − 2^(1/3))
                let root = Dd::from(2.0).pow(Dd::ratio(1, 3));
                vec![Dd::from(1.0) / (Dd::from(2.0) - root)]
            }
            Composition::Suzuki4 => {
                // 1/(4 − 4^(1/3)), twice
                let root = Dd::from(4.0).pow(Dd::ratio(1, 3));
                vec![Dd::from(1.0) / (Dd::from(4.0) - root); 2]
            }
            Composition::Yoshida6 => table(&YOSHIDA_6),
            Composition::Yoshida8 => table(&YOSHIDA_8),
            Composition::KahanLi6 => table(&KAHAN_LI_6),
            Composition::KahanLi8 => table(&KAHAN_LI_8),
            Composition::SofroniouSpaletta10 => table(&SOFRONIOU_SPALETTA_10),
        };
        let sum = outer.iter().fold(Dd::from(0.0), |sum, &g| sum + g);
        let middle = Dd::from(1.0) - Dd::from(2.0) * sum;
        let back = outer.iter().rev().copied();
        outer.iter().copied().chain([middle]).chain(back).collect()
    }

    /// The same in another arithmetic.
    pub(crate) fn rounded<S: Scalar>(self) -> Vec<S> {
        self.coefficients().into_iter().map(|g| S::from_f64(g.hi()) + S::from_f64(g.lo())).collect()
    }
}

/// γ₁ … of the first half, as (first 13 digits, next 13 digits) after the decimal point.
type Digits = (i64, i64);

const YOSHIDA_6: [Digits; 3] =
    [(7845136104775, 5726381949763), (2355732133593, 5813368479318), (-11776799841788, -7100694641568)];

const YOSHIDA_8: [Digits; 7] = [
    (7416703643506, 1295344822780),
    (-4091008258000, -3159399730010),
    (1907547102962, 3837995387626),
    (-5738624711160, -8226665638773),
    (2990641813036, 5592384446354),
    (3346249182452, 9818378495798),
    (3152930923967, 6659663205666),
];

const KAHAN_LI_6: [Digits; 4] = [
    (3921614440073, 1413927925056),
    (3325991367893, 5943859974864),
    (-7062461725576, -3935980996482),
    (822135962935, 5080023149045),
];

const KAHAN_LI_8: [Digits; 8] = [
    (1302024830888, 9008087881763),
    (5611629817751, 838456196441),
    (-3894749626448, -4728640807860),
    (1588419065551, 5560089621075),
    (-3959038941332, -3757733623154),
    (1845396409783, 1570709183254),
    (2583743876863, 2204729397911),
    (2950117236093, 1029887096624),
];

const SOFRONIOU_SPALETTA_10: [Digits; 17] = [
    (787957225216, 8641926390768),
    (3130961034151, 852776481247),
    (279183832350, 7806610952027),
    (-2295928415939, -709415121340),
    (1309620610771, 6486317465686),
    (-2697334056545, -1071434460973),
    (749733431558, 9143566613711),
    (1119934239998, 1020488957508),
    (3661334495462, 2675119314812),
    (-3991056301360, -3589787862981),
    (1030873985274, 7107731580277),
    (4114308739558, 9023782070412),
    (-48663605831, -3526176219566),
    (-3920333537086, -3990644808194),
    (519425029624, 4964703718290),
    (506650907599, 2449633587434),
    (496743706397, 2987905456880),
];

fn table(digits: &[Digits]) -> Vec<Dd> {
    let unit = Dd::ratio(10_000_000_000_000, 1);
    digits.iter().map(|&(high, low)| (Dd::from(high) + Dd::from(low) / unit) / unit).collect()
}

/// A method with a composition around it.
pub(crate) fn around<'s, S: Scalar + 's>(
    composition: Composition,
    inner: Box<dyn Stepper<S> + 's>,
) -> Box<dyn Stepper<S> + 's> {
    let coefficients = composition.rounded();
    let states = [State::new(vec![], 0), State::new(vec![], 0)];
    Box::new(Composed { inner, coefficients, states, numbers: vec![] })
}

struct Composed<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    coefficients: Vec<S>,
    states: [State<S>; 2],
    /// The numbers of a state in a row.
    numbers: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Composed<'_, S> {
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn forget(&self, memory: &mut [S]) {
        self.inner.forget(memory);
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Composed { inner, coefficients, states: [a, b], numbers } = self;
        a.copy_from(from);
        b.copy_from(from);
        numbers.resize(from.numbers(), S::from_f64(0.0));
        from.store(numbers);
        let looped = machine.repeat(coefficients, numbers, &mut |machine, gamma, numbers| {
            a.load(numbers);
            inner.step(machine, gamma * h, a, b)?;
            b.store(numbers);
            Ok(())
        })?;
        if looped {
            to.copy_from(a);
            to.load(numbers);
            return Ok(());
        }
        for &gamma in &*coefficients {
            inner.step(machine, gamma * h, a, b)?;
            std::mem::swap(a, b);
        }
        to.copy_from(a);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coefficients_sum_to_one_and_their_odd_powers_to_zero() {
        // Necessary for order p: Σ γ³ = 0, for order ≥ 6 also Σ γ⁵ = 0, and so on.
        for c in Composition::ALL {
            let gammas = c.coefficients();
            assert_eq!(gammas.len() % 2, 1);
            for power in (1..c.order()).step_by(2) {
                let of = |g: Dd| (0..power).fold(Dd::from(1.0), |p, _| p * g);
                let sum = gammas.iter().fold(Dd::from(0.0), |s, &g| s + of(g));
                let expected = if power == 1 { 1.0 } else { 0.0 };
                assert!((sum.hi() - expected).abs() < 1e-24, "{c:?}, power {power}: {:e}", sum.hi() - expected);
            }
        }
    }
}
