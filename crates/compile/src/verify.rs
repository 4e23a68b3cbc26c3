//! Checks that no instruction of a program can leave its memory, on which native code relies, and
//! that nothing is used before it is computed.

use crate::computed::computed_before_use;
use crate::error::CompileError;
use crate::program::{Address, Base, Kernel, Op, Program};
use cotangent_expr::{Domain, Error};

pub(crate) fn verify(program: &Program) -> Result<(), CompileError> {
    for &(base, start, len) in program.segments.iter().flat_map(|s| &s.clear) {
        let memory = match base {
            Base::Input(_) => None,
            Base::Output(k) => program.outputs.get(k).copied(),
            Base::Work => Some(program.work),
        };
        if start.checked_add(len).zip(memory).is_none_or(|(end, memory)| end > memory) {
            return Err(CompileError::NotComputed { what: "what is cleared".into() });
        }
    }
    let stored = |kernel: &Kernel| kernel.stores.iter().any(|store| matches!(store.to.base, Base::Input(_)));
    if program.segments.iter().flat_map(|s| &s.kernels).any(stored) {
        return Err(CompileError::NotComputed { what: "an input".into() });
    }
    for kernel in program.segments.iter().flat_map(|s| &s.kernels) {
        kernel.domain.check()?;
        let hull = kernel.domain.hull();
        for op in &kernel.ops {
            if let Op::Index(i) = op
                && let Some(hull) = &hull
                && i.bounds(hull).is_none()
                && !kernel.domain.for_each(&mut |vars| i.eval(vars).is_some())
            {
                return Err(Error::Undefined.into());
            }
        }
        let addresses = kernel.ops.iter().filter_map(|op| if let Op::Load(a) = op { Some(a) } else { None });
        for address in addresses.chain(kernel.stores.iter().map(|s| &s.to)) {
            check(program, kernel, address, hull.as_deref())?;
        }
    }
    computed_before_use(program)
}

fn check(
    program: &Program,
    kernel: &Kernel,
    address: &Address,
    hull: Option<&[(i64, i64)]>,
) -> Result<(), CompileError> {
    let len = match address.base {
        Base::Input(k) => program.inputs[k],
        Base::Output(k) => program.outputs[k],
        Base::Work => program.work,
    } as i64;
    let inside = |k: i64| (0..len).contains(&k);
    // An empty domain runs nothing.
    let Some(hull) = hull else { return Ok(()) };
    if address.at.bounds(hull).is_some_and(|(a, b)| inside(a) && inside(b)) {
        return Ok(());
    }
    let mut bad = None;
    let domain: &Domain = &kernel.domain;
    domain.for_each(&mut |vars| {
        let at = address.at.eval(vars);
        if !at.is_some_and(inside) {
            bad = Some(at.unwrap_or(i64::MIN));
        }
        bad.is_none()
    });
    match bad {
        None => Ok(()),
        Some(at) => Err(Error::OutOfRange { array: format!("{:?}", address.base), index: vec![at] }.into()),
    }
}
