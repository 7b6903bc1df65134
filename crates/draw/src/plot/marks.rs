//! What stands for data in a panel: lines, markers, indicators, their legend.

use super::chart::{Indicator, Panel, SeriesStyle};
use super::layout::{self, LabelPlace, Statistics};
use super::svg::{Anchor, Canvas, Font, Markup, coordinate};
use super::thin::thin;
use super::{Series, colour};

const MARKER: f64 = 3.4;
/// A line with markers shows them only while they stay apart.
const MOST_MARKERS_ON_LINE: usize = 120;

pub fn series(canvas: &mut Canvas, panel: &Panel, place: &LabelPlace) {
    for (idx, series) in panel.series.iter().enumerate() {
        let points = || pixels(series, place);
        if has_line(series.style) {
            line(canvas, (idx, series.dashed), &thin(points(), place.frame.left, place.frame.right));
        }
        let dense = series.style == SeriesStyle::LineAndMarkers && series.x.len() > MOST_MARKERS_ON_LINE;
        if series.style != SeriesStyle::Line && !dense {
            for at in points().filter(|(x, y)| !x.is_nan() && !y.is_nan()) {
                marker(canvas, idx, series.style, at);
            }
        }
    }
}

/// The points of a series in px; NaN where there is none to show.
pub fn pixels(series: &Series, place: &LabelPlace) -> impl Iterator<Item = (f64, f64)> {
    let (x_scale, y_scale) = (place.x, place.y);
    series.drawn().into_iter().map(move |(x, y)| (x_scale.px(x), y_scale.px(y)))
}

fn has_line(style: SeriesStyle) -> bool {
    matches!(style, SeriesStyle::Line | SeriesStyle::LineAndMarkers)
}

fn line(canvas: &mut Canvas, (idx, dashed): (usize, bool), pieces: &[Vec<(f64, f64)>]) {
    let (stroke, dashes) = stroke(idx, dashed);
    let mut data = String::new();
    for piece in pieces {
        if let [point] = piece[..] {
            // A value between two gaps has no line to be seen by.
            canvas.circle(point, 1.6, &format!("fill=\"{stroke}\""));
            continue;
        }
        data.push('M');
        for (x, y) in piece {
            data += &coordinate(*x);
            data.push(' ');
            data += &coordinate(*y);
            data.push(' ');
        }
        data.pop();
    }
    if !data.is_empty() {
        canvas.path(&data, &line_attributes(stroke, dashes));
    }
}

/// Colour and dashes.
fn stroke(idx: usize, dashed: bool) -> (&'static str, &'static str) {
    let (stroke, dashes) = colour::series(idx);
    (stroke, if dashed && dashes.is_empty() { "7 4" } else { dashes })
}

fn line_attributes(stroke: &str, dashes: &str) -> String {
    let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
    format!("fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.7\" stroke-linejoin=\"round\"{dashes}")
}

/// Circle, square, triangle, diamond by turns: they differ even without colour.
fn marker(canvas: &mut Canvas, idx: usize, style: SeriesStyle, at: (f64, f64)) {
    let (fill, _) = colour::series(idx);
    let rim = format!("fill=\"{fill}\" stroke=\"#ffffff\" stroke-width=\"1\"");
    let (x, y) = at;
    let r = MARKER;
    if style == SeriesStyle::Crosses {
        let stroke = format!("stroke=\"{fill}\" stroke-width=\"1.8\"");
        canvas.line((x - r, y - r), (x + r, y + r), &stroke);
        canvas.line((x - r, y + r), (x + r, y - r), &stroke);
        return;
    }
    match idx % 4 {
        0 => canvas.circle(at, r, &rim),
        1 => canvas.rect([x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r], &rim),
        2 => {
            polygon(canvas, &[(x, y - 1.2 * r), (x + 1.1 * r, y + 0.8 * r), (x - 1.1 * r, y + 0.8 * r)], &rim)
        }
        _ => polygon(canvas, &[(x, y - 1.3 * r), (x + 1.3 * r, y), (x, y + 1.3 * r), (x - 1.3 * r, y)], &rim),
    }
}

fn polygon(canvas: &mut Canvas, corners: &[(f64, f64)], attributes: &str) {
    let corners: Vec<String> =
        corners.iter().map(|(x, y)| format!("{} {}", coordinate(*x), coordinate(*y))).collect();
    canvas.path(&format!("M{}Z", corners.join(" ")), attributes);
}

/// A triangle that points at the highest point from above, and one at the lowest from below.
pub fn extremes(canvas: &mut Canvas, panel: &Panel, place: &LabelPlace) {
    for (idx, series) in panel.series.iter().enumerate().filter(|_| panel.statistics) {
        let Some(found) = Statistics::of(series) else { continue };
        let fill = format!("fill=\"{}\"", colour::series(idx).0);
        for (point, side) in [(found.max, -1.0), (found.min, 1.0)] {
            let (x, y) = (place.x.px(point.0), place.y.px(point.1));
            if place.x.contains(point.0) && place.y.contains(point.1) {
                let base = y + side * 10.0;
                polygon(canvas, &[(x, y + side * 3.0), (x - 4.0, base), (x + 4.0, base)], &fill);
            }
        }
    }
}

pub fn lines(canvas: &mut Canvas, panel: &Panel, place: &LabelPlace) {
    let stroke = format!("stroke=\"{}\" stroke-width=\"1.1\" stroke-dasharray=\"5 3\"", colour::INDICATOR);
    let frame = &place.frame;
    for line in &panel.lines {
        match line {
            Indicator::Horizontal { y, .. } => {
                let y = place.y.px(*y);
                canvas.line((frame.left, y), (frame.right, y), &stroke);
            }
            Indicator::Vertical { x, .. } => {
                let x = place.x.px(*x);
                canvas.line((x, frame.top), (x, frame.bottom), &stroke);
            }
        }
    }
}

pub(crate) fn legend(canvas: &mut Canvas, panel: &Panel, place: &LabelPlace) {
    let font = Font::new(layout::LEGEND, colour::TEXT, Anchor::Start);
    for entry in &place.legend {
        let (x, y) = entry.at;
        let middle = y - 0.33 * layout::LEGEND;
        let series = &panel.series[entry.series];
        let ((stroke, dashes), style) = (stroke(entry.series, series.dashed), series.style);
        if has_line(style) {
            canvas.line((x, middle), (x + layout::SWATCH, middle), &line_attributes(stroke, dashes));
        }
        if style != SeriesStyle::Line {
            marker(canvas, entry.series, style, (x + 0.5 * layout::SWATCH, middle));
        }
        canvas.text((x + layout::SWATCH + layout::SWATCH_GAP, y), font, &entry.text);
    }
    if let Some((n, at)) = place.more {
        let font = Font { fill: colour::QUIET_TEXT, ..font };
        canvas.text(at, font, &Markup::plain(&format!("and {n} more")));
    }
}
