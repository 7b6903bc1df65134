//! Asks a run for what it does not have, and tells the reasons apart.

use std::error::Error;
use std::sync::Arc;

use trunnion_engine::Workspace;
use trunnion_study::Run;
use trunnion_study::request_error::{RunRequestError, UnknownName};
use trunnion_study::simulate::Overrides;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/domains/mechanics/oscillator.toml");

pub fn main() -> Result<(), Box<dyn Error>> {
    let project = Arc::new(Workspace::default().open(MODEL, &[])?);
    let mut run = Run::new(&project, &Overrides::default())?;
    let Err(refused) = run.value("body.z") else { return Err("a signal that is not there".into()) };
    let unknown: &UnknownName = refused.request().ok_or("another error")?;
    println!("there is no {} `{}`, but {:?}", unknown.kind, unknown.name, unknown.near);
    let Err(refused) = run.set("B", "-1 N s/m") else { return Err("a negative damping".into()) };
    match refused.request() {
        Some(RunRequestError::OutOfRange { name, low, .. }) => println!("`{name}` has to be at least {low}"),
        _ => return Err(refused.into()),
    }
    Ok(())
}
