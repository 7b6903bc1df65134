//! Rectangular systems by three points, CORD2R, and grids.
//!
//!   z from A to B,  y along z × (C − A),  x = y × z                                                                (1)

use trunnion_model::mechanism::MeshNode;
use trunnion_num::space::{Point, cross, dot, minus, plus, times};

use super::card::BulkCard;
use super::{ABSENT, BulkModel, CardReader, MALFORMED, MeshResult};

pub(super) struct CoordinateSystem {
    pub origin: Point,
    /// Rows are x, y, z.
    pub axes: [Point; 3],
}

impl CoordinateSystem {
    pub fn basic() -> Self {
        CoordinateSystem { origin: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
    }

    /// Components in the system as components in the basic one.
    pub fn direction(&self, v: Point) -> Point {
        let along = |k: usize| times(v[k], self.axes[k]);
        plus(plus(along(0), along(1)), along(2))
    }

    pub fn point(&self, v: Point) -> Point {
        plus(self.origin, self.direction(v))
    }
}

/// Systems after those they stand in; what stands in a circle comes last, where its reference is missing.
pub(super) fn in_order(cards: Vec<(&BulkCard, CardReader)>) -> Vec<(&BulkCard, CardReader)> {
    let reference = |c: &BulkCard| c.text(1).parse::<u32>().unwrap_or(0);
    let mut done = std::collections::HashSet::from([0]);
    let (mut ordered, mut open) = (vec![], cards);
    loop {
        let ready = |c: &BulkCard, done: &std::collections::HashSet<u32>| {
            c.name != "CORD2R" || done.contains(&reference(c))
        };
        let (now, later): (Vec<_>, Vec<_>) = open.into_iter().partition(|(c, _)| ready(c, &done));
        if now.is_empty() {
            ordered.extend(later);
            return ordered;
        }
        done.extend(now.iter().filter_map(|(c, _)| c.text(0).parse::<u32>().ok()));
        ordered.extend(now);
        open = later;
    }
}

impl BulkModel {
    pub(crate) fn cord2r(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of a system")?;
        let base = self.system(card, 1)?;
        let [a, b, c] = [card.vector(2)?, card.vector(5)?, card.vector(8)?].map(|p| base.point(p));
        let unit = |v: Point| {
            let size = dot(v, v).sqrt();
            (size > 0.0 && size.is_finite()).then(|| times(1.0 / size, v))
        };
        let axes = || {
            let z = unit(minus(b, a))?;
            let y = unit(cross(z, minus(c, a)))?; // (1)
            Some([cross(y, z), y, z])
        };
        let Some(axes) = axes() else {
            let message = format!("the points of {} lie on a line", card.title());
            return Err(card.wrong(
                2,
                MALFORMED,
                message,
                "A, B and C",
                "C lies in the x-z plane, off the line from A to B",
            ));
        };
        if self.systems.insert(number, CoordinateSystem { origin: a, axes }).is_some() {
            return Err(card.twice());
        }
        Ok(())
    }

    pub fn grid(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of a grid")?;
        let at = self.system(card, 1)?.point(card.vector(2)?);
        self.system(card, 5)?;
        let displacements = card.integer(5)?.unwrap_or(0);
        if card.components(6)?.contains(&true) {
            self.mesh.leave_out("GRID with PS");
        }
        if self.nodes.insert(number, self.mesh.nodes.len()).is_some() {
            return Err(card.twice());
        }
        self.mesh.nodes.push(MeshNode { number, at });
        self.displacement_systems.push(displacements as u32);
        Ok(())
    }
}

impl BulkCard {
    pub fn twice(&self) -> Box<trunnion_model::Diagnostic> {
        let message = format!("{} is there twice", self.title());
        self.wrong(0, ABSENT, message, "again here", "give each a number of its own")
    }
}
