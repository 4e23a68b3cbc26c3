//! The formulations in words and formulas.

use cotangent::theory::Formulation;
use serde::Serialize;

/// A formulation in words and formulas.
#[derive(Serialize)]
pub(crate) struct Text {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) equations: &'static [&'static str],
    pub(crate) symbols: &'static str,
    pub(crate) derivation: &'static str,
    /// What is constant along every solution, also off the constraints.
    pub(crate) integrals: &'static str,
    pub(crate) methods: &'static str,
    pub(crate) reference: &'static str,
}

const SYMBOLS: &str = "φ(q) = 0 are the constraints, G = ∂φ/∂q, ψ = G H_p their time derivatives (the hidden \
    constraints), Q = G H_pp Gᵀ, c = {ψ, H}, S the brackets {ψᵢ, ψⱼ}.";

/// What there is to say about a formulation.
pub(crate) fn text(formulation: Formulation) -> Text {
    let (name, summary) = (formulation.name(), formulation.summary());
    match formulation {
        Formulation::Multipliers => Text {
            name,
            summary,
            equations: &["q̇ = H_p(q, p)", "ṗ = −H_q(q, p) − G(q)ᵀλ", "0 = φ(q)"],
            symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, λ the multipliers: −Gᵀλ are the reaction forces.",
            derivation: "Hamilton's principle with the constraints added, λ being their multipliers. Differentiating \
                φ = 0 once gives the hidden constraints ψ = G H_p = 0, twice an equation for λ: an \
                equation of index 3. Without constraints these are Hamilton's equations.",
            integrals: "the energy, on the constraint manifold, which the solutions do not leave",
            methods: "for methods that solve for the multipliers themselves (rattle, shake); without constraints for \
                every method",
            reference: "Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1",
        },
        Formulation::Standard => Text {
            name,
            summary,
            equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀμ(q, p),   Q μ = c"],
            symbols: SYMBOLS,
            derivation: "The multiplier is chosen so that ψ̇ = {ψ, H} − Q μ = 0 everywhere, and put into the equations: \
                an ordinary differential equation on the whole phase space. Then φ̇ = ψ, so that φ drifts \
                linearly in time wherever a numerical error has made ψ differ from 0.",
            integrals: "ψ",
            methods: "for methods for ordinary differential equations (gauss, implicit-midpoint, rk4), best with a \
                projection; off the constraints it is not Hamiltonian, so that nothing is symplectic on it",
            reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eq. (6), for general H",
        },
        Formulation::HamiltonDirac => Text {
            name,
            summary,
            equations: &["q̇ = H_p + ψ_pᵀη,                Q η = −ψ", "ṗ = −H_q − Gᵀμ − ψ_qᵀη,         Q μ = c + S η"],
            symbols: SYMBOLS,
            derivation: "The flow of H under Dirac's bracket {f, g}* = {f, g} − {f, χᵢ} (C⁻¹)ᵢⱼ {χⱼ, g}, χ = (φ, ψ), \
                C = {χᵢ, χⱼ}: the bracket of every function with a constraint vanishes. The weakly \
                Hamiltonian equations (`weak-dirac`) are the same vector field.",
            integrals: "φ, ψ and H",
            methods: "for methods for ordinary differential equations; constraints drift only by the error of the \
                method, which may be projected away",
            reference: "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, eq. (21); B. \
                Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (30)–(31)",
        },
    }
}
