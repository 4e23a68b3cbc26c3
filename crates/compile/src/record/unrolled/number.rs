//! The arithmetic of numbers that write everything out.

use super::{Key, Recorder, Traced};
use crate::program::{Binary, Op, Unary};
use crate::record::numbers::{elementary, operators};
use crate::tape::{binary, unary};
use cotangent_dynamics::Unrecordable;
use cotangent_scalar::Scalar;

impl<'t> Traced<'t> {
    pub(super) fn number(self, recorder: &'t Recorder) -> u32 {
        let mut trace = recorder.0.borrow_mut();
        match self {
            Traced::Constant(c) => trace.constant(c),
            Traced::Value(number, own) => {
                if !std::ptr::eq(own, recorder) {
                    trace.fail(Unrecordable::Foreign);
                    return trace.constant(0.0);
                }
                number
            }
        }
    }

    fn is_plus(self) -> bool {
        match self {
            Traced::Constant(c) => c.is_sign_positive(),
            Traced::Value(number, r) => r.0.borrow().numbers[number as usize].plus,
        }
    }

    fn map(self, f: Unary) -> Self {
        match self {
            Traced::Constant(c) => Traced::Constant(unary(f, c)),
            Traced::Value(..) if f == Unary::Abs && self.is_plus() => self,
            Traced::Value(a, r) => {
                let made = r.0.borrow_mut().operation(Key::Unary(f, a), &[a], |x| Op::Unary(f, x[0]));
                Traced::Value(made, r)
            }
        }
    }

    fn join(self, other: Self, f: Binary) -> Self {
        let recorder = match (self, other) {
            (Traced::Constant(a), Traced::Constant(b)) => return Traced::Constant(binary(f, a, b)),
            // Exact in IEEE arithmetic, whatever the other value is.
            (_, Traced::Constant(1.0)) if matches!(f, Binary::Mul | Binary::Div) => return self,
            (Traced::Constant(1.0), _) if f == Binary::Mul => return other,
            // So is this, unless it makes a zero with a minus one with a plus.
            (_, Traced::Constant(0.0)) if f == Binary::Add && self.is_plus() => return self,
            (Traced::Constant(0.0), _) if f == Binary::Add && other.is_plus() => return other,
            (Traced::Value(_, r), _) | (_, Traced::Value(_, r)) => r,
        };
        let (a, b) = (self.number(recorder), other.number(recorder));
        let made = recorder.0.borrow_mut().operation(Key::Binary(f, a, b), &[a, b], |x| Op::Binary(f, x[0], x[1]));
        Traced::Value(made, recorder)
    }
}

operators!(Traced);

impl Scalar for Traced<'_> {
    elementary!(Traced);
}
