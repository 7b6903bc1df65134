//! Point masses, links, and what does not act on a moving body: supports and loads, which are checked and left out.

use trunnion_model::mechanism::{MeshLink, MeshMass};
use trunnion_num::space::minus;

use super::card::BulkCard;
use super::{BulkModel, MALFORMED, MeshResult};

const ALL: [bool; 6] = [true; 6];

impl BulkModel {
    /// G, CID, M, offset; I11, I21, I22, I31, I32, I33 about the centre of mass. CID −1: the place of the centre instead of the offset.
    pub(crate) fn conm2(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of an element")?;
        if self.elements.insert(number, ()).is_some() {
            return Err(card.twice());
        }
        let node = self.node(card, 1, "the number of a grid")?;
        let mass = card.real(3)?.unwrap_or(0.0);
        let given = card.vector(4)?;
        let absolute = card.integer(2)? == Some(-1);
        let mut i = [0.0; 6];
        for (k, value) in i.iter_mut().enumerate() {
            *value = card.real(8 + k)?.unwrap_or(0.0);
        }
        let [i11, i21, i22, i31, i32, i33] = i;
        let own = [[i11, -i21, -i31], [-i21, i22, -i32], [-i31, -i32, i33]];
        let (offset, inertia) = if absolute {
            (minus(given, self.mesh.nodes[node].at), own)
        } else {
            let system = self.system(card, 2)?;
            let axes = system.axes;
            let turned = |a: usize, b: usize| -> f64 {
                let pairs = (0..3).flat_map(|p| (0..3).map(move |q| (p, q)));
                pairs.map(|(p, q)| axes[p][a] * own[p][q] * axes[q][b]).sum()
            };
            (system.direction(given), [0, 1, 2].map(|a| [0, 1, 2].map(|b| turned(a, b))))
        };
        if mass < 0.0 {
            let message = format!("the mass of {} is negative", card.title());
            return Err(card.wrong(3, MALFORMED, message, "here", "a mass is 0 or more"));
        }
        self.mesh.masses.push(MeshMass { node, mass, offset, inertia });
        Ok(())
    }

    /// GN, CM, GM1, GM2 …, and a coefficient of expansion at the end.
    pub(crate) fn rbe2(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of an element")?;
        if self.elements.insert(number, ()).is_some() {
            return Err(card.twice());
        }
        let reference = self.node(card, 1, "the number of a grid")?;
        let components = card.components(2)?;
        if !components.contains(&true) {
            let message = format!("{} links no components", card.title());
            return Err(card.wrong(2, MALFORMED, message, "CM is blank", "123456 links all"));
        }
        let mut nodes = vec![];
        for (field, grid) in self.grid_list(card, 3)? {
            let node = self.node_numbered(card, field, grid)?;
            if components != ALL && self.displacement_systems[node] != 0 {
                return Err(card.unsupported(
                    field,
                    "some components in a system of their own",
                    "link all components, 123456",
                ));
            }
            nodes.push(node);
        }
        if nodes.is_empty() || nodes.contains(&reference) {
            let message = format!("{} links no other grids, or itself", card.title());
            return Err(card.wrong(3, MALFORMED, message, "GM1 …", "name the grids that move with GN"));
        }
        self.mesh.links.push(MeshLink::Rigid { number, reference, nodes, components });
        Ok(())
    }

    /// Grids from a field on; a real number at the end is a coefficient of expansion.
    fn grid_list(&self, card: &BulkCard, from: usize) -> MeshResult<Vec<(usize, u32)>> {
        let expansion = card.len().checked_sub(1).filter(|&last| card.text(last).contains('.'));
        match expansion {
            None => card.ids(from),
            Some(last) => {
                card.real(last)?;
                let shorter = BulkCard {
                    source: card.source.clone(),
                    name: card.name.clone(),
                    name_range: card.name_range.clone(),
                    fields: card.fields[..last].to_vec(),
                    ..*card
                };
                shorter.ids(from)
            }
        }
    }

    /// REFGRID, REFC, then groups of a weight, components and grids.
    pub(crate) fn rbe3(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of an element")?;
        if self.elements.insert(number, ()).is_some() {
            return Err(card.twice());
        }
        let reference = self.node(card, 2, "the number of a grid")?;
        if card.components(3)? != ALL {
            return Err(card.unsupported(3, "REFC is not 123456", "the reference follows in all components"));
        }
        let mut nodes = vec![];
        let mut weight = 1.0;
        let mut field = 4;
        while field < card.len() {
            match card.word(field).as_str() {
                "" => field += 1,
                "UM" => {
                    return Err(card.unsupported(field, "UM", "leave out the set of dependent components"));
                }
                "ALPHA" => field += 2,
                text if text.contains('.') => {
                    weight = card.need(field, "a weight")?;
                    if card.components(field + 1)? != [true, true, true, false, false, false] {
                        return Err(card.unsupported(
                            field + 1,
                            "components other than 123",
                            "the mean is that of displacements, 123",
                        ));
                    }
                    field += 2;
                }
                _ => {
                    nodes.push((self.node(card, field, "the number of a grid")?, weight));
                    field += 1;
                }
            }
        }
        let good = nodes.len() >= 3 && nodes.iter().all(|n| n.1 >= 0.0 && n.0 != reference);
        if !good {
            let message = format!("{} has too few grids, or a negative weight", card.title());
            return Err(card.wrong(
                4,
                MALFORMED,
                message,
                "here",
                "three grids or more, other than REFGRID, with weights above 0",
            ));
        }
        self.mesh.links.push(MeshLink::Averaging { number, reference, nodes });
        Ok(())
    }

    /// Pairs of a grid and its components.
    pub(crate) fn spc(&mut self, card: &BulkCard) -> MeshResult<()> {
        for field in [1, 4] {
            if !card.is_blank(field) {
                self.node(card, field, "the number of a grid")?;
                card.components(field + 1)?;
            }
        }
        self.mesh.leave_out("SPC");
        Ok(())
    }

    pub(crate) fn spc1(&mut self, card: &BulkCard) -> MeshResult<()> {
        card.components(1)?;
        let ids = card.ids(2)?;
        // Ranges may have gaps.
        let range = (2..card.len()).any(|k| card.word(k) == "THRU");
        for (field, grid) in ids.into_iter().filter(|_| !range) {
            self.node_numbered(card, field, grid)?;
        }
        self.mesh.leave_out("SPC1");
        Ok(())
    }

    /// FORCE and MOMENT: G, CID, factor, direction.
    pub fn force(&mut self, card: &BulkCard) -> MeshResult<()> {
        self.node(card, 1, "the number of a grid")?;
        self.system(card, 2)?;
        card.need(3, "the size of the load")?;
        card.vector(4)?;
        self.mesh.leave_out(&card.name);
        Ok(())
    }
}
