//! Indices as numbers, and the points of domains.

use cotangent_expr::{Array, Dim, Domain, Expr, Function, Ix, Number, Range, Role, Table};

fn range(name: &str, low: Ix, high: Ix) -> Range {
    Range { name: name.into(), low, high }
}

#[test]
fn an_index_is_the_same_number_however_it_is_made() {
    let i = || Ix::var(0);
    let number = |ix: Ix| Expr::index(ix);
    assert_eq!(number(i().shifted(1)), number(i()) + 1);
    assert_eq!(number(i().times(2).shifted(-3)), number(i()) * 2 - 3);
    let two = Expr::number(2);
    assert_eq!(Some(Expr::call(Function::Mod, vec![number(i()) + 1, two])), i().shifted(1).modulo(2).map(number));
    let half = Expr::call(Function::Floor, vec![(number(i()) * 2 + 1) / 3]);
    assert_eq!(Some(half), i().times(2).shifted(1).floor_div(3).map(number));
}

#[test]
fn floors_of_indices_are_exact() {
    // (1/49)·49 is less than 1 in floating point.
    let floor = Expr::call(Function::Floor, vec![Expr::index(Ix::var(0)) / 49]);
    assert_eq!(floor.instantiate(&[Ix::constant(49)]), Expr::one());
}

#[test]
fn a_domain_without_points_is_neither_counted_nor_visited() {
    let many = range("i", Ix::constant(1), Ix::constant(1 << 40));
    let none = range("j", Ix::constant(1), Ix::constant(0));
    let empty = Domain::Ranges(vec![many.clone(), none]);
    assert_eq!(empty.count(10), 0);
    assert!(empty.for_each(&mut |_| unreachable!()));
    // Counting ends even where no outer point has an inner one.
    let hollow = Domain::Ranges(vec![many, range("j", Ix::var(0), Ix::var(0).shifted(-1))]);
    assert_eq!(hollow.count(1000), 1000);
    let triangle = vec![
        range("i", Ix::constant(1), Ix::constant(4)),
        range("j", Ix::constant(1), Ix::var(0)),
        range("k", Ix::var(1), Ix::var(0)),
    ];
    assert_eq!(Domain::Ranges(triangle).count(1000), 20);
}

#[test]
fn a_table_that_only_the_hull_leaves_does_not_empty_a_domain() {
    let table = Table::new("t", vec![Dim { first: 1, len: 3 }], vec![1, 2, 3]).unwrap();
    let high = Ix::table(table, vec![Ix::var(0).plus(&Ix::var(1)).shifted(-1)]);
    let domain = Domain::Ranges(vec![
        range("i", Ix::constant(1), Ix::constant(3)),
        range("j", Ix::constant(1), Ix::var(0).times(-1).shifted(4)),
        range("k", Ix::constant(1), high),
    ]);
    assert_eq!(domain.hull(), Some(vec![(1, 3), (1, 3), (1, 3)]));
    assert_eq!(domain.count(100), 14);
}

#[test]
fn numbers_out_of_range_have_no_value() {
    let tiny = Expr::number(7.1e-300);
    assert!(tiny.pow(Number::ratio(-3, 2).unwrap()).poisoned().is_some());
    assert!(tiny.pow(Number::ratio(3, 2).unwrap()).poisoned().is_some());
}

#[test]
fn a_number_below_is_not_taken_into_a_sum_with_floats() {
    let x = Expr::from(&Array::scalar("x", Role::Coordinate));
    let quotient = Expr::ratio(1, 2) / (x * 7.1e-300);
    assert_eq!(quotient.to_string(), "1/2/(7.1e-300*x)");
}
