//! A target that is C text: that a back end is one file. A test compiles what it writes, and compares it with the tape.

use super::step;
use super::target::{Comparison, Place, Sides, Target};
use crate::function::Engine;
use crate::program::{Base, Binary, Program, Unary};
use crate::record::{Recorder, Traced};
use crate::step::Step;
use cotangent_dynamics::{Contraction, Failure, Kind, Machine, Plan, Site, State};
use cotangent_scalar::Scalar;
use cotangent_solve::{NewtonOptions, Pattern};
use std::fmt::Write as _;
use std::process::Command;

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

fn bits(x: f64) -> String {
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
}

/// Two stages of z′ = cos(c z), x ← ½ cos(c (z + x′)), by iteration or Newton's method.
struct Cosine<'t> {
    z: Traced<'t>,
    c: Traced<'t>,
    newton: Site,
}

impl<'t> Cosine<'t> {
    fn angles(&self, x: &[Traced<'t>]) -> [Traced<'t>; 2] {
        [1, 0].map(|other: usize| self.c * (self.z + x[other]))
    }
}

impl<'t> Contraction<Traced<'t>> for Cosine<'t> {
    fn map(&mut self, x: &[Traced<'t>], next: &mut [Traced<'t>]) -> Result<(), Failure> {
        let half = Traced::from_f64(0.5);
        next.iter_mut().zip(self.angles(x)).for_each(|(next, angle)| *next = half * angle.cos());
        Ok(())
    }

    fn otherwise(&mut self, machine: &mut dyn Machine<Traced<'t>>, x: &mut [Traced<'t>]) -> Result<(), Failure> {
        let (half, one) = (Traced::from_f64(0.5), Traced::from_f64(1.0));
        x.fill(half * (self.c * self.z).cos());
        machine.newton(self.newton, x, &mut |x, r, j| {
            let angles = self.angles(x);
            let slopes = angles.map(|angle| half * self.c * angle.sin());
            r.copy_from_slice(&[x[0] - half * angles[0].cos(), x[1] - half * angles[1].cos()]);
            j.copy_from_slice(&[one, slopes[0], slopes[1], one]);
            Ok(())
        })
    }
}

/// Everything that a step may have: stages, a fixed point with another way, Newton's method, affine equations, and
/// equations that have to hold. The state is z, and the pause of the fixed point; c is constant.
fn everything() -> Program {
    let mut plan = Plan::new();
    let newton = plan.newton(Pattern::dense(2, 2).unwrap(), vec![(Kind::State, 2)]);
    let stages = plan.stages(2, &[(Kind::State, 1)]);
    let affine = plan.affine(Pattern::dense(1, 1).unwrap(), vec![(Kind::State, 1)]);
    Recorder::record(&plan, &[2, 2, 1], |machine, mut given| {
        let c = given[2][0];
        let table = [0.3, -0.1, 0.8].map(Traced::from_f64);
        let one = Traced::from_f64(1.0);
        let mut state = given[0].clone();
        let repeated = machine.repeat(&table, &mut state, &mut |machine, gamma, state| {
            let (mut x, mut pause) = ([Traced::from_f64(0.0); 2], state[1]);
            machine.contract(stages, &mut x, &mut pause, &mut Cosine { z: state[0], c, newton })?;
            let mut u = [Traced::from_f64(0.0)];
            let sum = x[0] + x[1] - one;
            machine.newton(affine, &mut u, &mut |u, r, j| {
                (r[0], j[0]) = (c * u[0] - gamma * sum, c);
                Ok(())
            })?;
            machine.require(Kind::State, &[c * u[0] - gamma * sum], &[c.abs() * u[0].abs() + sum.abs()])?;
            (state[0], state[1]) = (state[0] + c.sin() * u[0], pause);
            Ok(())
        })?;
        assert!(repeated);
        given[0] = state;
        given.truncate(2);
        Ok(given)
    })
    .unwrap()
}

#[test]
fn c_text_makes_the_steps_of_the_tape() {
    let program = everything();
    let mut target = C::default();
    let made = step::write(&mut target, &program, 0);
    let options = NewtonOptions::default();
    let rule: Vec<String> = step::Arrival::new(&options).numbers().iter().map(|&x| bits(x)).collect();
    let run = |z: f64, c: f64| {
        format!(
            "  {{ double z[] = {{{}, 0}}, e[] = {{0, 0}}, c[] = {{{}}}, rule[] = {{{}}}, counts[] = {{0, 0}};\n    \
             double *in[] = {{z, e, c, rule, counts}}; int64_t made = step(in, {STEPS});\n    \
             printf(\"%lld %llx %llx %g %g\\n\", (long long)made, of(z[0]), of(z[1]), counts[0], counts[1]); }}\n",
            bits(z),
            bits(c),
            rule.join(", ")
        )
    };
    let starts = [(0.3, 0.1), (0.7, 0.2), (0.3, 1.9)];
    let runs: String = starts.iter().map(|&(z, c)| run(z, c)).collect();
    let text = format!(
        "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         static double bits(uint64_t b) {{ double x; memcpy(&x, &b, 8); return x; }}\n\
         static unsigned long long of(double x) {{ uint64_t b; memcpy(&b, &x, 8); return b; }}\n\
         {}int main(void) {{\n{runs}  return 0;\n}}\n",
        target.function(made)
    );
    let folder = std::env::temp_dir().join(format!("cotangent-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program_file) = (folder.join("step.c"), folder.join("step"));
    std::fs::write(&source, text).unwrap();
    let compiler =
        Command::new("cc").args(["-O2", "-ffp-contract=off", "-o"]).args([&program_file, &source]).arg("-lm").output();
    let Ok(compiled) = compiler else { return println!("no C compiler: nothing was compared") };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program_file).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let tape = Step::new(program, Engine::Tape).unwrap();
    for (line, (z, c)) in printed.lines().zip(starts) {
        let mut work = tape.workspace(options).unwrap();
        let mut state = State::new(vec![z, 0.0], 0);
        tape.advance(&mut state, &[c], STEPS, &mut work).unwrap();
        let [z, pause] = [0, 1].map(|k: usize| state.values[k].to_bits());
        let expected = format!("{STEPS} {z:x} {pause:x} {} {}", work.iterations(), work.contractions());
        assert_eq!(line, expected, "c = {c}");
    }
    assert_eq!(printed.lines().count(), starts.len());
}

const STEPS: u64 = 50;
