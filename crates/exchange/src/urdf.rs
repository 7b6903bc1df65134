//! Robot descriptions (URDF), written as model files.

mod names;
mod read;
mod robot;
mod tree;
mod write;
mod xml;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use trunnion_model::{Diagnostic, Severity, Source};

/// A model file, and what a reader should know of how it came about.
#[derive(Debug)]
pub struct Imported {
    pub text: String,
    pub notes: Vec<Diagnostic>,
}

/// What was found so far; errors end the import once all of them are known.
#[derive(Default)]
struct Findings(RefCell<Vec<Diagnostic>>);

impl Findings {
    fn add(&self, found: Diagnostic) {
        self.0.borrow_mut().push(found);
    }

    fn failed(&self) -> bool {
        self.0.borrow().iter().any(|d| d.severity == Severity::Error)
    }

    fn take(self) -> Vec<Diagnostic> {
        self.0.into_inner()
    }
}

/// URDF to a model file that will stand in `folder`. The text's name is the path of the URDF: meshes are looked for from there.
pub fn model_of(source: &Arc<Source>, folder: &Path) -> Result<Imported, Vec<Diagnostic>> {
    let findings = Findings::default();
    let robot = read::robot(source, folder, &findings).filter(|_| !findings.failed());
    let root = robot.as_ref().and_then(|robot| tree::root(robot, source, &findings));
    let text = match (robot, root) {
        (Some(robot), Some(root)) if !findings.failed() => {
            let names = names::UrdfNames::of(&robot, root, source, &findings);
            Some(write::model(&robot, root, &names))
        }
        _ => None,
    };
    let notes = findings.take();
    match text {
        Some(text) => Ok(Imported { text, notes }),
        None => Err(notes),
    }
}

#[cfg(test)]
mod tests;
