//! `parse∘print` is the identity on trees, and `print∘parse` is idempotent on texts.

use cotangent_model::diagnostic::Span;
use cotangent_model::syntax::ast::*;
use cotangent_model::syntax::{Colour, DrawingKind, Function, RunKey, RunValueKind, format, parse, parse_expression};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOWHERE: Span = Span { start: 0, end: 0 };

fn name() -> impl Strategy<Value = Name> {
    // Statement words and contextual words are ordinary names inside a statement.
    let names = ["x", "y1", "p_x", "_", "e", "t", "gamma", "int", "run", "form", "let", "momentum", "to", "E", "rod"];
    select(names.to_vec()).prop_map(|text| Name { text: text.into(), span: NOWHERE })
}

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: NOWHERE }
}

fn binder(bound: impl Strategy<Value = Expr> + Clone) -> impl Strategy<Value = Binder> {
    (name(), bound.clone(), bound).prop_map(|(index, from, to)| Binder { index, from, to, span: NOWHERE })
}

fn prime() -> impl Strategy<Value = Option<Span>> {
    option::of(Just(NOWHERE))
}

fn atom() -> impl Strategy<Value = Expr> {
    let numbers = ["0", "1", "2.50", "1e-3", "6.02e+23", "3E5", "007"];
    prop_oneof![
        select(numbers.to_vec()).prop_map(|text| expr(ExprKind::Number(text.into()))),
        Just(expr(ExprKind::Pi)),
        (name(), prime())
            .prop_map(|(name, prime)| { expr(ExprKind::Reference(Reference { name, indices: vec![], prime })) }),
    ]
}

fn expression() -> impl Strategy<Value = Expr> + Clone {
    atom().prop_recursive(5, 40, 4, |inner| {
        let additive = select(&[Additive::Plus, Additive::Minus][..]);
        let multiplicative = select(&[Multiplicative::Times, Multiplicative::Over][..]);
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(|operand| expr(ExprKind::Negate(operand))),
            (boxed.clone(), vec((additive, inner.clone()), 1..4))
                .prop_map(|(first, rest)| expr(ExprKind::Sum { first, rest })),
            (boxed.clone(), vec((multiplicative, inner.clone()), 1..4))
                .prop_map(|(first, rest)| expr(ExprKind::Product { first, rest })),
            (boxed.clone(), boxed.clone()).prop_map(|(base, exponent)| expr(ExprKind::Power { base, exponent })),
            (name(), vec(inner.clone(), 1..3), prime())
                .prop_map(|(name, indices, prime)| { expr(ExprKind::Reference(Reference { name, indices, prime })) }),
            (select(Function::ALL), vec(inner.clone(), 2)).prop_map(|(function, mut arguments)| {
                arguments.truncate(function.arity().0);
                expr(ExprKind::Call { function, name: NOWHERE, arguments })
            }),
            vec(inner.clone(), 1..4).prop_map(|items| expr(ExprKind::List(items))),
            (condition(inner.clone()), boxed.clone(), boxed.clone()).prop_map(|(condition, then, otherwise)| {
                expr(ExprKind::If { condition: Box::new(condition), then, otherwise })
            }),
            (select(&[Fold::Sum, Fold::Product][..]), vec(binder(inner), 1..3), boxed)
                .prop_map(|(fold, binders, body)| expr(ExprKind::Fold { fold, binders, body })),
        ]
    })
}

fn condition(side: impl Strategy<Value = Expr> + Clone + 'static) -> impl Strategy<Value = Condition> {
    use Comparison::*;
    let sign = select(&[Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual][..]);
    let compare =
        (side.clone(), sign, side).prop_map(|(left, comparison, right)| Condition::Compare { left, comparison, right });
    compare.prop_recursive(3, 6, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|c| Condition::Not(Box::new(c))),
            vec(inner.clone(), 2..4).prop_map(Condition::All),
            vec(inner, 2..4).prop_map(Condition::Any),
        ]
    })
}

fn head() -> impl Strategy<Value = Head> {
    (name(), vec(binder(expression()), 0..3)).prop_map(|(name, binders)| Head { name, binders, span: NOWHERE })
}

fn place() -> impl Strategy<Value = Place> {
    let index = prop_oneof![expression().prop_map(PlaceIndex::At), binder(expression()).prop_map(PlaceIndex::Each),];
    (name(), vec(index, 0..3), prime()).prop_map(|(name, indices, prime)| Place { name, indices, prime, span: NOWHERE })
}

fn parameter() -> impl Strategy<Value = Parameter> {
    let signs = [Sign::Positive, Sign::NonNegative, Sign::Negative, Sign::NonPositive, Sign::NonZero];
    let sign = option::of(select(signs.to_vec()).prop_map(|sign| (sign, NOWHERE)));
    (head(), prime(), sign, option::of(expression())).prop_map(|(head, integer, sign, value)| Parameter {
        head,
        integer,
        sign,
        value,
        span: NOWHERE,
    })
}

fn requirement() -> impl Strategy<Value = Requirement> {
    let reason = option::of(select(&["", "n is even, as θ is"][..]));
    (condition(expression()), reason).prop_map(|(condition, reason)| Requirement {
        condition,
        reason: reason.map(|text| Title { text: text.into(), span: NOWHERE }),
        span: NOWHERE,
    })
}

fn definitions() -> impl Strategy<Value = Vec<Definition>> {
    vec((head(), expression()).prop_map(|(head, value)| Definition { head, value, span: NOWHERE }), 1..3)
}

fn relations() -> impl Strategy<Value = Vec<Relation>> {
    let relation = (head(), expression(), expression()).prop_map(|(label, left, right)| Relation {
        label,
        left,
        right,
        span: NOWHERE,
    });
    vec(relation, 1..3)
}

fn assignments() -> impl Strategy<Value = Vec<Assignment>> {
    vec((place(), expression()).prop_map(|(place, value)| Assignment { place, value, span: NOWHERE }), 1..3)
}

fn pairings() -> impl Strategy<Value = Vec<Pairing>> {
    let pairing = (place(), place(), expression()).prop_map(|(first, second, value)| Pairing {
        first,
        second,
        value,
        span: NOWHERE,
    });
    vec(pairing, 1..3)
}

fn drawings() -> impl Strategy<Value = Vec<Drawing>> {
    let point = vec(expression(), 1..5).prop_map(|components| Point { components, span: NOWHERE });
    let colour = option::of(select(Colour::ALL));
    let size = option::of(select(vec!["1", "2.5", "0.5"]).prop_map(|text| Name { text: text.into(), span: NOWHERE }));
    let drawing = (head(), vec(point, 1..4), colour, size).prop_map(|(label, points, colour, size)| Drawing {
        label,
        points,
        colour,
        size,
        span: NOWHERE,
    });
    vec(drawing, 1..3)
}

fn settings() -> impl Strategy<Value = Vec<Setting>> {
    let words = ["rattle", "kahan-li-8", "lobatto-3a3b", "radau-2a", "x-1e5"];
    let value = (select(words.to_vec()), expression());
    vec((select(RunKey::ALL), value), 1..4).prop_map(|mut list| {
        list.sort_by_key(|(key, _)| *key);
        list.dedup_by_key(|(key, _)| *key);
        list.into_iter()
            .map(|(key, (word, expression))| Setting {
                key,
                key_span: NOWHERE,
                value: match key.value_kind() {
                    RunValueKind::Word => SettingValue::Word(Name { text: word.into(), span: NOWHERE }),
                    RunValueKind::Expression => SettingValue::Expression(expression),
                },
                span: NOWHERE,
            })
            .collect()
    })
}

fn statement() -> impl Strategy<Value = Statement> {
    let title = option::of(select(&["", "Planar pendulum", "θ # not a comment"][..]));
    let coordinate =
        (head(), option::of(name())).prop_map(|(head, momentum)| Coordinate { head, momentum, span: NOWHERE });
    let kind = prop_oneof![
        (name(), title).prop_map(|(name, title)| StatementKind::Model {
            name,
            title: title.map(|text| Title { text: text.into(), span: NOWHERE }),
        }),
        vec(parameter(), 1..3).prop_map(StatementKind::Param),
        vec(requirement(), 1..3).prop_map(StatementKind::Require),
        vec(coordinate, 1..3).prop_map(StatementKind::Coord),
        vec(head(), 1..3).prop_map(StatementKind::Variables),
        assignments().prop_map(StatementKind::Boundary),
        assignments().prop_map(StatementKind::Initial),
        definitions().prop_map(StatementKind::Let),
        definitions().prop_map(StatementKind::Casimir),
        definitions().prop_map(StatementKind::Invariant),
        definitions().prop_map(StatementKind::Observe),
        definitions().prop_map(StatementKind::Split),
        expression().prop_map(StatementKind::Lagrangian),
        expression().prop_map(StatementKind::Hamiltonian),
        pairings().prop_map(StatementKind::Bracket),
        pairings().prop_map(StatementKind::Form),
        relations().prop_map(StatementKind::Constraint),
        relations().prop_map(StatementKind::Vakonomic),
        relations().prop_map(StatementKind::Gauge),
        (select(DrawingKind::ALL), drawings()).prop_map(|(kind, drawings)| StatementKind::Draw {
            kind,
            kind_span: NOWHERE,
            drawings
        }),
        settings().prop_map(StatementKind::Run),
    ];
    kind.prop_map(|kind| Statement { kind, keyword: NOWHERE, span: NOWHERE })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn printed_expressions_parse_to_the_same_tree(tree in expression()) {
        let text = tree.to_string();
        let parsed = parse_expression(&text);
        prop_assert_eq!(parsed.map(Expr::without_spans), Ok(tree), "{}", text);
    }

    #[test]
    fn printed_files_parse_to_the_same_tree(statements in vec(statement(), 0..5)) {
        let tree = File { statements };
        let text = format(&tree);
        let parsed = parse(&text).into_result();
        prop_assert_eq!(parsed.map(File::without_spans), Ok(tree), "{}", text);
    }
}

/// How an expression prints after parsing.
fn canonical(text: &str) -> String {
    parse_expression(text).unwrap().to_string()
}

#[test]
fn operators_bind_as_in_the_specification() {
    let power = |text: &str| parse_expression(text).unwrap().without_spans();
    assert_eq!(power("-x^2"), power("-(x^2)"));
    assert_ne!(power("-x^2"), power("(-x)^2"));
    assert_eq!(power("a^b^c"), power("a^(b^c)"));
    assert_eq!(power("2^-1"), power("2^(-1)"));
    assert_eq!(power("2^-x^2"), power("2^(-(x^2))"));
    assert_eq!(power("x[i]'^2"), power("(x[i]')^2"));
    assert_eq!(power("+x"), power("x"));
    assert_ne!(power("a - (b - c)"), power("a - b - c"));
    assert_ne!(power("a/(b*c)"), power("a/b*c"));
}

#[test]
fn parentheses_are_printed_only_where_they_matter() {
    assert_eq!(canonical("((a))*(b^(2))/((2)*(c))"), "a*b^2/(2*c)");
    assert_eq!(canonical("-(x)^(2)+(-(y))"), "-x^2 + -y");
    assert_eq!(canonical("(-x)^2 - (a + b)"), "(-x)^2 - (a + b)");
    assert_eq!(canonical("(a^b)^c"), "(a^b)^c");
    assert_eq!(canonical("sum( i in 1 .. n - 1,x[ i + 1 ]')"), "sum(i in 1..n-1, x[i+1]')");
}

#[test]
fn spans_cover_what_they_name() {
    let source = "constraint link[i in 1..n]: (x[i]' + 1)*2 = sin(y)\n";
    let file = parse(source).into_result().unwrap();
    let StatementKind::Constraint(relations) = &file.statements[0].kind else {
        panic!("{file:?}");
    };
    let relation = &relations[0];
    assert_eq!(relation.label.span.text(source), "link[i in 1..n]");
    assert_eq!(relation.label.binders[0].span.text(source), "i in 1..n");
    assert_eq!(relation.left.span.text(source), "(x[i]' + 1)*2");
    assert_eq!(relation.right.span.text(source), "sin(y)");
    assert_eq!(relation.span.text(source), "link[i in 1..n]: (x[i]' + 1)*2 = sin(y)");
    let ExprKind::Product { first, .. } = &relation.left.kind else {
        panic!("{relation:?}");
    };
    assert_eq!(first.span.text(source), "(x[i]' + 1)");
}
