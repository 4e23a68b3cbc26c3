//! A report and its page.

mod page;

use crate::budget::{self, FILE_LIMIT};
use crate::destination;
use crate::error::ReportError;
use crate::section::Section;
use std::path::Path;

/// A report: a title and its sections.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Title of the page.
    pub title: String,
    /// One line below it; none if empty.
    pub subtitle: String,
    /// The sections in order.
    pub sections: Vec<Section>,
}

impl Report {
    /// A report without sections.
    pub fn new(title: impl Into<String>) -> Self {
        Report { title: title.into(), ..Report::default() }
    }

    /// With this line below the title.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// With one more section.
    #[must_use]
    pub fn with(mut self, section: impl Into<Section>) -> Self {
        self.sections.push(section.into());
        self
    }

    /// The page, of fewer than [`FILE_LIMIT`] bytes.
    pub fn to_html(&self) -> Result<String, ReportError> {
        // Budgets are close to what is used but not exact: tighten them until the page fits.
        for tightness in [1, 2, 4, 16, usize::MAX] {
            let html = page::html(self, &self.bodies(budget::TEXT / tightness, budget::DATA / tightness)?);
            if html.len() < FILE_LIMIT {
                return Ok(html);
            }
        }
        Err(ReportError::TooManySections { sections: self.sections.len(), limit: FILE_LIMIT })
    }

    /// Writes the page in one step: whoever reads the file sees the old one or the new one.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ReportError> {
        destination::check_destination(&path)?;
        Ok(cotangent_destination::replace(path.as_ref(), self.to_html()?.as_bytes())?)
    }

    /// The insides of the sections, with texts and data each in about so many bytes.
    fn bodies(&self, text: usize, data: usize) -> Result<Vec<String>, ReportError> {
        let needs = |data: bool| -> Vec<usize> {
            self.sections.iter().map(|s| if s.is_data() == data { s.need() } else { 0 }).collect()
        };
        let (texts, data) = (budget::share(&needs(false), text), budget::share(&needs(true), data));
        self.sections.iter().enumerate().map(|(id, section)| section.html(id, texts[id] + data[id])).collect()
    }
}
