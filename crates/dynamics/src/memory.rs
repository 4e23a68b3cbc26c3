//! What a method remembers besides the state, by name.

use std::ops::Range;

/// A part of the memory of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// z − z₋₁, the increment of the step before.
    LastIncrement,
    /// 1/h₋₁ of the step before; zero if there is none.
    LastInverseStep,
    /// The terms h bᵢ f expected at the stages of the next step, if it has the size of the last.
    NextTerms,
    /// The multipliers expected in the next step, if it has the size of the last.
    NextMultipliers,
    /// Those at the end of the last.
    LastMultipliers,
    /// One if the multipliers change little in a step, otherwise zero.
    Trust,
    /// h₋₁ of the step before; zero if there is none.
    LastStep,
    /// For how many steps no iteration to a fixed point is tried.
    Pause,
    /// How far the own time of a method with a step-size control is ahead of what is delivered, and its rounding error.
    OwnTime,
    /// Its current own step with its sign, the size of the next, and the error of the last.
    OwnStep,
    /// How many own steps were accepted and rejected.
    OwnSteps,
    /// The values that it delivered last.
    Delivered,
    /// Its own state.
    OwnState,
    /// What rounding has cut off from that.
    OwnCarry,
    /// The rate there.
    OwnRate,
    /// The coefficients of its dense output.
    DenseOutput,
    /// The coordinates of the chart, counted from 1; zero before the first step.
    Chart,
    /// How often the chart was changed.
    ChartChanges,
    /// How often positions and momenta were projected.
    Projections,
}

/// The parts of the memory of a state, one after the other: those of a method first, then those of what is around it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemoryLayout(Vec<(Part, Range<usize>)>);

impl MemoryLayout {
    /// Nothing to remember.
    pub fn new() -> MemoryLayout {
        MemoryLayout::default()
    }

    /// The same with another part after those it has.
    pub fn with(mut self, part: Part, len: usize) -> MemoryLayout {
        let start = self.len();
        self.0.push((part, start..start + len));
        self
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |(_, range)| range.end)
    }

    /// Whether there is nothing to remember.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a part is.
    pub fn range(&self, part: Part) -> Option<Range<usize>> {
        self.0.iter().find(|(p, _)| *p == part).map(|(_, range)| range.clone())
    }

    /// A part of a memory; `None` if it has no such part.
    pub fn part<'m, S>(&self, part: Part, memory: &'m [S]) -> Option<&'m [S]> {
        memory.get(self.range(part)?)
    }

    /// The same to be filled.
    pub fn part_mut<'m, S>(&self, part: Part, memory: &'m mut [S]) -> Option<&'m mut [S]> {
        memory.get_mut(self.range(part)?)
    }

    /// Several parts to be filled; `None` if one of them is not there.
    pub fn parts_mut<'m, S, const N: usize>(&self, parts: [Part; N], memory: &'m mut [S]) -> Option<[&'m mut [S]; N]> {
        let mut ranges = parts.map(|_| 0..0);
        for (range, part) in ranges.iter_mut().zip(parts) {
            *range = self.range(part)?;
        }
        memory.get_disjoint_mut(ranges).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_and_a_part_that_is_not_there_is_none() {
        let layout = MemoryLayout::new().with(Part::LastIncrement, 3).with(Part::LastInverseStep, 1);
        let memory = [1.0, 2.0, 3.0, 4.0];
        assert_eq!((layout.len(), layout.range(Part::LastInverseStep)), (4, Some(3..4)));
        assert_eq!(layout.part(Part::LastIncrement, &memory), Some(&memory[..3]));
        assert_eq!(layout.part(Part::Projections, &memory), None);
        assert_eq!(layout.part(Part::LastIncrement, &memory[..2]), None);
    }
}
