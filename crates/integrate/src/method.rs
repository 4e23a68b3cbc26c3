//! The methods by name.

use crate::card::{Card, Keeps, Needs};

/// A method with its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// p₁ = p − h H_q(q, p₁), q₁ = q + h H_p(q, p₁).
    SymplecticEuler,
    /// The Störmer–Verlet method, kick–drift–kick.
    StormerVerlet,
    /// RATTLE without its second projection.
    Shake,
    /// Störmer–Verlet with constraints and hidden constraints.
    Rattle,
    /// The Lobatto IIIA–IIIB pair, for constraints.
    Lobatto3A3B {
        /// The number of stages, at least 2.
        stages: usize,
    },
    /// Reich's method: constraint forces around a step of an unconstrained method.
    Reich {
        /// The unconstrained method.
        inner: Inner,
    },
    /// The implicit midpoint rule.
    ImplicitMidpoint,
    /// Gauss collocation.
    Gauss {
        /// The number of stages.
        stages: usize,
    },
    /// The classical Runge–Kutta method.
    Rk4,
}

/// The methods that Reich's method takes for the equations without constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inner {
    /// The symplectic Euler method.
    SymplecticEuler,
    /// The Störmer–Verlet method; with it Reich's method is RATTLE.
    StormerVerlet,
    /// The implicit midpoint rule.
    ImplicitMidpoint,
    /// Gauss collocation.
    Gauss {
        /// The number of stages.
        stages: usize,
    },
}

impl Inner {
    /// The method as it is.
    pub fn method(self) -> Method {
        match self {
            Inner::SymplecticEuler => Method::SymplecticEuler,
            Inner::StormerVerlet => Method::StormerVerlet,
            Inner::ImplicitMidpoint => Method::ImplicitMidpoint,
            Inner::Gauss { stages } => Method::Gauss { stages },
        }
    }

    /// The method as an inner one, if it is symplectic and needs no constraints.
    pub fn of(method: Method) -> Option<Inner> {
        match method {
            Method::SymplecticEuler => Some(Inner::SymplecticEuler),
            Method::StormerVerlet => Some(Inner::StormerVerlet),
            Method::ImplicitMidpoint => Some(Inner::ImplicitMidpoint),
            Method::Gauss { stages } => Some(Inner::Gauss { stages }),
            _ => None,
        }
    }
}

/// The most stages of a method.
pub const MAX_STAGES: usize = 32;

impl Method {
    /// Every method, with default options.
    pub const ALL: [Method; 9] = [
        Method::SymplecticEuler,
        Method::StormerVerlet,
        Method::Shake,
        Method::Rattle,
        Method::Lobatto3A3B { stages: 3 },
        Method::Reich { inner: Inner::ImplicitMidpoint },
        Method::ImplicitMidpoint,
        Method::Gauss { stages: 2 },
        Method::Rk4,
    ];

    /// The method with this name, with default options.
    pub fn named(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|m| m.name() == name)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// What it claims.
    pub fn card(self) -> Card {
        match self {
            Method::SymplecticEuler => Card {
                name: "symplectic-euler",
                summary: "first order, symplectic; the simplest method that keeps the structure",
                order: 1,
                symplectic: true,
                symmetric: false,
                constraints: Keeps::No,
                hidden_constraints: Keeps::No,
                quadratic_invariants: false,
                needs: Needs::Unconstrained,
                explicit: "for separable energies H = T(p) + V(q)",
                scheme: &["p₁ = p − h H_q(q, p₁)", "q₁ = q + h H_p(q, p₁)"],
                solution: "For an energy that is not separable Newton's method solves the first line for p₁.",
                reference: "R. de Vogelaere (1956); Hairer, Lubich & Wanner, Geometric Numerical Integration, I.1.2",
            },
            Method::StormerVerlet => Card {
                name: "stormer-verlet",
                summary: "second order, symplectic, symmetric; the leapfrog method",
                order: 2,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::No,
                hidden_constraints: Keeps::No,
                quadratic_invariants: false,
                needs: Needs::Unconstrained,
                explicit: "for separable energies H = T(p) + V(q)",
                scheme: &[
                    "p½ = p − h/2 H_q(q, p½)",
                    "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½))",
                    "p₁ = p½ − h/2 H_q(q₁, p½)",
                ],
                solution: "For an energy that is not separable Newton's method solves the first two lines for p½ − p and q₁ − q.",
                reference: "C. Størmer (1907), L. Verlet, Phys. Rev. 159 (1967) 98; Hairer, Lubich & Wanner, Acta Numerica 12 (2003) 399",
            },
            Method::Shake => Card {
                name: "shake",
                summary: "RATTLE's positions without its momentum projection",
                order: 2,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::Yes,
                hidden_constraints: Keeps::No,
                quadratic_invariants: false,
                needs: Needs::Canonical,
                explicit: "for separable energies, but for the multipliers",
                scheme: &[
                    "p½ = p − h/2 (H_q(q, p½) + G(q)ᵀλ)",
                    "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),   φ(q₁) = 0",
                    "p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀλ)",
                ],
                solution: "Newton's method for λ as in `rattle`. The momentum leaves the constraint G H_p = 0 by O(h²); what it is off by is undone by the next λ, so that the positions are those of `rattle`.",
                reference: "J.-P. Ryckaert, G. Ciccotti & H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; B. Leimkuhler & R. D. Skeel, J. Comput. Phys. 112 (1994) 117",
            },
            Method::Rattle => Card {
                name: "rattle",
                summary: "second order, symplectic, symmetric, with constraints at round-off; the method to start with",
                order: 2,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::Yes,
                hidden_constraints: Keeps::Yes,
                quadratic_invariants: false,
                needs: Needs::Canonical,
                explicit: "for separable energies, but for the multipliers",
                scheme: &[
                    "p½ = p − h/2 (H_q(q, p½) + G(q)ᵀλ)",
                    "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),   φ(q₁) = 0",
                    "p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀμ),      G(q₁) H_p(q₁, p₁) = 0",
                ],
                solution: "For a separable energy Newton's method solves for λ with the matrix −h²/2 G(q₁) H_pp G(q)ᵀ, otherwise for p½ − p, q₁ − q and λ together; then for μ with −h/2 G H_pp Gᵀ.",
                reference: "H. C. Andersen, J. Comput. Phys. 52 (1983) 24; general H: L. Jay, SIAM J. Numer. Anal. 33 (1996) 368",
            },
            Method::Lobatto3A3B { stages } => Card {
                name: "lobatto-3a3b",
                summary: "order 2s − 2 with s stages, symplectic, symmetric, with constraints at round-off",
                order: 2 * stages.max(2) as u32 - 2,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::Yes,
                hidden_constraints: Keeps::Yes,
                quadratic_invariants: false,
                needs: Needs::Canonical,
                explicit: "never",
                scheme: &[
                    "Pᵢ = p − h Σⱼ âᵢⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   i = 1 … s",
                    "Qᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, Pⱼ),   φ(Qᵢ) = 0",
                    "q₁ = Q_s,   p₁ = p − h Σⱼ bⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   G(q₁) H_p(q₁, p₁) = 0",
                ],
                solution: "The coefficients are those of Lobatto IIIA (a) and IIIB (â) (`--stages S`, 3 unless said otherwise); 2 stages are `rattle`. Newton's method for all stages and multipliers together, then for the last multiplier.",
                reference: "L. Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4",
            },
            Method::Reich { inner } => Card {
                name: "reich",
                summary: "constraint forces around a step of any symplectic method; order 2 at most, raised by composition",
                order: inner.method().card().order.min(2),
                symplectic: true,
                symmetric: inner.method().card().symmetric,
                constraints: Keeps::Yes,
                hidden_constraints: Keeps::Yes,
                quadratic_invariants: false,
                needs: Needs::Canonical,
                explicit: "never",
                scheme: &[
                    "p̄ = p − h/2 G(q)ᵀλ,   (q₁, p̄₁) = Φ_h(q, p̄),   φ(q₁) = 0",
                    "p₁ = p̄₁ − h/2 G(q₁)ᵀμ,   G(q₁) H_p(q₁, p₁) = 0",
                ],
                solution: "Φ is a method for the equations without constraints: `--inner symplectic-euler`, `stormer-verlet` (then it is `rattle`), `implicit-midpoint` (unless said otherwise) or `gauss`. p̄ by fixed-point iteration through the inner step, μ by Newton's method.",
                reference: "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475",
            },
            Method::ImplicitMidpoint => Card {
                name: "implicit-midpoint",
                summary: "second order, symplectic, symmetric, keeps quadratic invariants; for any equations",
                order: 2,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::ByEquations,
                hidden_constraints: Keeps::ByEquations,
                quadratic_invariants: true,
                needs: Needs::Field,
                explicit: "never",
                scheme: &["z₁ = z + h f((z + z₁)/2)"],
                solution: "Newton's method for the increment at the midpoint.",
                reference: "Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3",
            },
            Method::Gauss { stages } => Card {
                name: "gauss",
                summary: "order 2s with s stages, symplectic, symmetric, keeps quadratic invariants; for any equations",
                order: 2 * stages as u32,
                symplectic: true,
                symmetric: true,
                constraints: Keeps::ByEquations,
                hidden_constraints: Keeps::ByEquations,
                quadratic_invariants: true,
                needs: Needs::Field,
                explicit: "never",
                scheme: &["Yᵢ = z + h Σⱼ aᵢⱼ f(Yⱼ),   i = 1 … s", "z₁ = z + h Σᵢ bᵢ f(Yᵢ)"],
                solution: "The nodes are those of Gauss–Legendre quadrature (`--stages S`, 2 unless said otherwise). Newton's method for the increments Yᵢ − z.",
                reference: "J. C. Butcher, Math. Comp. 18 (1964) 50; Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3",
            },
            Method::Rk4 => Card {
                name: "rk4",
                summary: "the classical Runge–Kutta method: fourth order, explicit, keeps nothing; a baseline",
                order: 4,
                symplectic: false,
                symmetric: false,
                constraints: Keeps::ByEquations,
                hidden_constraints: Keeps::ByEquations,
                quadratic_invariants: false,
                needs: Needs::Field,
                explicit: "always",
                scheme: &[
                    "k₁ = f(z),   k₂ = f(z + h/2 k₁),   k₃ = f(z + h/2 k₂),   k₄ = f(z + h k₃)",
                    "z₁ = z + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)",
                ],
                solution: "Nothing to solve.",
                reference: "W. Kutta, Z. Math. Phys. 46 (1901) 435",
            },
        }
    }
}
