//! What a method may ask of a system.

use crate::failure::Failure;
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::ops::Range;

/// On which level the equations hold constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// G(q) q̇ = 0.
    Two,
    /// φ(q) = 0.
    Three,
}

/// Sizes and sparsity of canonical equations.
#[derive(Clone, PartialEq, Debug)]
pub struct CanonicalShape {
    /// n, the number of coordinates.
    pub coordinates: usize,
    /// m, the number of constraints.
    pub constraints: usize,
    /// Whether they or their time derivatives go with the equations.
    pub index: Index,
    /// Whether H = T(p) + V(q): ∂H/∂q does not depend on p nor ∂H/∂p on q.
    pub separable: bool,
    /// Whether H is at most quadratic in p, and is known to be: ∂²H/∂p² does not depend on p.
    pub quadratic: bool,
    /// Where G = ∂φ/∂q has entries: m × n.
    pub jacobian: Pattern,
    /// Where Σᵢ λᵢ ∂²φᵢ/∂q² has entries: n × n.
    pub curvature: Pattern,
    /// Where ∂(G v)/∂q has entries for a fixed v: m × n.
    pub curvature_along: Pattern,
    /// Where ∂²H/∂q² has entries: n × n.
    pub hessian_qq: Pattern,
    /// Where ∂²H/∂q∂p has entries: n × n, rows for q.
    pub hessian_qp: Pattern,
    /// Where ∂²H/∂p² has entries: n × n.
    pub hessian_pp: Pattern,
}

/// Canonical equations with holonomic constraints,
///
/// q̇ = ∂H/∂p, ṗ = −∂H/∂q − Gᵀλ, φ(q) = 0, G = ∂φ/∂q
///
/// (index 3), or with G q̇ = 0 in place of φ = 0 (index 2).
/// Matrices are values in the order of the patterns of the shape. Every function fills `out`.
pub trait Canonical<S: Scalar> {
    /// Sizes and sparsity.
    fn shape(&self) -> &CanonicalShape;
    /// ∂H/∂q.
    fn hamiltonian_q(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂H/∂p, the velocity.
    fn hamiltonian_p(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂²H/∂q².
    fn hessian_qq(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂²H/∂q∂p.
    fn hessian_qp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂²H/∂p².
    fn hessian_pp(&mut self, q: &[S], p: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// φ(q).
    fn constraints(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// For each constraint the size of its terms, which its rounding errors are relative to.
    fn constraint_magnitudes(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// G(q).
    fn jacobian(&mut self, q: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// Σᵢ λᵢ ∂²φᵢ/∂q².
    fn curvature(&mut self, q: &[S], lambda: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂(G(q) v)/∂q for a fixed v: its rows are the ∂²φᵢ/∂q² v.
    fn curvature_along(&mut self, q: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// Where the derivatives of the hidden constraints ψ = G H_p have entries.
#[derive(Clone, PartialEq, Debug)]
pub struct HiddenShape {
    /// ∂ψ/∂q: m × n.
    pub q: Pattern,
    /// ∂ψ/∂p: m × n.
    pub p: Pattern,
    /// Σᵢ μᵢ ∂²ψᵢ/∂q²: n × n.
    pub qq: Pattern,
    /// Σᵢ μᵢ ∂²ψᵢ/∂q∂p: n × n, rows for q.
    pub qp: Pattern,
    /// Σᵢ μᵢ ∂²ψᵢ/∂p²: n × n.
    pub pp: Pattern,
}

/// The hidden constraints ψ = G H_p of canonical equations, with their derivatives in the order of
/// the patterns of the shape. Every function fills what it returns.
pub trait Hidden<S: Scalar> {
    /// Sparsity.
    fn shape(&self) -> &HiddenShape;
    /// ∂ψ/∂q and ∂ψ/∂p.
    fn jacobians(&mut self, q: &[S], p: &[S], out: [&mut [S]; 2]) -> Result<(), Failure>;
    /// Σᵢ μᵢ ∂²ψᵢ/∂z²: its parts qq, qp and pp.
    fn curvature(&mut self, q: &[S], p: &[S], mu: &[S], out: [&mut [S]; 3]) -> Result<(), Failure>;
}

/// Sizes and sparsity of equations J ż = ∇H(z).
#[derive(Clone, PartialEq, Debug)]
pub struct PresymplecticShape {
    /// Where J has entries: n × n.
    pub form: Pattern,
    /// Where H_zz has entries: n × n.
    pub hessian: Pattern,
}

/// Equations J ż = ∇H(z) with a constant antisymmetric matrix J, perhaps singular.
///
/// They are of index one where H_zz is regular on ker J: then Nᵀ∇H(z) = 0, with N a basis of ker J, determines the part
/// of z that J says nothing about. With z = (q, p, λ), J ż = (−ṗ, q̇, 0) and H = H(q, p) + λ·g(q, p) that part is λ, and
/// g = 0 holds. Every function fills `out`.
pub trait Presymplectic<S: Scalar> {
    /// Sizes and sparsity.
    fn shape(&self) -> &PresymplecticShape;
    /// J, in the order of the pattern; its rank is that at the values with which a method is planned.
    fn form(&mut self, out: &mut [S]) -> Result<(), Failure>;
    /// ∇H.
    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// H_zz.
    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
}

impl<S: Scalar, P: Presymplectic<S> + ?Sized> Presymplectic<S> for Box<P> {
    fn shape(&self) -> &PresymplecticShape {
        (**self).shape()
    }

    fn form(&mut self, out: &mut [S]) -> Result<(), Failure> {
        (**self).form(out)
    }

    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        (**self).gradient(z, out)
    }

    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        (**self).hessian(z, out)
    }
}

/// Sizes and sparsity of equations ż = B(z)∇H(z).
#[derive(Clone, PartialEq, Debug)]
pub struct PoissonShape {
    /// Where B has entries: n × n.
    pub tensor: Pattern,
    /// Where ∂(B v)/∂z has entries for a fixed v: n × n.
    pub tensor_along: Pattern,
    /// Where H_zz has entries: n × n.
    pub hessian: Pattern,
    /// The number of Casimirs that are known.
    pub casimirs: usize,
    /// Their largest degree: 1 if they are linear, 2 if they are quadratic; `None` beyond.
    pub degree: Option<u32>,
}

/// What is special about a bracket B(z).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BracketShape {
    /// Whether B is linear in z, or affine.
    pub linear: bool,
    /// Where all variables fall into triples with {yᵢ, yⱼ} = κ εᵢⱼₖ yₖ, these.
    pub spheres: Vec<[usize; 3]>,
    /// Where the variables are the entries of matrices of Lie algebras, these.
    pub matrices: Vec<MatrixBlock>,
}

/// Variables zₐ that are the coordinates of a matrix W = Σ zₐ Dₐ in a Lie algebra: their equations are Ẇ = [W, Ω] with
/// Ω = Σ ∂H/∂zₐ Fₐ, and zₐ = tr(Fₐ W)/ν.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixBlock {
    /// The number of rows of W.
    pub rows: usize,
    /// The variables, by position in the state.
    pub variables: Vec<usize>,
    /// Dₐ: rows, columns and values.
    pub basis: Vec<Vec<(usize, usize, f64)>>,
    /// Fₐ likewise.
    pub dual: Vec<Vec<(usize, usize, f64)>>,
    /// ν.
    pub norm: f64,
}

/// A Poisson system ż = B(z)∇H(z) with an antisymmetric B that satisfies Jacobi's identity. Every function fills `out`.
pub trait Poisson<S: Scalar> {
    /// Sizes and sparsity.
    fn shape(&self) -> &PoissonShape;
    /// B(z).
    fn tensor(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂(B(z) v)/∂z for a fixed v.
    fn tensor_along(&mut self, z: &[S], v: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∇H.
    fn gradient(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// H_zz.
    fn hessian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// The Casimirs C(z), for which B∇C = 0.
    fn casimirs(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// Parts of a vector field whose flows are known.
pub trait Split<S: Scalar> {
    /// The number of variables.
    fn dimension(&self) -> usize;
    /// The number of parts.
    fn parts(&self) -> usize;
    /// φ_h(z) − z for the flow φ of a part.
    fn increment(&mut self, part: usize, h: S, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// Where that may be other than zero, in order: everywhere, if nothing is known.
    fn moved(&self, _part: usize) -> Vec<Range<usize>> {
        std::iter::once(0..self.dimension()).collect()
    }
}

/// Sizes and sparsity of constraints that are held by the flows they generate.
#[derive(Clone, PartialEq, Debug)]
pub struct RestrainedShape {
    /// The number of variables.
    pub dimension: usize,
    /// Where {χₖ, gⱼ} has entries: m × m.
    pub brackets: Pattern,
    /// Whether constraints that became Casimirs of the bracket, if there are any, are quadratic at most.
    pub pairs_quadratic: bool,
}

/// Constraints g of a Poisson system, their time derivatives χ = {g, H}, and the flows that the gₖ generate, which
/// commute. Every function fills `out`.
pub trait Restrained<S: Scalar> {
    /// Sizes and sparsity.
    fn shape(&self) -> &RestrainedShape;
    /// g(z).
    fn constraints(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// χ(z).
    fn hidden(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// {χₖ, gⱼ}.
    fn brackets(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// φ(z) − z for the flow φ of λgₖ.
    fn increment(&mut self, constraint: usize, lambda: S, z: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// Ordinary differential equations ż = f(z).
pub trait Field<S: Scalar> {
    /// The number of variables.
    fn dimension(&self) -> usize;
    /// Where ∂f/∂z has entries; asked for by implicit methods only, as it may be costly.
    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure>;
    /// f(z).
    fn rate(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂f/∂z, in the order of the pattern.
    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// Charts of the constraint manifold: local coordinates δ = A q of its points, with the momenta θ
/// that are conjugate to them.
pub trait Chart<S: Scalar> {
    /// The number of local coordinates.
    fn coordinates(&self) -> usize;
    /// A chart is changed for one that is better by this factor.
    fn threshold(&self) -> f64;
    /// Takes the matrix A, row by row, and a position near those that are to be found.
    fn set(&mut self, matrix: &[S], reference: &[S]);
    /// (δ, θ) of a state (q, p).
    fn restrict(&mut self, state: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// The state (q, p) of (δ, θ).
    fn lift(&mut self, local: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// Sizes and sparsity of a constraint surface.
#[derive(Clone, PartialEq, Debug)]
pub struct SurfaceShape {
    /// Where ∂χ/∂z has entries: constraints × variables.
    pub jacobian: Pattern,
    /// Where the directions have entries: variables × constraints.
    pub directions: Pattern,
}

/// Constraints χ(z) = 0 that mix all variables, and a direction for each along which a state is brought onto them.
pub trait Surface<S: Scalar> {
    /// Sizes and sparsity.
    fn shape(&self) -> &SurfaceShape;
    /// χ(z).
    fn constraints(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// ∂χ/∂z.
    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
    /// D(z), with ∂χ/∂z·D invertible on the surface.
    fn directions(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure>;
}

/// A system as methods see it, in the arithmetic `S`.
///
/// Each function makes an evaluator of its own (with its workspace), or says `None` where the
/// system has no such side.
pub trait Dynamics<'s, S: Scalar + 's> {
    /// The system as canonical equations with constraints on the positions.
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The hidden constraints of the canonical equations; asked for by methods that need their
    /// second derivatives only, as those may be costly.
    fn hidden(&self) -> Result<Option<Box<dyn Hidden<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The system as ordinary differential equations.
    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure>;

    /// The system as equations J ż = ∇H with a constant J.
    fn presymplectic(&self) -> Result<Option<Box<dyn Presymplectic<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The system as equations ż = B(z)∇H(z). Methods that know no brackets take them for a vector field.
    fn poisson(&self) -> Result<Option<Box<dyn Poisson<S> + 's>>, Failure> {
        Ok(None)
    }

    /// What is special about the bracket of ż = B(z)∇H(z), if they are such equations.
    fn bracket(&self) -> Option<BracketShape> {
        None
    }

    /// Whether there are parts of the energy to be asked for.
    fn has_split(&self) -> bool {
        false
    }

    /// The parts of the energy, where their flows are known; a [`Failure`] says why they are not.
    fn split(&self) -> Result<Option<Box<dyn Split<S> + 's>>, Failure> {
        Ok(None)
    }

    /// Whether there are constraints that may be held by the flows they generate.
    fn is_restrained(&self) -> bool {
        false
    }

    /// Constraints with the flows that they generate, where these are known; a [`Failure`] says why they are not.
    fn restrained(&self) -> Result<Option<Box<dyn Restrained<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The same system without these constraints.
    fn unrestrained(&self) -> Result<Option<Box<dyn Dynamics<'s, S> + 's>>, Failure> {
        Ok(None)
    }

    /// Charts, if the equations are to be integrated in local coordinates: those of
    /// [`field`](Dynamics::field) are then (δ, θ) in the chart that is set.
    fn chart(&self) -> Result<Option<Box<dyn Chart<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The constraint manifold that the field should stay on, for projections: the constraints of
    /// the canonical equations it comes from, where its state is (q, p).
    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    /// The constraint surface that the field should stay on, where its constraints are not those of canonical
    /// equations.
    fn surface(&self) -> Result<Option<Box<dyn Surface<S> + 's>>, Failure> {
        Ok(None)
    }
}
