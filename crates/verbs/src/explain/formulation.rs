//! The formulations in words and formulas.

use cotangent_theory::Formulation;
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
        Formulation::IndexReduced => Text {
            name,
            summary,
            equations: &["q̇ = H_p(q, p)", "ṗ = −H_q(q, p) − G(q)ᵀλ", "0 = G(q) H_p(q, p)"],
            symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, λ the multipliers.",
            derivation: "The constraints differentiated once with respect to time: an equation of index 2. A method \
                that holds ψ = G H_p = 0 lets φ drift by its error; the multipliers and the momenta keep a higher \
                order than with φ = 0.",
            integrals: "φ and H; ψ = 0 holds",
            methods: "for methods for differential–algebraic equations (radau-2a, bdf2), best with a projection of the \
                positions",
            reference: "C. W. Gear, G. K. Gupta & B. Leimkuhler, J. Comput. Appl. Math. 12–13 (1985) 77; Hairer & \
                Wanner, Solving Ordinary Differential Equations II, VII.2",
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
                Hamiltonian equations (`weak-dirac`) are the same vector field. For singular Lagrangians, constraints \
                on momenta or velocities, and general brackets, χ are all constraints that Dirac's analysis finds \
                (`cotangent analyze`), and ż = {z, H} − {z, χ}ᵀx with C x = {χ, H}. They must be second class: a \
                `gauge` statement makes first-class ones so.",
            integrals: "φ, ψ and H; in general all constraints found, H, and the Casimirs of the bracket",
            methods: "for methods for ordinary differential equations; constraints drift only by the error of the \
                method, which may be projected away",
            reference: "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, eq. (21); B. \
                Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (30)–(31)",
        },
        Formulation::Total => Text {
            name,
            summary,
            equations: &["q̇ = ∂H_t/∂p", "ṗ = −∂H_t/∂q,   H_t = H + μ(q, p)ᵀφ,   Q μ = c"],
            symbols: SYMBOLS,
            derivation: "The multiplier that keeps ψ = 0 on the manifold, put into the Hamiltonian and differentiated \
                with it. The manifold is invariant, as φ = 0 there takes off the derivatives of μ; near it \
                φ̇ = ψ + {φ, μ}φ and ψ̇ = {ψ, μ}φ, a saddle for the pendulum: errors grow exponentially.",
            integrals: "H_t, which is H on the constraints",
            methods: "for symplectic methods for ordinary differential equations, over short times",
            reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (18)–(19)",
        },
        Formulation::Dirac { .. } => Text {
            name,
            summary,
            equations: &[
                "q̇ = ∂H_T/∂p",
                "ṗ = −∂H_T/∂q,   H_T = H + μ(q, p)ᵀφ + η(q, p)ᵀψ",
                "Q η = −ψ + αφ,   Q μ = c + S η",
            ],
            symbols: SYMBOLS,
            derivation: "Dirac's total Hamiltonian with both multipliers, chosen so that φ̇ = ψ̇ = 0 on the manifold, \
                differentiated with the rest: third derivatives of φ and second ones of H. Near the manifold \
                φ̇ ≈ −ψ, ψ̇ ≈ bφ, a centre for the pendulum: errors stay bounded. The term αφ is free, as it \
                vanishes on the constraints (--opt alpha=A, 0 unless said otherwise); where α² exceeds b they are a \
                saddle again.",
            integrals: "H_T, which is H on the constraints",
            methods: "for symplectic methods for ordinary differential equations",
            reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (16)–(17), §3.2",
        },
        Formulation::ImpetusStriction => Text {
            name,
            summary,
            equations: &[
                "q̇ = H_p(q, p),   p = p* − G(q)ᵀλ",
                "ṗ* = −H_q(q, p) + Σᵢ λᵢ φᵢ,qq H_p(q, p)",
                "0 = G(q) H_p(q, p* − G(q)ᵀλ)",
            ],
            symbols: "p* is the impetus, λ(q, p*) the striction: the impulse of the reactions since the last reset.",
            derivation: "The Lagrangian with φ̇ in place of φ as constraint: its momenta p* are those of the model up to \
                a reaction impulse Gᵀλ. Eliminating λ gives the Hamiltonian H*(q, p*) = H(q, p* − Gᵀλ), whose \
                equations these are. A shift of p* along Gᵀ changes nothing physical: --project momentum resets \
                λ to 0 after every step, with --project-above EPS where it has grown. Tables and summaries \
                show the momentum p as the state, and besides λ as striction_NAME for each constraint, p* as \
                impetus_P for each momentum; λ̇ = μ, the multiplier.",
            integrals: "φ and H; ψ(q, p) = 0 holds identically",
            methods: "for symplectic methods for ordinary differential equations",
            reference: "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, eqs. (22)–(32)",
        },
        Formulation::LocalChart { .. } => Text {
            name,
            summary,
            equations: &[
                "δ̇ = A v,   A q = δ,   φ(q) = 0",
                "Rᵀ (θ̇, ·) = −H_q − Σᵢ Θᵢ φᵢ,qq v,   R = [A; G]",
                "v = H_p(q, p),   p = Aᵀθ + GᵀΘ,   0 = G v",
            ],
            symbols: "δ are n − m of the coordinates, θ their conjugate momenta; A takes δ out of q.",
            derivation: "The Hamiltonian Ĥ(δ, θ) = H(q, p) on the constraint manifold, in local coordinates: no \
                constraints are left, and every method for ordinary differential equations keeps φ = 0 and ψ = 0. \
                A chart is left for another as soon as that is better (by a factor, --opt threshold=F), \
                measured by |det G_D| for the coordinates D that depend on δ, in units of unit masses. Charts are \
                chosen automatically, or among those that --chart names. (q, p) goes on unchanged, but the energy \
                that a symplectic method nearly keeps depends on the chart: it drifts from chart to chart, more so \
                with a factor above 1, with which a chart is entered elsewhere than it is left. bdf2 starts anew \
                in each chart.",
            integrals: "H; φ = 0 and ψ = 0 hold identically",
            methods: "for methods for ordinary differential equations; symplectic step by step",
            reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (10)–(11), for general H",
        },
        Formulation::LinearProjected => Text {
            name,
            summary,
            equations: &["q̇ = H_p", "ṗ = −∂/∂q H(Πq, p),   Πq = q − M⁻¹Gᵀ Q⁻¹ φ(q)"],
            symbols: "φ(q) = G q − b with a constant matrix G; M⁻¹ = H_pp, constant; Q = G M⁻¹ Gᵀ.",
            derivation: "On linear constraints Πq = q, so that H(Πq, p) is H there; its equations are Hamiltonian \
                everywhere, which the projected forces of the standard equations are not.",
            integrals: "ψ, and the energy H(Πq, p)",
            methods: "for symplectic methods for ordinary differential equations; other constraints and mass matrices \
                that are not constant are refused",
            reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, §3",
        },
        Formulation::Ggl => Text {
            name,
            summary,
            equations: &["q̇ = H_p + H_pp Gᵀη,   Q η = −ψ", "ṗ = −H_q − Gᵀμ,   Q μ = c + ψ_q ψ_pᵀ η"],
            symbols: SYMBOLS,
            derivation: "φ = 0 and ψ = 0 are both imposed, each with a multiplier of its own (index 2); solved for the \
                multipliers, φ̇ = 0 and ψ̇ = 0 hold everywhere. The Hamilton–Dirac equations have the force −ψ_qᵀη \
                besides, which makes the energy an integral, too.",
            integrals: "φ and ψ",
            methods: "for methods for ordinary differential equations",
            reference: "C. W. Gear, B. Leimkuhler & G. K. Gupta, J. Comput. Appl. Math. 12–13 (1985) 77",
        },
        Formulation::Baumgarte { .. } => Text {
            name,
            summary,
            equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀμ,   Q μ = c + 2αψ + β²φ"],
            symbols: SYMBOLS,
            derivation: "φ̈ + 2α φ̇ + β² φ = 0 in place of φ̈ = 0: what a method makes wrong is damped at the rates \
                α ± √(α² − β²). Large ones make the equations stiff, small ones let errors stand (--opt alpha=A, \
                --opt beta=B, both 5 unless said otherwise, per unit of time).",
            integrals: "none",
            methods: "for methods for ordinary differential equations; nothing is symplectic on it",
            reference: "J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1",
        },
        Formulation::Penalty { .. } => Text {
            name,
            summary,
            equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀφ/ε"],
            symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, ε the compliance of the springs.",
            derivation: "H + φᵀφ/(2ε): a stiff potential whose motions tend to the constrained ones as ε → 0 where they \
                start on the constraints and tangent to them. The step must resolve its oscillations, of \
                frequencies of the order ε^(−1/2) (--opt epsilon=E, 1e-4 unless said otherwise).",
            integrals: "H + φᵀφ/(2ε)",
            methods: "for methods for ordinary differential equations",
            reference: "H. Rubin & P. Ungar, Comm. Pure Appl. Math. 10 (1957) 65",
        },
    }
}
