//! Labels of indicator lines, each where it covers least of the data.

use super::chart::{Indicator, Panel};
use super::colour;
use super::layout::{LabelPlace, TICK};
use super::marks::pixels;
use super::svg::{Anchor, Canvas, Font, Markup};
use super::thin::thin;

/// From the line to its label, and from the frame.
const GAP: f64 = 4.5;
const INSET: f64 = 5.0;
/// A line is tested for being covered at places this far apart.
const SAMPLE: f64 = 4.0;

/// A place a label may have: where its text starts and what it covers (left, top, right, bottom).
struct LabelSpot {
    at: (f64, f64),
    covers: [f64; 4],
}

/// On a horizontal line the label stands at an end, above or below; on a vertical one it reads upwards.
pub(crate) fn line_labels(canvas: &mut Canvas, panel: &Panel, place: &LabelPlace) {
    let labelled: Vec<(&Indicator, Markup)> = panel
        .lines
        .iter()
        .filter_map(|line| {
            let (Indicator::Horizontal { label, .. } | Indicator::Vertical { label, .. }) = line;
            (is_seen(line, place) && !label.is_empty()).then(|| (line, Markup::plain(label)))
        })
        .collect();
    if labelled.is_empty() {
        return;
    }
    let data = samples(panel, place);
    let mut taken: Vec<[f64; 4]> = Vec::new();
    for (line, text) in labelled {
        let (spots, upright) = spots(line, place, text.width(TICK));
        let cost = |spot: &LabelSpot| {
            let covered = data.iter().filter(|point| inside(&spot.covers, **point)).count();
            // Another label in the way is worse than any data.
            covered + 10_000 * taken.iter().filter(|other| overlap(&spot.covers, other)).count()
        };
        if let Some(best) = spots.iter().min_by_key(|spot| cost(spot)) {
            let font = Font::new(TICK, colour::INDICATOR, Anchor::Start);
            canvas.text(best.at, Font { halo: true, upright, ..font }, &text);
            taken.push(best.covers);
        }
    }
}

fn is_seen(line: &Indicator, place: &LabelPlace) -> bool {
    match line {
        Indicator::Horizontal { y, .. } => place.y.contains(*y),
        Indicator::Vertical { x, .. } => place.x.contains(*x),
    }
}

/// The places a label of this width may have, preferred first, and whether it reads upwards.
fn spots(line: &Indicator, place: &LabelPlace, width: f64) -> (Vec<LabelSpot>, bool) {
    let frame = &place.frame;
    let within = |spot: &LabelSpot| spot.covers[1] >= frame.top - 1.0 && spot.covers[3] <= frame.bottom + 1.0;
    match line {
        Indicator::Horizontal { y, .. } => {
            let y = place.y.px(*y);
            let spot = |left: f64, base: f64| LabelSpot {
                at: (left, base),
                covers: [left, base - TICK, left + width, base + 0.25 * TICK],
            };
            let (above, below) = (y - GAP, y + GAP + 0.8 * TICK);
            let (right, left) = (frame.right - INSET - width, frame.left + INSET);
            let all = [spot(right, above), spot(right, below), spot(left, above), spot(left, below)];
            (all.into_iter().filter(within).collect(), false)
        }
        Indicator::Vertical { x, .. } => {
            let x = place.x.px(*x);
            let spot = |base: f64, bottom: f64| LabelSpot {
                at: (base, bottom),
                covers: [base - TICK, bottom - width, base + 0.25 * TICK, bottom],
            };
            let (before, after) = (x - GAP, x + GAP + 0.8 * TICK);
            let (top, bottom) = (frame.top + INSET + width, frame.bottom - INSET);
            let heights = [0.0, 1.0, 0.25, 0.5, 0.75].map(|share| top + share * (bottom - top));
            let all = heights.into_iter().flat_map(|height| [spot(before, height), spot(after, height)]);
            let beside = |spot: &LabelSpot| spot.covers[0] >= frame.left && spot.covers[2] <= frame.right;
            (all.filter(beside).collect(), true)
        }
    }
}

/// Points along all lines of the panel.
fn samples(panel: &Panel, place: &LabelPlace) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    for series in &panel.series {
        for piece in thin(pixels(series, place), place.frame.left, place.frame.right) {
            samples.extend(&piece);
            for pair in piece.windows(2) {
                let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
                // A view into a long line may see only a bit of it: no more samples than the largest chart has px.
                let n = (dx.hypot(dy) / SAMPLE).min(2000.0) as usize;
                samples.extend((1..n).map(|i| {
                    let share = i as f64 / n as f64;
                    (pair[0].0 + share * dx, pair[0].1 + share * dy)
                }));
            }
        }
    }
    samples
}

fn inside(area: &[f64; 4], point: (f64, f64)) -> bool {
    (area[0]..=area[2]).contains(&point.0) && (area[1]..=area[3]).contains(&point.1)
}

fn overlap(a: &[f64; 4], b: &[f64; 4]) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}
