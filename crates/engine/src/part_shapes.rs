//! What is left of an elastic body's finite elements after its reduction: its surface and its stress by the elastic coordinates.

use trunnion_elastic::{BodySkin, FeError, FeModel, SectionOutline, body_skin};
use trunnion_model::mechanism::{DescribedBody, MeshProperty, MeshPropertyForm, MeshSection};
use trunnion_model::units::parse_unit;
use trunnion_num::Matrix;
use trunnion_results::Table;

use crate::Failure;
use crate::fe_model::{finite_elements, shape};

/// The finite elements of a body and how their nodes move.
#[derive(Clone, Debug)]
pub struct PartShapes {
    /// Index among the bodies of the mechanism.
    pub body: usize,
    pub model: FeModel,
    /// By the index of the property, of beams whose section is known.
    pub outlines: Vec<Option<SectionOutline>>,
    /// Six rows a node, a column for each elastic coordinate of the body, `name.q1` and so on.
    pub shapes: Matrix,
    /// The node that no shape moves, where the frame of the body is fixed.
    pub reference: usize,
    /// How many shapes of the body show its elements undeformed; others are the file's own.
    pub drawn: usize,
}

/// Of a beam of one section whose axes are as the outline has them.
fn outline(property: &MeshProperty) -> Option<SectionOutline> {
    match &property.form {
        MeshPropertyForm::Beam(stations) => match stations.as_slice() {
            [(_, MeshSection::Profile { profile, turned: false, .. })] => Some(shape(profile).outline()),
            _ => None,
        },
        _ => None,
    }
}

impl PartShapes {
    pub fn new(described: &DescribedBody) -> Self {
        let part = &described.part;
        PartShapes {
            body: described.body,
            model: finite_elements(&part.mesh),
            outlines: part.mesh.properties.iter().map(outline).collect(),
            shapes: described.shapes.clone(),
            reference: part.interfaces[0],
            drawn: described.drawn,
        }
    }

    /// Its elastic coordinates over a run, for every row, in SI. `name` is that of the body.
    pub fn coordinates(&self, name: &str, table: &Table) -> Result<Vec<Vec<f64>>, Failure> {
        let mut rows = vec![vec![]; table.rows()];
        for k in 1..=self.shapes.columns() {
            let column = table.column(&format!("{name}.q{k}"))?;
            let unit = parse_unit(&column.unit).ok();
            for (row, &value) in rows.iter_mut().zip(&column.values) {
                row.push(unit.as_ref().map_or(value, |unit| unit.to_si(value)));
            }
        }
        Ok(rows)
    }

    /// Its surface, in the axes of the body, with motion and stress.
    pub fn skin(&self) -> Result<BodySkin, FeError> {
        body_skin(&self.model, &self.shapes, &self.outlines)
    }
}
