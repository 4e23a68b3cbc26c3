//! Matrix algebras: their equations against integrations of Ẇ = [W, Ω] written down with matrices elsewhere, and the methods
//! that keep eigenvalues.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe, Refusal};
use cotangent_lab::Reference;
use cotangent_lab::certificate::{Certificate, Finding, Options};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs, pose};
use cotangent_scalar::{Dd, Real};
use cotangent_theory::Formulation;

const RIGID_BODY: &str = include_str!("../../../models/rigid-body.cot");
const RIGID_BODY_4: &str = include_str!("../../../models/rigid-body-4.cot");
const HEAVY_TOP: &str = include_str!("../../../models/heavy-top.cot");
const VORTICES: &str = include_str!("../../../models/sphere-vortices.cot");
const SO_3: &str = "algebra so(3): W\n\
    hamiltonian sqrt(1 + W[1, 2]^2/2 + W[1, 3]^2 + 3*W[2, 3]^2) + W[1, 2]*W[2, 3]/3 + cos(W[3, 1])\n\
    casimir square = sum(i in 1..3, j in 1..3, W[i, j]*W[j, i])\n\
    initial W[1, 2] = 0.8, W[1, 3] = -0.5, W[2, 3] = 0.3\n";
const GL_3: &str = "algebra gl(3): W\n\
    hamiltonian W[1, 1]^2/2 + W[1, 2]*W[2, 1] + exp(W[2, 3])/3 + W[3, 1]*W[1, 3] - sin(W[3, 3]*W[2, 2]) + W[3, 2]^2/5\n\
    casimir trace = sum(i in 1..3, W[i, i]), square = sum(i in 1..3, j in 1..3, W[i, j]*W[j, i])\n\
    casimir cube = sum(i in 1..3, j in 1..3, k in 1..3, W[i, j]*W[j, k]*W[k, i])\n\
    initial W = (0.5, 0.2, -0.3, 0.4, -0.6, 0.1, 0.3, -0.2, 0.7)\n";
const SL_2: &str = "algebra sl(2): W\n\
    hamiltonian W[1, 1]^2/2 + cos(W[1, 2]) + W[1, 2]*W[2, 1]/2 + W[2, 1]^4/4 + W[2, 2]^3/3\n\
    casimir square = sum(i in 1..2, j in 1..2, W[i, j]*W[j, i])\n\
    initial W[1, 1] = 0.5, W[1, 2] = 0.7, W[2, 1] = -0.4\n";
const U_2: &str = "algebra u(2): W\n\
    hamiltonian W_re[1, 2]^2/2 + exp(W_im[1, 1])/2 + W_im[2, 1]*W_im[2, 2] - W_re[2, 1]*W_im[1, 1]*W_im[1, 2] + W_im[2, 2]^2/3\n\
    casimir trace = sum(k in 1..2, W_im[k, k]), square = sum(i in 1..2, j in 1..2, W_re[i, j]^2 + W_im[i, j]^2)\n\
    initial W_re[1, 2] = 0.4, W_im[1, 1] = 0.3, W_im[1, 2] = -0.5, W_im[2, 2] = 0.2\n";
const SU_3: &str = "algebra su(3): W\n\
    hamiltonian W_re[1, 2]^2/2 + W_im[3, 3]^2 + W_im[1, 2]*W_re[2, 3] + cos(W_re[1, 3]) + sum(i in 1..3, W_im[i, i]^4)/4\n\
    casimir square = sum(i in 1..3, j in 1..3, W_re[i, j]^2 + W_im[i, j]^2)\n\
    casimir cube = sum(i in 1..3, j in 1..3, k in 1..3, W_im[i, j]*W_im[j, k]*W_im[k, i] - 3*W_re[i, j]*W_re[j, k]*W_im[k, i])\n\
    initial W_re[1, 2] = 0.4, W_re[1, 3] = 0.1, W_re[2, 3] = -0.2\n\
    initial W_im[1, 1] = 0.7, W_im[1, 2] = 0.3, W_im[2, 2] = -0.1, W_im[2, 3] = -0.3\n";
const SP_4: &str = "param z[i in 1..4] = (0.6, -0.4, 0.5, 0.7)\nalgebra sp(4): S\n\
    hamiltonian (S[3, 3] + S[4, 4])/2 + sqrt(1 + S[1, 1] + 2*S[2, 2]) + S[1, 2]*S[3, 4]/3 + S[4, 1]/5\n\
    casimir emittance = sum(i in 1..2, j in 1..2, S[i, j]*S[i + 2, j + 2] - S[i, j + 2]*S[i + 2, j])\n\
    initial S[i in 1..4, j in i..4] = z[i]*z[j]\n";
/// Two spins of different kinds that know each other.
const PRODUCT: &str = "algebra so(3): L, su(2): U\n\
    hamiltonian L[1, 2]^2/2 + L[1, 3]^2/3 + U_im[1, 1]^2 + L[1, 2]*U_re[1, 2] + sin(L[2, 3])*U_im[1, 2]\n\
    casimir first = sum(i in 1..2, j in i + 1..3, L[i, j]^2), second = U_re[1, 2]^2 + U_im[1, 1]^2 + U_im[1, 2]^2\n\
    initial L[1, 2] = 0.8, L[2, 3] = 0.4, U_re[1, 2] = 0.3, U_im[1, 1] = -0.5\n";
/// so(2,1), by its brackets.
const HYPERBOLIC: &str = "variables x, y, z\nbracket {x, y} = -z, {y, z} = 2*x, {z, x} = 3*y\n\
    hamiltonian sqrt(1 + x^2 + y^2/2) + x*z/3\ncasimir form = 2*x^2 + 3*y^2 - z^2\ninitial x = 0.5, y = -0.3, z = 0.8\n";

const MIDPOINT: Method = Method::IsospectralMidpoint;

fn gauss(stages: usize) -> Method {
    Method::IsospectralGauss { stages }
}

fn posed(text: &str) -> Instance {
    let system = System::parse(text).unwrap_or_else(|e| panic!("{e:?}"));
    pose(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap()
}

fn walked(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> Vec<f64> {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    integrator.advance(&mut state, h, steps).unwrap();
    state.values
}

/// The exact motion, in twice the digits.
fn exact(problem: &Instance, t: f64) -> Vec<f64> {
    let parameters = problem.parameters.iter().map(|&p| Dd::from(p)).collect();
    let view = problem.equations.compiled.view(cotangent_compile::Tape, parameters);
    let mut field = cotangent_dynamics::Dynamics::field(&view).unwrap().unwrap();
    let mut z: Vec<Dd> = problem.start.iter().map(|&z| Dd::from(z)).collect();
    let reference = Reference::new(1e-22).in_blocks(z.len());
    reference.solve(&mut |z: &[Dd], out: &mut [Dd]| field.rate(z, out), &mut z, Dd::from(t)).unwrap();
    z.iter().map(|z| z.value()).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// By mpmath with 30 digits from Ẇ = [W, Ω] with matrices of numbers, Ω written down from the table of `Algebra` and the
/// gradients from sympy; for sp(4) by the canonical equations of the particle z with S = z zᵀ.
#[test]
fn motions_are_those_of_matrices_and_particles() {
    let cases: [(&str, f64, &[f64]); 7] = [
        (SO_3, 2.0, &[0.4668953955049742, 0.7467985780695845, 0.45199620955213826]),
        (
            RIGID_BODY_4,
            10.0,
            &[
                0.9448413609630515,
                -0.5484724488826974,
                -0.11105274466936858,
                0.23961240421563215,
                0.18195312400850996,
                -0.28913495074282164,
            ],
        ),
        (
            GL_3,
            1.0,
            &[
                0.5,
                0.09049190064104416,
                -0.28281057036360346,
                0.4637849463700181,
                -0.5238629409896876,
                0.30339405011088955,
                0.1837582704879543,
                0.24120883363374734,
                0.6238629409896875,
            ],
        ),
        (SL_2, 1.0, &[-0.0001449858729317875, 0.7530961767418147, -0.03983557737697599]),
        (U_2, 1.0, &[-0.5062899913855913, -0.12185287469584764, -0.13377549926355028, 0.6218528746958476]),
        (
            SU_3,
            1.0,
            &[
                0.5441840494133301,
                -0.13603787105623066,
                0.14273616008162296,
                0.19832961743854155,
                0.37865931114836904,
                -0.17274328182479756,
                0.30726437594608375,
                0.34216228789868075,
            ],
        ),
        (
            SP_4,
            1.0,
            &[
                0.5845843176788881,
                0.3777795163943732,
                -0.1556434394408746,
                0.464312046685045,
                0.24413477866431757,
                -0.10058241643462754,
                0.3000552275319661,
                0.04143949727760559,
                -0.12362138657231075,
                0.36878457080895644,
            ],
        ),
    ];
    for (text, t, expected) in cases {
        let problem = posed(text);
        let found = walked(&problem, gauss(5), t / 40.0, 40);
        assert!(distance(&found, expected) < 2e-13, "{text}{:e}", distance(&found, expected));
        assert!(distance(&exact(&problem, t), expected) < 1e-15, "{text}");
    }
}

#[test]
fn orders_and_compositions() {
    for (text, t) in [(SO_3, 2.0), (RIGID_BODY_4, 4.0), (GL_3, 1.0), (SL_2, 1.0), (U_2, 1.0), (SU_3, 1.0), (SP_4, 1.0)]
        .into_iter()
        .chain([(PRODUCT, 2.0), (HYPERBOLIC, 1.0)])
    {
        let problem = posed(text);
        let end = exact(&problem, t);
        let order = |recipe: Recipe, steps: u64| {
            let [coarse, fine] =
                [steps, 2 * steps].map(|n| distance(&walked(&problem, recipe.clone(), t / n as f64, n), &end));
            (fine, (coarse / fine).log2())
        };
        for (method, steps, expected) in
            [(MIDPOINT, 60, 2.0), (gauss(1), 60, 2.0), (gauss(2), 16, 4.0), (gauss(3), 8, 6.0)]
        {
            let (fine, found) = order(method.into(), steps);
            assert!(fine < 1e-13 || (found - expected).abs() < 0.3, "{text}{method:?}: {found}, {fine:e}");
        }
        let (fine, found) = order(Recipe::from(MIDPOINT).composed(Composition::KahanLi6), 12);
        assert!(fine < 1e-13 || found > 5.5, "{text}{found}, {fine:e}");
    }
}

#[test]
fn certificates_find_poisson_maps_and_casimirs_for_any_energy() {
    // Motions in gl and sl are not bounded: short steps.
    let short = [(GL_3, 0.01), (SL_2, 0.01), (SP_4, 0.02), (HYPERBOLIC, 0.02)];
    let others = [SO_3, RIGID_BODY_4, U_2, SU_3, PRODUCT, RIGID_BODY].map(|text| (text, 0.05));
    for (text, step) in short.into_iter().chain(others) {
        let problem = posed(text);
        for method in [MIDPOINT, gauss(2)] {
            let prepared = problem.prepare(method).unwrap();
            let c = Certificate::new(&problem, &prepared, Options { step, steps: 100 }).unwrap();
            let Finding::Measured(defect) = c.poisson_defect.found else { panic!("{text}{:?}", c.poisson_defect) };
            assert!(defect < 1e-26, "{text}{}: {defect:e}", method.name());
            for (name, claimed, held) in [
                ("Poisson", c.poisson_defect.claimed, c.poisson_defect.held),
                ("Casimirs", c.casimir_defect.claimed, c.casimir_defect.held),
                ("symmetry", c.symmetry_defect.claimed, c.symmetry_defect.held),
            ] {
                assert_eq!((claimed, held), (true, Some(true)), "{text}{}: {name}", method.name());
            }
        }
    }
}

/// Gauss collocation in the variables keeps what is quadratic, and no cube: what the isospectral methods do is not trivial.
#[test]
fn cubes_are_kept_by_isospectral_methods_and_not_by_others() {
    let problem = posed(GL_3);
    let cube = |w: &[f64]| {
        let at = |i: usize, j: usize| w[3 * i + j];
        let all = (0..27).map(|k| (k / 9, k / 3 % 3, k % 3));
        all.map(|(i, j, k)| at(i, j) * at(j, k) * at(k, i)).sum::<f64>()
    };
    let start = cube(&problem.start);
    let change = |method: Method| (cube(&walked(&problem, method, 0.1, 10)) - start).abs();
    assert!(change(MIDPOINT) < 1e-14 && change(gauss(2)) < 1e-14);
    assert!(change(Method::ImplicitMidpoint) > 1e-6 && change(Method::Gauss { stages: 2 }) > 1e-9);
}

#[test]
fn eigenvalues_hold_over_a_million_steps() {
    for (text, method, h) in [(RIGID_BODY_4, MIDPOINT, 0.1), (SO_3, gauss(2), 0.05)] {
        let problem = posed(text);
        let prepared = problem.prepare(method).unwrap();
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        let mut diagnostics = problem.diagnostics().unwrap();
        let casimirs = diagnostics.casimirs();
        let start = diagnostics.kept(&state.values).unwrap().claims.clone();
        integrator.advance(&mut state, h, 1_000_000).unwrap();
        let end = &diagnostics.kept(&state.values).unwrap().claims;
        assert!(!casimirs.is_empty());
        for k in casimirs {
            assert!((end[k] / start[k] - 1.0).abs() < 1e-12, "{}: {:e}", method.name(), end[k] / start[k] - 1.0);
        }
    }
}

/// The same body by its matrix and by brackets: the algebra is recognised, and the steps are the same.
#[test]
fn triples_are_recognised_as_matrices() {
    let declared = "param I1 = 2, I2 = 1, I3 = 2/3\nalgebra so(3): W\n\
        hamiltonian W[2, 3]^2/(2*I1) + W[1, 3]^2/(2*I2) + W[1, 2]^2/(2*I3)\n\
        initial W[2, 3] = -cos(1.1), W[1, 2] = -sin(1.1)\n";
    for method in [MIDPOINT, gauss(3)] {
        let [w12, w13, w23] = walked(&posed(declared), method, 0.1, 100)[..] else { panic!() };
        let y = walked(&posed(RIGID_BODY), method, 0.1, 100);
        assert!(distance(&y, &[-w23, w13, -w12]) < 1e-14, "{y:?} {w12} {w13} {w23}");
    }
}

#[test]
fn what_has_no_matrices_is_refused_and_long_steps_fail() {
    for text in [HEAVY_TOP, VORTICES] {
        let problem = posed(text);
        assert_eq!(problem.prepare(MIDPOINT).unwrap_err(), Refusal::NoMatrices { method: MIDPOINT });
    }
    let problem = posed(RIGID_BODY_4);
    assert_eq!(problem.prepare(gauss(0)).unwrap_err(), Refusal::Stages { stages: 0, least: 1 });
    let prepared = problem.prepare(MIDPOINT).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    assert!(integrator.advance(&mut state, 50.0, 1).is_err());
    assert_eq!(state.values, problem.start);
}
