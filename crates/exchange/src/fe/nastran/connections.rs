//! Bushings and scalar springs.
//!
//! A bushing between grids apart from each other sits at a share S of the line between them: two nodes there follow the grids rigidly. Springs between grids
//! apart act along the line; across it they would turn a body that moves rigidly.

use trunnion_model::mechanism::{MeshElementKind, MeshLink, MeshNode, MeshProperty, MeshPropertyForm};
use trunnion_num::space::{Point, cross, dot, minus, plus, times};

use super::card::BulkCard;
use super::properties::BulkProperty;
use super::{BulkModel, MALFORMED, MeshResult};

/// Grids nearer than this share of their distance from the origin are at one place.
const SAME: f64 = 1e-9;

fn size(v: Point) -> f64 {
    dot(v, v).sqrt()
}

/// x along `line`, y in the plane of it and `towards`.
fn axes_along(line: Point, towards: Point) -> Option<[Point; 3]> {
    let unit = |v: Point| (size(v) > 0.0).then(|| times(1.0 / size(v), v));
    let x = unit(line)?;
    let z = unit(cross(x, towards)).filter(|_| size(cross(x, towards)) > 1e-9 * size(towards))?;
    Some([x, cross(z, x), z])
}

impl BulkModel {
    fn add_bushing_property(&mut self, axes: [Point; 3], stiffness: [f64; 6]) -> usize {
        let form = MeshPropertyForm::Bushing { axes, stiffness };
        self.mesh.properties.push(MeshProperty { form, material: None, added_mass: 0.0 });
        self.mesh.properties.len() - 1
    }

    /// From the first to the second grid; None: both are at one place.
    fn apart(&self, nodes: [usize; 2]) -> Option<Point> {
        let [a, b] = nodes.map(|n| self.mesh.nodes[n].at);
        let line = minus(b, a);
        (size(line) > SAME * size(a).max(size(b))).then_some(line)
    }

    pub(crate) fn cbush(&mut self, card: &BulkCard) -> MeshResult<()> {
        let BulkProperty::Bushing(stiffness) = *self.property(card, 1)? else {
            return Err(self.other_property(card, &["PBUSH"]));
        };
        if stiffness.iter().any(|k| *k < 0.0) {
            return Err(card.unsupported(1, "a stiffness is negative", "stiffness of PBUSH is 0 or more"));
        }
        let first = self.node(card, 2, "the number of a grid")?;
        let second =
            if card.is_blank(3) { None } else { Some(self.node(card, 3, "the number of a grid")?) };
        let line = second.and_then(|b| self.apart([first, b]));
        let axes = self.bushing_axes(card, first, line, &stiffness)?;
        card.refuse(9, "OCID", "give the place of the bushing by S, or move the grids")?;
        let property = self.add_bushing_property(axes, stiffness);
        let Some(second) = second else {
            return self.add_element(card, MeshElementKind::GroundedBushing, vec![first], property, None);
        };
        let nodes = match line {
            None => vec![first, second],
            Some(line) => {
                let share = card.real(8)?.unwrap_or(0.5);
                let at = plus(self.mesh.nodes[first].at, times(share, line));
                let number = card.id(0, "the number of an element")?;
                vec![self.carried(number, first, at)?, self.carried(number, second, at)?]
            }
        };
        self.add_element(card, MeshElementKind::Bushing, nodes, property, None)
    }

    /// A node at a place that follows another one rigidly.
    fn carried(&mut self, number: u32, reference: usize, at: Point) -> MeshResult<usize> {
        let free = self.nodes.keys().max().map_or(1, |n| n.saturating_add(1));
        let index = self.mesh.nodes.len();
        self.nodes.insert(free, index);
        self.mesh.nodes.push(MeshNode { number: free, at });
        self.displacement_systems.push(0);
        self.mesh.links.push(MeshLink::Rigid {
            number,
            reference,
            nodes: vec![index],
            components: [true; 6],
        });
        Ok(index)
    }

    fn bushing_axes(
        &self,
        card: &BulkCard,
        first: usize,
        line: Option<Point>,
        stiffness: &[f64; 6],
    ) -> MeshResult<[Point; 3]> {
        if !card.is_blank(7) {
            return Ok(self.system(card, 7)?.axes);
        }
        let undetermined = |what: &str| {
            let message = format!("{} has no directions: {what}", card.title());
            card.wrong(7, MALFORMED, message, "CID is blank", "name a system in CID, 0 for the basic one")
        };
        let Some(line) = line else { return Err(undetermined("its grids are at one place")) };
        let by_grid =
            card.is_blank(5) && card.is_blank(6) && !card.is_blank(4) && !card.text(4).contains('.');
        let towards = if by_grid {
            let third = self.node(card, 4, "the number of a grid")?;
            minus(self.mesh.nodes[third].at, self.mesh.nodes[first].at)
        } else {
            self.displacement_system(first).direction(card.vector(4)?)
        };
        if towards != [0.0; 3] {
            return axes_along(line, towards)
                .ok_or_else(|| undetermined("its vector lies along the line between its grids"));
        }
        // Along and about the line only, any direction across it does.
        if [1, 2, 4, 5].iter().any(|&k| stiffness[k] != 0.0) {
            return Err(undetermined("it has stiffness across the line between its grids"));
        }
        let across = if line[0].abs() < 0.9 * size(line) { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        axes_along(line, across).ok_or_else(|| undetermined("its grids are at one place"))
    }

    pub(crate) fn celas1(&mut self, card: &BulkCard) -> MeshResult<()> {
        let BulkProperty::Spring(stiffness) = *self.property(card, 1)? else {
            return Err(self.other_property(card, &["PELAS"]));
        };
        self.scalar_spring(card, stiffness)
    }

    pub(crate) fn celas2(&mut self, card: &BulkCard) -> MeshResult<()> {
        if card.real(6)?.is_some_and(|ge| ge != 0.0) {
            self.mesh.leave_out("damping GE of CELAS2");
        }
        let stiffness = card.need(1, "a stiffness")?;
        self.scalar_spring(card, stiffness)
    }

    /// Fields G1, C1, G2, C2.
    fn scalar_spring(&mut self, card: &BulkCard, k: f64) -> MeshResult<()> {
        if k < 0.0 {
            return Err(card.unsupported(1, "the stiffness is negative", "stiffness is 0 or more"));
        }
        let only = |field: usize| -> MeshResult<usize> {
            let components = card.components(field)?;
            match (0..6).filter(|&c| components[c]).collect::<Vec<_>>()[..] {
                [c] => Ok(c),
                _ => {
                    Err(card.unsupported(field, "a spring acts in one component", "write one CELAS for each"))
                }
            }
        };
        let (first, component) = (self.node(card, 2, "the number of a grid")?, only(3)?);
        let axes = self.displacement_system(first).axes;
        let stiffness: [f64; 6] = std::array::from_fn(|c| if c == component { k } else { 0.0 });
        if card.is_blank(4) {
            let property = self.add_bushing_property(axes, stiffness);
            return self.add_element(card, MeshElementKind::GroundedBushing, vec![first], property, None);
        }
        let second = self.node(card, 4, "the number of a grid")?;
        let alike =
            only(5)? == component && self.displacement_systems[first] == self.displacement_systems[second];
        if !alike {
            return Err(card.unsupported(
                5,
                "its two components differ",
                "springs act between equal components in one system",
            ));
        }
        let nodes = vec![first, second];
        match self.apart([first, second]) {
            Some(line) if component < 3 => {
                if size(cross(line, axes[component])) > 1e-6 * size(line) {
                    let hint = "it would turn a body that moves rigidly: use CBUSH, or grids at one place";
                    return Err(card.unsupported(
                        2,
                        "the spring acts across the line between its grids",
                        hint,
                    ));
                }
                let form = MeshPropertyForm::Spring { stiffness: k };
                self.mesh.properties.push(MeshProperty { form, material: None, added_mass: 0.0 });
                let property = self.mesh.properties.len() - 1;
                self.add_element(card, MeshElementKind::Spring, nodes, property, None)
            }
            _ => {
                let property = self.add_bushing_property(axes, stiffness);
                self.add_element(card, MeshElementKind::Bushing, nodes, property, None)
            }
        }
    }
}
