//! What users see when they make a mistake. Each snapshot holds several mistakes with the complete
//! message; a change of any word shows up in review.

use std::fmt::Write as _;

use cotangent_model::diagnostic::Colour;
use cotangent_model::syntax::{decode, parse};

/// Every text with everything that is said about it.
fn messages(sources: &[&str]) -> String {
    let mut out = String::new();
    for source in sources {
        let parsed = parse(source);
        assert!(!parsed.diagnostics.is_empty(), "no error in {source:?}");
        let text = parsed.diagnostics.render("model.cot", source, Colour::Never);
        let _ = writeln!(out, "{}", "─".repeat(60));
        for line in text.lines() {
            let _ = writeln!(out, "{}", line.trim_end());
        }
    }
    out
}

macro_rules! mistakes {
    ($($name:ident: [$($source:literal),+ $(,)?])+) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), messages(&[$($source),+]));
        })+
    };
}

mistakes! {
    implicit_multiplication: [
        "hamiltonian 2x",
        "hamiltonian 2(x)",
        "hamiltonian x y",
        "hamiltonian (a)(b)",
        "hamiltonian x[1] (b + 1)",
        "hamiltonian 2e + 3x*y",
    ]
    primes: [
        "lagrangian x''",
        "lagrangian x'[i]^2",
        "lagrangian (x + y)'",
        "lagrangian sin(x)' + 2'",
        "let v' = 1",
        "lagrangian 'x",
    ]
    foreign_operators: [
        "hamiltonian x**2",
        "initial x == 1",
        "param g := 1",
        "hamiltonian |x - 1|/2",
        "hamiltonian 3|x|",
        "param n = 7 % 2",
        "param n = 3!",
        "hamiltonian sum(i in 1...n, x[i])",
        "param g = 1 // gravity",
        "hamiltonian a @@ b",
        "hamiltonian a \\\n  + b",
    ]
    numbers: [
        "param g = 1.",
        "param g = .5",
        "param g = 1.e-3",
        "param g = 1.2.3",
        "param g = 1_000",
        "param g = 1.5d-3",
        "param g = 1e1234567",
        "param g = 1.x",
    ]
    constraints: [
        "constraint x = 0",
        "constraint rod: x^2 + y^2 - 1",
        "constraint (x^2 + y^2)/2 = 0",
        "constraint sqrt(x^2 + y^2) = 1",
        "constraint rod x^2 + y^2 = 1",
        "constraint link[i in 1..n] (x[i]) = 1",
        "constraint rod: x = y = 0",
        "constraint wall: x >= 0",
        "constraint : x = 0",
        "constraint link[3]: x = 0",
        "gauge x = 0, y = 0",
    ]
    ranges: [
        "hamiltonian sum(i = 1..n, x[i])",
        "hamiltonian sum(i 1..n, x[i])",
        "hamiltonian sum(i in n, x[i])",
        "hamiltonian sum(i in 1:n, x[i])",
        "hamiltonian sum(i in 1 to n, x[i])",
        "hamiltonian sum(x[i], i in 1..n)",
        "hamiltonian sum(x[1])",
        "hamiltonian sum(i in 1..n) x[i]",
        "hamiltonian sum(i in 1..n, x[i], y[i])",
        "hamiltonian sum(i in 1..n j in 1..m, x[i])",
        "hamiltonian sum(i in 0..n..2, x[i])",
        "hamiltonian max(i in 1..n, x[i])",
        "hamiltonian x[1..n]",
        "hamiltonian sum x",
        "coord x[n]",
        "coord x[10], y[i on 1..3]",
    ]
    statements: [
        "hamiltonain p^2",
        "Hamiltonian p^2",
        "parameter g = 1",
        "constraints rod: x = 0",
        "r2 = x^2 + y^2",
        "friction 0.1",
        "nonholonomic roll: x' = 0",
        "velocity x",
        "(x + y)",
        "param",
        "hamiltonian",
        "model",
        "coord x, y,",
        "coord x,, y",
        "hamiltonian = p^2/2",
        "hamiltonian H = p^2/2",
        "hamiltonian p^2/2, q^2",
        "model rigid-body \"Title\"",
        "model rigid 'Title'",
        "model rigid \"Title",
        "observe x",
        "coord x = 1",
        "let r2: x^2",
    ]
    lines: [
        "hamiltonian p^2/2 +\nq^2/2\ncoord q",
        "hamiltonian p^2/2\n+ q^2/2",
        "hamiltonian p^2/2 +\ncoord q",
        "coord q\n  hamiltonian p^2/2\n  param g = 1",
        "param g = 1 coord x",
        "param g = 1; coord x;\ncoord y;",
        "param g = 1; h = 2",
    ]
    brackets: [
        "hamiltonian (p^2 + sin(q)\ncoord q",
        "hamiltonian (p^2 + q^2]/2",
        "hamiltonian p^2 + q^2)/2",
        "hamiltonian x[i/2",
        "constraint rod: (x^2 + y^2 = 1",
        "hamiltonian [p + q]^2",
        "hamiltonian f[(i + 1] + 2",
        "hamiltonian ()",
        "hamiltonian x[] + 1",
        "hamiltonian x[1][2]",
        "hamiltonian (x)[1]",
        "initial x = (1, y = 2",
        "hamiltonian ((p + q)*(sin(q)\nconstrant rod: x = 0",
    ]
    functions: [
        "hamiltonian sin x",
        "hamiltonian sin^2(x)",
        "hamiltonian cos + 1",
        "hamiltonian sin()",
        "hamiltonian atan2(x)",
        "hamiltonian min(x)",
        "hamiltonian stumpff(1)",
        "hamiltonian ln(x)",
        "hamiltonian arctan(x) + sine(x) + f(x) + pow(x, 2)",
        "hamiltonian prod(i in 1..n, x[i])",
        "hamiltonian piecewise(x < 1, 2, 3)",
    ]
    operands: [
        "hamiltonian x +",
        "hamiltonian x * / y",
        "hamiltonian *x",
        "param g =",
        "param g = , h = 2",
        "hamiltonian atan2(x, )",
        "hamiltonian x^",
        "hamiltonian x < 1",
        "param g = \"1\"",
        "hamiltonian x = 1",
        "param g = in",
    ]
    names: [
        "param sin = 1",
        "coord pi",
        "coord 2x",
        "let sum = x",
        "param n : float = 1",
        "param n : 3",
        "param m > 1",
        "param m = 1 > 0",
        "param g 9.81",
        "coord q momentum p[i]",
        "coord q, momentum p",
    ]
    algebras: [
        "algebra",
        "algebra so: W",
        "algebra so(3)",
        "algebra so(3) W",
        "algebra so(): W",
        "algebra so(3: W",
        "algebra so(3): 2",
        "algebra so(3): W[i in 1..3]",
        "algebra so(3): W = 1",
        "algebra so(3): W so(4): V",
        "algebra e(3): W",
        "algebra SO(3): W",
        "algebra 3: W",
        "matrix W",
    ]
    pairs: [
        "bracket (x, y) = 1",
        "bracket {x, 2} = 1",
        "bracket {x} = 1",
        "bracket {x, y}",
        "bracket x, y = 1, {x, z} = 2",
        "form {p, q} = 1",
        "bracket {x, sin(y)} = 1",
    ]
    commas: [
        "initial x = 1 p_y = -2",
        "coord x y[i in 1..n]",
        "constraint a: x = 0 b: y = 0",
        "bracket {x, y} = 1 {y, z} = 2",
        "param n int = 3, k > 0 m = 2",
    ]
    drawings: [
        "draw",
        "draw rod",
        "draw pont bob: (x, y)",
        "draw line arm: (0, 0) -- (x, y)",
        "draw bob: (x, y)",
        "draw (x, y)",
        "draw 3",
        "draw rod (0, 0) -- (x, y)",
        "draw point: (x, y)",
        "draw rod : (0, 0) -- (2x, y)",
        "draw trail bob",
        "draw point bob (x, y)",
        "draw point bob = (x, y)",
        "draw point atom[3]: (x, y)",
        "draw point a: (x, y), rod b: (0, 0) -- (x, y)",
        "draw point a: (x, y) b: (u, v)",
        "draw point a: (x, y), (u, v)",
        "draw plot a: (x, y)",
    ]
    points_of_drawings: [
        "draw rod arm: (0, 0) --",
        "draw rod arm: (0, 0) --, leg: (0, 0) -- (x, y)",
        "draw rod arm: -- (x, y)",
        "draw rod arm: (0, 0) -- -- (x, y)",
        "draw rod arm: (0, 0) --- (x, y)",
        "draw rod arm: (0, 0) - (x, y)",
        "draw rod arm: (0, 0) -> (x, y)",
        "draw rod arm: (0, 0), (x, y)",
        "draw rod arm: (0, 0) (x, y)",
        "draw rod arm: (0, 0) – (x, y)",
        "draw rod arm: (0, 0) -- x, y",
        "draw rod arm: (0, 0) -- (x, y) + 1",
        "draw rod arm: (0, 0) -- (x, y) --",
        "draw rod arm: (0, 0 -- (x, y)",
        "draw point bob: x, y",
        "draw point bob:",
        "draw point bob: ()",
        "draw point bob: (x, )",
        "draw point bob: (x y)",
        "draw point bob: [x, y]",
        "draw point bob: (x, y",
        "draw point bob: (x = 1, y)",
    ]
    run_settings: [
        "run stepp = 0.01",
        "run tolerance = 1",
        "run step = 0.1, method = rattle, step = 0.2",
        "run method = \"rattle\"",
        "run method = 8",
        "run compose = kahan - li - 8",
        "run method rattle",
        "run method =",
    ]
    characters: [
        "param θ = 1\nhamiltonian θ² − 2·p + x′ × √x / √(λ) + π",
        "model a “Title”",
        "param\u{a0}g = 1",
        "hamiltonian x₁ + ẋ",
        "hamiltonian 2 – 1 ☃",
        "param ĝ = 1",
        "param \u{1b}[31m = 1",
    ]
    all_at_once: [
        "Model pendulum\nparam g = 1.\ncoord x, y\nhamiltonian 2p_x^2 + sin y\nconstraint x^2 = 1\ninitial x == 1, y = (2\nrun stepp = 1\n",
    ]
}

#[test]
fn columns_are_right_after_characters_of_several_bytes() {
    let source = "model a \"θθθθ\" \"é\"";
    let parsed = parse(source);
    let first = parsed.diagnostics.iter().next().unwrap();
    assert_eq!(first.position(source).column, 16);
    assert_eq!(first.span.text(source), "\"é\"");
    insta::assert_snapshot!("columns", messages(&[source]));
}

#[test]
fn a_file_that_is_not_utf8_is_refused_at_its_first_bad_byte() {
    let bytes = b"model a\nparam g\xff = 1\n";
    let errors = decode(bytes).unwrap_err();
    let lossy = String::from_utf8_lossy(bytes);
    insta::assert_snapshot!("not_utf8", errors.render("model.cot", &lossy, Colour::Never));
}

#[test]
fn errors_beyond_the_limit_are_counted() {
    let source = "hamiltonian 2x\n".repeat(60);
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics.count(), 60);
    let text = parsed.diagnostics.render("model.cot", &source, Colour::Never);
    assert_eq!(text.matches("Error").count(), 50);
    assert!(text.ends_with("and 10 more\n"));
}

#[test]
fn a_line_too_long_to_show_is_named_instead() {
    let source = format!("hamiltonian {}2x", "x + ".repeat(1000));
    let text = parse(&source).diagnostics.render("model.cot", &source, Colour::Never);
    assert!(text.contains("at model.cot:1:4013"), "{text}");
    assert!(text.len() < 400);
}

#[test]
fn colour_is_optional() {
    let source = "hamiltonian 2x";
    let errors = parse(source).diagnostics;
    assert!(errors.render("m", source, Colour::Always).contains('\u{1b}'));
    assert!(!errors.render("m", source, Colour::Never).contains('\u{1b}'));
}

#[test]
fn skipped_text_is_known_by_statement_and_name() {
    let parsed = parse("param g = (, h = 2\nhamiltonian x +\n");
    assert!(parsed.may_declare("g"));
    assert!(!parsed.may_declare("z"));
    assert!(parsed.lacks(cotangent_model::syntax::Keyword::Hamiltonian));
    assert!(!parsed.lacks(cotangent_model::syntax::Keyword::Coord));
}
