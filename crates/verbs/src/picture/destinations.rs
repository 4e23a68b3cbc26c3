//! Where pictures go: refused before a computation, written after it.

use crate::failure::{Code, Failure};
use crate::reason::Reason;
use cotangent_observe::is_same;
use cotangent_plot::{self as plot, Figure, Movie, PlotError};
use cotangent_report::{self as report, Report};
use cotangent_scalar::Cancel;
use std::path::{Path, PathBuf};

/// The files of `--plot`, `--report` and `--movie`.
pub(crate) struct Destinations {
    plot: Option<PathBuf>,
    report: Option<PathBuf>,
    movie: Option<PathBuf>,
}

impl Destinations {
    /// Refuses what cannot be written; `table` is another file that the command writes, `model` one
    /// that it reads.
    pub(crate) fn new(
        plot: Option<&Path>,
        report: Option<&Path>,
        table: Option<&Path>,
        model: Option<&str>,
    ) -> Result<Destinations, Failure> {
        let model = model.map(Path::new).filter(|path| path.is_file());
        let all = [("--plot", plot), ("--report", report), ("the table", table), ("the model", model)];
        for (k, (option, file)) in all.iter().take(2).enumerate() {
            for (other, name) in &all[k + 1..] {
                if let (Some(file), Some(name)) = (file, name)
                    && is_same(file, name)
                {
                    let message = format!("{option} and {other} are the same file, `{}`", name.display());
                    return Err(Failure::new(Code::SameFile, message).help("give each a name of its own"));
                }
            }
        }
        if let Some(file) = plot {
            plot::check_destination(file).map_err(|e| Failure::new((&e).into(), e.to_string()))?;
        }
        if let Some(file) = report {
            report::check_destination(file).map_err(|e| Failure::new((&e).into(), e.to_string()))?;
        }
        Ok(Destinations { plot: plot.map(Path::to_owned), report: report.map(Path::to_owned), movie: None })
    }

    /// The same with a movie.
    pub(crate) fn with_movie(mut self, movie: Option<&Path>) -> Result<Destinations, Failure> {
        if let Some(file) = movie {
            plot::check_movie_destination(file).map_err(|e| Failure::new((&e).into(), e.to_string()))?;
        }
        self.movie = movie.map(Path::to_owned);
        Ok(self)
    }

    /// Whether anything is to be drawn.
    pub(crate) fn any(&self) -> bool {
        self.plot.is_some() || self.report.is_some() || self.movie.is_some()
    }

    /// The options that were given, in words.
    pub(crate) fn named(&self) -> &'static str {
        match (&self.plot, &self.report) {
            (Some(_), Some(_)) => "--plot and --report",
            (None, Some(_)) => "--report",
            (None, None) => "--movie",
            _ => "--plot",
        }
    }

    /// Draws the figure, if there is something to draw, and writes the report, where they are wanted.
    pub(crate) fn write(&self, figure: impl FnOnce() -> Option<Figure>, page: impl FnOnce() -> Report) -> Written {
        let mut written = Written::default();
        if let Some(path) = &self.plot
            && let Some(figure) = figure()
        {
            match figure.write(path) {
                Ok(()) => written.plot = Some(path.display().to_string()),
                Err(error) => written.failures.push(Reason::new((&error).into(), error.to_string())),
            }
        }
        if let Some(path) = &self.report {
            match page().write(path) {
                Ok(()) => written.report = Some(path.display().to_string()),
                Err(error) => written.failures.push(Reason::new((&error).into(), error.to_string())),
            }
        }
        written
    }

    /// Whether a movie is wanted.
    pub(crate) fn movie(&self) -> bool {
        self.movie.is_some()
    }

    /// Draws the movie, if there is something that moves, where it is wanted and nobody asks to stop; the file that was
    /// written.
    pub(crate) fn write_movie(
        &self,
        written: &mut Written,
        cancel: &Cancel,
        movie: impl FnOnce() -> Option<Movie>,
    ) -> Option<String> {
        let path = self.movie.as_ref()?;
        let made = match cancel.is_set() {
            true => Err(PlotError::Interrupted),
            false => movie()?.write_while(path, &|| !cancel.is_set()),
        };
        match made {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                written.failures.push(Reason::new((&error).into(), error.to_string()));
                None
            }
        }
    }
}

/// The files that were written; what could not be is no reason to lose the numbers.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) plot: Option<String>,
    pub(crate) report: Option<String>,
    pub(crate) failures: Vec<Reason>,
}
