//! What a chart shows, as data. Values and units are as they shall be read: the caller has scaled them.

use super::svg::printed_unit;
use super::{PlotError, draw, png};
use trunnion_results::Extremes;

/// Panels above one another over one x axis.
#[derive(Clone, Debug)]
pub struct Chart {
    pub title: String,
    /// A second, smaller line: model, run, tolerance.
    pub subtitle: String,
    pub x: ChartAxis,
    pub panels: Vec<Panel>,
    /// Width of the whole picture in px.
    pub width: f64,
    /// Height of the plotting area of each panel in px; chosen by their number when absent.
    pub panel_height: Option<f64>,
    /// One unit is as long on x as on y: paths in space, pole maps.
    pub equal_scale: bool,
}

impl Default for Chart {
    fn default() -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            x: ChartAxis::default(),
            panels: Vec::new(),
            width: 880.0,
            panel_height: None,
            equal_scale: false,
        }
    }
}

/// An axis; by default linear and as long as its data.
#[derive(Clone, Debug, Default)]
pub struct ChartAxis {
    pub label: String,
    pub unit: String,
    pub log: bool,
    /// Shown range, where the data's own is not wanted.
    pub range: Option<(f64, f64)>,
    pub ticks: TickKind,
}

/// Where the ticks of a linear axis are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TickKind {
    /// Steps of 1, 2, 5 times a power of ten.
    #[default]
    Decimal,
    /// Steps that divide a turn: 15, 30, 45, 90, 180 degrees.
    Degrees,
}

#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub title: String,
    pub y: ChartAxis,
    pub series: Vec<Series>,
    /// Drawn below the series.
    pub heat_map: Option<HeatMap>,
    pub lines: Vec<Indicator>,
    /// Marks minimum and maximum of each series and gives them and the mean in the legend.
    pub statistics: bool,
}

/// Points in order. A NaN leaves a gap, two points at one x a vertical jump.
#[derive(Clone, Debug, Default)]
pub struct Series {
    pub name: String,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub style: SeriesStyle,
    /// Lowest and highest point, where they are known from more than the points.
    pub extremes: Option<Extremes>,
    /// Each value stays until the next point: a sampled signal, drawn as stairs.
    pub held: bool,
    /// Lets a line that lies below be seen.
    pub dashed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeriesStyle {
    #[default]
    Line,
    Markers,
    LineAndMarkers,
    /// Poles.
    Crosses,
}

/// A labelled line across a panel: a limit, an event, an axis.
#[derive(Clone, Debug)]
pub enum Indicator {
    Horizontal { y: f64, label: String },
    Vertical { x: f64, label: String },
}

/// A value over two parameters, `z[j * x.len() + i]` at `(x[i], y[j])`; NaN where there is none.
#[derive(Clone, Debug, Default)]
pub struct HeatMap {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub z: Vec<f64>,
    pub label: String,
    pub unit: String,
}

impl Chart {
    pub fn svg(&self) -> String {
        draw::svg(self)
    }

    /// At two pixels per unit of the SVG, for print.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        png::render(&self.svg(), 2.0)
    }
}

impl ChartAxis {
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), ..Self::default() }
    }

    /// `label [unit]`, or what of it there is.
    pub fn text(&self) -> String {
        named(&self.label, &self.unit)
    }
}

impl HeatMap {
    pub fn text(&self) -> String {
        named(&self.label, &self.unit)
    }
}

fn named(label: &str, unit: &str) -> String {
    let unit = printed_unit(unit);
    match (label.is_empty(), unit.is_empty()) {
        (_, true) => label.to_owned(),
        (true, false) => format!("[{unit}]"),
        (false, false) => format!("{label} [{unit}]"),
    }
}

impl Series {
    pub fn new(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { name: name.into(), x, y, ..Self::default() }
    }

    /// Points as far as both coordinates are given.
    pub(super) fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.x.iter().copied().zip(self.y.iter().copied())
    }

    /// The same with the extremes in their places, and with the corners of stairs.
    pub(super) fn drawn(&self) -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> = self.points().collect();
        if self.held {
            let corner = |pair: &[(f64, f64)]| (pair[1].0 > pair[0].0).then_some((pair[1].0, pair[0].1));
            let corners = points.windows(2).map(corner).chain([None]);
            return points.iter().zip(corners).flat_map(|(&p, c)| [Some(p), c]).flatten().collect();
        }
        for point in self.extremes.iter().flat_map(|e| [e.min, e.max]).filter(|p| p.0.is_finite()) {
            let place = points.partition_point(|p| p.0 <= point.0);
            if place > 0 && place < points.len() && points[place - 1].0 < point.0 {
                points.insert(place, point);
            }
        }
        points
    }
}
