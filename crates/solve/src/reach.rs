//! Which entries a column of a sparse factor has.

const NONE: u32 = u32::MAX;

/// The search for the rows that a column reaches through the columns of L before it (Gilbert &
/// Peierls, 1988), with its memory.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The step in which each row was the pivot.
    step_of: Vec<u32>,
    /// The search that has seen each row.
    seen: Vec<u32>,
    search: u32,
    /// Steps on the way, with the next entry of their column to look at.
    path: Vec<(u32, usize)>,
    /// Steps found, the last to be applied first.
    steps: Vec<u32>,
    /// Rows found that have not been a pivot.
    rows: Vec<u32>,
}

impl Reach {
    pub(crate) fn new(size: usize) -> Self {
        let list = || Vec::with_capacity(size);
        Self {
            step_of: vec![NONE; size],
            seen: vec![0; size],
            search: 0,
            path: Vec::with_capacity(size),
            steps: list(),
            rows: list(),
        }
    }

    /// Begins with the first rows as the pivots of the steps of the same number.
    pub(crate) fn start(&mut self, steps: usize) {
        for (i, step) in self.step_of.iter_mut().enumerate() {
            *step = if i < steps { i as u32 } else { NONE };
        }
        self.seen.fill(0);
        self.search = 0;
    }

    /// Makes a row the pivot of a step.
    pub(crate) fn assign(&mut self, row: u32, step: usize) {
        self.step_of[row as usize] = step as u32;
    }

    /// Whether a row has not been a pivot.
    pub(crate) fn is_left(&self, row: u32) -> bool {
        self.step_of[row as usize] == NONE
    }

    /// The steps to apply, each after those it depends on.
    pub(crate) fn steps(&self) -> &[u32] {
        &self.steps
    }

    /// The rows reached that have not been a pivot.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Searches from the rows of a column of the matrix, through L given by columns.
    pub(crate) fn search(&mut self, column: &[u32], starts: &[usize], rows: &[u32]) {
        self.search += 1;
        self.steps.clear();
        self.rows.clear();
        for &row in column {
            self.visit(row, starts);
            while let Some((step, next)) = self.path.last_mut() {
                if *next < starts[*step as usize + 1] {
                    let row = rows[*next];
                    *next += 1;
                    self.visit(row, starts);
                } else {
                    self.steps.push(*step);
                    self.path.pop();
                }
            }
        }
        self.steps.reverse();
    }

    fn visit(&mut self, row: u32, starts: &[usize]) {
        let seen = &mut self.seen[row as usize];
        if *seen == self.search {
            return;
        }
        *seen = self.search;
        match self.step_of[row as usize] {
            NONE => self.rows.push(row),
            step => self.path.push((step, starts[step as usize])),
        }
    }
}
