//! Examples written as images, read back, and run with the same bits: mechanisms, valves, tables, controllers, starts at rest.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use trunnion_engine::project::Project;
use trunnion_equations::{EvaluationEngine, Image};
use trunnion_sim::integrate::Moment;
use trunnion_sim::machine::{Loaded, Machine};
use trunnion_sim::run::run_on;
use trunnion_study::simulate::{Overrides, settings};

/// All rows, events and the end, as bits.
type Course = (Vec<Vec<u64>>, Vec<(usize, u64)>, Option<String>);

fn course(project: &Project, (mut machine, mut y): (Machine, Vec<f64>)) -> Course {
    let (solver, s) = settings(&project.run, &Overrides::default()).unwrap_or_else(|_| panic!());
    let mut rows = vec![];
    let mut watch = |machine: &mut Machine, t: f64, y: &[f64], _: Moment| {
        let mut row = vec![0.0; machine.loaded().columns.len() + 1];
        let _ = machine.record(t, y, &mut row[1..]);
        row[0] = t;
        rows.push(row.iter().map(|x| x.to_bits()).collect());
        ControlFlow::Continue(())
    };
    run_on(&mut machine, &mut y, solver, &s, true, &mut watch).unwrap();
    let fired = machine.fired.iter().map(|&(event, t)| (event, t.to_bits())).collect();
    (rows, fired, machine.ended_by.clone())
}

#[test]
fn images_of_examples_run_with_the_same_bits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in [
        "machines/torx/torx.toml",
        "language/control/pid_position.toml",
        "domains/mechanisms/squeezer.toml",
        "machines/forestry/crane.toml",
        "domains/pneumatic/air_position_control.toml",
        "machines/robot_arm/robot_arm.toml",
    ] {
        let path = folder.join(name);
        let project = Project::open(&path.to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{name}: {f}"));
        let bytes = project.prepared.image.to_bytes();
        let image = Image::from_bytes(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(image.to_bytes(), bytes, "{name}");
        let loaded = Arc::new(Loaded::new(Arc::new(image), EvaluationEngine::Native));
        let t_0 = project.run.t_start;
        let wanted = Machine::start(project.prepared.clone(), &HashMap::new(), t_0).unwrap();
        let found = Machine::start_image(loaded, &HashMap::new(), t_0).unwrap();
        let (wanted, found) = (course(&project, wanted), course(&project, found));
        assert!(wanted.0.len() > 10, "{name}");
        assert!(found == wanted, "{name}: rows, events or the end differ");
    }
}
