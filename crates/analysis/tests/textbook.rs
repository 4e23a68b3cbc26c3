//! Models of the textbooks (Dirac; Sundermeyer; Henneaux & Teitelboim; Gitman & Tyutin; Rothe & Rothe), each with the
//! numbers of first-class and second-class constraints and of degrees of freedom that follow by hand.

mod common;

use common::{analysis, counts};

/// What it is, the model, (first class, second class, degrees of freedom).
const MODELS: [(&str, &str, (usize, usize, usize)); 39] = [
    ("Christ and Lee's model", "coord r, theta, xi\nlagrangian r'^2/2 + r^2*(theta' - xi)^2/2 - r^4/4\n", (2, 0, 1)),
    (
        "massive electrodynamics in a point",
        "param m > 0 = 1\ncoord A0, A1\nlagrangian (A1' - A0)^2/2 + m^2*(A0^2 - A1^2)/2\n",
        (0, 2, 1),
    ),
    ("Chern and Simons, no Hamiltonian", "param B > 0 = 1\ncoord x, y\nlagrangian B*(x*y' - y*x')/2\n", (0, 2, 1)),
    ("relativistic particle", "param m > 0 = 1\ncoord t, x, y\nlagrangian -m*sqrt(t'^2 - x'^2 - y'^2)\n", (1, 0, 2)),
    ("Dirac's conjecture: p_x² e^(−y) asks for p_x = 0", "coord x, y\nlagrangian exp(y)*x'^2/2\n", (2, 0, 0)),
    ("parametrised oscillator", "coord t, x\nlagrangian x'^2/(2*t') - t'*x^2/2\n", (1, 0, 1)),
    (
        "sphere, with its multiplier as a coordinate",
        "coord x, y, z, l\nlagrangian (x'^2+y'^2+z'^2)/2 - l*(x^2+y^2+z^2-1)/2\n",
        (0, 4, 2),
    ),
    ("sphere", "coord x, y, z\nlagrangian (x'^2+y'^2+z'^2)/2\nconstraint s: x^2+y^2+z^2 = 1\n", (0, 2, 2)),
    (
        "the three-sphere over the two-sphere",
        "coord a, b, c, d, u\nlagrangian ((a'+u*b)^2+(b'-u*a)^2+(c'+u*d)^2+(d'-u*c)^2)/2\nconstraint s: a^2+b^2+c^2+d^2 = 1\n",
        (2, 2, 2),
    ),
    ("two particles, translations gauged", "coord a, b, u\nlagrangian ((a'-u)^2+(b'-u)^2)/2 - (a-b)^2/2\n", (2, 0, 1)),
    (
        "both classes",
        "coord x, y, r, theta, xi\nlagrangian (x*y' - y*x')/2 - (x^2+y^2)/2 + r'^2/2 + r^2*(theta' - xi)^2/2 - r^2/2\n",
        (2, 2, 2),
    ),
    (
        "no angular momentum: reducible",
        "coord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2 + (x^2+y^2+z^2)/2\nconstraint a: y*p_z - z*p_y = 0\nconstraint b: z*p_x - x*p_z = 0\nconstraint c: x*p_y - y*p_x = 0\n",
        (2, 0, 1),
    ),
    (
        "rigid frame",
        "coord a[i in 1..3], b[i in 1..3]\nlagrangian sum(i in 1..3, a[i]'^2 + 2*b[i]'^2)/2 - a[3]\nconstraint aa: sum(i in 1..3, a[i]^2) = 1\nconstraint bb: sum(i in 1..3, b[i]^2) = 1\nconstraint ab: sum(i in 1..3, a[i]*b[i]) = 0\n",
        (0, 6, 3),
    ),
    (
        "two constraints on a body: nothing left",
        "variables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\nhamiltonian (y1^2 + 2*y2^2 + 3*y3^2)/2\nconstraint a: y1 = 0\nconstraint b: y2 = 0\n",
        (0, 2, 0),
    ),
    (
        "higher derivatives, after Ostrogradsky",
        "param w > 0 = 1\ncoord q1, q2, l\nlagrangian q2'^2/2 - w*q2^2/2 - q1^2/2 + l*(q1' - q2)\n",
        (0, 2, 2),
    ),
    ("regular", "coord x, y\nlagrangian x'*y' - x*y\n", (0, 0, 2)),
    ("one velocity of three", "coord x, y, z\nlagrangian (x'+y'+z')^2/2\n", (2, 0, 1)),
    ("irregular: y² x'²", "coord x, y\nlagrangian x'^2*y^2/2\n", (2, 0, 0)),
    ("three generations, all first class", "coord a, b, c\nlagrangian (b' - exp(a))^2/2 + (c' - b)^2/2\n", (3, 0, 0)),
    ("first order, energy shell gauged", "coord p, q, l\nlagrangian p*q' - l*(p^2+q^2-1)/2\n", (2, 2, 0)),
    (
        "electrodynamics on a ring: Gauss's laws depend on each other",
        "coord A[i in 1..3], f[i in 1..3]\nlagrangian ((A[1]'-f[2]+f[1])^2+(A[2]'-f[3]+f[2])^2+(A[3]'-f[1]+f[3])^2)/2\n",
        (5, 0, 1),
    ),
    (
        "Stueckelberg's field",
        "param m > 0 = 1\ncoord A0, A1, s\nlagrangian (A1' - A0)^2/2 + m^2*((A0 - s')^2 - (A1 - s)^2)/2\n",
        (2, 0, 1),
    ),
    (
        "two oscillators with a given energy",
        "param E > 0 = 1\ncoord a, b, N\nlagrangian (a'^2+b'^2)/(2*N) - N*((a^2+b^2)/2 - E)\n",
        (2, 0, 1),
    ),
    (
        "constraints that form sl(2, R)",
        "coord u1, u2, v1, v2\nhamiltonian 0\nconstraint H1: (p_u1^2+p_u2^2 - v1^2-v2^2)/2 = 0\nconstraint H2: (p_v1^2+p_v2^2 - u1^2-u2^2)/2 = 0\nconstraint D: u1*p_u1+u2*p_u2-v1*p_v1-v2*p_v2 = 0\n",
        (3, 0, 1),
    ),
    (
        "chiral boson on a ring",
        "coord f[i in 1..3]\nlagrangian f[1]'*(f[2]-f[3])/2+f[2]'*(f[3]-f[1])/2+f[3]'*(f[1]-f[2])/2 - (f[1]^2+2*f[2]^2+f[3]^2)/2\n",
        (0, 4, 1),
    ),
    ("first order", "coord x, y\nlagrangian y*x' - exp(x)\n", (0, 2, 1)),
    (
        "two times: sp(2)",
        "coord a, b, c, d\nhamiltonian 0\nconstraint X: a^2+b^2-c^2-d^2 = 0\nconstraint XP: a*p_a+b*p_b+c*p_c+d*p_d = 0\nconstraint P: p_a^2+p_b^2-p_c^2-p_d^2 = 0\n",
        (3, 0, 1),
    ),
    (
        "charged relativistic particle",
        "param m > 0 = 1, e = 1/2\ncoord t, x\nlagrangian -m*sqrt(t'^2 - x'^2) + e*x*t'\n",
        (1, 0, 1),
    ),
    ("pure gauge", "coord x, y\nlagrangian (x' - y)^2/2\n", (2, 0, 0)),
    (
        "parametrised pendulum: u_t = 0 is no way out",
        "coord t, x, y\nlagrangian (x'^2+y'^2)/(2*t') - t'*y\nconstraint rod: x^2+y^2 = 1\n",
        (1, 2, 1),
    ),
    ("x² + y² = 0", "coord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2\nconstraint s: x^2 + y^2 = 0\n", (0, 4, 1)),
    (
        "a sum of squares: a curve",
        "coord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2\nconstraint s: (x^2 + y^2 - 1)^2 + 3*(z - x*y)^2 = 0\n",
        (0, 4, 1),
    ),
    ("(y − x³)² = 0", "coord x, y\nhamiltonian (p_x^2+p_y^2)/2\nconstraint s: (y - x^3)^2 = 0\n", (0, 2, 1)),
    (
        "SO(3) gauged: one of p·r, r",
        "coord x, y, z, a, b, c\nlagrangian ((x'-b*z+c*y)^2+(y'-c*x+a*z)^2+(z'-a*y+b*x)^2)/2 - (x^2+y^2+z^2)/2\n",
        (5, 0, 1),
    ),
    ("no radial velocity", "coord x, y\nlagrangian (x*y'-y*x')^2/2 - (x^2+y^2)/2\n", (0, 2, 1)),
    (
        "two multipliers as coordinates",
        "coord x, y, z, l, m\nlagrangian (x'^2+y'^2+z'^2)/2 - z - l*(x^2+y^2-1)/2 - m*(z-x)\n",
        (0, 8, 1),
    ),
    (
        "a body and a particle",
        "variables w1, w2, w3, q, p\nbracket {w1, w2} = w3, {w2, w3} = w1, {w3, w1} = w2, {q, p} = 1\nhamiltonian (w1^2+w2^2/2+w3^2/3)/2 + p^2/2\nconstraint a: q - w3 = 0\n",
        (0, 2, 1),
    ),
    (
        "einbein on a rod: e = 0 is no way out",
        "coord t, x, y, e\nlagrangian (x'^2 + y'^2 - t'^2)/(2*e) - e/2\nconstraint rod: x^2 + y^2 = 1\n",
        (2, 2, 1),
    ),
    (
        "relativistic pendulum",
        "param m > 0 = 1\ncoord t, x, y\nlagrangian -m*sqrt(t'^2 - x'^2 - y'^2)\nconstraint rod: x^2 + y^2 = 1\n",
        (1, 2, 1),
    ),
];

#[test]
fn classes_and_degrees_of_freedom_are_those_of_the_textbooks() {
    for (what, text, expected) in MODELS {
        assert_eq!(counts(&analysis(text)), expected, "{what}");
    }
}
