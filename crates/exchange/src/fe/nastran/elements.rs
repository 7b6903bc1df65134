//! Bars, rods, shells and solids.

use trunnion_model::mechanism::{MeshBeamPlacement, MeshElement, MeshElementKind};
use trunnion_num::space::minus;

use super::card::BulkCard;
use super::{BulkModel, MALFORMED, MeshResult};

impl BulkModel {
    pub fn add_element(
        &mut self,
        card: &BulkCard,
        kind: MeshElementKind,
        nodes: Vec<usize>,
        property: usize,
        placement: Option<MeshBeamPlacement>,
    ) -> MeshResult<()> {
        let number = card.id(0, "the number of an element")?;
        if self.elements.insert(number, ()).is_some() {
            return Err(card.twice());
        }
        let twice = (1..nodes.len()).find(|&k| nodes[..k].contains(&nodes[k]));
        if let Some(k) = twice {
            let node = self.mesh.nodes[nodes[k]].number;
            let message = format!("{} has grid {node} twice", card.title());
            return Err(card.wrong(
                2 + k,
                MALFORMED,
                message,
                "again here",
                "an element has different grids",
            ));
        }
        let place = self.place(card);
        self.mesh.elements.push(MeshElement {
            number,
            kind,
            nodes,
            property: Some(property),
            placement,
            place,
        });
        Ok(())
    }

    fn grids(&self, card: &BulkCard, from: usize, count: usize) -> MeshResult<Vec<usize>> {
        (from..from + count).map(|field| self.node(card, field, "the number of a grid")).collect()
    }

    /// CBAR and CBEAM: PID, GA, GB, the vector in the plane of x and y, releases, offsets.
    pub(crate) fn cbar(&mut self, card: &BulkCard) -> MeshResult<()> {
        let wanted: &[&str] = if card.name == "CBAR" { &["PBAR", "PBARL"] } else { &["PBEAM", "PBEAML"] };
        let property = self.carrying(card, wanted)?;
        let nodes = self.grids(card, 2, 2)?;
        let by_grid =
            card.is_blank(5) && card.is_blank(6) && !card.is_blank(4) && !card.text(4).contains('.');
        let orientation = if by_grid {
            let third = self.node(card, 4, "the number of a grid")?;
            minus(self.mesh.nodes[third].at, self.mesh.nodes[nodes[0]].at)
        } else {
            self.displacement_system(nodes[0]).direction(card.vector(4)?)
        };
        if orientation == [0.0; 3] {
            let message = format!("{} has no direction of its section", card.title());
            return Err(card.wrong(
                4,
                MALFORMED,
                message,
                "X1, X2, X3 or G0",
                "a vector in the plane of the element's x and y",
            ));
        }
        if !matches!(card.word(7).as_str(), "" | "GGG") {
            return Err(card.unsupported(7, "only GGG is read", "give offsets in the system of the grids"));
        }
        let releases = [card.components(8)?, card.components(9)?];
        let offset = |end: usize| -> MeshResult<[f64; 3]> {
            Ok(self.displacement_system(nodes[end]).direction(card.vector(10 + 3 * end)?))
        };
        let offsets = [offset(0)?, offset(1)?];
        for field in [16, 17] {
            card.refuse(field, "scalar points of warping", "sections warp freely here")?;
        }
        let placement = MeshBeamPlacement { orientation, offsets, releases };
        self.add_element(card, MeshElementKind::Beam, nodes, property, Some(placement))
    }

    pub(crate) fn crod(&mut self, card: &BulkCard) -> MeshResult<()> {
        let property = self.carrying(card, &["PROD"])?;
        let nodes = self.grids(card, 2, 2)?;
        self.add_element(card, MeshElementKind::Rod, nodes, property, None)
    }

    /// The angle of the material has no effect.
    fn shell(&mut self, card: &BulkCard, kind: MeshElementKind, count: usize) -> MeshResult<()> {
        let property = self.carrying(card, &["PSHELL"])?;
        let nodes = self.grids(card, 2, count)?;
        card.refuse(3 + count, "the shell is offset", "place the grids in the middle surface")?;
        for field in (0..count).map(|k| 10 + k).chain([9]) {
            card.refuse(field, "thickness of its own", "give it by PSHELL")?;
        }
        self.add_element(card, kind, nodes, property, None)
    }

    pub(crate) fn cquad4(&mut self, card: &BulkCard) -> MeshResult<()> {
        self.shell(card, MeshElementKind::Quad4, 4)
    }

    pub(crate) fn ctria3(&mut self, card: &BulkCard) -> MeshResult<()> {
        self.shell(card, MeshElementKind::Triangle3, 3)
    }

    /// CTETRA, CPENTA, CHEXA: corners, or all nodes.
    pub fn solid(&mut self, card: &BulkCard) -> MeshResult<()> {
        use MeshElementKind::*;
        let property = self.carrying(card, &["PSOLID"])?;
        let ([corners, all], [first, second]) = match card.name.as_str() {
            "CTETRA" => ([4, 10], [Tetra4, Tetra10]),
            "CPENTA" => ([6, 15], [Wedge6, Wedge15]),
            _ => ([8, 20], [Hexa8, Hexa20]),
        };
        let given = card.len().saturating_sub(2);
        let (count, kind) = if given <= corners { (corners, first) } else { (all, second) };
        if given > all {
            return Err(card.unsupported(
                2 + all,
                format!("more than {all} grids"),
                "check the continuation",
            ));
        }
        let nodes = self.grids(card, 2, count)?;
        self.add_element(card, kind, nodes, property, None)
    }
}
