//! A step as C text, compiled and run: the same as on the tape, to the last bit.

use crate::function::Engine;
use crate::jit::c::{bits, step_function};
use crate::program::Program;
use crate::record::{Recorder, Traced};
use crate::step::Step;
use cotangent_dynamics::{Contraction, Failure, Kind, Machine, Plan, Site, State};
use cotangent_scalar::Scalar;
use cotangent_solve::{NewtonOptions, Pattern};
use std::process::Command;

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
    let options = NewtonOptions::default();
    let (function, rule) = step_function(&program, &options);
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
         {function}int main(void) {{\n{runs}  return 0;\n}}\n"
    );
    let folder = std::env::temp_dir().join(format!("cotangent-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, program_file) = (folder.join("step.c"), folder.join("step"));
    std::fs::write(&source, text).unwrap();
    let compiler =
        Command::new("cc").args(["-O2", "-ffp-contract=off", "-o"]).args([&program_file, &source]).arg("-lm").output();
    let compiled = compiler.expect("a C compiler, which Rust links with");
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
