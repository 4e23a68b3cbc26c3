//! What a model draws: points, rods, vehicles and trails, each in the variables of the model.

use cotangent_expr::Expr;
use cotangent_model::diagnostic::Colour;
use cotangent_model::syntax::ast::StatementKind;
use cotangent_model::syntax::{format, parse};
use cotangent_model::{BuildError, Drawing, DrawingKind, Options, Sum, System, SystemBuilder};

fn system(text: &str) -> System {
    System::parse(text).unwrap_or_else(|e| panic!("{}", e.render("test.cot", text, Colour::Never)))
}

/// The components of each point, as text.
fn points(d: &Drawing) -> Vec<Vec<String>> {
    let text = |point: &Vec<_>| point.iter().map(ToString::to_string).collect();
    d.points.iter().map(text).collect()
}

const PLANAR: &str = "param l = 2\ncoord x, y, theta\nlet half = x/2\nlagrangian (x'^2 + y'^2 + theta'^2)/2\n";
const CHAIN: &str = "param n : int = 3\ncoord x[i in 1..n], y[i in 1..n]\nboundary x[0] = 0, y[0] = 1\n\
    hamiltonian sum(i in 1..n, p_x[i]^2 + p_y[i]^2)\n";

#[test]
fn each_kind_of_drawing_reads_as_written() {
    let s = system(&format!(
        "{PLANAR}draw point bob: (x, y)\ndraw rod arm: (0, 0) -- (half, y) -- (l, -y)\n\
         draw vehicle car: (x, y, theta/2)\ndraw trail path: (x, y)\n"
    ));
    let kinds: Vec<_> = s.drawings.iter().map(|d| (d.kind, d.array.name().to_owned())).collect();
    assert_eq!(
        kinds,
        [
            (DrawingKind::Point, "bob".into()),
            (DrawingKind::Rod, "arm".into()),
            (DrawingKind::Vehicle, "car".into()),
            (DrawingKind::Trail, "path".into())
        ]
    );
    assert_eq!(points(&s.drawings[0]), [["bob: x\n", "bob: y\n"]]);
    assert_eq!(points(&s.drawings[1]), [["", ""], ["arm: x/2\n", "arm: y\n"], ["arm: l\n", "arm: -y\n"]]);
    assert_eq!(points(&s.drawings[2]), [["car: x\n", "car: y\n"]]);
    assert_eq!(s.drawings[2].heading.as_ref().map(ToString::to_string), Some("car: theta/2\n".into()));
    assert!(s.drawings.iter().all(|d| d.dimension() == 2));
    assert_eq!(s.picture_dimension(), Some(2));
    assert_eq!(system(PLANAR).picture_dimension(), None);
}

#[test]
fn a_picture_may_be_in_space() {
    let s = system(&format!("{PLANAR}draw point a: (x, y, 0), b: (x, theta, l)\ndraw rod c: (0, 0, 0) -- (x, y, l)\n"));
    assert_eq!(s.picture_dimension(), Some(3));
    assert_eq!(points(&s.drawings[1]), [["b: x\n", "b: theta\n", "b: l\n"]]);
}

#[test]
fn families_of_drawings_stay_families() {
    let s = system(&format!("{CHAIN}draw point atom[i in 1..n]: (x[i], -i*y[i])\n"));
    let atom = &s.drawings[0];
    assert_eq!(points(atom), [["atom[i]: x[i]\n", "atom[i]: -i*y[i]\n"]]);
    assert_eq!(atom.array.len(), 3);
    let large = System::parse_with(
        &format!("{CHAIN}draw rod link[i in 1..n]: (x[i-1], y[i-1]) -- (x[i], y[i])\n"),
        &Options { integers: vec![("n".into(), 100_000)] },
    );
    assert!(large.is_ok_and(|s| s.drawings[0].components().all(|c| c.terms().len() <= 2)));
}

#[test]
fn drawings_use_boundaries_and_sums() {
    let s = system(&format!(
        "{CHAIN}draw rod link[i in 1..n]: (x[i-1], y[i-1]) -- (x[i], y[i])\n\
         draw trail centre: (sum(i in 1..n, x[i])/n, sum(i in 1..n, y[i])/n)\n"
    ));
    assert_eq!(
        points(&s.drawings[0]),
        [["link[i]: x[i - 1]\n", "link[1]: 1\nlink[i]: y[i - 1]\n"], ["link[i]: x[i]\n", "link[i]: y[i]\n"]]
    );
    let expanded: Vec<String> = s.drawings[0].components().map(|t| t.expand().unwrap().to_string()).collect();
    assert_eq!(expanded[0], "link[2]: x[1]\nlink[3]: x[2]\n");
    assert_eq!(expanded[1], "link[1]: 1\nlink[2]: y[1]\nlink[3]: y[2]\n");
    let centre = s.drawings[1].points[0][0].expand().unwrap().entries();
    assert_eq!(centre[0].to_string(), "(x[1] + x[2] + x[3])/3");
}

#[test]
fn members_over_dependent_ranges_are_numbered() {
    let s = system(&format!("{CHAIN}draw rod pair[i in 2..n, j in 1..i-1]: (x[i], y[i]) -- (x[j], y[j])\n"));
    let pair = &s.drawings[0];
    assert_eq!(pair.array.len(), 3);
    let last = pair.points[1][0].entries();
    assert_eq!(last.iter().map(ToString::to_string).collect::<Vec<_>>(), ["x[1]", "x[1]", "x[2]"]);
}

#[test]
fn drawings_may_use_what_observables_may() {
    system(&format!("{PLANAR}draw rod velocity: (x, y) -- (x + x', y + p_y)\n"));
    system("param k = 1\nvariables a, b, c\nbracket {a, b} = c\nhamiltonian k*a^2\ndraw trail orbit: (a, b, c)\n");
    let s = system("param unused = 1\ncoord x\nhamiltonian p_x^2\ndraw point bob: (x, unused)\n");
    assert!(s.warnings.is_empty());
}

#[test]
fn labels_are_apart_from_names() {
    let s = system(&format!("{PLANAR}draw point x: (x, y), point: (y, x)\ndraw rod rod: (0, 0) -- (x, y)\n"));
    assert_eq!(s.drawings.len(), 3);
}

#[test]
fn two_minus_signs_stay_two_minus_signs_in_an_expression() {
    let s = system(&format!(
        "{PLANAR}observe e = x--y - - l--(x)\ndraw rod a: (x--y, 1)--(-x, --y)  # -- a comment\n\
         draw rod b: (0,0)--(x,\ny) # no (0, 0) -- (1, 1)\n   --(x - -(y), 2) # the end\n"
    ));
    assert_eq!(s.observables[0].value.to_string(), "e: l + 2*x + y\n");
    assert_eq!(points(&s.drawings[0]), [["a: x + y\n", "a: 1\n"], ["a: -x\n", "a: y\n"]]);
    assert_eq!(points(&s.drawings[1])[2], ["b: x + y\n", "b: 2\n"]);
}

#[test]
fn drawings_print_in_one_form() {
    let source =
        "draw rod a:( 0,0 )--(x--1,(y)),b[i in 1..n-1] : (x[ i ],0)\n  -- (x[i+1] , 0)\ndraw vehicle c: ((x), y, t')\n";
    let text =
        "draw rod a: (0, 0) -- (x - -1, y), b[i in 1..n-1]: (x[i], 0) -- (x[i+1], 0)\ndraw vehicle c: (x, y, t')\n";
    let file = parse(source).into_result().unwrap();
    assert_eq!(format(&file), text);
    assert_eq!(parse(text).into_result().unwrap().without_spans(), file.without_spans());
}

#[test]
fn spans_cover_what_they_name() {
    let source = "draw rod link[i in 1..n]: (0, 0) -- (x[i], y) , b: (1, 1)--(2, 2)\n";
    let file = parse(source).into_result().unwrap();
    let StatementKind::Draw { kind_span, drawings, .. } = &file.statements[0].kind else { panic!("{file:?}") };
    assert_eq!(kind_span.text(source), "rod");
    assert_eq!(drawings[0].span.text(source), "link[i in 1..n]: (0, 0) -- (x[i], y)");
    assert_eq!(drawings[0].label.span.text(source), "link[i in 1..n]");
    assert_eq!(drawings[0].points[1].span.text(source), "(x[i], y)");
    assert_eq!(drawings[0].points[1].components[0].span.text(source), "x[i]");
    assert_eq!(drawings[1].points[1].span.text(source), "(2, 2)");
}

#[test]
fn a_map_reaches_every_component() {
    let s = system(&format!("{PLANAR}draw vehicle car: (x, y, theta)\n"));
    let mut seen = 0;
    let same: Result<Drawing, ()> = s.drawings[0].map(|t| {
        seen += 1;
        Ok(t.clone())
    });
    assert_eq!(seen, 3);
    assert!(same.is_ok_and(|d| d.components().eq(s.drawings[0].components())));
    assert_eq!(s.drawings[0].map(|_| Err::<_, &str>("no")).map(|_| ()), Err("no"));
}

#[test]
fn drawings_built_in_rust_are_those_read_from_text() {
    let read = system(
        "param n : int = 4\ncoord x, y, theta, u[i in 1..n]\nhamiltonian p_x^2\ndraw point bob: (x, y)\n\
         draw rod arm: (0, 0) -- (x, y)\ndraw vehicle car: (x, y, theta)\ndraw rod link[i in 2..n]: (i, u[i]) -- (u[i-1], 0)\n\
         draw trail centre: (sum(i in 1..n, u[i]), 0)\n",
    );
    let mut b = SystemBuilder::new("m");
    let (x, y, theta) = (b.coordinate("x"), b.coordinate("y"), b.coordinate("theta"));
    let u = b.coordinate_family("u", 1..=4);
    b.draw(DrawingKind::Point, "bob", [[x.q(), y.q()]]);
    b.draw(DrawingKind::Rod, "arm", [[Expr::zero(), Expr::zero()], [x.q(), y.q()]]);
    b.draw(DrawingKind::Vehicle, "car", [[x.q(), y.q(), theta.q()]]);
    let each = |value: &dyn Fn(cotangent_expr::Ix) -> Expr| Sum::over("i", 2..=4, value);
    let from = [each(&Expr::index), each(&|i| u.q_at(i))];
    let to = [each(&|i| u.q_at(&i - 1)), each(&|_| Expr::zero())];
    b.draw_family(DrawingKind::Rod, "link", 2..=4, [from, to]);
    b.draw(DrawingKind::Trail, "centre", [[Sum::over("i", 1..=4, |i| u.q_at(i)), Sum::from(0)]]);
    let built = b.hamiltonian(x.p().powi(2)).unwrap();
    assert_eq!(built.drawings.len(), read.drawings.len());
    for (a, b) in built.drawings.iter().zip(&read.drawings) {
        assert_eq!((a.kind, &a.array), (b.kind, &b.array));
        assert!(a.components().eq(b.components()), "{a:?}\n{b:?}");
        assert_eq!(a.heading.is_some(), b.heading.is_some());
    }
}

#[test]
fn drawings_built_wrongly_are_refused() {
    let refused = |draw: &dyn Fn(&mut SystemBuilder, Expr)| {
        let mut b = SystemBuilder::new("m");
        let x = b.coordinate("x");
        draw(&mut b, x.q());
        b.hamiltonian(x.p().powi(2)).map(|_| ()).unwrap_err()
    };
    let point = |x: &Expr, n: usize| vec![x.clone(); n];
    let bob = || "bob".to_owned();
    let count = |kind| BuildError::PointCount { kind, name: bob() };
    let components = BuildError::ComponentCount(bob());
    assert_eq!(refused(&|b, x| b.draw(DrawingKind::Rod, "bob", [point(&x, 2)])), count(DrawingKind::Rod));
    assert_eq!(refused(&|b, x| b.draw(DrawingKind::Trail, "bob", vec![point(&x, 2); 2])), count(DrawingKind::Trail));
    assert_eq!(refused(&|b, _| b.draw(DrawingKind::Point, "bob", Vec::<Vec<Expr>>::new())), count(DrawingKind::Point));
    for n in [0, 1, 4] {
        assert_eq!(refused(&|b, x| b.draw(DrawingKind::Point, "bob", [point(&x, n)])), components);
    }
    assert_eq!(refused(&|b, x| b.draw(DrawingKind::Vehicle, "bob", [point(&x, 2)])), components);
    assert_eq!(refused(&|b, x| b.draw(DrawingKind::Rod, "bob", [point(&x, 2), point(&x, 3)])), components);
    let later = refused(&|b, x| {
        b.draw(DrawingKind::Point, "a", [point(&x, 3)]);
        b.draw(DrawingKind::Vehicle, "bob", [point(&x, 3)]);
    });
    assert_eq!(later, components);
    let twice = refused(&|b, x| {
        b.observe("bob", x.clone());
        b.draw(DrawingKind::Point, "bob", [point(&x, 2)]);
    });
    assert_eq!(twice, BuildError::DuplicateName(bob()));
    assert_eq!(
        refused(&|b, x| b.draw(DrawingKind::Point, "no name", [point(&x, 2)])),
        BuildError::NotAName("no name".into())
    );
}

#[test]
fn drawings_have_colours_and_sizes() {
    let text = format!(
        "{PLANAR}draw point a: (x, y) colour red size 1.5, b: (y, x) size 2, c: (0, 0)\ndraw rod r: (0, 0) -- (x, y) color grey\n"
    );
    let s = system(&text);
    let looks: Vec<_> = s.drawings.iter().map(|d| (d.look.colour.map(|c| c.name()), d.look.size)).collect();
    assert_eq!(looks, [(Some("red"), Some(1.5)), (None, Some(2.0)), (None, None), (Some("grey"), None)]);
    let printed = format(&parse(&text).file);
    assert!(printed.contains("draw point a: (x, y) colour red size 1.5, b: (y, x) size 2, c: (0, 0)"), "{printed}");
}

#[test]
fn a_colour_that_is_none_is_an_error_at_its_place() {
    let mut text = String::new();
    for look in [
        "colour rde",
        "colour",
        "colour 3",
        "colour gray",
        "size big",
        "size 0",
        "size 1e9",
        "size",
        "colour red colour blue",
        "red",
    ] {
        let source = format!("{PLANAR}draw point a: (x, y) {look}\n");
        let errors = System::parse(&source).expect_err(look);
        text += &errors.render("test.cot", &source, Colour::Never);
    }
    insta::assert_snapshot!(text);
}
