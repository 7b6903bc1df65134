//! Bulk data of Nastran. [MSC Nastran Quick Reference Guide, "Bulk Data Entries"]
//!
//! Cards are taken apart first, then read in the order in which they need each other: systems, grids, materials, properties, elements, the rest.

mod card;
mod connections;
mod elements;
mod lines;
mod links;
mod number;
mod properties;
mod sections;
mod systems;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use trunnion_model::mechanism::{FeMesh, MeshPlace};
use trunnion_model::{Diagnostic, Source};

use super::{ABSENT, LISTED, MALFORMED, MeshResult, UNSUPPORTED, fault};
use card::BulkCard;
pub(super) use lines::without_tabs;
use systems::CoordinateSystem;

/// Loads a file that is included.
pub(super) type LoadIncluded<'a> = &'a dyn Fn(&Path) -> MeshResult<Arc<Source>>;

/// How a card is read.
type CardReader = fn(&mut BulkModel, &BulkCard) -> MeshResult<()>;

/// Cards in the order of reading.
const STAGES: [&[(&str, CardReader)]; 5] = [
    &[("CORD2R", BulkModel::cord2r), ("PARAM", BulkModel::param)],
    &[("GRID", BulkModel::grid), ("MAT1", BulkModel::mat1)],
    &[
        ("PBAR", BulkModel::pbar),
        ("PBARL", BulkModel::pbarl),
        ("PBEAM", BulkModel::pbeam),
        ("PBEAML", BulkModel::pbeaml),
        ("PROD", BulkModel::prod),
        ("PBUSH", BulkModel::pbush),
        ("PELAS", BulkModel::pelas),
        ("PSHELL", BulkModel::pshell),
        ("PSOLID", BulkModel::psolid),
    ],
    &[
        ("CBAR", BulkModel::cbar),
        ("CBEAM", BulkModel::cbar),
        ("CROD", BulkModel::crod),
        ("CBUSH", BulkModel::cbush),
        ("CELAS1", BulkModel::celas1),
        ("CELAS2", BulkModel::celas2),
        ("CQUAD4", BulkModel::cquad4),
        ("CTRIA3", BulkModel::ctria3),
        ("CTETRA", BulkModel::solid),
        ("CPENTA", BulkModel::solid),
        ("CHEXA", BulkModel::solid),
    ],
    &[
        ("CONM2", BulkModel::conm2),
        ("RBE2", BulkModel::rbe2),
        ("RBE3", BulkModel::rbe3),
        ("SPC", BulkModel::spc),
        ("SPC1", BulkModel::spc1),
        ("FORCE", BulkModel::force),
        ("MOMENT", BulkModel::force),
    ],
];

/// Cards that say how another program is to compute, or what it is to show.
const WITHOUT_EFFECT: [&str; 14] = [
    "EIGRL", "EIGR", "SPCADD", "LOAD", "PLOTEL", "SET1", "SUPORT", "ASET", "ASET1", "QSET", "QSET1",
    "MDLPRM", "TEMPD", "ECHOON",
];

pub(super) fn recognise(head: &[u8]) -> Result<(), (&'static str, &'static str)> {
    const HINT: &str = "bulk data are lines such as GRID,1,,0.,0.,0.";
    if head.iter().all(u8::is_ascii_whitespace) {
        return Err(("it is empty", HINT));
    }
    if head.contains(&0) {
        return Err(("it is no text", HINT));
    }
    let text = String::from_utf8_lossy(head);
    let known = |line: &str| {
        let word: String = line.trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
        let word = word.to_ascii_uppercase();
        let control =
            ["SOL", "CEND", "BEGIN", "INCLUDE", "NASTRAN", "ENDDATA", "ASSIGN", "ID", "INIT", "TITLE"];
        is_known(&word) || control.contains(&word.as_str())
    };
    let comments = text.trim_start().starts_with('$');
    if comments || text.lines().any(known) { Ok(()) } else { Err(("it is no bulk data of Nastran", HINT)) }
}

fn is_known(name: &str) -> bool {
    STAGES.iter().flat_map(|s| s.iter()).any(|(card, _)| *card == name) || WITHOUT_EFFECT.contains(&name)
}

/// A mesh while its cards are read. Numbers of the file lead to indices.
struct BulkModel {
    mesh: FeMesh,
    nodes: HashMap<u32, usize>,
    /// Of each node: the system of its displacements.
    displacement_systems: Vec<u32>,
    systems: HashMap<u32, CoordinateSystem>,
    materials: HashMap<u32, usize>,
    properties: HashMap<u32, properties::BulkProperty>,
    elements: HashMap<u32, ()>,
    /// Factor on all masses: PARAM,WTMASS.
    mass_factor: f64,
}

pub(super) fn parse(main: &Arc<Source>, load: LoadIncluded<'_>) -> Result<FeMesh, Vec<Diagnostic>> {
    let (files, cards) = lines::cards(main, load).map_err(|error| vec![*error])?;
    let mut model = BulkModel {
        mesh: FeMesh { files, ..FeMesh::default() },
        nodes: HashMap::new(),
        displacement_systems: vec![],
        systems: HashMap::from([(0, CoordinateSystem::basic())]),
        materials: HashMap::new(),
        properties: HashMap::new(),
        elements: HashMap::new(),
        mass_factor: 1.0,
    };
    let mut wrong: Vec<Diagnostic> = vec![];
    for card in &cards {
        if WITHOUT_EFFECT.contains(&card.name.as_str()) {
            model.mesh.leave_out(&card.name);
        } else if !is_known(&card.name) && wrong.len() < LISTED {
            wrong.push(*unknown(card));
        }
    }
    for stage in STAGES {
        let of_stage =
            cards.iter().filter_map(|c| Some((c, stage.iter().find(|(name, _)| *name == c.name)?.1)));
        let mut of_stage: Vec<(&BulkCard, CardReader)> = of_stage.collect();
        if stage[0].0 == "CORD2R" {
            of_stage = systems::in_order(of_stage);
        }
        for (card, read) in of_stage {
            if let Err(error) = read(&mut model, card)
                && wrong.len() < LISTED
            {
                wrong.push(*error);
            }
        }
        // What comes later names what is missing now.
        if !wrong.is_empty() {
            return Err(wrong);
        }
    }
    if model.mesh.elements.is_empty() {
        let end = main.text.len();
        let hint = "bulk data have elements such as CQUAD4 or CTETRA";
        return Err(vec![*fault(
            main,
            end..end,
            ABSENT,
            "there are no elements in the mesh",
            "the file ends here",
            hint,
        )]);
    }
    Ok(model.finished())
}

fn unknown(card: &BulkCard) -> Box<Diagnostic> {
    let message = format!("the card `{}` is not known", card.name);
    let names: Vec<&str> = STAGES.iter().flat_map(|s| s.iter()).map(|(name, _)| *name).collect();
    let hint = trunnion_model::diagnostic::did_you_mean(&card.name, names.iter().copied());
    let hint =
        hint.unwrap_or_else(|| format!("remove it, or replace it by what is read: {}", names.join(", ")));
    fault(&card.source, card.head(), UNSUPPORTED, message, "here", &hint)
}

impl BulkModel {
    fn finished(mut self) -> FeMesh {
        let factor = self.mass_factor;
        self.mesh.materials.iter_mut().for_each(|m| m.density *= factor);
        self.mesh.properties.iter_mut().for_each(|p| p.added_mass *= factor);
        for mass in &mut self.mesh.masses {
            mass.mass *= factor;
            mass.inertia.iter_mut().flatten().for_each(|i| *i *= factor);
        }
        self.mesh
    }

    fn param(&mut self, card: &BulkCard) -> MeshResult<()> {
        match card.word(0).as_str() {
            "WTMASS" => self.mass_factor = card.real(1)?.unwrap_or(1.0),
            name => self.mesh.leave_out(&format!("PARAM {name}")),
        }
        Ok(())
    }

    fn place(&self, card: &BulkCard) -> MeshPlace {
        MeshPlace { file: card.file, line: card.line }
    }

    /// The index of the node that a field names.
    fn node(&self, card: &BulkCard, field: usize, what: &str) -> MeshResult<usize> {
        let number = card.id(field, what)?;
        self.node_numbered(card, field, number)
    }

    fn node_numbered(&self, card: &BulkCard, field: usize, number: u32) -> MeshResult<usize> {
        self.nodes.get(&number).copied().ok_or_else(|| {
            let message = format!("{} names grid {number}, which is not in the file", card.title());
            card.wrong(field, ABSENT, message, "there is no such GRID", "add the GRID, or correct the number")
        })
    }

    fn system(&self, card: &BulkCard, field: usize) -> MeshResult<&CoordinateSystem> {
        let number = card.integer(field)?.unwrap_or(0);
        let found = u32::try_from(number).ok().and_then(|n| self.systems.get(&n));
        found.ok_or_else(|| {
            let message = format!("{} names system {number}, which is not in the file", card.title());
            card.wrong(
                field,
                ABSENT,
                message,
                "there is no such CORD2R",
                "only rectangular systems, CORD2R, are read",
            )
        })
    }

    fn displacement_system(&self, node: usize) -> &CoordinateSystem {
        &self.systems[&self.displacement_systems[node]]
    }
}
