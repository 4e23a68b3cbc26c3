//! Recorded steps: replayed and native alike, failures included.

use cotangent_compile::program::{Instruction, Program};
use cotangent_compile::record::{MAX_RECORDED, Record, Recorder, Traced};
use cotangent_compile::{Engine, Step, StepWorkspace};
use cotangent_dynamics::{Contraction, Failure, Kind, Machine, Plan, Site, State};
use cotangent_scalar::Scalar;
use cotangent_solve::{NewtonOptions, Pattern, StoppingRule};

fn plan(sizes: &[usize]) -> (Plan, Vec<Site>) {
    let mut plan = Plan::new();
    let sites = sizes.iter().map(|&k| plan.newton(Pattern::dense(k, k).unwrap(), vec![(Kind::State, k)])).collect();
    (plan, sites)
}

fn step(recording: &Program, engine: Engine) -> Step {
    Step::new(recording.clone(), engine).unwrap()
}

/// Records a step from so many numbers, of which the first are the state and the others constants; nothing is carried.
fn record(
    plan: &Plan,
    inputs: usize,
    outputs: usize,
    step: impl for<'t> FnOnce(&mut Record<'t>, &[Traced<'t>], &mut [Traced<'t>]) -> Result<(), Failure>,
) -> Result<Program, Failure> {
    Recorder::record(plan, &[outputs, outputs, inputs - outputs], |machine, given| {
        let numbers = [&given[0][..], &given[2]].concat();
        let mut out = given[0].clone();
        step(machine, &numbers, &mut out)?;
        Ok(vec![out, given[1].clone()])
    })
}

/// Makes steps from a state.
fn advance(
    step: &Step,
    z: &mut [f64],
    constants: &[f64],
    steps: u64,
    work: &mut StepWorkspace,
) -> Result<(), (u64, Failure)> {
    let mut state = State::new(z.to_vec(), 0);
    let made = step.advance(&mut state, constants, steps, work);
    z.copy_from_slice(&state.values);
    made
}

/// z ← the solution of u³ + z u = 1 + z, and a pair of coupled equations.
fn implicit() -> Program {
    let (plan, sites) = plan(&[1, 2]);
    record(&plan, 3, 2, |machine, z, out| {
        let one = Traced::from_f64(1.0);
        let mut u = [one];
        machine.newton(sites[0], &mut u, &mut |u, r, j| {
            r[0] = u[0] * u[0] * u[0] + z[0] * u[0] - one - z[0] * z[2];
            j[0] = Traced::from_f64(3.0) * u[0] * u[0] + z[0];
            Ok(())
        })?;
        let mut v = [u[0], z[1]];
        machine.newton(sites[1], &mut v, &mut |v, r, j| {
            r[0] = v[0] + (v[1] * z[2]).sin() - u[0];
            r[1] = v[1] - (v[0] * z[2]).cos() - z[1];
            j.copy_from_slice(&[one, z[2] * (v[1] * z[2]).cos(), z[2] * (v[0] * z[2]).sin(), one]);
            Ok(())
        })?;
        out.copy_from_slice(&v);
        Ok(())
    })
    .unwrap()
}

#[test]
fn native_steps_equal_replayed_ones_to_the_bit_with_any_stopping_rule() {
    let recording = implicit();
    let (native, tape) = (step(&recording, Engine::Best), step(&recording, Engine::Tape));
    for tolerance in [None, Some(1e-3), Some(1e-9), Some(1e-40)] {
        let stopping = StoppingRule { tolerance, ..StoppingRule::default() };
        let options = NewtonOptions { stopping, ..NewtonOptions::default() };
        let run = |step: &Step| {
            let mut work = step.workspace(options).unwrap();
            let mut z = [0.7, 0.2];
            for _ in 0..20 {
                advance(step, &mut z, &[0.3], 10, &mut work).unwrap();
            }
            (z.map(f64::to_bits), work.iterations(), work.replayed)
        };
        let (native, tape) = (run(&native), run(&tape));
        assert_eq!((native.0, native.1), (tape.0, tape.1), "{tolerance:?}");
        assert!(!cfg!(feature = "jit") || native.2 < 20, "{} of 200 steps replayed", native.2);
        assert_eq!(tape.2, 200);
    }
}

#[test]
fn a_looser_tolerance_takes_fewer_iterations() {
    let step = step(&implicit(), Engine::Best);
    let iterations = |tolerance: Option<f64>| {
        let stopping = StoppingRule { tolerance, ..StoppingRule::default() };
        let mut work = step.workspace(NewtonOptions { stopping, max_halvings: 0 }).unwrap();
        advance(&step, &mut [0.7, 0.2], &[0.3], 100, &mut work).unwrap();
        work.iterations()
    };
    assert!(iterations(Some(1e-3)) < iterations(None));
}

#[test]
fn a_state_that_is_not_finite_is_never_kept() {
    let recording = record(&Plan::new(), 1, 1, |_, z, out| {
        out[0] = z[0] * z[0];
        Ok(())
    });
    for engine in [Engine::Best, Engine::Tape] {
        let step = step(recording.as_ref().unwrap(), engine);
        let mut z = [2.0];
        let (done, failure) =
            advance(&step, &mut z, &[], 100, &mut step.workspace(NewtonOptions::default()).unwrap()).unwrap_err();
        assert_eq!((done, z[0]), (9, 2f64.powi(512)), "{failure}");
    }
}

#[test]
fn a_root_at_which_the_jacobian_is_infinite_is_no_root_for_either_engine() {
    let (plan, sites) = plan(&[1]);
    let recording = record(&plan, 1, 1, |machine, z, out| {
        let mut u = [z[0]];
        machine.newton(sites[0], &mut u, &mut |u, r, j| {
            r[0] = u[0].sqrt();
            j[0] = Traced::from_f64(0.5) / u[0].sqrt();
            Ok(())
        })?;
        out[0] = u[0];
        Ok(())
    });
    for engine in [Engine::Best, Engine::Tape] {
        let step = step(recording.as_ref().unwrap(), engine);
        assert!(advance(&step, &mut [0.0], &[], 1, &mut step.workspace(NewtonOptions::default()).unwrap()).is_err());
    }
}

#[test]
fn a_failure_names_the_equation() {
    let mut plan = Plan::new();
    let rows = vec![(Kind::Coordinate, 1), (Kind::Constraint, 1)];
    let site = plan.newton(Pattern::dense(2, 2).unwrap(), rows);
    let recording = record(&plan, 1, 1, |machine, z, out| {
        let mut u = [z[0], z[0]];
        machine.newton(site, &mut u, &mut |u, r, j| {
            let one = Traced::from_f64(1.0);
            r.copy_from_slice(&[u[0] - one, u[1] * u[1] + one]);
            j.copy_from_slice(&[one, Traced::from_f64(0.0), Traced::from_f64(0.0), u[1] + u[1]]);
            Ok(())
        })?;
        out[0] = u[1];
        Ok(())
    });
    for engine in [Engine::Best, Engine::Tape] {
        let step = step(recording.as_ref().unwrap(), engine);
        let (_, failure) =
            advance(&step, &mut [0.3], &[], 1, &mut step.workspace(NewtonOptions::default()).unwrap()).unwrap_err();
        let Failure::Newton { equation: Some(equation), .. } = failure else { panic!("{failure:?}") };
        assert_eq!((equation.kind, equation.index), (Kind::Constraint, 0));
    }
}

fn reason(recording: Result<Program, Failure>) -> String {
    recording.unwrap_err().to_string()
}

#[test]
fn what_cannot_be_recorded_is_refused_with_the_reason() {
    let (plan, sites) = plan(&[1]);
    let leak = record(&plan, 1, 1, |machine, z, out| {
        let mut inside = z[0];
        machine.newton(sites[0], &mut [z[0]], &mut |u, r, j| {
            inside = u[0] * u[0];
            r[0] = inside - z[0];
            j[0] = u[0] + u[0];
            Ok(())
        })?;
        out[0] = inside;
        Ok(())
    });
    assert!(reason(leak).contains("computed inside an iteration"));
    let decision = record(&plan, 1, 1, |machine, z, _| machine.value(z[0]).map(|_| ()));
    assert!(reason(decision).contains("decision"));
    let long = record(&plan, 1, 1, |_, z, out| {
        out[0] = (0..=MAX_RECORDED).fold(z[0], |x, _| x + z[0]);
        Ok(())
    });
    assert!(reason(long).contains("too many operations"));
    let unplanned =
        record(&Plan::new(), 1, 1, |machine, z, _| machine.newton(sites[0], &mut [z[0]], &mut |_, _, _| Ok(())));
    assert!(reason(unplanned).contains("no such equations"));
}

#[test]
fn arguments_of_the_wrong_size_and_foreign_workspaces_are_refused() {
    let recording = implicit();
    let (a, b) = (step(&recording, Engine::Best), step(&recording, Engine::Best));
    let mut work = a.workspace(NewtonOptions::default()).unwrap();
    assert!(advance(&a, &mut [0.0], &[0.3], 1, &mut work).is_err());
    let (_, wrong) = advance(&a, &mut [0.7, 0.2], &[], 1, &mut work).unwrap_err();
    assert!(wrong.to_string().contains("2 state values and 1 constants, not 2 and 0"), "{wrong}");
    assert!(advance(&b, &mut [0.7, 0.2], &[0.3], 1, &mut work).is_err());
}

/// Two stages of z′ = cos(c z), with c a constant: x ← h/2 cos(c (z + x′)), where Newton's method takes over for a large c.
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

/// z ← z + x₁ + x₂ − 1, with the pause as the second number of the state.
fn contraction() -> Program {
    let mut plan = Plan::new();
    let newton = plan.newton(Pattern::dense(2, 2).unwrap(), vec![(Kind::State, 2)]);
    let site = plan.stages(2, &[(Kind::State, 1)]);
    record(&plan, 3, 2, |machine, z, out| {
        let (mut x, mut pause) = ([Traced::from_f64(0.0); 2], z[1]);
        machine.contract(site, &mut x, &mut pause, &mut Cosine { z: z[0], c: z[2], newton })?;
        out.copy_from_slice(&[z[0] + x[0] + x[1] - Traced::from_f64(1.0), pause]);
        Ok(())
    })
    .unwrap()
}

#[test]
fn a_contraction_is_the_same_on_the_tape_and_native_and_newton_takes_over() {
    let recording = contraction();
    let all = recording.all_instructions();
    let count = |which: fn(&Instruction) -> bool| all.iter().filter(|i| which(i)).count();
    let regions =
        [count(|i| matches!(i, Instruction::FixedPoint { .. })), count(|i| matches!(i, Instruction::Root { .. }))];
    assert_eq!(regions, [1, 1]);
    for (c, iterated) in [(0.1, true), (0.2, true), (1.9, false), (30.0, false)] {
        let run = |engine: Engine| {
            let step = step(&recording, engine);
            let mut work = step.workspace(NewtonOptions::default()).unwrap();
            let mut state = [0.3, 0.0];
            let mut residuals = vec![];
            for _ in 0..70 {
                let z = state[0];
                advance(&step, &mut state, &[c], 1, &mut work).unwrap();
                residuals.push((z, state));
            }
            (residuals, work.iterations(), work.contractions(), work.replayed)
        };
        let (native, tape) = (run(Engine::Best), run(Engine::Tape));
        assert_eq!((&native.0, native.1, native.2), (&tape.0, tape.1, tape.2), "{c}");
        assert!(!cfg!(feature = "jit") || native.3 < 7, "{} of 70 steps replayed", native.3);
        // Without Newton's method where the map contracts, and with two trials in 70 steps where it does not.
        assert_eq!((native.1 == 0, native.0[63].1[1] == 0.0), (iterated, true), "{c}");
        assert_eq!(native.0[0].1[1], if iterated { 0.0 } else { 63.0 });
        assert!(iterated || (20..=100).contains(&native.2), "{}", native.2);
        // x = ½ cos(c (z + x)) for both, as both began alike.
        for (z, [next, _]) in &native.0 {
            let x = 0.5 * (next - z + 1.0);
            let slope = 1.0 + 0.5 * c * (c * (z + x)).sin().abs();
            assert!((x - 0.5 * (c * (z + x)).cos()).abs() <= 8.0 * slope * z.abs().max(1.0) * f64::EPSILON, "{c} {z}");
        }
    }
}

/// z ← the solution of u³ + γ z u = 1 + γ z.
fn stage<'t>(
    site: Site,
    machine: &mut dyn Machine<Traced<'t>>,
    gamma: Traced<'t>,
    z: &mut [Traced<'t>],
) -> Result<(), Failure> {
    let (scaled, one) = (gamma * z[0], Traced::from_f64(1.0));
    let mut u = [z[1]];
    machine.newton(site, &mut u, &mut |u, r, j| {
        r[0] = u[0] * u[0] * u[0] + scaled * u[0] - one - scaled;
        j[0] = Traced::from_f64(3.0) * u[0] * u[0] + scaled;
        Ok(())
    })?;
    (z[0], z[1]) = (z[1] + scaled * u[0], u[0]);
    Ok(())
}

/// For one γ after the other.
fn staged(table: &[f64], looped: bool) -> Program {
    let (plan, sites) = plan(&[1]);
    record(&plan, 3, 2, |machine, z, out| {
        let table: Vec<Traced<'_>> = table.iter().map(|&c| Traced::from_f64(c)).collect();
        let mut state = [z[0] * z[2], z[1]];
        match looped {
            true => {
                let recorded = machine.repeat(&table, &mut state, &mut |m, gamma, z| stage(sites[0], m, gamma, z))?;
                assert!(recorded);
            }
            false => table.iter().try_for_each(|&gamma| stage(sites[0], machine, gamma, &mut state))?,
        }
        out.copy_from_slice(&[state[0] - z[2], state[1]]);
        Ok(())
    })
    .unwrap()
}

#[test]
fn stages_are_recorded_once_and_are_the_same_as_one_after_the_other() {
    let table = [0.3, -0.2, 0.8, -0.2, 0.3];
    let (looped, unrolled) = (staged(&table, true), staged(&table, false));
    assert!(looped.len() < unrolled.len() / 2);
    assert_eq!(looped.len(), staged(&table.repeat(7), true).len());
    let run = |recording: &Program, engine| {
        let step = step(recording, engine);
        let (mut z, mut work) = ([0.7, 0.2], step.workspace(NewtonOptions::default()).unwrap());
        advance(&step, &mut z, &[0.3], 100, &mut work).unwrap();
        (z.map(f64::to_bits), work.iterations())
    };
    let expected = run(&unrolled, Engine::Tape);
    for engine in [Engine::Best, Engine::Tape] {
        assert_eq!(run(&looped, engine), expected);
    }
}

#[test]
fn what_a_stage_computes_may_not_be_used_after_the_last() {
    let leak = record(&Plan::new(), 1, 1, |machine, z, out| {
        let mut inside = z[0];
        let table = [Traced::from_f64(0.5), Traced::from_f64(0.25)];
        machine.repeat(&table, &mut [z[0]], &mut |_, gamma, z| {
            inside = gamma * z[0];
            z[0] = inside + z[0];
            Ok(())
        })?;
        out[0] = inside;
        Ok(())
    });
    assert!(reason(leak).contains("computed inside an iteration"));
}

/// a u = b and a system of two, affine in their unknowns.
fn affine() -> Program {
    let mut plan = Plan::new();
    let one = plan.affine(Pattern::dense(1, 1).unwrap(), vec![(Kind::State, 1)]);
    let two = plan.affine(Pattern::dense(2, 2).unwrap(), vec![(Kind::State, 2)]);
    record(&plan, 3, 2, |machine, z, out| {
        let (zero, two_z) = (Traced::from_f64(0.0), z[0] + z[0]);
        let mut u = [zero];
        machine.newton(one, &mut u, &mut |u, r, j| {
            r[0] = z[1] - z[2] * (z[0] * u[0] + z[1]);
            j[0] = -(z[2] * z[0]);
            Ok(())
        })?;
        let mut v = [zero, z[1]];
        machine.newton(two, &mut v, &mut |v, r, j| {
            r[0] = z[0] * v[0] + z[2] * v[1] - u[0];
            r[1] = v[0] - two_z * v[1] + z[1];
            j.copy_from_slice(&[z[0], z[2], Traced::from_f64(1.0), -two_z]);
            Ok(())
        })?;
        out.copy_from_slice(&[v[0].sin() + Traced::from_f64(1.5), v[1].cos()]);
        Ok(())
    })
    .unwrap()
}

#[test]
fn affine_equations_take_one_update() {
    let recording = affine();
    let run = |engine| {
        let step = step(&recording, engine);
        let (mut z, mut work) = ([0.7, 0.2], step.workspace(NewtonOptions::default()).unwrap());
        advance(&step, &mut z, &[0.3], 50, &mut work).unwrap();
        assert_eq!(work.iterations(), 100);
        assert!(engine == Engine::Tape || !cfg!(feature = "jit") || work.replayed == 0);
        z
    };
    let mut expected = [0.7f64, 0.2];
    for _ in 0..50 {
        let ([a, b], c) = (expected, 0.3);
        let u = (b - c * b) / (c * a);
        // a v + c w = u, v − 2a w = −b.
        let determinant = -2.0 * a * a - c;
        let (v, w) = ((-2.0 * a * u + c * b) / determinant, (-a * b - u) / determinant);
        expected = [v.sin() + 1.5, w.cos()];
    }
    for engine in [Engine::Best, Engine::Tape] {
        let found = run(engine);
        assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
    }
    assert_eq!(run(Engine::Best).map(f64::to_bits), run(Engine::Tape).map(f64::to_bits));
}

/// Chains of sines, zᵢ₊₁ and zᵢ₋₁ pulling at zᵢ; `pull` decides whether the order of the rows is that of the pivots.
fn coupled(n: usize, pull: f64) -> Program {
    let neighbours = |i: usize| i.saturating_sub(1)..(i + 2).min(n);
    let addresses: Vec<(u32, u32)> = (0..n).flat_map(|i| neighbours(i).map(move |j| (i as u32, j as u32))).collect();
    let mut plan = Plan::new();
    let site = plan.newton(Pattern::new(n, n, &addresses).unwrap(), vec![(Kind::State, n)]);
    record(&plan, n + 1, n, |machine, z, out| {
        let pull = Traced::from_f64(pull);
        let mut u = z[..n].to_vec();
        machine.newton(site, &mut u, &mut |u, r, jacobian| {
            let mut entries = jacobian.iter_mut();
            for (i, r) in r.iter_mut().enumerate() {
                *r = -z[i];
                for (j, entry) in neighbours(i).zip(&mut entries) {
                    let (weight, angle) = (if i == j { Traced::from_f64(1.0) } else { pull }, z[n] * u[j]);
                    *r = *r + weight * (u[j] + angle.sin());
                    *entry = weight * (Traced::from_f64(1.0) + z[n] * angle.cos());
                }
            }
            Ok(())
        })?;
        out.copy_from_slice(&u);
        Ok(())
    })
    .unwrap()
}

#[test]
fn small_matrices_are_eliminated_inline_to_the_same_bits_in_any_order_of_the_rows() {
    for (n, pull) in [(2, 0.3), (3, -0.2), (5, 0.4), (8, 0.3), (2, 1.7), (4, 2.5), (8, -3.0), (9, 0.3)] {
        let recording = coupled(n, pull);
        let run = |engine| {
            let step = step(&recording, engine);
            let mut work = step.workspace(NewtonOptions::default()).unwrap();
            let mut z: Vec<f64> = (0..n).map(|i| 0.1 + (i as f64).cos()).collect();
            advance(&step, &mut z, &[0.2], 7, &mut work).unwrap();
            (z.iter().map(|z| z.to_bits()).collect::<Vec<_>>(), work.iterations(), work.replayed)
        };
        let (native, tape) = (run(Engine::Best), run(Engine::Tape));
        assert_eq!((&native.0, native.1), (&tape.0, tape.1), "{n} {pull}");
        assert!(!cfg!(feature = "jit") || native.2 == 0, "{n} {pull}: {} steps replayed", native.2);
    }
}
