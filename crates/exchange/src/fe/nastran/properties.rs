//! Materials and properties of rods, bushings, springs, shells and solids.

use trunnion_model::mechanism::{ElasticMaterial, MeshProperty, MeshPropertyForm};

use super::card::BulkCard;
use super::{ABSENT, BulkModel, MALFORMED, MeshResult};

/// What a property number stands for.
pub(super) enum BulkProperty {
    /// Of the mesh, by index, with the name of its card.
    Carrying { card: String, index: usize },
    /// PBUSH: axes come with each element.
    Bushing([f64; 6]),
    /// PELAS.
    Spring(f64),
}

impl BulkModel {
    /// E, G and ν, of which two give the third.
    pub(crate) fn mat1(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of a material")?;
        let (e, g, nu) = (card.real(1)?, card.real(2)?, card.real(3)?);
        let (e, nu) = match (e, g, nu) {
            (Some(e), _, Some(nu)) => (e, nu),
            (Some(e), Some(g), None) => (e, e / (2.0 * g) - 1.0),
            (None, Some(g), Some(nu)) => (2.0 * g * (1.0 + nu), nu),
            _ => {
                let message = format!("{} needs two of E, G and NU", card.title());
                return Err(card.wrong(1, MALFORMED, message, "too few of them", "MAT1,1,210.+3,,.3,7.85-9"));
            }
        };
        if !(e > 0.0 && nu > -1.0 && nu < 0.5) {
            let message = format!("{} is no elastic material", card.title());
            let label = format!("E = {e}, NU = {nu}");
            return Err(card.wrong(1, MALFORMED, message, label, "E is above 0, NU above -1 and below 0.5"));
        }
        if card.real(7)?.is_some_and(|ge| ge != 0.0) {
            self.mesh.leave_out("damping GE of MAT1");
        }
        let material =
            ElasticMaterial { youngs_modulus: e, poissons_ratio: nu, density: card.real(4)?.unwrap_or(0.0) };
        if self.materials.insert(number, self.mesh.materials.len()).is_some() {
            return Err(card.twice());
        }
        self.mesh.materials.push(material);
        Ok(())
    }

    pub fn material(&self, card: &BulkCard, field: usize) -> MeshResult<usize> {
        let number = card.id(field, "the number of a material")?;
        self.materials.get(&number).copied().ok_or_else(|| {
            let message = format!("{} names material {number}, which is not in the file", card.title());
            card.wrong(
                field,
                ABSENT,
                message,
                "there is no such MAT1",
                "only isotropic materials, MAT1, are read",
            )
        })
    }

    pub(crate) fn add_property(
        &mut self,
        card: &BulkCard,
        form: MeshPropertyForm,
        material: usize,
        added_mass: f64,
    ) -> MeshResult<()> {
        let number = card.id(0, "the number of a property")?;
        let index = self.mesh.properties.len();
        let known = BulkProperty::Carrying { card: card.name.clone(), index };
        if self.properties.insert(number, known).is_some() {
            return Err(card.twice());
        }
        self.mesh.properties.push(MeshProperty { form, material: Some(material), added_mass });
        Ok(())
    }

    /// A size that has to be above 0.
    pub fn positive(&self, card: &BulkCard, field: usize, what: &str) -> MeshResult<f64> {
        let x = card.need(field, what)?;
        if x > 0.0 {
            return Ok(x);
        }
        let message = format!("{} of {} is not above 0", what, card.title());
        Err(card.wrong(field, MALFORMED, message, "here", "check the fields of the card"))
    }

    pub(crate) fn prod(&mut self, card: &BulkCard) -> MeshResult<()> {
        let (material, area) = (self.material(card, 1)?, self.positive(card, 2, "the area")?);
        if card.real(3)?.is_some_and(|j| j != 0.0) {
            self.mesh.leave_out("torsion J of PROD");
        }
        let added = card.real(5)?.unwrap_or(0.0);
        self.add_property(card, MeshPropertyForm::Rod { area }, material, added)
    }

    pub(crate) fn psolid(&mut self, card: &BulkCard) -> MeshResult<()> {
        let material = self.material(card, 1)?;
        self.add_property(card, MeshPropertyForm::Solid, material, 0.0)
    }

    pub(crate) fn pshell(&mut self, card: &BulkCard) -> MeshResult<()> {
        const ONE: &str = "membrane and bending are of one material, homogeneous over the thickness";
        let material = self.material(card, 1)?;
        let thickness = self.positive(card, 2, "the thickness")?;
        if card.is_blank(3) || self.material(card, 3)? != material {
            return Err(card.unsupported(3, "MID2 differs from MID1", ONE));
        }
        if card.real(4)?.is_some_and(|ratio| (ratio - 1.0).abs() > 1e-6) {
            return Err(card.unsupported(4, "12I/T**3 is not 1", ONE));
        }
        if card.is_blank(5) {
            self.mesh.leave_out("PSHELL without shear, MID3");
        }
        if card.real(6)?.is_some_and(|ratio| (ratio - 5.0 / 6.0).abs() > 1e-3) {
            return Err(card.unsupported(6, "TS/T is not 5/6", ONE));
        }
        card.refuse(10, "MID4 couples membrane and bending", ONE)?;
        let added = card.real(7)?.unwrap_or(0.0);
        self.add_property(card, MeshPropertyForm::Shell { thickness }, material, added)
    }

    /// Lines that begin with K, B, GE or RCV; only stiffness acts.
    pub(crate) fn pbush(&mut self, card: &BulkCard) -> MeshResult<()> {
        let number = card.id(0, "the number of a property")?;
        let mut stiffness = [0.0; 6];
        for line in 0..card.fields.len().div_ceil(8) {
            match card.word(8 * line + 1).as_str() {
                "K" => {
                    for (k, value) in stiffness.iter_mut().enumerate() {
                        *value = card.real(8 * line + 2 + k)?.unwrap_or(0.0);
                    }
                }
                "" => {}
                other => self.mesh.leave_out(&format!("{other} of PBUSH")),
            }
        }
        if self.properties.insert(number, BulkProperty::Bushing(stiffness)).is_some() {
            return Err(card.twice());
        }
        Ok(())
    }

    /// Two properties a card.
    pub(crate) fn pelas(&mut self, card: &BulkCard) -> MeshResult<()> {
        for first in [0, 4] {
            if first > 0 && card.is_blank(first) {
                continue;
            }
            let number = card.id(first, "the number of a property")?;
            let stiffness = card.need(first + 1, "a stiffness")?;
            if card.real(first + 2)?.is_some_and(|ge| ge != 0.0) {
                self.mesh.leave_out("damping GE of PELAS");
            }
            if self.properties.insert(number, BulkProperty::Spring(stiffness)).is_some() {
                return Err(card.twice());
            }
        }
        Ok(())
    }

    /// The property that a field names.
    pub fn property(&self, card: &BulkCard, field: usize) -> MeshResult<&BulkProperty> {
        // Left blank it has the number of the element.
        let field = if card.is_blank(field) { 0 } else { field };
        let number = card.id(field, "the number of a property")?;
        self.properties.get(&number).ok_or_else(|| {
            let message = format!("{} has property {number}, which is not in the file", card.title());
            card.wrong(
                field,
                ABSENT,
                message,
                "there is no such property",
                "add its card, such as PSHELL or PSOLID",
            )
        })
    }

    /// The index of a property of one of these cards.
    pub(crate) fn carrying(&self, card: &BulkCard, wanted: &[&str]) -> MeshResult<usize> {
        match self.property(card, 1)? {
            BulkProperty::Carrying { card: name, index } if wanted.contains(&name.as_str()) => Ok(*index),
            _ => Err(self.other_property(card, wanted)),
        }
    }

    pub(crate) fn other_property(&self, card: &BulkCard, wanted: &[&str]) -> Box<trunnion_model::Diagnostic> {
        let message = format!("{} has a property of another kind", card.title());
        card.wrong(
            1,
            ABSENT,
            message,
            format!("has to be {}", wanted.join(" or ")),
            "check the numbers of the properties",
        )
    }
}
