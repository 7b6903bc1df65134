//! Opens a model, runs it, changes a parameter, pauses, takes a snapshot and goes on from it in another thread.

use std::error::Error;
use std::sync::Arc;
use std::thread;

use trunnion_engine::{Failure, Workspace};
use trunnion_study::simulate::Overrides;
use trunnion_study::{Monitor, Run};

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/domains/mechanics/oscillator.toml");

pub fn main() -> Result<(), Box<dyn Error>> {
    let project = Arc::new(Workspace::default().open(MODEL, &[])?);
    let mut run = Run::new(&project, &Overrides::default())?;
    run.advance(1.0, &Monitor::default())?;
    println!("at {:.3} s the body is at {:.6} m", run.t(), run.value("body.x")?);
    run.set("B", "1000 N s/m")?;
    run.advance(2.0, &Monitor::default())?;
    let snapshot = run.snapshot()?;
    let elsewhere = thread::spawn(move || -> Result<f64, Failure> {
        let mut other = Run::new(&project, &Overrides::default())?;
        other.restore(&snapshot)?;
        other.advance(f64::INFINITY, &Monitor::default())?;
        other.value("body.x")
    });
    run.advance(f64::INFINITY, &Monitor::default())?;
    let (here, there) = (run.value("body.x")?, elsewhere.join().map_err(|_| "the thread panicked")??);
    println!("at {} s it rests at {here:.6} m, and {there:.6} m in the other thread", run.t());
    if here.to_bits() == there.to_bits() { Ok(()) } else { Err("the two differ".into()) }
}
