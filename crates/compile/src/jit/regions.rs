//! Regions around iterations, wherever their numbers are: stages that are repeated, and an iteration with another way.

use super::target::{Comparison, Target};
use crate::program::{Binary, Instruction, Otherwise};
use cotangent_dynamics::{PAUSE, Unknowns, patience};

/// An iteration to a fixed point: where its unknowns are, where its body leaves their next values, and the body.
pub(super) type Map<'p> = (usize, usize, &'p [Instruction]);

/// A step in the making, whose work area is in cells or in memory.
pub(super) trait Regions<T: Target> {
    fn target(&mut self) -> &mut T;

    /// Where to go if something is out of the ordinary.
    fn bail(&self) -> T::Label;

    /// Writes down instructions.
    fn instructions(&mut self, list: &[Instruction]);

    /// A number of the work area.
    fn number_at(&mut self, at: usize) -> T::Number;

    fn set_number(&mut self, at: usize, value: T::Number);

    /// Copies numbers of the work area to another place in it.
    fn copy(&mut self, from: usize, to: usize, count: usize);

    /// Iterates; goes on with the solution, or to `failed` when the patience is at its end.
    fn iterate(&mut self, site: &Unknowns, map: Map<'_>, patience: f64, failed: T::Label);

    /// Stages with one coefficient after the other.
    fn stages(&mut self, coefficients: &[f64], [coefficient, state, next, count]: [usize; 4], body: &[Instruction]) {
        let t = self.target();
        let stage = t.counter();
        let first = t.integer(0);
        t.set_count(stage, first);
        let done = t.open_block();
        let again = t.open_loop();
        let which = t.count(stage);
        let value = t.coefficient(coefficients, which);
        self.set_number(coefficient, value);
        self.instructions(body);
        self.copy(next, state, count);
        let t = self.target();
        let (which, one) = (t.count(stage), t.integer(1));
        let which = t.sum(which, one);
        t.set_count(stage, which);
        let last = t.integer(coefficients.len() as i64 - 1);
        let more = t.in_order(which, last);
        t.go_if(more, again);
        t.go(done);
        t.close_loop(again);
        t.close_block(done);
    }

    /// The iteration, and the other way where it does not arrive.
    fn fixed_point(&mut self, site: &Unknowns, map: Map<'_>, otherwise: Option<&Otherwise>) {
        let Some(Otherwise { pause, solution, body }) = otherwise else {
            // The reference says why it fails.
            return self.iterate(site, map, i64::MAX as f64, self.bail());
        };
        let exit = self.target().open_block();
        let way = self.target().open_block();
        let tried = self.target().open_block();
        let paused = self.number_at(*pause);
        let t = self.target();
        let (zero, one) = (t.number(0.0), t.number(1.0));
        let skipped = t.compare(Comparison::Less, zero, paused);
        t.go_unless(skipped, tried);
        let fewer = t.binary(Binary::Sub, paused, one);
        self.set_number(*pause, fewer);
        self.target().go(way);
        self.target().close_block(tried);
        let in_vain = self.target().number(PAUSE);
        self.set_number(*pause, in_vain);
        self.iterate(site, map, f64::from(patience(site.len())), way);
        let zero = self.target().number(0.0);
        self.set_number(*pause, zero);
        self.target().go(exit);
        self.target().close_block(way);
        self.instructions(body);
        self.copy(*solution, map.0, site.len());
        self.target().close_block(exit);
    }
}
