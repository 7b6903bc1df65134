//! Where the parts of a chart are, before anything is drawn.
//!
//! Legends stand above their panel, so they never cover data; the left margin fits the widest tick label of all
//! panels, so that their axes line up.

use super::chart::{Chart, Panel, Series, SeriesStyle};
use super::scale::{AxisScale, range};
use super::svg::{Markup, printed_unit};
use super::ticks::Ticks;
use super::{Indicator, heat};

pub(crate) const TITLE: f64 = 16.0;
pub(crate) const SUBTITLE: f64 = 12.0;
pub(crate) const LABEL: f64 = 12.5;
pub(crate) const TICK: f64 = 11.5;
pub(crate) const LEGEND: f64 = 12.0;

pub const MARGIN: f64 = 16.0;
pub(crate) const LEGEND_ROW: f64 = 19.0;
/// Line before a legend's text, space after it, space between entries.
pub(crate) const SWATCH: f64 = 22.0;
pub(crate) const SWATCH_GAP: f64 = 6.0;
pub(crate) const ENTRY_GAP: f64 = 20.0;
const MOST_LEGEND_ROWS: usize = 6;
/// A heat map of no more cells than this in a direction has a tick at each.
const MOST_TICKED_CELLS: usize = 12;
const PANEL_GAP: f64 = 22.0;
/// By so much the name of an axis may be longer than it.
const AXIS_BEYOND: f64 = 10.0;

/// Free space at both ends of a y axis, as a share of the data.
const Y_MARGIN: f64 = 0.06;
const X_TICK_SPACING: f64 = 88.0;
const Y_TICK_SPACING: f64 = 34.0;
/// In low panels ticks are closer, as long as their labels stay apart.
const LEAST_Y_TICK_SPACING: f64 = 18.0;

/// A rectangle in px.
#[derive(Clone, Copy, Debug)]
pub struct PixelRect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl PixelRect {
    pub(crate) fn rect(&self, grown: f64) -> [f64; 4] {
        [
            self.left - grown,
            self.top - grown,
            self.right - self.left + 2.0 * grown,
            self.bottom - self.top + 2.0 * grown,
        ]
    }

    pub fn middle(&self) -> (f64, f64) {
        (0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom))
    }
}

/// An entry of a legend: which series, its text, where its swatch begins.
pub struct LegendEntry {
    pub series: usize,
    pub text: Markup,
    pub at: (f64, f64),
}

pub struct LabelPlace {
    pub frame: PixelRect,
    pub x: AxisScale,
    pub y: AxisScale,
    pub y_ticks: Ticks,
    pub legend: Vec<LegendEntry>,
    /// Series that found no room in the legend, and where to say so.
    pub more: Option<(usize, (f64, f64))>,
}

pub struct ChartLayout {
    pub width: f64,
    pub height: f64,
    pub places: Vec<LabelPlace>,
    pub x_ticks: Ticks,
}

pub fn layout(chart: &Chart) -> ChartLayout {
    let width = if chart.width.is_finite() { chart.width.clamp(320.0, 8000.0) } else { 880.0 };
    let panel_height = panel_height(chart);
    let ranges: Vec<(f64, f64)> = chart.panels.iter().map(y_range).collect();
    let y_ticks: Vec<Ticks> = chart
        .panels
        .iter()
        .zip(&ranges)
        .map(|(panel, range)| y_ticks(panel, &AxisScale::new(&panel.y, *range, (panel_height, 0.0))))
        .collect();
    let left = left_margin(chart, &y_ticks);
    let has_heat = chart.panels.iter().any(|panel| panel.heat_map.is_some());
    let right = width - MARGIN - if has_heat { heat::bar_room(chart) } else { 12.0 };
    let right = right.max(left + 80.0);
    let mut top = MARGIN;
    if !chart.title.is_empty() {
        top += TITLE + 8.0;
    }
    if !chart.subtitle.is_empty() {
        top += SUBTITLE + 6.0;
    }
    let x = AxisScale::new(&chart.x, x_range(chart), (left, right));
    let mut places = Vec::new();
    for ((panel, range), y_ticks) in chart.panels.iter().zip(ranges).zip(y_ticks) {
        if !panel.title.is_empty() {
            top += LABEL + 8.0;
        }
        if y_ticks.offset.is_some() {
            top += TICK + 4.0;
        }
        let Legend { entries, more, rows } = legend(panel, [left, right, top], panel_height);
        top += rows as f64 * LEGEND_ROW + if rows > 0 { 4.0 } else { 6.0 };
        let frame = PixelRect { left, top, right, bottom: top + panel_height };
        let y = AxisScale::new(&panel.y, range, (frame.bottom, frame.top));
        places.push(LabelPlace { frame, x, y, y_ticks, legend: entries, more });
        top = frame.bottom + PANEL_GAP;
    }
    if chart.equal_scale {
        equalise(chart, &mut places);
    }
    let x = places.first().map_or(x, |place| place.x);
    let x_ticks = x_ticks(chart, &x);
    let below =
        TICK + 12.0 + if chart.x.text().is_empty() && x_ticks.exponent == 0 { 0.0 } else { LABEL + 8.0 };
    let bottom = if places.is_empty() { top + 40.0 } else { top - PANEL_GAP };
    ChartLayout { width, height: bottom + below + MARGIN - 4.0, places, x_ticks }
}

fn x_ticks(chart: &Chart, scale: &AxisScale) -> Ticks {
    match &chart.panels[..] {
        [Panel { heat_map: Some(map), .. }] if (1..=MOST_TICKED_CELLS).contains(&map.x.len()) => {
            Ticks::at(&map.x)
        }
        _ => Ticks::new(scale, chart.x.ticks, X_TICK_SPACING),
    }
}

fn y_ticks(panel: &Panel, scale: &AxisScale) -> Ticks {
    match &panel.heat_map {
        Some(map) if (1..=MOST_TICKED_CELLS).contains(&map.y.len()) => Ticks::at(&map.y),
        _ => {
            let spacing = (scale.length() / 5.0).clamp(LEAST_Y_TICK_SPACING, Y_TICK_SPACING);
            Ticks::new(scale, panel.y.ticks, spacing)
        }
    }
}

fn panel_height(chart: &Chart) -> f64 {
    let usual = match chart.panels.len() {
        0 | 1 => 380.0,
        2 => 230.0,
        3 => 180.0,
        _ => 145.0,
    };
    chart.panel_height.filter(|height| height.is_finite()).map_or(usual, |height| height.clamp(40.0, 8000.0))
}

fn left_margin(chart: &Chart, y_ticks: &[Ticks]) -> f64 {
    let ticks = y_ticks.iter().map(|ticks| ticks.label_width(TICK)).fold(18.0, f64::max);
    // Room for ×10ⁿ above the labels.
    let factor = if y_ticks.iter().any(|ticks| ticks.exponent != 0) { 36.0 } else { 0.0 };
    let labelled = chart.panels.iter().any(|panel| !panel.y.text().is_empty());
    let label = if labelled { LABEL + 10.0 } else { 0.0 };
    MARGIN + (label + ticks).max(factor) + 8.0
}

fn x_range(chart: &Chart) -> (f64, f64) {
    let series = chart.panels.iter().flat_map(|panel| &panel.series);
    let of_series = series.flat_map(|series| series.x.iter().copied());
    let of_maps = chart.panels.iter().filter_map(|panel| panel.heat_map.as_ref());
    let of_maps = of_maps.flat_map(|map| heat::edges(&map.x, chart.x.log));
    let of_lines = chart.panels.iter().flat_map(|panel| &panel.lines).filter_map(|line| match line {
        Indicator::Vertical { x, .. } => Some(*x),
        Indicator::Horizontal { .. } => None,
    });
    let margin = if x_is_free(chart) { 0.04 } else { 0.0 };
    range(&chart.x, of_series.chain(of_maps).chain(of_lines), margin)
}

/// Markers and paths need room at the sides; histories and maps fill the frame.
fn x_is_free(chart: &Chart) -> bool {
    let free = |series: &Series| {
        series.style != SeriesStyle::Line || series.x.windows(2).any(|pair| pair[1] < pair[0])
    };
    chart.panels.iter().all(|panel| panel.heat_map.is_none())
        && chart.panels.iter().flat_map(|panel| &panel.series).any(free)
}

fn y_range(panel: &Panel) -> (f64, f64) {
    let of_series = panel.series.iter().flat_map(|series| series.drawn().into_iter().map(|p| p.1));
    let of_lines = panel.lines.iter().filter_map(|line| match line {
        Indicator::Horizontal { y, .. } => Some(*y),
        Indicator::Vertical { .. } => None,
    });
    match &panel.heat_map {
        Some(map) => range(&panel.y, heat::edges(&map.y, panel.y.log).into_iter(), 0.0),
        None => range(&panel.y, of_series.chain(of_lines), Y_MARGIN),
    }
}

/// Beside an axis of this height.
fn axis_fits(panel: &Panel, height: f64) -> bool {
    Markup::plain(&panel.y.text()).width(LABEL) <= height + AXIS_BEYOND
}

/// What stands beside the y axis: a name that is too long stands in the legend, with its unit here.
pub(crate) fn axis_text(panel: &Panel, height: f64) -> String {
    match axis_fits(panel, height) || panel.y.unit.is_empty() {
        true => panel.y.text(),
        false => format!("[{}]", printed_unit(&panel.y.unit)),
    }
}

/// A legend laid out: its entries, how many found no room and where to say so, its number of rows.
struct Legend {
    entries: Vec<LegendEntry>,
    more: Option<(usize, (f64, f64))>,
    rows: usize,
}

fn legend(panel: &Panel, [left, right, top]: [f64; 3], height: f64) -> Legend {
    // One self-explaining series needs no legend: its name is on the axis.
    let own: Vec<&Series> = panel.series.iter().filter(|series| !series.name.is_empty()).collect();
    let alone = own.len() == 1 && panel.y.label.ends_with(&own[0].name) && axis_fits(panel, height);
    let named = |series: &Series| !series.name.is_empty() && (!alone || panel.statistics);
    // A name longer than the panel is wide is written smaller.
    let room = right - left - SWATCH - SWATCH_GAP;
    let fitted = |text: Markup| match text.width(LEGEND) {
        wide if wide > room => text.scaled((room / wide).max(0.5)),
        _ => text,
    };
    let mut entries = Vec::new();
    let (mut x, mut row) = (left, 0);
    for (idx, series) in panel.series.iter().enumerate().filter(|(_, series)| named(series)) {
        let text = fitted(legend_text(panel, series));
        let length = SWATCH + SWATCH_GAP + text.width(LEGEND);
        if x > left && x + length > right {
            (x, row) = (left, row + 1);
        }
        let at = (x, top + row as f64 * LEGEND_ROW + 0.7 * LEGEND_ROW);
        if row == MOST_LEGEND_ROWS {
            return Legend { entries, more: Some((panel.series.len() - idx, at)), rows: row + 1 };
        }
        entries.push(LegendEntry { series: idx, text, at });
        x += length + ENTRY_GAP;
    }
    let rows = if entries.is_empty() { 0 } else { row + 1 };
    Legend { entries, more: None, rows }
}

fn legend_text(panel: &Panel, series: &Series) -> Markup {
    let name = Markup::plain(&series.name);
    let Some(found) = Statistics::of(series).filter(|_| panel.statistics) else { return name };
    let value = |what: &str, value: f64| Markup::plain(what).then(Markup::number(value));
    name.then(value(": min ", found.min.1))
        .then(value(", max ", found.max.1))
        .then(value(", mean ", found.mean))
}

/// Lowest and highest point of a series, its mean and its root of the mean square over x.
pub struct Statistics {
    pub min: (f64, f64),
    pub max: (f64, f64),
    pub mean: f64,
    pub rms: f64,
}

impl Statistics {
    pub fn of(series: &Series) -> Option<Self> {
        let finite: Vec<(f64, f64)> =
            series.points().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let first = *finite.first()?;
        let min = finite.iter().fold(first, |best, point| if point.1 < best.1 { *point } else { best });
        let max = finite.iter().fold(first, |best, point| if point.1 > best.1 { *point } else { best });
        let known = series.extremes.unwrap_or_default();
        let min = if known.min.1 < min.1 { known.min } else { min };
        let max = if known.max.1 > max.1 { known.max } else { max };
        // Over x, as steps may differ: ∫ y dx / ∫ dx and ∫ y² dx / ∫ dx for straight lines between points.
        let (mut area, mut square, mut length) = (0.0, 0.0, 0.0);
        for pair in finite.windows(2) {
            let (dx, a, b) = (pair[1].0 - pair[0].0, pair[0].1, pair[1].1);
            // Stairs keep their value up to the next point.
            let b = if series.held { a } else { b };
            area += 0.5 * dx * (a + b);
            square += dx * (a * a + a * b + b * b) / 3.0;
            length += dx;
        }
        if length <= 0.0 {
            (length, area) = (finite.len() as f64, finite.iter().map(|p| p.1).sum());
            square = finite.iter().map(|p| p.1 * p.1).sum();
        }
        Some(Self { min, max, mean: area / length, rms: (square / length).max(0.0).sqrt() })
    }
}

/// Widens the axis that has more px per unit until both have the same.
fn equalise(chart: &Chart, places: &mut [LabelPlace]) {
    for (panel, place) in chart.panels.iter().zip(places) {
        if place.x.log || place.y.log {
            return;
        }
        let per_px = |scale: &AxisScale| (scale.max - scale.min) / scale.length();
        let widest = per_px(&place.x).max(per_px(&place.y));
        for scale in [&mut place.x, &mut place.y] {
            let free = 0.5 * (widest * scale.length() - (scale.max - scale.min));
            scale.min -= free;
            scale.max += free;
        }
        place.y_ticks = y_ticks(panel, &place.y);
    }
}
