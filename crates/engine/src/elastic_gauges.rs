//! Gauges of elastic bodies: the rows of their displacement, section forces and stress.

use trunnion_elastic::{
    SectionForceRecovery, averaged_stress, displacement_recovery, load_residuals, section_force_recovery,
    section_load_recovery, stress_recovery,
};
use trunnion_model::Diagnostic;
use trunnion_model::mechanism::{
    ElasticPart, GaugeRecovery, GaugeSide, GaugeSignal, SectionFibres, SectionRows, StressGauge,
};
use trunnion_num::Matrix;
use trunnion_num::space::{minus, norm};
use trunnion_num::text::number;

use crate::part_shapes::PartShapes;

const NO_GAUGE: &str = "B0020";
/// Places nearer than this share of the size of the body are one.
const SAME: f64 = 1e-8;
/// Entries below this share of the largest one of their row are rounding.
const ROUNDING: f64 = 1e-13;

/// Fills in what the gauges of a body show; what is wrong with them.
pub fn fill(part: &PartShapes, described: &ElasticPart, gauges: &mut [StressGauge]) -> Vec<Diagnostic> {
    let Some(first) = gauges.first() else { return vec![] };
    let residuals = match load_residuals(&part.model, &part.shapes, part.reference) {
        Ok(residuals) => residuals,
        Err(error) => {
            let message = format!("gauge `{}` cannot be computed: {error}", first.name);
            return vec![Diagnostic::error(NO_GAUGE, message).at(&first.span, "this gauge")];
        }
    };
    // Coordinates, then loads.
    let shapes = part.shapes.beside(&residuals);
    gauges.iter_mut().filter_map(|gauge| fill_one(part, &shapes, described, gauge).err()).collect()
}

fn fill_one(
    part: &PartShapes,
    shapes: &Matrix,
    described: &ElasticPart,
    gauge: &mut StressGauge,
) -> Result<(), Diagnostic> {
    let wrong = |reason: String| {
        Diagnostic::error(NO_GAUGE, format!("gauge `{}` {reason}", gauge.name)).at(&gauge.span, "this gauge")
    };
    let model = &part.model;
    let distance = |k: usize| norm(minus(model.nodes[k].at, gauge.at));
    let nearest = (0..model.nodes.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let size = model.nodes.iter().map(|n| norm(n.at)).fold(0.0, f64::max);
    let Some(node) = nearest.filter(|&k| distance(k) <= SAME * size) else {
        let place = |k: usize| model.nodes[k].at.map(|x| format!("\"{} m\"", number(x, 7))).join(", ");
        let hint = nearest.map(|k| format!("the nearest node is at [{}]", place(k)));
        return Err(wrong("is at no node".into()).hint_if(hint));
    };
    let elements = gauge.beam.map(|k| described.beam_elements(k));
    if let (Some(beam), Some(None)) = (gauge.beam, &elements) {
        return Err(wrong(format!("is on beam {}, and there are {}", beam + 1, described.beams())));
    }
    let around: Vec<usize> =
        (0..model.elements.len()).filter(|&e| model.elements[e].nodes.contains(&node)).collect();
    let number = model.nodes[node].number;
    let failed = |e: trunnion_elastic::FeError| wrong(format!("cannot be computed: {e}"));
    let reference = model.nodes[part.reference].at;
    let mut sections = section_force_recovery(model, shapes, &around).map_err(failed)?;
    let within = section_load_recovery(model, &part.shapes, &around, reference).map_err(failed)?;
    let first = part.shapes.columns();
    for (section, loads) in sections.iter_mut().zip(&within) {
        for (i, l) in (0..6).flat_map(|i| (0..shapes.columns() - first).map(move |l| (i, l))) {
            section.rows[(i, first + l)] += loads[(i, l)];
        }
    }
    let on_beam = |s: &SectionForceRecovery| {
        elements.as_ref().is_none_or(|range| range.as_ref().is_some_and(|r| r.contains(&s.element)))
    };
    let on_side = |s: &SectionForceRecovery| match gauge.side {
        None => true,
        Some(GaugeSide::From) => s.end == 1,
        Some(GaugeSide::To) => s.end == 0,
    };
    let beams_here = (0..described.beams()).filter(|&k| {
        described
            .beam_elements(k)
            .is_some_and(|r| sections.iter().any(|s| s.node == number && r.contains(&s.element)))
    });
    if gauge.beam.is_none() && beams_here.count() > 1 {
        let hint = "say which of them it is on: beam = 1 is the first of `beams`";
        return Err(wrong("is where beams meet, whose sections have axes of their own".into()).hint(hint));
    }
    let sections: Vec<SectionRows> = sections
        .iter()
        .filter(|s| s.node == number && on_beam(s) && on_side(s))
        .map(|s| section_rows(s, first))
        .collect();
    let stresses = stress_recovery(model, shapes, &around).map_err(failed)?;
    let plates: Vec<_> =
        stresses.into_iter().filter(|s| s.node == number && !is_beam(part, s.element)).collect();
    let points: Vec<[Vec<f64>; 6]> =
        averaged_stress(&plates).iter().map(|(_, _, rows)| cleaned_rows(rows, first)).collect();
    let wants = |test: fn(&GaugeSignal) -> bool| gauge.shows.iter().any(|(what, _)| test(what));
    let forces = wants(|what| matches!(what, GaugeSignal::SectionForce(_)));
    let stress = wants(|w| !matches!(w, GaugeSignal::SectionForce(_) | GaugeSignal::Displacement(_)));
    let shapeless = |s: &SectionRows| matches!(&s.fibres, SectionFibres::Points(points) if points.is_empty());
    if stress && sections.iter().any(shapeless) {
        let hint = "give the section by its shape (PBARL, PBEAML, or `section`), or ask for \"forces\" only";
        return Err(wrong("is on a section that is known by its constants only".into()).hint(hint));
    }
    if forces && sections.is_empty() || stress && sections.is_empty() && points.is_empty() {
        let hint = "a section is at the end of an element: of the beam named by `beam`, on the `side` named";
        return Err(wrong("finds no section of a beam at its place".into()).hint(hint));
    }
    let moved = displacement_recovery(shapes, node);
    gauge.recovery = GaugeRecovery {
        reference,
        displacement: [0, 1, 2].map(|k| cleaned(moved.row(k), first)),
        sections,
        points,
    };
    Ok(())
}

fn is_beam(part: &PartShapes, number: u32) -> bool {
    let element = part.model.elements.iter().find(|e| e.number == number);
    element.is_some_and(|e| e.kind == trunnion_elastic::ElementKind::Beam2)
}

fn section_rows(section: &SectionForceRecovery, first: usize) -> SectionRows {
    let c = &section.section;
    let fibres = match c.round() {
        Some(radius) => SectionFibres::Round { axial: 1.0 / c.area, bending: radius / c.i_yy },
        None => SectionFibres::Points(c.stress_points.iter().map(|&at| c.fibre(at)).collect()),
    };
    SectionRows { forces: cleaned_rows(&section.rows, first), fibres, shear: 1.0 / c.torsion_modulus }
}

fn cleaned_rows(rows: &Matrix, first: usize) -> [Vec<f64>; 6] {
    [0, 1, 2, 3, 4, 5].map(|k| cleaned(rows.row(k), first))
}

/// A row of coordinates, and of loads from `first` on, without what rounding left.
fn cleaned(row: &[f64], first: usize) -> Vec<f64> {
    let (coordinates, loads) = row.split_at(first);
    let clean = |part: &[f64]| -> Vec<f64> {
        let largest = part.iter().map(|x| x.abs()).fold(0.0, f64::max);
        part.iter().map(|&x| if x.abs() <= ROUNDING * largest { 0.0 } else { x }).collect()
    };
    [clean(coordinates), clean(loads)].concat()
}
