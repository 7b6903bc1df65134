//! The surface of a part: points that move and carry stress with modal coordinates, and faces between them.
//!
//!   x = x_0 + Φ q,  σ = S q                                                                                    (1)
//!
//! Beams are swept outlines of their sections, plane cross-sections staying plane; shells their middle surface with the stress of both
//! faces; solids their outer faces. Stress of shells and solids is the mean over the elements of a node. Edges are straight between nodes;
//! beams are drawn in [`PIECES`] pieces an element.

use std::collections::BTreeMap;

use trunnion_num::Matrix;
use trunnion_num::space::{Point, dot};

use crate::beam_section::SectionConstants;
use crate::elements::{BeamStation, beam_stations, input};
use crate::error::FeError;
use crate::model::{ElementKind, ElementProperty, FeElement, FeModel};
use crate::recovery::{averaged_stress, displacement_recovery, gathered, stress_recovery};
use crate::section_outline::SectionOutline;

const PIECES: usize = 2;

/// A point of the surface.
#[derive(Clone, Debug)]
pub struct SkinPoint {
    pub at: Point,
    /// Φ: 3 × coordinates.
    pub motion: Matrix,
    /// S: 6 × coordinates, of all elements and layers that meet here.
    pub stress: Vec<Matrix>,
    /// The user's number of an element that it belongs to.
    pub element: u32,
}

#[derive(Clone, Debug, Default)]
pub struct BodySkin {
    pub points: Vec<SkinPoint>,
    /// Counter-clockwise seen from outside; convex.
    pub faces: Vec<Vec<usize>>,
}

/// The skin of a part whose nodes move by `shapes` (six rows a node); `outlines` of the sections by the index of the property. A beam without
/// outline is drawn by its stress points.
pub fn body_skin(
    model: &FeModel,
    shapes: &Matrix,
    outlines: &[Option<SectionOutline>],
) -> Result<BodySkin, FeError> {
    let mut skin = BodySkin::default();
    beams(model, shapes, outlines, &mut skin)?;
    let mut nodes: BTreeMap<usize, usize> = BTreeMap::new();
    let faces = shell_faces(model).chain(outer_faces(model));
    let faces: Vec<(Vec<usize>, u32)> = faces.collect();
    if faces.is_empty() {
        return Ok(skin);
    }
    let plates = |e: &FeElement| is_shell(e.kind) || !solid_faces(e.kind).is_empty();
    let chosen: Vec<usize> = (0..model.elements.len()).filter(|&i| plates(&model.elements[i])).collect();
    let mut stress: BTreeMap<u32, Vec<Matrix>> = BTreeMap::new();
    for (node, _, rows) in averaged_stress(&stress_recovery(model, shapes, &chosen)?) {
        stress.entry(node).or_default().push(rows);
    }
    for (face, element) in faces {
        let corners = face.iter().map(|&node| {
            *nodes.entry(node).or_insert_with(|| {
                skin.points.push(SkinPoint {
                    at: model.nodes[node].at,
                    motion: displacement_recovery(shapes, node).block((0, 0), 3, shapes.columns()),
                    stress: stress.get(&model.nodes[node].number).cloned().unwrap_or_default(),
                    element,
                });
                skin.points.len() - 1
            })
        });
        skin.faces.push(corners.collect());
    }
    Ok(skin)
}

/// A ring of points that further beams may begin at.
struct OpenRing {
    node: usize,
    property: usize,
    first: usize,
    axes: [Point; 3],
    /// The end of an element; otherwise the beginning of one.
    ends: bool,
}

fn beams(
    model: &FeModel,
    shapes: &Matrix,
    outlines: &[Option<SectionOutline>],
    skin: &mut BodySkin,
) -> Result<(), FeError> {
    let mut open: Vec<OpenRing> = vec![];
    for element in model.elements.iter().filter(|e| e.kind == ElementKind::Beam2) {
        let outline = outlines.get(element.property).and_then(Option::as_ref);
        let points = |c: &SectionConstants| match outline {
            Some(outline) => outline.points.clone(),
            None => c.stress_points.clone(),
        };
        let stations = beam_stations(&input(model, element)?, PIECES, points)?;
        let u = gathered(element, shapes);
        if stations[0].points.len() < 3 {
            continue;
        }
        let last = stations.len() - 1;
        let mut rings = vec![];
        for (k, station) in stations.iter().enumerate() {
            let end = match k {
                0 => Some((element.nodes[0], false)),
                _ if k == last => Some((element.nodes[1], true)),
                _ => None,
            };
            let joined = end.and_then(|(node, ends)| {
                let fits = |r: &OpenRing| {
                    r.node == node && r.property == element.property && r.ends != ends && alike(r, station)
                };
                open.iter().position(fits).map(|place| open.swap_remove(place).first)
            });
            let first = joined.unwrap_or(skin.points.len());
            put_ring(skin, station, &u, element.number, joined);
            if let (Some((node, ends)), None) = (end, joined) {
                let (property, axes) = (element.property, station.axes);
                open.push(OpenRing { node, property, first, axes, ends });
            }
            rings.push(first);
        }
        let n = stations[0].points.len();
        for pair in rings.windows(2) {
            let side = |i: usize| {
                let j = (i + 1) % n;
                vec![pair[0] + i, pair[0] + j, pair[1] + j, pair[1] + i]
            };
            skin.faces.extend((0..n).map(side));
        }
    }
    open.iter().for_each(|ring| close(model, outlines, ring, skin));
    Ok(())
}

/// A cap on a ring where no further beam begins.
fn close(model: &FeModel, outlines: &[Option<SectionOutline>], ring: &OpenRing, skin: &mut BodySkin) {
    let caps = match (outlines.get(ring.property).and_then(Option::as_ref), &model.properties[ring.property])
    {
        (Some(outline), _) => outline.caps.clone(),
        (None, ElementProperty::Beam(section)) => vec![(0..section.at(0.0).stress_points.len()).collect()],
        _ => vec![],
    };
    for mut cap in caps {
        // Counter-clockwise in (y, z) is seen from +x, which is outside at the end of an element.
        if !ring.ends {
            cap.reverse();
        }
        skin.faces.push(cap.into_iter().map(|i| ring.first + i).collect());
    }
}

/// Directions that differ by less than 45° go on as one beam.
fn alike(ring: &OpenRing, station: &BeamStation) -> bool {
    (0..2).all(|k| dot(ring.axes[k], station.axes[k]) > 0.7)
}

/// Adds the points of a station, or its stress to those of a ring that is there.
fn put_ring(skin: &mut BodySkin, station: &BeamStation, u: &Matrix, element: u32, joined: Option<usize>) {
    for (i, (at, motion, stress)) in station.points.iter().enumerate() {
        let stress = stress.times(u);
        match joined {
            Some(first) => skin.points[first + i].stress.push(stress),
            None => {
                skin.points.push(SkinPoint {
                    at: *at,
                    motion: motion.times(u),
                    stress: vec![stress],
                    element,
                });
            }
        }
    }
}

fn is_shell(kind: ElementKind) -> bool {
    matches!(kind, ElementKind::Triangle3 | ElementKind::Quad4)
}

fn shell_faces(model: &FeModel) -> impl Iterator<Item = (Vec<usize>, u32)> + '_ {
    model.elements.iter().filter(|e| is_shell(e.kind)).map(|e| (e.nodes.clone(), e.number))
}

/// Corners of the faces of a solid, counter-clockwise seen from outside.
fn solid_faces(kind: ElementKind) -> &'static [&'static [usize]] {
    match kind {
        ElementKind::Tetra4 | ElementKind::Tetra10 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]],
        ElementKind::Hexa8 | ElementKind::Hexa20 => {
            &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
        }
        ElementKind::Wedge6 | ElementKind::Wedge15 => {
            &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]]
        }
        _ => &[],
    }
}

/// Faces of solids that belong to one element only.
fn outer_faces(model: &FeModel) -> impl Iterator<Item = (Vec<usize>, u32)> {
    let mut owners: BTreeMap<Vec<usize>, Vec<(Vec<usize>, u32)>> = BTreeMap::new();
    for element in &model.elements {
        for face in solid_faces(element.kind) {
            let corners: Vec<usize> = face.iter().map(|&i| element.nodes[i]).collect();
            let mut key = corners.clone();
            key.sort_unstable();
            owners.entry(key).or_default().push((corners, element.number));
        }
    }
    owners.into_values().filter(|faces| faces.len() == 1).flatten()
}
