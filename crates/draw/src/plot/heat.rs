//! A value over two parameters: coloured cells and the bar that explains them.

use super::chart::{Chart, ChartAxis, HeatMap};
use super::colour;
use super::layout::{self, LabelPlace};
use super::scale::{AxisScale, range};
use super::svg::{Anchor, Canvas, Font, Markup, shortened};
use super::ticks::Ticks;

const BAR_GAP: f64 = 18.0;
const BAR_WIDTH: f64 = 14.0;
/// Cells at least this large carry their value.
const VALUE_CELL: (f64, f64) = (48.0, 20.0);
/// Steps of the colour bar; more are not distinguished.
const BAR_STEPS: usize = 64;

/// Borders of cells around these centres: halfway between neighbours, geometrically on a log axis.
pub fn edges(centres: &[f64], log: bool) -> Vec<f64> {
    let forth = |value: f64| if log { value.ln() } else { value };
    let back = |value: f64| if log { value.exp() } else { value };
    let at: Vec<f64> = centres.iter().map(|value| forth(*value)).collect();
    let (Some(first), Some(last)) = (at.first(), at.last()) else { return Vec::new() };
    // A single cell is one unit wide, for want of a neighbour.
    let half = |a: usize, b: usize| if at.len() > 1 { 0.5 * (at[b] - at[a]) } else { 0.5 };
    let mut edges = vec![back(first - half(0, 1))];
    edges.extend(at.windows(2).map(|pair| back(0.5 * (pair[0] + pair[1]))));
    edges.push(back(last + half(at.len().saturating_sub(2), at.len() - 1)));
    edges
}

pub fn cells(canvas: &mut Canvas, map: &HeatMap, place: &LabelPlace) {
    let (min, max) = z_range(map);
    let xs: Vec<f64> = edges(&map.x, place.x.log).iter().map(|x| place.x.px(*x)).collect();
    let ys: Vec<f64> = edges(&map.y, place.y.log).iter().map(|y| place.y.px(*y)).collect();
    canvas.group("shape-rendering=\"crispEdges\"");
    for j in 0..map.y.len() {
        for i in 0..map.x.len() {
            let Some(z) = map.z.get(j * map.x.len() + i) else { continue };
            let share = (z - min) / (max - min);
            let fill = if z.is_finite() { colour::heat(share) } else { colour::MISSING.to_owned() };
            let (left, right) = (xs[i].min(xs[i + 1]), xs[i].max(xs[i + 1]));
            let (top, bottom) = (ys[j].min(ys[j + 1]), ys[j].max(ys[j + 1]));
            canvas.rect([left, top, right - left, bottom - top], &format!("fill=\"{fill}\""));
            if right - left >= VALUE_CELL.0 && bottom - top >= VALUE_CELL.1 {
                let fill = if z.is_finite() { colour::on_heat(share) } else { colour::QUIET_TEXT };
                let text = if z.is_finite() { Markup::number(*z) } else { Markup::plain("–") };
                let at = (0.5 * (left + right), 0.5 * (top + bottom) + 0.35 * layout::TICK);
                canvas.text(at, Font::new(layout::TICK, fill, Anchor::Middle), &text);
            }
        }
    }
    canvas.end();
}

/// Width that the widest colour bar with its labels takes beside the panels.
pub(crate) fn bar_room(chart: &Chart) -> f64 {
    let maps = chart.panels.iter().filter_map(|panel| panel.heat_map.as_ref());
    let labels = maps.map(|map| {
        let scale = AxisScale::new(&ChartAxis::default(), z_range(map), (200.0, 0.0));
        Ticks::new(&scale, ChartAxis::default().ticks, 42.0).label_width(layout::TICK)
    });
    BAR_GAP + BAR_WIDTH + 6.0 + labels.fold(24.0, f64::max) + layout::LABEL + 14.0
}

pub fn bar(canvas: &mut Canvas, map: &HeatMap, place: &LabelPlace) {
    let frame = &place.frame;
    let axis = ChartAxis::default();
    let scale = AxisScale::new(&axis, z_range(map), (frame.bottom, frame.top));
    let ticks = Ticks::new(&scale, axis.ticks, 42.0);
    let left = frame.right + BAR_GAP;
    let step = (frame.bottom - frame.top) / BAR_STEPS as f64;
    for i in 0..BAR_STEPS {
        let fill = colour::heat((i as f64 + 0.5) / BAR_STEPS as f64);
        let top = frame.bottom - (i + 1) as f64 * step;
        // Half a px of overlap leaves no seams.
        let attributes = format!("fill=\"{fill}\" shape-rendering=\"crispEdges\"");
        canvas.rect([left, top, BAR_WIDTH, step + 0.5], &attributes);
    }
    let font = Font::new(layout::TICK, colour::QUIET_TEXT, Anchor::Start);
    let labels = left + BAR_WIDTH + 6.0;
    for (value, label) in &ticks.major {
        canvas.text((labels, scale.px(*value) + 0.35 * layout::TICK), font, label);
    }
    if ticks.exponent != 0 {
        let factor = Markup::plain("×").then(Markup::power_of_ten(ticks.exponent));
        canvas.text((left, frame.top - 8.0), font, &factor);
    }
    let room = frame.bottom - frame.top + 10.0;
    let at = (labels + ticks.label_width(layout::TICK).max(24.0) + layout::LABEL + 4.0, frame.middle().1);
    let font = Font { upright: true, ..Font::new(layout::LABEL, colour::TEXT, Anchor::Middle) };
    canvas.text(at, font, &Markup::plain(&shortened(&map.text(), layout::LABEL, room)));
}

fn z_range(map: &HeatMap) -> (f64, f64) {
    range(&ChartAxis::default(), map.z.iter().copied(), 0.0)
}
