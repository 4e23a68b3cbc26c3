//! A target that is C text: that a back end is one file. The test `c_text` compiles what it writes, and compares it with
//! the tape.

use super::step::{self, Arrival};
use super::target::{Comparison, Place, Sides, Target};
use crate::program::{Base, Binary, Program, Unary};
use cotangent_solve::NewtonOptions;
use std::fmt::Write as _;

/// A function `int64_t step(double **in, int64_t steps)` that makes steps, and the numbers of the stopping rule.
pub(crate) fn step_function(program: &Program, options: &NewtonOptions) -> (String, Vec<String>) {
    let mut target = C::default();
    let made = step::write(&mut target, program, 0);
    (target.function(made), Arrival::new(options).numbers().iter().map(|&x| bits(x)).collect())
}

/// A function in the making: every value is a variable of its own.
#[derive(Default)]
struct C {
    code: String,
    tables: String,
    values: usize,
    cells: usize,
    counters: usize,
    labels: usize,
}

impl C {
    fn value(&mut self, kind: &str, expression: &str) -> usize {
        self.values += 1;
        let _ = writeln!(self.code, "  {kind} v{} = {expression};", self.values);
        self.values
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.code, "  {text}");
    }

    fn at(place: Place<usize>) -> String {
        let Base::Input(k) = place.base else { return "work[0]".into() };
        let index = place.index.map_or(String::new(), |i| format!("v{i} + "));
        format!("in[{k}][{index}{}]", place.offset)
    }

    /// The function, with what it needs before it.
    fn function(&self, result: usize) -> String {
        let declared = |kind: &str, name: &str, count: usize| -> String {
            (1..=count).map(|k| format!("  {kind} {name}{k} = 0;\n")).collect()
        };
        format!(
            "{}static int64_t step(double **in, int64_t v0) {{\n{}{}{}  return v{result};\n}}\n",
            self.tables,
            declared("double", "c", self.cells),
            declared("int64_t", "k", self.counters),
            self.code
        )
    }
}

/// A number to the last bit.
pub(crate) fn bits(x: f64) -> String {
    format!("bits({:#x}ULL)", x.to_bits())
}

impl Target for C {
    type Number = usize;
    type Integer = usize;
    type Truth = usize;
    type Cell = usize;
    type Counter = usize;
    type Label = usize;

    fn number(&mut self, x: f64) -> usize {
        self.value("double", &bits(x))
    }

    fn unary(&mut self, f: Unary, x: usize) -> usize {
        let name = match f {
            Unary::Neg => "-",
            Unary::Abs => "fabs",
            Unary::Sqrt => "sqrt",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            other => panic!("{other:?} is not tested"),
        };
        self.value("double", &format!("{name}(v{x})"))
    }

    fn binary(&mut self, f: Binary, x: usize, y: usize) -> usize {
        let sign = match f {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            other => panic!("{other:?} is not tested"),
        };
        self.value("double", &format!("v{x} {sign} v{y}"))
    }

    fn sin_cos(&mut self, x: usize) -> [usize; 2] {
        [Unary::Sin, Unary::Cos].map(|f| self.unary(f, x))
    }

    fn integer(&mut self, k: i64) -> usize {
        self.value("int64_t", &k.to_string())
    }

    fn sum(&mut self, a: usize, b: usize) -> usize {
        self.value("int64_t", &format!("v{a} + v{b}"))
    }

    fn multiple(&mut self, a: usize, k: i64) -> usize {
        self.value("int64_t", &format!("v{a} * {k}"))
    }

    fn divide(&mut self, a: usize, k: i64) -> [usize; 2] {
        let remainder = self.value("int64_t", &format!("((v{a} % {k}) + {k}) % {k}"));
        [self.value("int64_t", &format!("(v{a} - v{remainder}) / {k}")), remainder]
    }

    fn as_number(&mut self, k: usize) -> usize {
        self.value("double", &format!("(double)v{k}"))
    }

    fn compare(&mut self, how: Comparison, a: usize, b: usize) -> usize {
        let sign = match how {
            Comparison::Equal => "==",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
        };
        self.value("int", &format!("v{a} {sign} v{b}"))
    }

    fn is_finite(&mut self, x: usize) -> usize {
        self.value("int", &format!("isfinite(v{x})"))
    }

    fn in_order(&mut self, a: usize, b: usize) -> usize {
        self.value("int", &format!("v{a} <= v{b}"))
    }

    fn always(&mut self) -> usize {
        self.value("int", "1")
    }

    fn both(&mut self, a: usize, b: usize) -> usize {
        self.value("int", &format!("v{a} & v{b}"))
    }

    fn either(&mut self, a: usize, b: usize) -> usize {
        self.value("int", &format!("v{a} | v{b}"))
    }

    fn choice(&mut self, truth: usize, a: usize, b: usize) -> usize {
        self.value("double", &format!("v{truth} ? v{a} : v{b}"))
    }

    fn load(&mut self, from: Place<usize>) -> usize {
        self.value("double", &C::at(from))
    }

    fn store(&mut self, to: Place<usize>, value: usize) {
        self.line(&format!("{} = v{value};", C::at(to)));
    }

    fn entry(&mut self, table: &[i64], at: usize) -> usize {
        let list: Vec<String> = table.iter().map(i64::to_string).collect();
        self.value("int64_t", &format!("((int64_t[]){{{}}})[v{at}]", list.join(", ")))
    }

    fn coefficient(&mut self, table: &[f64], at: usize) -> usize {
        let list: Vec<String> = table.iter().map(|&c| format!("{:#x}ULL", c.to_bits())).collect();
        let name = self.tables.lines().count();
        let _ = writeln!(self.tables, "static const uint64_t t{name}[] = {{{}}};", list.join(", "));
        self.value("double", &format!("bits(t{name}[v{at}])"))
    }

    fn cell(&mut self) -> usize {
        self.cells += 1;
        self.cells
    }

    fn get(&mut self, cell: usize) -> usize {
        self.value("double", &format!("c{cell}"))
    }

    fn set(&mut self, cell: usize, value: usize) {
        self.line(&format!("c{cell} = v{value};"));
    }

    fn counter(&mut self) -> usize {
        self.counters += 1;
        self.counters
    }

    fn count(&mut self, counter: usize) -> usize {
        self.value("int64_t", &format!("k{counter}"))
    }

    fn set_count(&mut self, counter: usize, value: usize) {
        self.line(&format!("k{counter} = v{value};"));
    }

    fn open_block(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn close_block(&mut self, end: usize) {
        self.line(&format!("l{end}:;"));
    }

    fn open_loop(&mut self) -> usize {
        self.labels += 1;
        self.line(&format!("l{}:;", self.labels));
        self.labels
    }

    fn close_loop(&mut self, _: usize) {}

    fn go(&mut self, to: usize) {
        self.line(&format!("goto l{to};"));
    }

    fn go_if(&mut self, truth: usize, to: usize) {
        self.line(&format!("if (v{truth}) goto l{to};"));
    }

    fn go_unless(&mut self, truth: usize, to: usize) {
        self.line(&format!("if (!v{truth}) goto l{to};"));
    }

    // Large factorisations are for a library; here they are out of the ordinary.
    fn factor(&mut self, _: usize, _: &[usize]) -> usize {
        self.value("int", "0")
    }

    fn solve(&mut self, _: usize, sides: &[usize], _: Sides) -> (Vec<usize>, usize) {
        (sides.to_vec(), self.value("int", "0"))
    }

    fn eliminate(&mut self, _: usize, _: [usize; 3]) -> usize {
        self.value("int", "0")
    }

    fn explained(&mut self, _: usize, _: [usize; 3]) -> usize {
        self.value("int", "0")
    }

    fn is_round_off(&mut self, _: usize, _: [usize; 6], _: usize) -> usize {
        self.value("int", "0")
    }
}
