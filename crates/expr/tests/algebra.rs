//! Canonical forms and derivatives, against what a textbook writes.

use cotangent_expr::{Array, Domain, Expr, Function, Ix, Layout, Number, Place, Role, Tensor, Term, latex_name};

fn var(name: &str) -> Expr {
    Expr::from(&Array::scalar(name, Role::Coordinate))
}
fn param(name: &str) -> Expr {
    Expr::from(&Array::scalar(name, Role::Parameter))
}
fn f(function: Function, x: &Expr) -> Expr {
    Expr::call(function, vec![x.clone()])
}

#[test]
fn equal_sums_cancel() {
    let (x, y) = (var("x"), var("y"));
    assert!((x.powi(2) + y.powi(2) - (y.powi(2) + x.powi(2))).is_zero());
    assert!((2 * (&x + &y) - 2 * &x - 2 * &y).is_zero());
    assert!(((&x - &y) * (&y - &x) + (&x - &y).powi(2)).is_zero());
    assert_eq!(&x / &x, Expr::one());
    assert_eq!(x.sqrt() * x.sqrt(), x);
    assert_eq!(Expr::number(8).sqrt() * Expr::number(2).sqrt(), Expr::number(8).sqrt() * Expr::number(2).sqrt());
    assert_eq!(Expr::ratio(9, 4).sqrt(), Expr::ratio(3, 2));
    assert_eq!(Expr::number(2).sqrt().powi(2), Expr::number(2));
    assert_ne!(x.powi(2).sqrt(), x);
}

#[test]
fn numbers_stay_exact_while_they_fit() {
    assert_eq!(Expr::number(0.1) * 3, Expr::ratio(3, 10));
    assert_eq!(Expr::ratio(1, 3) + Expr::ratio(1, 6), Expr::ratio(1, 2));
    assert_eq!(Number::decimal("1000000000000000000000", -21), Number::ratio(1, 1));
    assert_eq!(Number::decimal("31", -400), Some(Number::from(0.0)));
    assert_eq!(Number::decimal("1", 400), None);
    let big = Number::from(i64::MAX);
    assert_eq!((big * big).to_f64(), (i64::MAX as f64) * (i64::MAX as f64));
}

/// 2·10¹³ x + 10⁻¹⁶ y has no content: in units of 10⁻¹⁶ the first coefficient is no 64-bit integer.
#[test]
fn a_common_denominator_rounds_nothing() {
    let (x, y, z) = (var("x"), var("y"), var("z"));
    let (large, small) = (Expr::number(1e17) / 5000, Expr::number(1e-16));
    let product = (&large * &x + &small * &y) * &z;
    assert_eq!(product.derivative(&x).unwrap(), &large * &z);
    assert_eq!(product.derivative(&y).unwrap(), &small * &z);
    assert_eq!(((&x / 4 + &y / 6) * &z).to_string(), "z*(3*x + 2*y)/12");
}

#[test]
fn text_reads_like_a_textbook() {
    let (x, y, px, m, g) =
        (var("x"), var("y"), Expr::from(&Array::scalar("p_x", Role::Momentum)), param("m"), param("g"));
    let show = |e: Expr| e.to_string();
    assert_eq!(show((x.powi(2) + y.powi(2) - 1) / 2), "(x^2 + y^2 - 1)/2");
    assert_eq!(show(px.powi(2) / (2 * &m) + &m * &g * &y), "g*m*y + p_x^2/(2*m)");
    assert_eq!(show(-&x), "-x");
    assert_eq!(show(1 - &x), "1 - x");
    assert_eq!(show(&x / (&y * &m).sqrt()), "x/sqrt(m*y)");
    assert_eq!(show(-(&x + &y) / 3), "(-x - y)/3");
    assert_eq!(show(x.pow(Number::ratio(-3, 2).unwrap())), "1/x^(3/2)");
    assert_eq!(show(Expr::call(Function::Pow, vec![&x + 1, y.clone()])), "(x + 1)^y");
    assert_eq!(show(f(Function::Sin, &(2 * &x)) * -2), "-2*sin(2*x)");
}

#[test]
fn derivatives_read_like_a_textbook() {
    let (x, y) = (var("x"), var("y"));
    let d = |e: &Expr| e.derivative(&x).unwrap().to_string();
    assert_eq!(d(&((x.powi(2) + y.powi(2) - 1) / 2)), "x");
    assert_eq!(d(&f(Function::Sin, &(&x * &y))), "y*cos(x*y)");
    assert_eq!(d(&(x.powi(2) + y.powi(2)).sqrt()), "x/sqrt(x^2 + y^2)");
    assert_eq!(d(&f(Function::Log, &x)), "1/x");
    assert_eq!(d(&x.power(&y)), "y*x^(y - 1)");
    assert_eq!(d(&(x.powi(3) * y.powi(2))), "3*x^2*y^2");
    assert_eq!(d(&Expr::call(Function::Atan2, vec![x.clone(), -&y])), "-y/(x^2 + y^2)");
    assert_eq!(d(&f(Function::Stumpff(2), &x)), "stumpff(4, x) - stumpff(3, x)/2");
    assert_eq!(d(&f(Function::Tan, &x)), "tan(x)^2 + 1");
}

#[test]
fn latex_is_what_a_paper_prints() {
    let (th, y, m) = (var("theta1"), var("y"), param("m"));
    let p = Expr::from(&Array::scalar("p_x", Role::Momentum));
    let v = Expr::from(&Array::scalar("x'", Role::Velocity));
    assert_eq!(
        (p.powi(2) / (2 * &m) + f(Function::Cos, &th)).latex(&[]),
        "\\frac{p_{x}^{2}}{2 m} + \\cos\\left(\\theta_{1}\\right)"
    );
    assert_eq!((v.powi(2) / 2 - y.sqrt()).latex(&[]), "-\\sqrt{y} + \\frac{\\dot{x}^{2}}{2}");
}

/// Every pair of names of up to five letters from these has two formulas.
#[test]
fn names_that_differ_print_differently() {
    let mut names: Vec<String> = vec![String::new()];
    for _ in 0..5 {
        let longer: Vec<String> =
            names.iter().flat_map(|n| ["x", "theta", "_", "1", "2"].map(|l| format!("{n}{l}"))).collect();
        names.extend(longer);
    }
    names.sort();
    names.dedup();
    names.retain(|n| n.starts_with(|c: char| !c.is_ascii_digit()));
    let printed: std::collections::BTreeSet<String> = names.iter().map(|n| latex_name(n)).collect();
    assert_eq!(printed.len(), names.len());
    let one = |name: &str| latex_name(name);
    assert_eq!([one("theta"), one("theta_"), one("theta__")], ["\\theta", "\\theta_{\\_}", "\\theta_{\\_,\\_}"]);
    assert_eq!([one("_"), one("__"), one("_x1")], ["\\_", "\\_\\_", "\\_x_{1}"]);
    assert_eq!([one("p_x"), one("theta1"), one("x1_2")], ["p_{x}", "\\theta_{1}", "x_{1,\\mathit{2}}"]);
    assert_eq!([one("x1"), one("x_1")], ["x_{1}", "x_{\\mathit{1}}"]);
    // Members of families have their index below, behind what else is there.
    assert_eq!(
        [one("x[3]"), one("p_x[3]"), one("lambda_link[10]")],
        ["x_{3}", "p_{x,3}", "\\lambda_{\\mathrm{link},10}"]
    );
    assert_eq!([one("d[3, 1]"), one("link[3]''")], ["d_{3,1}", "\\mathrm{link}_{3}^{[3]}"]);
}

#[test]
fn latex_of_large_and_small_numbers_is_short() {
    let x = var("x");
    let number = |x: f64| Expr::number(x).latex(&[]);
    assert_eq!([number(1e250), number(-1e-300), number(2.5e250)], ["10^{250}", "-10^{-300}", "2.5 \\cdot 10^{250}"]);
    assert_eq!((Expr::number(1e250) * &x - Expr::number(3e-200)).latex(&[]), "10^{250} x - 3 \\cdot 10^{-200}");
    // No power of a power without parentheses, and none of half a number.
    let power = |base: Expr| Expr::call(Function::Pow, vec![base, x.clone()]);
    assert_eq!(power(Expr::ratio(1, 2)).latex(&[]), "\\left(\\frac{1}{2}\\right)^{x}");
    assert_eq!(power(Expr::number(1e250)).latex(&[]), "\\left(10^{250}\\right)^{x}");
    assert_eq!(power(power(Expr::number(2))).latex(&[]), "\\left(2^{x}\\right)^{x}");
    // What is no expression is no error message in a formula, either.
    assert_eq!((&x / 0).latex(&[]), "\\text{undefined}");
}

#[test]
fn latex_writes_sums_out_and_is_bounded() {
    let x = Array::family("x", Role::Coordinate, 1, 5);
    let space = Array::scalar("total", Role::Auxiliary);
    let term = Term {
        domain: Domain::range("i", 1, 5),
        at: vec![Place { array: space.clone(), index: vec![] }],
        value: Expr::at(&x, vec![Ix::var(0)]),
    };
    let total = Tensor::new(vec![Layout::new(vec![space])], vec![term]).unwrap();
    let s = Expr::from(&Array::defined("total", vec![], total));
    assert_eq!(s.powi(2).latex(&[]), "\\left(\\sum_{i=1}^{5} x_{i}\\right)^{2}");
    let mut shared = var("x");
    for _ in 0..300 {
        shared = f(Function::Sin, &(&shared + shared.powi(2)));
    }
    assert!(shared.latex(&[]).len() < 2 << 20);
}

/// Σ_{i=2..n} (x[i] − x[i−1])²/2 as one term.
fn springs(n: i64) -> (Array, Tensor) {
    let x = Array::family("x", Role::Coordinate, 1, n);
    let at = |shift| Expr::at(&x, vec![Ix::var(0).shifted(shift)]);
    let value = (at(0) - at(-1)).powi(2) / 2;
    let t = Tensor::new(vec![], vec![Term { domain: Domain::range("i", 2, n), at: vec![], value }]).unwrap();
    (x, t)
}

#[test]
fn families_stay_families() {
    let (x, energy) = springs(1_000_000);
    assert_eq!(energy.to_string(), "sum(i in 2..1000000, (x[i - 1] - x[i])^2/2)");
    let by = Layout::new(vec![x]);
    let gradient = energy.gradient(&by).unwrap();
    assert_eq!(gradient.to_string(), "x[i - 1]: x[i - 1] - x[i]\nx[i]: x[i] - x[i - 1]\n".to_string());
    let hessian = gradient.jacobian(&by).unwrap();
    assert_eq!(hessian.terms().len(), 4);
    assert!(hessian.jacobian(&by).unwrap().is_zero());
}

#[test]
fn families_expand_to_the_same_entries() {
    let (x, energy) = springs(4);
    let by = Layout::new(vec![x.clone()]);
    let entries: Vec<String> = energy.gradient(&by).unwrap().entries().iter().map(Expr::to_string).collect();
    assert_eq!(entries, ["x[1] - x[2]", "2*x[2] - x[1] - x[3]", "2*x[3] - x[2] - x[4]", "x[4] - x[3]"]);
    let expanded = energy.expand().unwrap().gradient(&by).unwrap().entries();
    assert_eq!(energy.gradient(&by).unwrap().entries(), expanded);
}

#[test]
fn nested_sums_differentiate_through_their_array() {
    // E = (Σ_i x[i])², ∂E/∂x[i] = 2 Σ x
    let x = Array::family("x", Role::Coordinate, 1, 5);
    let total = Tensor::new(
        vec![Layout::new(vec![Array::scalar("total", Role::Auxiliary)])],
        vec![Term {
            domain: Domain::range("i", 1, 5),
            at: vec![Place { array: Array::scalar("total", Role::Auxiliary), index: vec![] }],
            value: Expr::at(&x, vec![Ix::var(0)]),
        }],
    )
    .unwrap();
    let s = Array::defined("total", vec![], total);
    let energy = Tensor::scalar(Expr::from(&s).powi(2)).unwrap();
    assert_eq!(energy.to_string(), "(sum(i in 1..5, x[i]))^2");
    let by = Layout::new(vec![x.clone()]);
    let gradient = energy.gradient(&by).unwrap();
    assert_eq!(gradient.terms().len(), 1);
    let hessian = gradient.jacobian(&by).unwrap();
    assert_eq!(hessian.entry(&[(&x, &[2]), (&x, &[4])]), Expr::number(2));
}

#[test]
fn bad_numbers_poison_instead_of_panicking() {
    let x = var("x");
    assert!((&x / Expr::zero()).poisoned().is_some());
    assert!(((&x - &x).powi(-1) + 1).poisoned().is_some());
    assert!(Expr::number(f64::NAN).poisoned().is_some());
    assert!(Tensor::scalar(Expr::number(-1).sqrt()).is_err());
    let mut deep = x.clone();
    for _ in 0..100_000 {
        deep = f(Function::Sin, &deep);
    }
    assert!(deep.poisoned().is_some());
    let mut shared = x.clone();
    for _ in 0..500 {
        shared = f(Function::Sin, &(&shared + shared.powi(2)));
    }
    assert!(shared.to_string().len() < 3 << 20);
}

#[test]
fn an_index_that_leaves_its_family_is_refused() {
    let x = Array::family("x", Role::Coordinate, 1, 3);
    let term = Term { domain: Domain::range("i", 1, 3), at: vec![], value: Expr::at(&x, vec![Ix::var(0).shifted(1)]) };
    let error = Tensor::new(vec![], vec![term]).unwrap_err();
    assert_eq!(error.to_string(), "the index of `x` reaches [4], outside its range");
}

#[test]
fn contraction_keeps_families() {
    // G x for the differences x[i] − x[i−1], then G Gᵀ: tridiagonal.
    let n = 1000;
    let x = Array::family("x", Role::Coordinate, 1, n);
    let row = Array::family("d", Role::Auxiliary, 2, n);
    let at = |shift| Expr::at(&x, vec![Ix::var(0).shifted(shift)]);
    let place = Place { array: row.clone(), index: vec![Ix::var(0)] };
    let difference = Term { domain: Domain::range("i", 2, n), at: vec![place], value: at(0) - at(-1) };
    let d = Tensor::new(vec![Layout::new(vec![row.clone()])], vec![difference]).unwrap();
    let g = d.jacobian(&Layout::new(vec![x.clone()])).unwrap();
    let gram = g.contract(1, &g, 1).unwrap();
    // Two terms on the diagonal (merged to one), one above and one below it, each a range.
    assert_eq!(gram.terms().len(), 3);
    assert!(gram.terms().iter().all(|t| matches!(t.domain, Domain::Ranges(_))));
    let entry = |i: i64, j: i64| gram.entry(&[(&row, &[i]), (&row, &[j])]).to_string();
    assert_eq!(
        (entry(5, 5), entry(5, 6), entry(6, 5), entry(5, 7)),
        ("2".into(), "-1".into(), "-1".into(), "0".into())
    );
    assert_eq!((entry(2, 2), entry(n, n), entry(n, n - 1)), ("2".into(), "2".into(), "-1".into()));
}

#[test]
fn powers_beyond_the_integers_are_rounded_not_refused() {
    let x = var("x");
    assert_eq!(Expr::number(10).powi(20).as_number().unwrap().to_f64(), 1e20);
    assert_eq!(Expr::number(-2).powi(63).as_number().unwrap().to_f64(), -(2f64.powi(63)));
    // The nearest doubles of exact fractions: rounded once, not k times.
    assert_eq!(Expr::ratio(8, 7).powi(147).as_number().unwrap().to_f64(), 334823711.11619896);
    assert_eq!(Expr::ratio(1000003, 7).powi(41).as_number().unwrap().to_f64(), 2.244056450053253e211);
    assert_eq!(Expr::ratio(-8, 7).powi(-333).as_number().unwrap().to_f64(), -4.8829430198015043e-20);
    assert!((&x / 10).powi(20).poisoned().is_none());
    assert!((1 + &x / 3).powi(40).poisoned().is_none());
    // A coefficient whose power fits nowhere stays inside.
    assert_eq!((2 * &x).powi(1100).to_string(), "(2*x)^1100");
    assert!(Expr::number(10).powi(400).poisoned().is_some());
}

#[test]
fn nested_index_arithmetic_is_cheap_and_bounded() {
    let mut i = Ix::var(0);
    for k in 0..150 {
        i = (&i + 1).modulo(7 + k % 2).unwrap();
    }
    assert!(i.substitute(&[Ix::constant(3)]).as_constant().is_some());
    assert!(i.substitute(&[Ix::var(1)]).as_constant().is_none());
    for _ in 0..200_000 {
        i = (&i + 1).modulo(7).unwrap();
    }
    assert!(i.is_undefined() && Expr::index(i).poisoned().is_some());
    assert!(Expr::call(Function::Sin, vec![]).poisoned().is_some());
}

#[test]
fn arrays_that_occur_are_those_of_terms_and_of_definitions() {
    let [x, y, z] = ["x", "y", "z"].map(|name| Array::scalar(name, Role::Coordinate));
    let total = Array::defined("total", vec![], {
        let space = Array::scalar("total", Role::Auxiliary);
        let at = vec![Place { array: space.clone(), index: vec![] }];
        Tensor::new(vec![Layout::new(vec![space])], vec![Term::plain(at, Expr::from(&y).powi(2))]).unwrap()
    });
    let energy = Tensor::scalar(Expr::from(&x) * Expr::from(&total)).unwrap();
    let occurring = energy.occurring();
    assert!(occurring.len() == 3 && [&x, &y, &total].iter().all(|a| occurring.contains(*a)), "{occurring:?}");
    for array in [x, y, z] {
        assert_eq!(energy.depends_on(&Layout::new(vec![array.clone()])), occurring.contains(&array));
    }
}

/// Σₖ ∂ₖ(Σ k xₖ²)·∂ₖ(Σ vₖ²/2) over scalars that are written one by one.
#[test]
fn a_contraction_pairs_arrays_in_their_order() {
    let n = 1..=40i64;
    let layout =
        |name: &str| Layout::new(n.clone().map(|k| Array::scalar(&format!("{name}{k}"), Role::Coordinate)).collect());
    let (x, v) = (layout("x"), layout("v"));
    let squares = |layout: &Layout, weight: fn(i64) -> Expr| {
        let terms = layout.arrays().iter().zip(n.clone()).map(|(a, k)| weight(k) * Expr::from(a).powi(2));
        Tensor::scalar(Expr::sum(terms)).unwrap().gradient(layout).unwrap()
    };
    let product = squares(&x, Expr::from).contract(0, &squares(&v, |_| Expr::ratio(1, 2)), 0).unwrap();
    let expected = Expr::sum(n.clone().map(|k| 2 * k * var(&format!("x{k}")) * var(&format!("v{k}"))));
    assert_eq!(product.as_scalar(), Some(expected));
}
