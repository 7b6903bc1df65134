//! Charts as SVG and PNG.
//!
//! A [`Chart`] is data: panels that share one x axis, each with series, a heat map, indicator lines. It knows
//! no results file; [`views`] makes the usual charts from columns of one. [`save`] writes SVG or PNG.

mod chart;
pub(crate) mod colour;
mod combine;
mod draw;
mod heat;
mod labels;
mod layout;
mod marks;
pub mod png;
mod scale;
pub(crate) mod svg;
mod thin;
mod ticks;
pub mod views;

pub use chart::{Chart, ChartAxis, HeatMap, Indicator, Panel, Series, SeriesStyle, TickKind};
pub use combine::{PanelLine, dash, list_peaks, mark, merged, named_on_axes, squared, stacked, statistics};
pub use layout::Statistics;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum PlotError {
    Extension { path: PathBuf },
    File { path: PathBuf, cause: io::Error },
    TooLarge { width: u32, height: u32 },
    Render(resvg::usvg::Error),
    Encode(Box<dyn std::error::Error + Send + Sync>),
}

/// Draws a chart to a file, SVG or PNG by its extension.
pub fn save(chart: &Chart, path: &Path) -> Result<(), PlotError> {
    save_svg(chart.svg(), path)
}

/// The same for a picture that is drawn already. PNG has two pixels per unit of the SVG, for print.
pub fn save_svg(svg: String, path: &Path) -> Result<(), PlotError> {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    let picture = match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("svg") => svg.into_bytes(),
        Some("png") => png::render(&svg, 2.0)?,
        _ => return Err(PlotError::Extension { path: path.to_owned() }),
    };
    trunnion_files::output::write_or_keep(path, &picture)
        .map_err(|cause| PlotError::File { path: path.to_owned(), cause })
}

impl PlotError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Extension { .. } => Some("end the name with .svg or .png"),
            Self::File { cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Some("the folder is missing: create it first")
            }
            Self::TooLarge { .. } => Some("draw fewer panels, or save as .svg"),
            _ => None,
        }
    }
}

impl fmt::Display for PlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Extension { path } => write!(f, "cannot tell which picture {} should be", path.display()),
            Self::File { path, cause } => write!(f, "cannot write {}: {cause}", path.display()),
            Self::TooLarge { width, height } => {
                write!(f, "a picture of {width} × {height} pixels is too large")
            }
            Self::Render(cause) => write!(f, "cannot draw the picture: {cause}"),
            Self::Encode(cause) => write!(f, "cannot encode the picture: {cause}"),
        }
    }
}

impl std::error::Error for PlotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { cause, .. } => Some(cause),
            Self::Render(cause) => Some(cause),
            _ => None,
        }
    }
}

impl From<PlotError> for trunnion_engine::Failure {
    fn from(e: PlotError) -> Self {
        trunnion_engine::Failure::Picture { message: e.to_string(), hint: e.hint().map(Into::into) }
    }
}

#[cfg(test)]
mod tests;
