//! Writes all that a run needs of a model to bytes, and runs them without the model.

use std::collections::HashMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use trunnion_engine::Workspace;
use trunnion_equations::{EvaluationEngine, Image};
use trunnion_sim::integrate::Moment;
use trunnion_sim::machine::{Loaded, Machine};
use trunnion_sim::run::MachineRun;
use trunnion_study::simulate::{Overrides, settings};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/domains/mechanics/oscillator.toml");

pub fn main() -> Result<(), Box<dyn Error>> {
    let project = Workspace::default().open(MODEL, &[])?;
    let (solver, settings) = settings(&project.run, &Overrides::default())?;
    let given = HashMap::new();
    let mut here =
        MachineRun::new(&project.prepared, &given, solver, &settings).map_err(|e| e.to_string())?;
    let bytes = project.prepared.image.to_bytes();
    println!("the image of {MODEL} has {} bytes", bytes.len());

    // From here on nothing but the bytes, as in another process.
    let image = Arc::new(Image::from_bytes(&bytes)?);
    let loaded = Arc::new(Loaded::new(image, EvaluationEngine::Native));
    let mut there = MachineRun::of_image(&loaded, &given, solver, &settings).map_err(|e| e.to_string())?;

    let mut unwatched = |_: &mut Machine, _: f64, _: &[f64], _: Moment| ControlFlow::Continue(());
    here.advance(f64::INFINITY, &mut unwatched)?;
    there.advance(f64::INFINITY, &mut unwatched)?;
    println!("at {} s its unknowns are {:?}", there.t(), there.y());
    if here.y() == there.y() { Ok(()) } else { Err("the two differ".into()) }
}
