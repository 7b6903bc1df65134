//! Sections of bars and beams.
//!
//! I1 is of bending in the plane of the element's x and y, so ∫ y² dA = i_zz; I2 is i_yy. The height of a shape is along the element's y.

use trunnion_model::mechanism::{BeamProfile, MeshPropertyForm, MeshSection};

use super::card::BulkCard;
use super::{BulkModel, MALFORMED, MeshResult};

/// Shapes of PBARL and PBEAML: name and how many dimensions.
const SHAPES: [(&str, usize); 5] = [("ROD", 1), ("TUBE", 2), ("BAR", 2), ("BOX", 4), ("I", 6)];

type StationList = Vec<(f64, MeshSection)>;

/// Six constants in the order of PBEAM: A, I1, I2, I12, J, NSM.
type EndConstants = [f64; 6];

impl BulkModel {
    pub(crate) fn pbar(&mut self, card: &BulkCard) -> MeshResult<()> {
        let material = self.material(card, 1)?;
        let area = self.positive(card, 2, "the area")?;
        let (i_zz, i_yy) = (self.positive(card, 3, "I1")?, self.positive(card, 4, "I2")?);
        let torsion = self.positive(card, 5, "the torsion constant J")?;
        let factors = [card.real(16)?.unwrap_or(0.0), card.real(17)?.unwrap_or(0.0)];
        let section = MeshSection::Constants {
            area,
            i_yy,
            i_zz,
            i_yz: card.real(18)?.unwrap_or(0.0),
            torsion,
            shear_areas: shear_areas(card, 16, factors, area)?,
            centroid: [0.0; 2],
        };
        let added = card.real(6)?.unwrap_or(0.0);
        self.add_property(card, MeshPropertyForm::Beam(vec![(0.0, section)]), material, added)
    }

    pub(crate) fn pbarl(&mut self, card: &BulkCard) -> MeshResult<()> {
        let material = self.material(card, 1)?;
        let (section, next) = self.shape(card, 8)?;
        let added = card.real(next)?.unwrap_or(0.0);
        self.add_property(card, MeshPropertyForm::Beam(vec![(0.0, section)]), material, added)
    }

    /// Dimensions at end A, then stations: SO, X/XB and dimensions.
    pub(crate) fn pbeaml(&mut self, card: &BulkCard) -> MeshResult<()> {
        let material = self.material(card, 1)?;
        let (section, mut next) = self.shape(card, 8)?;
        let added = card.real(next)?.unwrap_or(0.0);
        let mut stations = vec![(0.0, section)];
        next += 1;
        while next < card.len() {
            let share = card.real(next + 1)?.unwrap_or(1.0);
            let (section, after) = self.shape(card, next + 2)?;
            if card.real(after)?.is_some_and(|mass| mass != added) {
                return Err(card.unsupported(
                    after,
                    "NSM varies along the beam",
                    "give a mean value at end A",
                ));
            }
            stations.push((share, section));
            next = after + 1;
        }
        let stations = in_order(card, stations)?;
        self.add_property(card, MeshPropertyForm::Beam(stations), material, added)
    }

    /// The shape whose name is in field 5, with dimensions from `field` on; where the next field is.
    fn shape(&self, card: &BulkCard, field: usize) -> MeshResult<(MeshSection, usize)> {
        let name = card.word(3);
        let Some(&(_, count)) = SHAPES.iter().find(|(shape, _)| *shape == name) else {
            let names: Vec<&str> = SHAPES.iter().map(|(shape, _)| *shape).collect();
            let hint = format!("shapes are {}; others by PBAR or PBEAM", names.join(", "));
            return Err(card.unsupported(3, format!("the shape `{name}` is not known"), &hint));
        };
        let mut sizes = vec![];
        for k in 0..count {
            sizes.push(card.need(field + k, "a dimension")?);
        }
        let (profile, fits) = profile(&name, &sizes);
        if !fits {
            let message = format!("the dimensions of {} do not fit together", card.title());
            return Err(card.wrong(
                field,
                MALFORMED,
                message,
                "here",
                "sizes are above 0, and walls fit into the outline; flanges of an I are alike",
            ));
        }
        Ok((MeshSection::Profile { profile, turned: true, shear: true }, field + count))
    }

    pub(crate) fn pbeam(&mut self, card: &BulkCard) -> MeshResult<()> {
        let material = self.material(card, 1)?;
        let end_a = constants(card, 2, None)?;
        let has_station = |field: usize| matches!(card.word(field).as_str(), "YES" | "YESA" | "NO");
        // The stresses at end A may be left out before a station.
        let mut next = if has_station(8) { 8 } else { 16 };
        let mut ends = vec![(0.0, end_a)];
        while has_station(next) {
            let share = card.real(next + 1)?.unwrap_or(1.0);
            let at = constants(card, next + 2, Some(end_a))?;
            if at[5] != end_a[5] {
                return Err(card.unsupported(
                    next + 7,
                    "NSM varies along the beam",
                    "give a mean value at end A",
                ));
            }
            ends.push((share, at));
            next += if card.word(next) == "YES" { 16 } else { 8 };
        }
        let factors = [card.real(next)?.unwrap_or(1.0), card.real(next + 1)?.unwrap_or(1.0)];
        for (field, what) in [(2, "S1"), (3, "S2"), (6, "CW(A)"), (7, "CW(B)")] {
            if card.real(next + field)?.is_some_and(|x| x != 0.0) {
                self.mesh.leave_out(&format!("{what} of PBEAM"));
            }
        }
        for field in [4, 5, 8, 9, 10, 11] {
            card.refuse(
                next + field,
                "inertia or offset of the mass NSM",
                "use CONM2 for masses beside the beam",
            )?;
        }
        let at_a = [card.real(next + 12)?.unwrap_or(0.0), card.real(next + 13)?.unwrap_or(0.0)];
        let at_b = [card.real(next + 14)?.unwrap_or(at_a[0]), card.real(next + 15)?.unwrap_or(at_a[1])];
        if ends.len() == 1 && at_a != at_b {
            ends.push((1.0, end_a));
        }
        let mut stations = vec![];
        for (share, [area, i_1, i_2, i_12, torsion, _]) in ends {
            stations.push((
                share,
                MeshSection::Constants {
                    area,
                    i_yy: i_2,
                    i_zz: i_1,
                    i_yz: i_12,
                    torsion,
                    shear_areas: shear_areas(card, next, factors, area)?,
                    centroid: [0, 1].map(|k| at_a[k] + share * (at_b[k] - at_a[k])),
                },
            ));
        }
        let stations = in_order(card, stations)?;
        self.add_property(card, MeshPropertyForm::Beam(stations), material, end_a[5])
    }
}

/// A, I1, I2, I12, J and NSM from a field on; blank ones are those of end A.
fn constants(card: &BulkCard, field: usize, end_a: Option<EndConstants>) -> MeshResult<EndConstants> {
    let mut found = [0.0; 6];
    for (k, value) in found.iter_mut().enumerate() {
        *value = match (card.real(field + k)?, end_a) {
            (Some(x), _) => x,
            (None, Some(a)) => a[k],
            (None, None) if [3, 5].contains(&k) => 0.0,
            (None, None) => card.need(field + k, "a constant of the section")?,
        };
    }
    let [area, i_1, i_2, i_12, torsion, _] = found;
    if !(area > 0.0 && i_1 > 0.0 && i_2 > 0.0 && torsion > 0.0 && i_1 * i_2 > i_12 * i_12) {
        let message = format!("no section has the constants of {}", card.title());
        return Err(card.wrong(
            field,
            MALFORMED,
            message,
            "here",
            "A, I1, I2 and J are above 0, and I1 I2 above I12**2",
        ));
    }
    Ok(found)
}

fn shear_areas(card: &BulkCard, field: usize, factors: [f64; 2], area: f64) -> MeshResult<Option<[f64; 2]>> {
    match factors {
        [0.0, 0.0] => Ok(None),
        [a, b] if a > 0.0 && b > 0.0 => Ok(Some([a * area, b * area])),
        _ => Err(card.unsupported(field, "shear in one direction only", "give both K1 and K2, or neither")),
    }
}

/// Stations from 0 to 1, ascending.
fn in_order(card: &BulkCard, mut stations: StationList) -> MeshResult<StationList> {
    stations.sort_by(|a, b| a.0.total_cmp(&b.0));
    let good = stations.windows(2).all(|w| w[0].0 < w[1].0) && stations.iter().all(|s| s.0 <= 1.0);
    if good {
        return Ok(stations);
    }
    let message = format!("the stations of {} do not lie apart on the beam", card.title());
    Err(card.wrong(0, MALFORMED, message, "here", "each X/XB once, above 0 and at most 1"))
}

/// The shape of this name, and whether its dimensions fit together. Its height is along the element's y.
fn profile(name: &str, d: &[f64]) -> (BeamProfile, bool) {
    let positive = d.iter().all(|x| *x > 0.0);
    match (name, d) {
        ("ROD", &[r]) => (BeamProfile::Circle { diameter: 2.0 * r }, positive),
        ("TUBE", &[outer, inner]) if inner > 0.0 => {
            (BeamProfile::Tube { diameter: 2.0 * outer, wall: outer - inner }, inner < outer)
        }
        ("TUBE", &[outer, inner]) => {
            (BeamProfile::Circle { diameter: 2.0 * outer }, outer > 0.0 && inner == 0.0)
        }
        ("BAR", &[width, height]) => (BeamProfile::Rectangle { width, height }, positive),
        ("BOX", &[width, height, cover, side]) => {
            let fits = positive && 2.0 * side < width && 2.0 * cover < height;
            (BeamProfile::Box { width, height, side, cover }, fits)
        }
        ("I", &[height, bottom, top, web, flange, upper]) => {
            let alike = bottom == top && flange == upper;
            let fits = positive && alike && web <= bottom && 2.0 * flange < height;
            (BeamProfile::I { width: bottom, height, web, flange }, fits)
        }
        _ => unreachable!("shapes and their dimensions are counted above"),
    }
}
