//! Draws a chart from its layout, from back to front.

use super::chart::Chart;
use super::colour;
use super::layout::{self, ChartLayout, LabelPlace, layout};
use super::svg::{Anchor, Canvas, Font, Markup, grid_stroke, shortened};
use super::ticks::Ticks;
use super::{heat, labels, marks};
use trunnion_num::text::number;

pub fn svg(chart: &Chart) -> String {
    let layout = layout(chart);
    let mut canvas = Canvas::new(layout.width, layout.height, &chart.title);
    titles(&mut canvas, chart, &layout);
    for (idx, (panel, place)) in chart.panels.iter().zip(&layout.places).enumerate() {
        grid(&mut canvas, place, &layout.x_ticks);
        canvas.clip(&format!("panel{idx}"), place.frame.rect(1.0));
        if let Some(map) = &panel.heat_map {
            heat::cells(&mut canvas, map, place);
        }
        marks::lines(&mut canvas, panel, place);
        marks::series(&mut canvas, panel, place);
        canvas.end();
        marks::extremes(&mut canvas, panel, place);
        labels::line_labels(&mut canvas, panel, place);
        axes(&mut canvas, place);
        y_labels(&mut canvas, chart, idx, place);
        marks::legend(&mut canvas, panel, place);
        if let Some(map) = &panel.heat_map {
            heat::bar(&mut canvas, map, place);
        }
    }
    if let Some(last) = layout.places.last() {
        x_labels(&mut canvas, chart, &layout, last);
    } else {
        let middle = (0.5 * layout.width, layout.height - 24.0);
        nothing(&mut canvas, middle);
    }
    canvas.finish()
}

fn titles(canvas: &mut Canvas, chart: &Chart, layout: &ChartLayout) {
    let left = layout.places.first().map_or(layout::MARGIN, |place| place.frame.left);
    let room = layout.width - left - layout::MARGIN;
    let mut y = layout::MARGIN;
    if !chart.title.is_empty() {
        y += layout::TITLE - 2.0;
        let font = Font { bold: true, ..Font::new(layout::TITLE, colour::TEXT, Anchor::Start) };
        // Bold letters are about a tenth wider. A long title is written smaller before it is cut.
        let wide = Markup::plain(&chart.title).width(1.1 * layout::TITLE);
        let size = layout::TITLE * (room / wide).clamp(0.7, 1.0);
        let text = Markup::plain(&shortened(&chart.title, 1.1 * size, room));
        canvas.text((left, y), Font { size, ..font }, &text);
        y += 10.0;
    }
    if !chart.subtitle.is_empty() {
        y += layout::SUBTITLE - 3.0;
        let font = Font::new(layout::SUBTITLE, colour::QUIET_TEXT, Anchor::Start);
        canvas.text((left, y), font, &Markup::plain(&shortened(&chart.subtitle, layout::SUBTITLE, room)));
    }
}

fn grid(canvas: &mut Canvas, place: &LabelPlace, x_ticks: &Ticks) {
    let frame = &place.frame;
    let vertical = |canvas: &mut Canvas, value: f64, fine: bool| {
        let x = place.x.px(value);
        canvas.line((x, frame.top), (x, frame.bottom), &grid_stroke(fine));
    };
    let horizontal = |canvas: &mut Canvas, value: f64, fine: bool| {
        let y = place.y.px(value);
        canvas.line((frame.left, y), (frame.right, y), &grid_stroke(fine));
    };
    x_ticks.minor.iter().for_each(|value| vertical(canvas, *value, true));
    place.y_ticks.minor.iter().for_each(|value| horizontal(canvas, *value, true));
    x_ticks.major.iter().for_each(|(value, _)| vertical(canvas, *value, false));
    place.y_ticks.major.iter().for_each(|(value, _)| horizontal(canvas, *value, false));
}

fn axes(canvas: &mut Canvas, place: &LabelPlace) {
    let frame = &place.frame;
    let stroke = format!("stroke=\"{}\" stroke-width=\"1\" stroke-linecap=\"square\"", colour::AXIS);
    canvas.line((frame.left, frame.top), (frame.left, frame.bottom), &stroke);
    canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), &stroke);
}

fn y_labels(canvas: &mut Canvas, chart: &Chart, idx: usize, place: &LabelPlace) {
    let (panel, frame) = (&chart.panels[idx], &place.frame);
    let tick = Font::new(layout::TICK, colour::QUIET_TEXT, Anchor::End);
    for (value, label) in &place.y_ticks.major {
        // A third of the size below centres digits on their line.
        canvas.text((frame.left - 7.0, place.y.px(*value) + 0.35 * layout::TICK), tick, label);
    }
    if place.y_ticks.exponent != 0 {
        let factor = Markup::plain("×").then(Markup::power_of_ten(place.y_ticks.exponent));
        canvas.text((frame.left - 7.0, frame.top - 9.0), tick, &factor);
    }
    if let Some(offset) = place.y_ticks.offset {
        let note = Markup::plain(&format!("offset {}", number(offset, 12)));
        let font = Font::new(layout::TICK, colour::QUIET_TEXT, Anchor::Start);
        canvas.text((frame.left, note_y(place)), font, &note);
    }
    if !panel.title.is_empty() {
        let font = Font { bold: true, ..Font::new(layout::LABEL, colour::TEXT, Anchor::Start) };
        let above = if place.y_ticks.offset.is_some() { layout::TICK + 4.0 } else { 0.0 };
        canvas.text((frame.left, note_y(place) - above), font, &Markup::plain(&panel.title));
    }
    let text = layout::axis_text(panel, frame.bottom - frame.top);
    if !text.is_empty() {
        let room = frame.bottom - frame.top + 10.0;
        let font = Font { upright: true, ..Font::new(layout::LABEL, colour::TEXT, Anchor::Middle) };
        let at = (layout::MARGIN + 0.75 * layout::LABEL, frame.middle().1);
        canvas.text(at, font, &Markup::plain(&shortened(&text, layout::LABEL, room)));
    }
    if panel.heat_map.is_none()
        && panel.series.iter().all(|series| !series.points().any(|(x, y)| x.is_finite() && y.is_finite()))
    {
        nothing(canvas, frame.middle());
    }
}

/// The line just above a panel's legend.
fn note_y(place: &LabelPlace) -> f64 {
    let rows = place.legend.iter().map(|entry| entry.at.1).fold(f64::INFINITY, f64::min);
    if rows.is_finite() { rows - 0.7 * layout::LEGEND_ROW - 3.0 } else { place.frame.top - 9.0 }
}

fn nothing(canvas: &mut Canvas, at: (f64, f64)) {
    let font = Font::new(layout::LABEL, colour::QUIET_TEXT, Anchor::Middle);
    canvas.text(at, font, &Markup::plain("no data"));
}

fn x_labels(canvas: &mut Canvas, chart: &Chart, layout: &ChartLayout, last: &LabelPlace) {
    let frame = &last.frame;
    let tick = Font::new(layout::TICK, colour::QUIET_TEXT, Anchor::Middle);
    for (value, label) in &layout.x_ticks.major {
        canvas.text((last.x.px(*value), frame.bottom + 7.0 + layout::TICK), tick, label);
    }
    let y = frame.bottom + layout::TICK + 16.0 + layout::LABEL;
    let text = chart.x.text();
    if !text.is_empty() {
        let font = Font::new(layout::LABEL, colour::TEXT, Anchor::Middle);
        canvas.text((frame.middle().0, y), font, &Markup::plain(&text));
    }
    let mut scaling = Markup::default();
    if layout.x_ticks.exponent != 0 {
        scaling = Markup::plain("×").then(Markup::power_of_ten(layout.x_ticks.exponent));
    }
    if let Some(offset) = layout.x_ticks.offset {
        scaling = scaling.then(Markup::plain(&format!("  offset {}", number(offset, 12))));
    }
    canvas.text((frame.right, y), Font { anchor: Anchor::End, ..tick }, &scaling);
}
