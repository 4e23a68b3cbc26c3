//! Linear brackets: structure constants and names of Lie algebras, which no change of the basis may change.

mod common;

use common::analysis;
use cotangent_analysis::{BracketForm, LieAlgebra};

/// {zᵢ, zⱼ} = Σ b_ijᵏ zₖ for i < j: (i, j, k, b).
type Brackets = Vec<(usize, usize, usize, i64)>;

/// The model with these brackets, in the variables u = A z.
fn model(n: usize, brackets: &Brackets, a: &[Vec<i64>], inverse: &[Vec<i64>]) -> String {
    let mut lines = vec![];
    for p in 0..n {
        for q in p + 1..n {
            // {u_p, u_q} = Σ A_pi A_qj b_ijᵏ z_k, z = A⁻¹u
            let mut sum = vec![0; n];
            for &(i, j, k, b) in brackets {
                for (r, entry) in sum.iter_mut().enumerate() {
                    *entry += (a[p][i] * a[q][j] - a[p][j] * a[q][i]) * b * inverse[k][r];
                }
            }
            let terms: Vec<String> =
                sum.iter().enumerate().filter(|(_, c)| **c != 0).map(|(r, c)| format!("({c})*u{r}")).collect();
            if !terms.is_empty() {
                lines.push(format!("bracket {{u{p}, u{q}}} = {}\n", terms.join(" + ")));
            }
        }
    }
    let names: Vec<String> = (0..n).map(|k| format!("u{k}")).collect();
    format!("variables {}\n{}hamiltonian u0^2\n", names.join(", "), lines.concat())
}

fn identity(n: usize) -> Vec<Vec<i64>> {
    (0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect()
}

/// A = L U with ones on the diagonals, and its inverse, which has integer entries, too.
fn mixed(n: usize) -> [Vec<Vec<i64>>; 2] {
    let (mut a, mut inverse) = (identity(n), identity(n));
    for k in 0..2 * n {
        let (from, to) = ((5 * k + 1) % n, (3 * k + k / n) % n);
        if from == to {
            continue;
        }
        let c = if k % 3 == 0 { -1 } else { 1 };
        // Row `to` += c·row `from`; on the inverse, column `from` −= c·column `to`.
        for j in 0..n {
            let x = a[from][j];
            a[to][j] += c * x;
        }
        for row in &mut inverse {
            let x = row[to];
            row[from] -= c * x;
        }
    }
    [a, inverse]
}

fn algebra(text: &str) -> LieAlgebra {
    let poisson = analysis(text).poisson.unwrap();
    assert_eq!(poisson.form, Some(BracketForm::Linear), "{text}");
    poisson.algebra.unwrap()
}

/// ε_ijk on three variables from one on, in the sign of the Euler equations: {z₁, z₂} = −z₃.
fn rotations(at: usize) -> Brackets {
    vec![(at, at + 1, at + 2, -1), (at + 1, at + 2, at, -1), (at, at + 2, at + 1, 1)]
}

/// so(3) that acts on three more variables, whose brackets are s times those of so(3): e(3), so(4), so(3, 1).
fn with_vectors(s: i64) -> Brackets {
    let mut all = rotations(0);
    for (i, j, k) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        all.push((i, j + 3, k + 3, -1));
        all.push((j, i + 3, k + 3, 1));
        if s != 0 {
            all.push((i + 3, j + 3, k, -s));
        }
    }
    all
}

/// {h, e} = 2 e, {h, f} = −2 f, {e, f} = h.
fn sl2(at: usize) -> Brackets {
    vec![(at, at + 1, at + 1, 2), (at, at + 2, at + 2, -2), (at + 1, at + 2, at, 1)]
}

#[test]
fn names_do_not_depend_on_the_basis() {
    let cases: Vec<(&str, usize, Brackets)> = vec![
        ("so(3)", 3, rotations(0)),
        ("sl(2,R)", 3, sl2(0)),
        ("e(3)", 6, with_vectors(0)),
        ("so(4)", 6, with_vectors(1)),
        ("so(3,1)", 6, with_vectors(-1)),
        ("so(4)", 6, [rotations(0), rotations(3)].concat()),
        ("so(2,2)", 6, [sl2(0), sl2(3)].concat()),
        ("so(3) + sl(2,R)", 6, [rotations(0), sl2(3)].concat()),
        ("so(3) + R", 4, rotations(1)),
        ("so(3) + R^2", 5, rotations(1)),
        ("e(3) + R", 7, with_vectors(0)),
        ("Heisenberg(3)", 3, vec![(0, 1, 2, 1)]),
        ("Heisenberg(5)", 5, vec![(0, 1, 4, 1), (2, 3, 4, 1)]),
        ("Heisenberg(3) + R^2", 5, vec![(0, 1, 2, 3)]),
        ("aff(1)", 2, vec![(0, 1, 1, 1)]),
        ("aff(1) + R", 3, vec![(0, 1, 1, 1)]),
        ("e(2)", 3, vec![(0, 1, 2, 1), (0, 2, 1, -4)]),
        ("e(1,1)", 3, vec![(0, 1, 2, 1), (0, 2, 1, 4)]),
        ("e(2) + R^2", 5, vec![(0, 1, 2, 1), (0, 2, 1, -1)]),
    ];
    for (name, n, brackets) in cases {
        let plain = algebra(&model(n, &brackets, &identity(n), &identity(n)));
        let [a, inverse] = mixed(n);
        let other = algebra(&model(n, &brackets, &a, &inverse));
        // Two copies in one basis each are told apart by the variables.
        let split =
            plain.name.as_deref().map(|p| p.replace("so(3) + so(3)", "so(4)").replace("sl(2,R) + sl(2,R)", "so(2,2)"));
        assert_eq!(split.as_deref(), Some(name));
        assert_eq!(other.name.as_deref(), Some(name), "in a mixed basis");
        assert_eq!(
            (&plain.derived, plain.centre, plain.killing),
            (&other.derived, other.centre, other.killing),
            "{name}"
        );
        assert!(!plain.generic);
    }
}

/// Two solvable algebras of dimension three that differ by a number: neither gets a name.
#[test]
fn what_invariants_do_not_tell_has_no_name() {
    let scaled = |c: i64| algebra(&model(3, &vec![(0, 1, 1, 1), (0, 2, 2, c)], &identity(3), &identity(3)));
    for c in [1, 2, 3] {
        assert_eq!((scaled(c).name, scaled(c).derived), (None, vec![3, 2, 0]));
    }
    // [e₀, e₁] = e₁, [e₀, e₂] = −e₂ preserves a product: e(1, 1).
    assert_eq!(scaled(-1).name.as_deref(), Some("e(1,1)"));
}

/// b_ij = Σ C_jiᵏ yₖ: ẏ = y × ∇H has {y₁, y₂} = −y₃, and so C₁₂³ = 1.
#[test]
fn structure_constants_have_the_sign_of_the_euler_equations() {
    let found = algebra(include_str!("../../../models/rigid-body.cot"));
    let printed: Vec<String> = found.constants.iter().map(|(i, j, k, c)| format!("{i} {j} {k} {c}")).collect();
    assert_eq!(printed, ["y1 y2 y3 1", "y1 y3 y2 -1", "y2 y3 y1 1"]);
    // κ = −2 δ for so(3).
    assert_eq!((found.killing, found.derived, found.centre), (Some([0, 3, 0]), vec![3], 0));
}

/// κ of sl(2, R) is 8 h² + 8 e f in half: two positive squares and a negative one; a parameter with a sign keeps the name.
#[test]
fn parameters_stay_symbols() {
    let text = |sign: &str| {
        format!(
            "param c {sign}\nvariables x, y, z\nbracket {{x, y}} = -c*z, {{y, z}} = -x, {{z, x}} = -y\nhamiltonian x\n"
        )
    };
    let positive = algebra(&text("> 0 = 1"));
    assert_eq!((positive.name.as_deref(), positive.generic), (Some("so(3)"), true));
    assert_eq!(algebra(&text("< 0 = -1")).name.as_deref(), Some("sl(2,R)"));
    assert_eq!(algebra(&text("= 1")).name, None);
}

#[test]
fn forms() {
    let form = |brackets: &str| {
        let text = format!("param a = 2\nvariables x, y, z\nbracket {brackets}\nhamiltonian x\n");
        analysis(&text).poisson.unwrap().form.unwrap()
    };
    assert_eq!(form("{x, y} = a"), BracketForm::Constant);
    assert_eq!(form("{x, y} = a*z"), BracketForm::Linear);
    assert_eq!(form("{x, y} = a*z + 1"), BracketForm::Affine);
    assert_eq!(form("{x, y} = a*x*y, {y, z} = -y*z"), BracketForm::LogCanonical);
    assert_eq!(form("{x, y} = a*x*z"), BracketForm::Other);
    assert_eq!(form("{x, y} = sin(z)"), BracketForm::Other);
    assert_eq!(form("{x, y} = 1/z"), BracketForm::Other);
    assert_eq!(form("{x, y} = x*y + 1"), BracketForm::Other);
}

/// The linear part of Lorenz's model is that of e(2) and two variables, for any coupling.
#[test]
fn an_affine_bracket_has_the_algebra_of_its_linear_part() {
    let poisson = analysis(include_str!("../../../models/lorenz-86.cot")).poisson.unwrap();
    assert_eq!(poisson.form, Some(BracketForm::Affine));
    let algebra = poisson.algebra.unwrap();
    assert_eq!((algebra.name.as_deref(), algebra.generic), (Some("e(2) + R^2"), true));
}

/// Where Jacobi's identity fails there is no algebra.
#[test]
fn no_algebra_without_jacobis_identity() {
    let text = "variables x, y, z\nbracket {x, y} = x, {y, z} = y, {z, x} = x\nhamiltonian x\n";
    let poisson = analysis(text).poisson.unwrap();
    assert!(poisson.jacobi_failure.is_some() && poisson.algebra.is_none());
}
