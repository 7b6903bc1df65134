//! A bond graph in standard notation: a half arrow where power counts positive, a stroke at the end that receives the
//! effort, a dashed arrow for the signal of a modulated element. Bonds have the colour of their domain.

use trunnion_model::network::BondNodeKind;
use trunnion_network::layout::{Area, BondLine, GraphLayout, LabelSide, PlacedNode, Size, layout};
use trunnion_network::{DrawnBond, DrawnNode};

use super::{BondGraphView, text};
use crate::plot::colour::{PALETTE, QUIET_TEXT, TEXT};
use crate::plot::svg::{Anchor, Canvas, Font, Markup, coordinate, shortened};

/// Pixels per unit in a PNG: sharp on dense screens.
pub const PIXELS: f32 = 2.0;

const SYMBOL_FONT: f64 = 17.0;
const NAME_FONT: f64 = 12.0;
const SMALL_FONT: f64 = 11.0;
/// Longest name that is written out.
const LONGEST: f64 = 190.0;
const MARGIN: f64 = 28.0;
/// From the middle of a letter to its base line.
const BASE: f64 = 6.0;

/// Half of a stroke, and the half arrow: how far back, how far out.
const STROKE: f64 = 7.0;
const HARPOON: (f64, f64) = (11.0, 5.5);

/// Fill and rim behind what was found.
const DERIVATIVE: [&str; 2] = ["#fde6d3", "#d55e00"];
const LOOP: [&str; 2] = ["#f3e3ee", "#a8558a"];
const CONFLICT: [&str; 2] = ["#fbd7d7", "#b00020"];

pub fn picture(view: &BondGraphView) -> GraphLayout {
    let sizes: Vec<Size> = view.graph.nodes.iter().map(size).collect();
    layout(&view.graph, &sizes)
}

fn size(node: &DrawnNode) -> Size {
    let font = if is_junction(node) { SMALL_FONT } else { NAME_FONT };
    Size {
        symbol: Markup::plain(&node.symbol()).width(SYMBOL_FONT),
        name: Markup::plain(&name(node)).width(font),
    }
}

fn is_junction(node: &DrawnNode) -> bool {
    matches!(node.kind, BondNodeKind::Zero | BondNodeKind::One)
}

/// As it is written: long names lose their beginning, ports as names of junctions are left out.
fn name(node: &DrawnNode) -> String {
    if is_junction(node) && node.connection {
        return String::new();
    }
    shortened(&node.name, NAME_FONT, LONGEST)
}

pub fn svg(view: &BondGraphView) -> String {
    let picture = picture(view);
    let legend = legend(view);
    let top = MARGIN + 34.0;
    let head = Markup::plain(&text::summary(view)).width(SMALL_FONT);
    let width = (picture.width.max(head) + 2.0 * MARGIN).max(420.0);
    let rows = arranged(&legend, width - 2.0 * MARGIN);
    let height = top + picture.height + MARGIN + 20.0 * rows.len() as f64 + 12.0;
    let mut canvas = Canvas::new(width, height, &view.model.name);
    let font = Font::new(15.0, TEXT, Anchor::Start);
    canvas.text((MARGIN, 26.0), Font { bold: true, ..font }, &Markup::plain(&view.model.name));
    canvas.text(
        (MARGIN, 42.0),
        Font::new(SMALL_FONT, QUIET_TEXT, Anchor::Start),
        &Markup::plain(&text::summary(view)),
    );
    let left = (width - picture.width) / 2.0;
    canvas.group(&format!("transform=\"translate({} {})\"", coordinate(left), coordinate(top)));
    for (node, placed) in view.graph.nodes.iter().zip(&picture.nodes) {
        highlight(&mut canvas, node, &placed.area);
    }
    for (bond, line) in view.graph.bonds.iter().zip(&picture.bonds) {
        draw_bond(&mut canvas, bond, line);
    }
    for (node, placed) in view.graph.nodes.iter().zip(&picture.nodes) {
        draw_node(&mut canvas, node, placed);
    }
    canvas.end();
    for (k, row) in rows.iter().enumerate() {
        let y = height - 16.0 - 20.0 * (rows.len() - 1 - k) as f64;
        let mut x = MARGIN;
        for &item in row {
            legend[item].draw(&mut canvas, x, y);
            x += legend[item].width() + 22.0;
        }
    }
    canvas.finish()
}

fn highlight(canvas: &mut Canvas, node: &DrawnNode, &[l, t, r, b]: &Area) {
    let Some([fill, rim]) = mark(node) else { return };
    let rect = [l - 4.0, t - 2.0, r - l + 8.0, b - t + 4.0];
    canvas.rect(rect, &format!("rx=\"5\" fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"1\""));
}

fn mark(node: &DrawnNode) -> Option<[&'static str; 2]> {
    match node {
        DrawnNode { conflict: true, .. } => Some(CONFLICT),
        DrawnNode { derivative: true, .. } => Some(DERIVATIVE),
        DrawnNode { looped: true, .. } => Some(LOOP),
        _ => None,
    }
}

fn draw_bond(canvas: &mut Canvas, bond: &DrawnBond, line: &BondLine) {
    let colour = domain_colour(bond.domain.map(|d| d.name));
    let pen = format!("stroke=\"{colour}\" stroke-width=\"1.7\" stroke-linecap=\"round\"");
    let (dx, dy) = (line.to.0 - line.from.0, line.to.1 - line.from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    canvas.line(line.from, line.to, &pen);
    // To the right of the way of power.
    let (back, out) = HARPOON;
    let barb = (line.to.0 - back * ux - out * uy, line.to.1 - back * uy + out * ux);
    canvas.line(line.to, barb, &pen);
    let end = if bond.from_gives_effort { line.to } else { line.from };
    let ends = [STROKE, -STROKE].map(|s| (end.0 - s * uy, end.1 + s * ux));
    canvas.line(
        ends[0],
        ends[1],
        &format!("stroke=\"{colour}\" stroke-width=\"2.2\" stroke-linecap=\"butt\""),
    );
}

fn draw_node(canvas: &mut Canvas, node: &DrawnNode, placed: &PlacedNode) {
    let (x, y) = placed.at;
    let [l, t, r, b] = placed.area;
    if node.kind == BondNodeKind::Equations {
        let rect = [l - 1.0, t + 1.0, r - l + 2.0, b - t - 2.0];
        canvas.rect(rect, &format!("fill=\"none\" stroke=\"{QUIET_TEXT}\" stroke-width=\"1\""));
    }
    let symbol = Markup::plain(&node.symbol());
    let big = Font::new(SYMBOL_FONT, TEXT, Anchor::Middle);
    let small = Font::new(NAME_FONT, TEXT, Anchor::Middle);
    let name = name(node);
    let share = NAME_FONT / SYMBOL_FONT;
    let base = y + BASE;
    match placed.side {
        LabelSide::Left | LabelSide::Right if !name.is_empty() => {
            let whole = symbol.then(Markup::plain(&format!(": {name}")).scaled(share));
            let (at, anchor) =
                if placed.side == LabelSide::Left { (r, Anchor::End) } else { (l, Anchor::Start) };
            canvas.text((at, base), Font { anchor, ..big }, &whole);
        }
        LabelSide::Below => {
            canvas.text((x, base), big, &symbol);
            canvas.text((x, b - 3.0), small, &Markup::plain(&name));
        }
        LabelSide::Above => {
            canvas.text((x, base), big, &symbol);
            canvas.text((x, t + 10.0), small, &Markup::plain(&name));
        }
        _ => canvas.text((x, base), big, &symbol),
    }
    if let Some([left, _, _, bottom]) = placed.name_at {
        let font = Font::new(SMALL_FONT, QUIET_TEXT, Anchor::Start);
        canvas.text((left, bottom - 3.0), font, &Markup::plain(&name));
    }
    if let Some(start) = placed.signal_from {
        signal(canvas, start, placed.symbol_at(), placed.half);
    }
}

/// A thin dashed arrow to the corner of a symbol.
fn signal(canvas: &mut Canvas, from: (f64, f64), at: (f64, f64), half: f64) {
    let tip = (at.0 + (half + 1.0) * (from.0 - at.0).signum(), at.1 + 8.0 * (from.1 - at.1).signum());
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let pen = format!("stroke=\"{QUIET_TEXT}\" stroke-width=\"1\"");
    canvas.line(from, tip, &format!("{pen} stroke-dasharray=\"3 2\""));
    for side in [3.0, -3.0] {
        canvas.line(tip, (tip.0 - 6.0 * ux - side * uy, tip.1 - 6.0 * uy + side * ux), &pen);
    }
}

/// The domains in the order of the palette.
const COLOURED: [&str; 6] = ["hydraulic", "electric", "translational", "rotational", "thermal", "pneumatic"];

fn domain_colour(domain: Option<&str>) -> &'static str {
    let place = domain.and_then(|d| COLOURED.iter().position(|c| *c == d));
    place.map_or(TEXT, |k| PALETTE[k])
}

enum PictureEntry {
    Domain(&'static str),
    Mark([&'static str; 2], &'static str),
    Words(String),
}

impl PictureEntry {
    fn words(&self) -> &str {
        match self {
            PictureEntry::Domain(name) => name,
            PictureEntry::Mark(_, text) => text,
            PictureEntry::Words(text) => text,
        }
    }

    fn width(&self) -> f64 {
        let sign = if matches!(self, PictureEntry::Words(_)) { 0.0 } else { 24.0 };
        sign + Markup::plain(self.words()).width(SMALL_FONT)
    }

    fn draw(&self, canvas: &mut Canvas, x: f64, y: f64) {
        let mut text_at = x + 24.0;
        match self {
            PictureEntry::Domain(name) => {
                let pen = format!("stroke=\"{}\" stroke-width=\"2\"", domain_colour(Some(name)));
                canvas.line((x, y - 4.0), (x + 18.0, y - 4.0), &pen);
            }
            PictureEntry::Mark([fill, rim], _) => {
                canvas.rect([x, y - 9.0, 18.0, 10.0], &format!("rx=\"3\" fill=\"{fill}\" stroke=\"{rim}\""));
            }
            PictureEntry::Words(_) => text_at = x,
        }
        let font = Font::new(SMALL_FONT, QUIET_TEXT, Anchor::Start);
        canvas.text((text_at, y), font, &Markup::plain(self.words()));
    }
}

fn legend(view: &BondGraphView) -> Vec<PictureEntry> {
    let graph = &view.graph;
    let uses = |name: &str| graph.bonds.iter().any(|b| b.domain.is_some_and(|d| d.name == name));
    let mut all: Vec<PictureEntry> =
        COLOURED.iter().copied().filter(|d| uses(d)).map(PictureEntry::Domain).collect();
    for (which, words) in [
        (CONFLICT, "sources contradict each other"),
        (DERIVATIVE, "no state of its own"),
        (LOOP, "in an algebraic loop"),
    ] {
        if graph.nodes.iter().any(|n| mark(n) == Some(which)) {
            all.push(PictureEntry::Mark(which, words));
        }
    }
    all.push(PictureEntry::Words("the stroke is at the end that receives the effort".into()));
    if !graph.dropped.is_empty() {
        let names = graph.dropped.join(", ");
        let names =
            if names.chars().count() > 60 { format!("{} sources", graph.dropped.len()) } else { names };
        all.push(PictureEntry::Words(format!("left out, as zero: {names}")));
    }
    all
}

/// The entries of each line of the legend.
fn arranged(entries: &[PictureEntry], width: f64) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![vec![]];
    let mut x = 0.0;
    for (k, entry) in entries.iter().enumerate() {
        if x > 0.0 && x + entry.width() > width {
            rows.push(vec![]);
            x = 0.0;
        }
        rows.last_mut().expect("there is a row").push(k);
        x += entry.width() + 22.0;
    }
    rows
}
