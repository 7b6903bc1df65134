//! Images: written to bytes and read back they run with the same bits, and no bytes whatever make the program fail.
#![cfg(feature = "script")]

mod systems;

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use systems::{BELT, EVERYTHING, TURNS, prepared};
use trunnion_equations::{EvaluationEngine, Image, ImageError};
use trunnion_sim::integrate::{Moment, OutputTimes};
use trunnion_sim::live::{LiveRun, RealTimeSettings};
use trunnion_sim::machine::{Loaded, Machine};
use trunnion_sim::problem::{Hybrid, Problem};
use trunnion_sim::run::{Settings, run_on};
use trunnion_sim::solvers::choose::{self, MethodNumbers};

/// Events that set states, hold and end the run; parameters and start values that follow from others.
const BALL: &str = r#"
    [parameters]
    g = "9.81 m/s^2"
    height = "1 m"
    fall = { unit = "s", value = "sqrt(2*height/g)" }
    [variables]
    h = { unit = "m", start = "height*(1 + fall/(1 s))" }
    v = { unit = "m/s" }
    [equations]
    a = "der(h) = v"
    b = "der(v) = -g"
    [events.bounce]
    when = "h < 0"
    set  = { v = "-0.8*v" }
    [events.end]
    when = "time > 1.9 s"
    terminate = "enough"
"#;

const MODELS: [&str; 4] = [BALL, TURNS, BELT, EVERYTHING];

/// Every recorded row with its time and moment, and every event: all bits of a run.
#[derive(PartialEq, Debug, Default)]
struct Course {
    rows: Vec<(u64, String, Vec<u64>)>,
    fired: Vec<(usize, u64)>,
    y: Vec<u64>,
    ended_by: Option<String>,
    summary: String,
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

fn course((mut machine, mut y): (Machine, Vec<f64>), solver: &str) -> Course {
    let settings = Settings {
        t_0: 0.0,
        t_end: 2.0,
        output: OutputTimes::Count(41),
        at: vec![],
        rtol: 1e-6,
        atol: None,
        h_max: None,
        step: None,
        numbers: MethodNumbers::default(),
    };
    let mut rows = vec![];
    let mut watch = |machine: &mut Machine, t: f64, y: &[f64], moment: Moment| {
        let mut row = vec![0.0; machine.loaded().columns.len()];
        machine.record(t, y, &mut row).unwrap();
        rows.push((t.to_bits(), format!("{moment:?}"), bits(&row)));
        ControlFlow::Continue(())
    };
    let solver = choose::find(solver).unwrap();
    let summary = run_on(&mut machine, &mut y, solver, &settings, true, &mut watch).unwrap();
    Course {
        rows,
        fired: machine.fired.iter().map(|&(event, t)| (event, t.to_bits())).collect(),
        y: bits(&y),
        ended_by: machine.ended_by.clone(),
        summary: format!("{summary:?}"),
    }
}

#[test]
fn an_image_read_back_runs_with_the_same_bits() {
    for text in MODELS {
        let bytes = {
            let original = prepared(text);
            original.image.to_bytes()
        };
        let original = Arc::new(prepared(text));
        for engine in [EvaluationEngine::Interpreter, EvaluationEngine::Native] {
            let loaded = Arc::new(Loaded::new(Arc::new(Image::from_bytes(&bytes).unwrap()), engine));
            for solver in ["rodas5p", "tsit45", "bdf"] {
                let wanted = course(Machine::start(original.clone(), &HashMap::new(), 0.0).unwrap(), solver);
                let found =
                    course(Machine::start_image(loaded.clone(), &HashMap::new(), 0.0).unwrap(), solver);
                assert!(wanted.rows.len() > 20, "{solver}: {} rows", wanted.rows.len());
                assert_eq!(found, wanted, "{solver} {text}");
            }
        }
    }
}

#[test]
fn what_is_written_again_is_the_same() {
    for text in MODELS {
        let bytes = prepared(text).image.to_bytes();
        assert_eq!(Image::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    }
}

#[test]
fn start_values_follow_parameters_that_are_given() {
    let bytes = prepared(BALL).image.to_bytes();
    let image = Image::from_bytes(&bytes).unwrap();
    let (height, h) = (image.find("height").unwrap(), image.find("h").unwrap());
    let start = image.start_values(&HashMap::from([(height, 4.0)]));
    assert_eq!(start[h.index()], 4.0 * (1.0 + (8.0_f64 / 9.81).sqrt()));
    let model = prepared(BALL);
    let given = HashMap::from([(model.system.find("height").unwrap(), 4.0)]);
    assert_eq!(bits(&model.system.start(&given).y()), bits(&image.y_values(&start)));
}

#[test]
fn a_live_run_of_an_image_has_the_same_bits() {
    for text in MODELS {
        let original = Arc::new(prepared(text));
        let image = Image::from_bytes(&original.image.to_bytes()).unwrap();
        let loaded = Arc::new(Loaded::new(Arc::new(image), EvaluationEngine::Interpreter));
        let started = |(machine, y): (Machine, Vec<f64>)| {
            LiveRun::new(machine, &y, 0.0, RealTimeSettings::default()).unwrap_or_else(|e| panic!("{e}"))
        };
        let mut wanted = started(Machine::start(original.clone(), &HashMap::new(), 0.0).unwrap());
        let mut found = started(Machine::start_image(loaded, &HashMap::new(), 0.0).unwrap());
        for _ in 0..500 {
            assert_eq!(found.advance().unwrap(), wanted.advance().unwrap());
            assert_eq!(bits(found.y()), bits(wanted.y()));
        }
        assert_eq!(found.fired(), wanted.fired());
    }
}

/// The bytes with a checksum that fits, as a forger would give them.
fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = bytes[28..]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    bytes[20..28].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// What a solver would ask of a machine at its start, whatever the image says.
fn evaluated(image: Image) {
    let loaded = Arc::new(Loaded::new(Arc::new(image), EvaluationEngine::Interpreter));
    let Ok((mut machine, y)) = Machine::start_image(loaded, &HashMap::new(), 0.0) else { return };
    let mut f = vec![0.0; y.len()];
    machine.residual(0.0, &y, &mut f);
    machine.time_gradient(0.0, &y, &mut f);
    let mut entries = vec![0.0; machine.layout().pattern.nnz()];
    machine.jacobian(0.0, &y, &mut entries);
    let mut g = vec![0.0; machine.layout().guards.len()];
    machine.guards(0.0, &y, &mut g);
    machine.settle(0.0, &y, &g);
    let _ = machine.record(0.0, &y, &mut vec![0.0; machine.loaded().columns.len()]);
}

#[test]
fn bytes_that_are_no_image_are_told_as_such() {
    let bytes = prepared(BALL).image.to_bytes();
    let check =
        |bytes: &[u8], expected: ImageError| assert_eq!(Image::from_bytes(bytes).err(), Some(expected));
    check(b"", ImageError::NoImage);
    check(&[0; 100], ImageError::NoImage);
    check(&bytes[..bytes.len() - 1], ImageError::Length);
    check(&[&bytes[..], b"x"].concat(), ImageError::Length);
    let mut other = bytes.clone();
    other[8] = 9;
    check(&other, ImageError::Version { found: 9, expected: 2 });
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    check(&flipped, ImageError::Checksum);
    // A list said to be longer than memory ends with the bytes that are there.
    let mut long = bytes[..28].to_vec();
    long.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    long[12..20].copy_from_slice(&8_u64.to_le_bytes());
    check(&forged(long), ImageError::Content("lists"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Truncated and flipped bytes are refused by the checksum; with one that fits they are refused by what they say, or run without a panic.
    #[test]
    fn damaged_images_are_refused_or_run(
        model in 0_usize..4,
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..=255), 1..4),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let bytes = prepared(MODELS[model]).image.to_bytes();
        let mut damaged = bytes.clone();
        for (place, change) in &flips {
            let place = 28 + place.index(bytes.len() - 28);
            damaged[place] ^= change;
        }
        if damaged != bytes {
            prop_assert_eq!(Image::from_bytes(&damaged).err(), Some(ImageError::Checksum));
        }
        if cut {
            let length = 28 + end.index(bytes.len() - 28);
            damaged.truncate(length);
            prop_assert!(Image::from_bytes(&damaged).is_err());
            damaged[12..20].copy_from_slice(&(length as u64 - 28).to_le_bytes());
        }
        if let Ok(image) = Image::from_bytes(&forged(damaged)) {
            evaluated(image);
        }
    }
}
