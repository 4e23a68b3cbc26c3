//! What users see when a model parses but does not make sense. One mistake, one snapshot, one
//! message (unless the test says otherwise); a change of any word shows up in review.

use cotangent_model::diagnostic::Colour;
use cotangent_model::{Options, System};

/// Everything that is said about a model, as the user sees it.
fn messages(source: &str, options: &Options, expected: usize) -> String {
    let errors = match System::parse_with(source, options) {
        Ok(_) => panic!("no error in\n{source}"),
        Err(errors) => errors,
    };
    let text = errors.render("model.cot", source, Colour::Never);
    assert_eq!(errors.count(), expected, "{text}");
    for d in &errors {
        assert!(d.help.is_some(), "no advice:\n{text}");
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

macro_rules! mistakes {
    ($($name:ident $(($count:literal))?: $source:expr;)+) => {
        $(#[test]
        fn $name() {
            let expected = 1 $(- 1 + $count)?;
            insta::assert_snapshot!(stringify!($name), messages($source, &Options::default(), expected));
        })+
    };
}

/// A Hamiltonian model in x and y around the given lines.
macro_rules! planar {
    ($($line:literal),+) => {
        concat!("param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\n", $($line, "\n"),+)
    };
}

/// A Lagrangian chain around the given lines.
macro_rules! chain {
    ($($line:literal),+) => {
        concat!("param n : int = 3\ncoord x[i in 1..n]\nlagrangian sum(i in 1..n, x[i]'^2/2)\n", $($line, "\n"),+)
    };
}

/// A Poisson model around the given lines.
macro_rules! poisson {
    ($($line:literal),+) => {
        concat!("param g = 1\nvariables a, b, c\nhamiltonian a^2 + g*b^2 + c^2\n", $($line, "\n"),+)
    };
}

// Names.
mistakes! {
    unknown_name: "param gravity = 1\ncoord x, y\nhamiltonian p_x^2/2 + p_y^2/2 + gravty*y\n";
    unknown_name_without_a_neighbour: planar!["observe h = height"];
    unknown_name_used_often_is_one_message: planar!["observe h = k*x + k*y", "constraint c: k*x = k"];
    unknown_time: planar!["observe h = x*sin(t)"];
    unknown_momentum_of_a_renamed_one: "coord q momentum p\nhamiltonian p_q^2/2 + q^2\n";
    parameter_used_before_it_is_declared: "coord x[i in 1..n]\nparam n : int = 3\nhamiltonian sum(i in 1..3, p_x[i]^2)\n";
    parameter_in_its_own_declaration: "param g = 2*g\ncoord x\nhamiltonian g*p_x^2\n";
    duplicate_name: "param g = 1, g = 2\ncoord x\nhamiltonian g*p_x^2\n";
    duplicate_coordinate_is_one_message: "coord x, x\nhamiltonian p_x^2\n";
    duplicate_label: planar!["constraint rod: x^2 + y^2 = 1", "observe rod = x"];
    momentum_name_taken: "param p_x = 1\ncoord x\nhamiltonian x^2\n";
    name_taken_by_a_momentum: "coord x\nlet p_x = 2*x\nhamiltonian x^2\n";
    multiplier_name_taken: planar!["param lambda_rod = 1", "constraint rod: x^2 + y^2 = 1"];
    observable_called_like_a_coordinate: planar!["observe x = 2*x"];
    observable_called_like_a_momentum: planar!["observe p_x = 3*x"];
    observable_called_like_a_family: chain!["observe x = 1*x[1]"];
    invariant_called_like_a_variable: poisson!["bracket {a, b} = c", "invariant a = c"];
    index_shadows_an_index: chain!["observe e = sum(i in 1..n, sum(i in 1..n, x[i]))"];
    index_named_like_a_parameter: "param k = 1\ncoord x[i in 1..3]\nhamiltonian k*sum(k in 1..3, p_x[k]^2)\n";
    index_out_of_its_scope: chain!["observe e = sum(i in 1..n, x[i]) + x[i]"];
}

// Other notations.
mistakes! {
    dot_of_a_coordinate: "coord x\nlagrangian dot(x)^2/2\n";
    derivative_by_time: "coord x[i in 1..3]\nlagrangian sum(i in 1..3, diff(x[i], t)^2/2)\n";
    dot_of_an_expression: "coord x, y\nlagrangian dot(x + y)^2/2\n";
    velocity_called_xdot: "coord x\nlagrangian xdot^2/2\n";
    velocity_called_theta_dot: "coord theta\nlagrangian theta_dot^2/2\n";
    velocity_called_vx: "coord x[i in 1..3]\nlagrangian vx[1]^2/2\n";
    velocity_of_a_let_called_rdot: "coord x\nlet r = 2*x\nlagrangian rdot^2/2\n";
    acceleration_called_xddot: "coord x\nlagrangian x'^2/2 + xddot\n";
    velocity_with_a_combining_dot: "coord q\nlagrangian q\u{307}^2/2\n";
    velocity_of_theta_with_a_combining_dot (2): "coord theta\nlagrangian \u{3b8}\u{307}^2/2\n";
    velocity_with_a_dotted_letter: "coord x\nlagrangian \u{1e8b}^2/2\n";
    bare_momentum: "coord x\nhamiltonian p^2/2\n";
    bare_momentum_of_many: "coord x, y, z, u, v\nhamiltonian p^2/2\n";
    bare_momentum_of_a_family: "coord x[i in 1..3], y[i in 1..3]\nhamiltonian sum(i in 1..3, p[i]^2/2)\n";
    velocity_called_xdot_in_a_hamiltonian: planar!["observe v = xdot"];
    velocity_of_a_let_called_rdot_in_a_hamiltonian: planar!["let r = x*y", "observe v = rdot"];
    initial_velocity_called_xdot: planar!["initial xdot = 1"];
    rate_of_a_variable: poisson!["bracket {a, b} = c", "observe v = adot"];
    dot_of_a_coordinate_among_initial_values: "coord x\nlagrangian x'^2/2\ninitial dot(x) = 1\n";
    second_derivative: "coord x\nlagrangian x'^2/2 + ddot(x)\n";
    velocity_of_a_member_with_a_combining_dot: "coord q[i in 1..3]\nlagrangian q\u{307}[1]^2/2 + q[2]'^2\n";
    velocity_of_a_member_with_a_dotted_letter: "coord x[i in 1..3]\nlagrangian sum(i in 1..3, \u{1e8b}[i]^2/2)\n";
    bare_momentum_in_a_lagrangian: "coord x[i in 1..3]\nlagrangian sum(i in 1..3, p[i]^2/2)\n";
    explicit_time_in_a_lagrangian: "coord x\nlagrangian x'^2/2 + x*sin(t)\n";
    degree_sign: "coord x\nhamiltonian p_x^2/2\ninitial x = 45\u{b0}\n";
    units_in_brackets: "param g = 9.81 [m/s^2]\ncoord x\nhamiltonian p_x^2/2 + g*x\n";
    explicit_time: planar!["observe h = x*sin(time)"];
    explicit_time_in_a_poisson_model: poisson!["bracket {a, b} = c", "observe h = a*t"];
    unit_after_a_number: "param l = 5 m\ncoord x\nhamiltonian p_x^2/2 + l*x\n";
    units_of_an_acceleration: "param g = 9.81 m/s^2\ncoord x\nhamiltonian p_x^2/2 + g*x\n";
    degrees: "coord x\nhamiltonian p_x^2/2\ninitial x = 30 deg\n";
    unit_as_a_factor: "param m = 2, g = 9.81*m/s^2\ncoord x\nhamiltonian p_x^2/(2*m) + g*x\n";
    missing_product_with_a_parameter_called_like_a_unit: "param m = 2\ncoord x\nhamiltonian p_x^2/(2 m)\n";
}

// The parameter of the orbit.
mistakes! {
    orbit_parameter_in_an_energy: "coord t, x\nlagrangian x'^2/2 + tau*x\n";
    orbit_parameter_alone_in_a_gauge: "coord t, x\nlagrangian sqrt(t'^2 - x'^2)\ngauge clock: tau = 1\n";
    orbit_parameter_with_a_prime: "coord t, x\nlagrangian sqrt(t'^2 - x'^2)\ngauge clock: t = tau'\n";
    orbit_parameter_with_an_index: "coord t, x\nlagrangian sqrt(t'^2 - x'^2)\ngauge clock: t = tau[1]\n";
    orbit_parameter_in_a_poisson_model: poisson!["bracket {a, b} = c", "gauge clock: a = tau"];
    orbit_parameter_with_its_momentum_taken: "param p_tau = 1\ncoord t, x\nlagrangian p_tau*sqrt(t'^2 - x'^2)\ngauge clock: t = tau\n";
}

// Lists and conditions.
mistakes! {
    list_of_the_wrong_length: "param n : int = 4\nparam m[i in 1..n] = (1, 2, 3)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    list_of_initial_values_of_the_wrong_length: chain!["initial x = (1, 2)"];
    list_of_integers_of_the_wrong_length: "param t[i in 1..2] : int = (1, 2, 3)\ncoord x[i in 1..3]\nhamiltonian p_x[t[1]]^2\n";
    list_for_a_single_parameter: "param m = (1, 2)\ncoord x\nhamiltonian p_x^2/m\n";
    list_with_too_few_rows: "param a[i in 1..2, j in 1..2] = (1, 2)\ncoord x\nhamiltonian p_x^2/a[1, 1]\n";
    list_with_a_row_of_the_wrong_length: "param a[i in 1..2, j in 1..2] = ((1, 2), (3, 4, 5))\ncoord x\nhamiltonian p_x^2/a[1, 1]\n";
    list_in_a_list: "param a[i in 1..2] = ((1, 2), 3)\ncoord x\nhamiltonian p_x^2/a[1]\n";
    lists_in_a_list: "param m[i in 1..2] = ((1, 2), (3, 4))\ncoord x\nhamiltonian p_x^2/m[1]\n";
    list_of_one_row_without_its_comma: "param m[i in 1..1, j in 1..2] = ((1, 2))\ncoord x\nhamiltonian p_x^2/m[1, 1]\n";
    list_of_one_value_without_its_comma: "param m[i in 1..2, j in 1..1] = ((1), (2))\ncoord x\nhamiltonian p_x^2/m[1, 1]\n";
    list_in_an_energy: "coord x\nhamiltonian (p_x^2, x^2)\n";
    list_as_an_index: chain!["observe e = x[(1, 2)]"];
    empty_list: "param m[i in 1..3] = ()\ncoord x\nhamiltonian p_x^2/m[1]\n";
    list_with_the_wrong_sign: "param m[i in 1..3] > 0 = (1, -2, -3)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    fraction_in_a_list_of_integers: "param t[i in 1..2] : int = (1, 2.5)\ncoord x[i in 1..3]\nhamiltonian p_x[t[1]]^2\n";
    if_with_branches_of_different_kinds: "param t[i in 1..3] : int = if(i = 1, 0.5, 2)\ncoord x[i in 1..3]\nhamiltonian p_x[t[2]]^2\n";
    if_with_a_list_and_a_number: "param m[i in 1..3] = if(i = 1, (1, 2, 3), 2)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_with_two_lists: "param m[i in 1..3] = if(i = 1, (1, 2, 3), (4, 5, 6))\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_with_a_comparison_as_a_branch: "param m[i in 1..3] = if(i = 1, i < 2, 2)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_without_a_comparison: "param m[i in 1..3] = if(i, 1, 2)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_without_a_second_value: "param m[i in 1..3] = if(i = 1, 2)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_with_three_values: "param m[i in 1..3] = if(i = 1, 2, 3, 4)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_with_a_chain_of_comparisons: "param m[i in 1..3] = if(1 < i < 3, 2, 3)\ncoord x\nhamiltonian p_x^2/m[1]\n";
    if_with_a_real_parameter: "param g = 1\nparam m = if(g > 0, 2, 3)\ncoord x\nhamiltonian p_x^2/m\n";
    if_in_an_energy: chain!["param w = 1", "observe e = sum(i in 1..n, if(i = 1, w, 2)*x[i])"];
    if_in_an_index: chain!["observe e = sum(i in 1..n, x[if(i = 1, 3, i - 1)])"];
    if_alone: "param if = 1\ncoord x\nhamiltonian p_x^2\n";
    if_with_an_unknown_name_in_a_branch_not_taken: "param m = if(1 < 2, 1, masse)\ncoord x\nhamiltonian p_x^2/m\n";
}

// Families and indices.
mistakes! {
    index_outside_the_range: chain!["constraint link[i in 1..n]: x[i] - x[i-1] = 1"];
    constant_index_outside_the_range: chain!["observe last = x[4]"];
    parameter_index_outside_the_range: "param m[i in 1..3] = 1\ncoord x\nhamiltonian p_x^2/(2*m[4])\n";
    momentum_outside_the_range: chain!["observe e = sum(i in 1..n, p_x[i-1])"];
    member_of_an_empty_family: "param n : int = 0\nparam m[i in 1..n] = 1\ncoord x\nhamiltonian m[1]*p_x^2\n";
    too_many_indices: chain!["observe e = x[1, 2]"];
    too_few_indices: "coord u[i in 1..3, j in 1..4]\nhamiltonian sum(i in 1..3, p_u[i]^2)\n";
    family_without_index: chain!["observe e = 2*x"];
    grid_without_index: "coord u[i in 1..3, j in 1..4]\nhamiltonian p_u^2\n";
    scalar_with_index: planar!["observe e = x[1]"];
    index_of_an_index: chain!["observe e = sum(i in 1..n, i[1]*x[i])"];
    quotient_as_index: chain!["observe mid = x[n/2]"];
    product_of_indices: chain!["observe e = sum(i in 1..n, j in 1..n, x[i*j])"];
    real_parameter_as_index: "param k = 2\ncoord x[i in 1..3]\nhamiltonian p_x[k]^2\n";
    fraction_as_index: chain!["observe e = x[1.5]"];
    mod_with_a_negative_modulus: chain!["observe e = sum(i in 1..n, x[mod(i, -3)])"];
    dependent_ranges_of_a_family: "coord x[i in 1..3, j in 1..i]\nhamiltonian sum(i in 1..3, j in 1..i, p_x[i, j]^2)\n";
    too_many_nested_indices: "coord x\nhamiltonian p_x^2 + sum(a in 1..2, b in 1..2, c in 1..2, d in 1..2, e in 1..2, f in 1..2, g in 1..2, h in 1..2, i in 1..2, j in 1..2, k in 1..2, l in 1..2, m in 1..2, n in 1..2, x*m*n)\n";
    integer_parameter_with_a_fraction: "param n : int = 2.5\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
    integer_parameter_without_a_value: "param n : int\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
    integer_family_without_values: "param parent[i in 1..3] : int\ncoord x[i in 1..3]\nhamiltonian sum(i in 1..3, p_x[parent[i]]^2)\n";
    integer_overflow: "param n : int = 99999999999999999999\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
    family_too_large: "coord x[i in 1..10^10]\nhamiltonian p_x[1]^2\n";
    sum_too_large: "coord x\nhamiltonian p_x^2 + sum(i in 1..10^9, i*x)\n";
    no_members_at_all: "param n : int = 0\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
}

// Boundaries.
mistakes! {
    boundary_inside_the_family: chain!["boundary x[3] = 0"];
    boundary_of_a_scalar: planar!["boundary x = 0"];
    boundary_of_a_momentum: chain!["boundary p_x[0] = 0"];
    boundary_with_a_velocity: chain!["boundary x[0] = x[1]'"];
    boundary_given_twice: chain!["boundary x[0] = 0, x[0] = 1"];
    boundary_that_fails_is_one_message: chain!["boundary x[0] = wall", "constraint link[i in 1..n]: x[i] - x[i-1] = 1"];
    boundary_that_divides_by_zero: chain!["boundary x[0] = x[1]", "observe f = sum(i in 1..n, 1/(x[i] - x[i-1]))"];
}

// The kind of the model.
mistakes! {
    two_hamiltonians: planar!["hamiltonian p_x^2"];
    lagrangian_and_hamiltonian: "coord x\nlagrangian x'^2/2\nhamiltonian p_x^2/2\n";
    no_energy: "coord x\ninitial x = 1\n";
    no_variables: "param g = 1\nhamiltonian p_x^2/2 + g*x\ninitial x = 1\n";
    nothing_at_all(2): "model empty\n";
    coord_and_variables: "coord x\nvariables a, b\nbracket {a, b} = 1\nhamiltonian p_x^2 + a^2 + b^2\n";
    bracket_with_coord: planar!["bracket {x, y} = 1"];
    variables_without_bracket: poisson!["initial a = 1"];
    bracket_and_form: poisson!["bracket {a, b} = c", "form (b, c) = 1"];
    lagrangian_with_variables: "variables a, b\nbracket {a, b} = 1\nlagrangian a^2 + b^2\n";
    algebra_of_one_row: "algebra so(1): W\nhamiltonian 1\n";
    algebra_of_an_odd_size: "algebra sp(3): S\nhamiltonian S[1, 1]\n";
    algebra_of_a_negative_size: "param n : int = -4\nalgebra gl(n): W\nhamiltonian W[1, 1]\n";
    algebra_of_half_a_row: "algebra so(7/2): W\nhamiltonian W[1, 2]^2\n";
    algebra_of_a_real_size: "param n = 3\nalgebra so(n): W\nhamiltonian W[1, 2]^2\n";
    algebra_too_large: "algebra gl(1000): W\nhamiltonian W[1, 2]^2\n";
    algebra_with_coord: "coord x\nalgebra so(3): W\nhamiltonian W[1, 2]^2 + p_x^2\n";
    algebra_with_variables(2): "algebra so(3): W\nvariables a, b\nbracket {a, b} = 1\nhamiltonian W[1, 2]^2 + a*b\n";
    algebra_with_a_bracket: "algebra so(3): W\nbracket {W[1, 2], W[1, 3]} = 1\nhamiltonian W[1, 2]^2\n";
    algebra_with_a_lagrangian: "algebra so(3): W\nlagrangian W[1, 2]^2\n";
    algebra_without_an_energy: "algebra so(3): W\n";
    algebra_of_a_known_name: "algebra so(3): W\nparam W = 1\nhamiltonian W[1, 2]^2\n";
    algebra_whose_part_is_known: "let U_im = 1\nalgebra su(2): U\nhamiltonian U_re[1, 2]^2 + U_im\n";
    algebra_entry_outside: "algebra so(3): W\nhamiltonian W[1, 4]^2\n";
    algebra_entry_with_one_index: "algebra so(3): W\nhamiltonian W[1]^2\n";
    algebra_entry_with_a_prime: "algebra so(3): W\nhamiltonian W[1, 2]'^2\n";
    algebra_of_complex_matrices_by_its_name: "algebra su(2): U\nhamiltonian U[1, 2]^2\n";
    algebra_start_below_the_diagonal: "algebra so(3): W\nhamiltonian W[1, 2]^2\ninitial W[2, 1] = 1\n";
    algebra_start_on_the_diagonal: "algebra so(3): W\nhamiltonian W[1, 2]^2\ninitial W[i in 1..3, j in i..3] = 1\n";
    algebra_start_of_the_trace: "algebra sl(2): W\nhamiltonian W[1, 2]^2\ninitial W[2, 2] = 1\n";
    algebra_with_a_boundary: "algebra so(3): W\nboundary W[0, 1] = 1\nhamiltonian W[1, 2]^2\n";
    two_models: "model one\nmodel two\ncoord x\nhamiltonian p_x^2\n";
}

// What may stand where.
mistakes! {
    momentum_in_the_lagrangian: "coord x\nlagrangian p_x^2/2 - x^2/2\n";
    velocity_in_the_hamiltonian: "coord x\nhamiltonian x'^2/2 + x^2/2\n";
    velocity_in_an_observable_of_a_hamiltonian_model: planar!["observe speed = sqrt(x'^2 + y'^2)"];
    velocity_in_a_plain_constraint: "coord x, y, phi\nlagrangian (x'^2 + y'^2 + phi'^2)/2\nconstraint roll: x'*sin(phi) - y'*cos(phi) = 0\n";
    velocity_in_a_plain_constraint_through_a_let: "coord x, y, phi\nlagrangian (x'^2 + y'^2 + phi'^2)/2\nlet slip = x'*sin(phi) - y'*cos(phi)\nconstraint roll: slip = 0\n";
    momentum_in_the_lagrangian_through_a_let: "coord x\nlet kinetic = p_x^2/2\nlagrangian kinetic - x^2/2\n";
    momentum_in_a_constraint_of_a_lagrangian_model: "coord x\nlagrangian x'^2/2\nconstraint c: p_x = 1\n";
    momentum_in_a_vakonomic_constraint: "coord x\nlagrangian x'^2/2\nvakonomic c: x' + p_x = 1\n";
    vakonomic_without_velocities: "coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic rod: x^2 + y^2 = 1\n";
    vakonomic_in_a_hamiltonian_model: planar!["vakonomic roll: x' = 0"];
    velocity_in_a_gauge: "coord x, y\nlagrangian x'^2/2\ngauge fix: y' = 0\n";
    casimir_in_a_coord_model: planar!["casimir L = x*p_y - y*p_x"];
    split_in_a_lagrangian_model: "coord x\nlagrangian x'^2/2 - x^2/2\nsplit A = x'^2/2, B = -x^2/2\n";
    velocity_of_a_let_with_momenta: "coord x\nlet w = x*p_x\nlagrangian x'^2\nobserve e = w'\n";
    velocity_of_a_let_with_velocities: "coord x\nlet v = 2*x'\nlagrangian v^2\nobserve a = v', b = 2*v'\n";
    velocity_of_a_let_of_constants: "param a = 1\ncoord x\nlet c = 2*a\nlagrangian x'^2 + c'\n";
    velocity_of_a_let_of_variables: poisson!["bracket {a, b} = c", "let r = a + b", "observe v = r'"];
    velocity_of_a_let_in_a_hamiltonian: "coord x\nlet r = 2*x\nhamiltonian p_x^2 + r'\n";
    velocity_of_a_let_in_a_plain_constraint: "coord x, y\nlet r = 2*x + y\nlagrangian x'^2 + y'^2\nconstraint c: r' = 0\n";
    velocity_of_a_family_of_lets_without_its_index: chain!["let r[i in 1..n] = 2*x[i]", "observe v = r'"];
    initial_velocity_of_a_let: "coord x\nlet r = 2*x\nlagrangian r'^2\ninitial r' = 1\n";
    prime_on_a_parameter: planar!["observe e = g'"];
    prime_on_a_momentum: planar!["observe e = p_x'"];
    prime_on_an_index: chain!["observe e = sum(i in 1..n, i'*x[i])"];
    prime_on_a_variable: poisson!["bracket {a, b} = c'"];
}

// Brackets and forms.
mistakes! {
    bracket_of_a_parameter: poisson!["bracket {a, g} = 1"];
    bracket_of_a_let: poisson!["let r = a + b", "bracket {a, r} = 1"];
    bracket_of_an_unknown_name: poisson!["bracket {a, bb} = 1"];
    bracket_given_twice: poisson!["bracket {a, b} = c, {b, c} = a, {a, b} = 2*c"];
    bracket_in_both_orders: poisson!["bracket {a, b} = c", "bracket {b, a} = -c"];
    bracket_with_itself: poisson!["bracket {a, a} = 1"];
    bracket_family_meets_itself: "variables y[i in 1..3]\nbracket {y[i in 1..3], y[j in 1..3]} = y[i]*y[j]\nhamiltonian y[1]^2\n";
    bracket_family_in_both_orders: "variables y[i in 1..3]\nbracket {y[i in 1..2], y[i+1]} = 1, {y[j in 2..3], y[j-1]} = 1\nhamiltonian y[1]^2\n";
    bracket_index_outside: "variables y[i in 1..3]\nbracket {y[i in 1..3], y[i+1]} = 1\nhamiltonian y[1]^2\n";
    form_that_is_not_constant: poisson!["form (a, b) = c"];
    form_given_twice: poisson!["form (a, b) = 1, (b, a) = -1"];
}

// Constraints.
mistakes! {
    constraint_without_variables: planar!["constraint rod: g = 1"];
    constraint_always_satisfied: planar!["constraint rod: x + y = y + x"];
    constraint_zero_equals_zero: planar!["constraint rod: 0 = 0"];
}

// Definitions.
mistakes! {
    let_of_itself: "coord x\nlet r = r + x\nhamiltonian p_x^2 + r\n";
    lets_of_each_other: "coord x\nlet a = b + x\nlet b = a*2\nhamiltonian p_x^2 + a + b\n";
    three_lets_in_a_circle: "coord x\nlet a = b + x\nlet b = sin(c)\nlet c = a^2\nlet d = c + a\nhamiltonian p_x^2 + d\n";
    let_with_dependent_ranges: "coord x[i in 1..3]\nlet d[i in 1..3, j in 1..i] = x[i] - x[j]\nhamiltonian p_x[1]^2 + d[2, 1]^2\n";
}

// Values.
mistakes! {
    division_by_zero: "coord x\nhamiltonian p_x^2/0\n";
    division_by_a_difference_of_equals: "coord x\nhamiltonian p_x^2/(x - x)\n";
    negative_power_of_zero: "coord x\nhamiltonian p_x^2 + (x - x)^(-1)\n";
    division_by_zero_at_an_index: "coord x[i in 0..3]\nhamiltonian sum(i in 0..3, p_x[i]^2/i)\n";
    division_by_zero_through_a_let: "coord x\nlet w[i in 0..3] = x/(2 - i)\nhamiltonian p_x^2 + w[2]\n";
    mod_by_zero: "coord x\nhamiltonian p_x^2 + mod(x, 0)\n";
    mod_by_zero_in_an_index: chain!["observe e = sum(i in 1..n, x[mod(i, 0)])"];
    logarithm_of_zero: "coord x\nhamiltonian p_x^2 + log(0)\n";
    root_of_a_negative_number: "coord x\nhamiltonian p_x^2 + sqrt(-2)\n";
    number_too_large: "coord x\nhamiltonian p_x^2 + 1e400\n";
    overflow: "coord x\nhamiltonian p_x^2 + 1e300*1e300\n";
    product_with_a_dependent_range: chain!["observe e = sum(i in 1..n, product(j in 1..i, x[j]))"];
    product_with_too_many_factors: "coord x\nhamiltonian p_x^2 + product(i in 1..100000, x + i)\n";
    stumpff_order: "coord x\nhamiltonian p_x^2 + stumpff(x, 2)\n";
    wrong_sign: "param m > 0 = -1\ncoord x\nhamiltonian p_x^2/(2*m)\n";
    wrong_sign_of_an_integer: "param n : int > 0 = 0\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
    parameter_that_depends_on_a_coordinate: "coord x\nparam k = 2*x\nhamiltonian p_x^2 + k\n";
    nested_products_too_large: "coord x\nhamiltonian p_x^2 + product(i in 1..9000, product(j in 1..9000, x + i*j))\n";
}

// Drawings.
mistakes! {
    rod_with_one_point: planar!["draw rod arm: (x, y)"];
    point_with_two_points: planar!["draw point bob: (0, 0) -- (x, y)"];
    vehicle_with_two_points: planar!["draw vehicle car: (0, 0, 0) -- (x, y, 0) -- (x, y, 1)"];
    points_of_a_rod_in_plane_and_space: planar!["draw rod arm: (0, 0, 0) -- (x, y)"];
    drawings_in_plane_and_space: planar!["draw point bob: (x, y)", "draw rod arm: (0, 0, 0) -- (x, y, 0)"];
    vehicle_in_space: planar!["draw point bob: (x, y, 0)", "draw vehicle car: (x, y, 0)"];
    point_with_one_component: planar!["draw point bob: (x)"];
    point_with_four_components: planar!["draw point bob: (x, y, 0, 0)"];
    vehicle_without_heading: planar!["draw vehicle car: (x, y)"];
    drawing_of_an_unknown_name: planar!["draw point bob: (x, z)"];
    drawing_labelled_twice: planar!["observe bob = x", "draw point bob: (x, y)"];
    observable_labelled_like_a_drawing: planar!["draw point bob: (x, y)", "observe bob = x"];
    velocity_in_a_drawing_of_a_hamiltonian_model: planar!["draw rod speed: (x, y) -- (x + x', y + y')"];
    index_outside_the_range_in_a_drawing: chain!["draw rod link[i in 1..n]: (x[i-1], 0) -- (x[i], 0)"];
    family_without_index_in_a_drawing: chain!["draw point atom: (x, 0)"];
    division_by_zero_in_a_drawing: planar!["draw point bob: (x/(y - y), 0)"];
    drawing_too_large: planar!["draw point bob[i in 1..10^10]: (i*x, y)"];
    all_mistakes_of_drawings_come_at_once(6): planar![
        "draw rod arm: (x, yy)",
        "draw point a: (x, y, g), b: (x, 0), b: (y, 0)",
        "draw point c: (x', y), d: (x[1], y)"
    ];
}

// Initial values and settings.
mistakes! {
    initial_velocities_and_momenta: "coord x, y\nlagrangian (x'^2 + y'^2)/2\ninitial x' = 1, p_y = 2\n";
    initial_value_that_depends_on_a_coordinate: planar!["initial x = 1, y = sqrt(1 - x^2)"];
    initial_given_twice: planar!["initial x = 1", "initial x = 2"];
    initial_family_given_twice: chain!["initial x[i in 1..2] = 1, x[j in 2..3] = 2"];
    initial_of_a_parameter: planar!["initial g = 9.81"];
    initial_of_a_let: planar!["let r = x + y", "initial r = 1"];
    initial_of_an_unknown_name: planar!["initial xx = 1"];
    initial_outside_the_range: chain!["initial x[4] = 1"];
    initial_velocity_of_a_variable: poisson!["bracket {a, b} = c", "initial a' = 1"];
    unknown_multiplier: planar!["constraint rod: x^2 + y^2 = 1", "initial lambda_rodd = 1"];
    run_key_twice: planar!["run step = 0.1", "run step = 0.2"];
    run_setting_that_depends_on_a_coordinate: planar!["run step = x"];
}

fn sizes(list: &[(&str, i64)]) -> Options {
    Options { integers: list.iter().map(|(n, v)| ((*n).to_string(), *v)).collect() }
}

const SIZED: &str =
    "param count : int = 3\nparam g = 1\ncoord x[i in 1..count]\nhamiltonian g*sum(i in 1..count, p_x[i]^2)\n";

#[test]
fn size_of_an_unknown_name() {
    insta::assert_snapshot!("size_of_an_unknown_name", messages(SIZED, &sizes(&[("cuont", 2)]), 1));
}

#[test]
fn size_of_a_real_parameter() {
    insta::assert_snapshot!("size_of_a_real_parameter", messages(SIZED, &sizes(&[("g", 2)]), 1));
}

#[test]
fn size_too_large() {
    insta::assert_snapshot!("size_too_large", messages(SIZED, &sizes(&[("count", i64::MIN)]), 1));
}

const EVEN: &str = "param n : int = 6\nrequire n >= 4 \"neighbours differ\", mod(n, 2) = 0\ncoord x[i in 1..n]\n\
    hamiltonian p_x[3]^2\n";

#[test]
fn sizes_that_the_model_does_not_allow() {
    let (few, odd) = (messages(EVEN, &sizes(&[("n", 2)]), 1), messages(EVEN, &sizes(&[("n", 7)]), 1));
    assert!(few.contains("[requirement-fails]") && odd.contains("[requirement-fails]"), "{few}{odd}");
    assert!(few.contains("the model requires n >= 4, and n = 2: neighbours differ"), "{few}");
    assert!(odd.contains("the model requires mod(n, 2) = 0, and n = 7"), "{odd}");
    assert!(System::parse_with(EVEN, &sizes(&[("n", 8)])).is_ok());
    let real = messages("param g = 1\nrequire g > 0\ncoord x\nhamiltonian p_x^2\n", &Options::default(), 1);
    assert!(real.contains("a condition compares integers"), "{real}");
    let nothing = messages("param n : int = 1\nrequire n\ncoord x\nhamiltonian p_x^2\n", &Options::default(), 1);
    assert!(nothing.contains("expected a comparison"), "{nothing}");
}

#[test]
fn all_mistakes_come_at_once() {
    let source = "model pendulum\nparam g = 1, g = 2\ncoord x, y\nlet r2 = x^2 + z^2\n\
        hamiltonian (p_x^2 + q_y^2)/2 + g*y[1]\nconstraint rod: r2 = 1\nconstraint roll: x' = 0\n\
        initial x = 1, x = 2, lambda_rd = 1\nobserve angle = atan2(x, -y)/0\nrun step = y\n";
    insta::assert_snapshot!("all_mistakes_come_at_once", messages(source, &Options::default(), 9));
}

#[test]
fn mistakes_of_syntax_and_of_meaning_come_together() {
    let source = "coord x, y\nparam g = 2x\nhamiltonian p_x^2/2 + p_y^2/2 + g*w\nconstraint rod: x^2 + y^2\ninitial lambda_rod = 1\n";
    insta::assert_snapshot!(
        "mistakes_of_syntax_and_of_meaning_come_together",
        messages(source, &Options::default(), 4)
    );
}
