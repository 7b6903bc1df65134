//! Robot programs that run: the examples of the manual, times, signals, procedures, snapshots, faults while running.

use std::sync::Arc;

use trunnion_num::space::{Pose, UNTURNED, minus, norm};
use trunnion_robot::program::{RobotMessage, RobotProgram, RobotTask, TaskDefaults, TaskStatus};
use trunnion_robot::{Arm, MotionLimits, ToolLimits};

use crate::arms;

const DEFAULTS: TaskDefaults = TaskDefaults {
    joint: MotionLimits { speed: 2.0, acceleration: 10.0, jerk: 100.0 },
    tool: ToolLimits {
        linear: MotionLimits { speed: 0.25, acceleration: 2.0, jerk: 20.0 },
        angular: MotionLimits { speed: 1.5, acceleration: 8.0, jerk: 80.0 },
    },
};

const START: [f64; 6] = [0.1, 0.2, 0.3, 0.2, 0.9, -0.1];

fn task(arm: &Arm, source: &str, start: &[f64]) -> RobotTask {
    let program = RobotProgram::compile(source, arm).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|e| e.shown("test", source)).collect::<String>())
    });
    RobotTask::new(Arc::new(program), arm, start, DEFAULTS).unwrap()
}

/// Steps of a period until the program ends; what `seen` is shown at each. The time of the last step.
fn run(
    task: &mut RobotTask,
    period: f64,
    inputs: &[f64],
    mut seen: impl FnMut(f64, &RobotTask, &[f64], &[f64]),
) -> f64 {
    for i in 0..200_000 {
        let t = period * f64::from(i);
        let output = task.step(t, inputs);
        let (q, out, status) = (output.references.q.clone(), output.outputs.to_vec(), output.status);
        seen(t, task, &q, &out);
        if matches!(status, TaskStatus::Done | TaskStatus::Failed) {
            return t;
        }
    }
    panic!("the program does not end");
}

fn fault(arm: &Arm, source: &str, start: &[f64]) -> RobotMessage {
    let mut task = task(arm, source, start);
    run(&mut task, 0.01, &[], |_, _, _, _| ());
    task.error().cloned().unwrap_or_else(|| panic!("{source} runs"))
}

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/robot-language.md"))
        .unwrap()
}

#[test]
fn the_examples_of_the_manual_run() {
    let page = page();
    let examples: Vec<&str> =
        page.split("```robot\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 3);
    let arm = arms::industrial();
    for source in examples {
        let mut task = task(&arm, source, &START);
        let inputs = vec![1.0; source.matches("\ninput").count() + usize::from(source.starts_with("input"))];
        let inputs: Vec<f64> =
            inputs.iter().enumerate().map(|(i, x)| if i == 1 { 0.2 } else { *x }).collect();
        run(&mut task, 0.01, &inputs, |_, _, _, _| ());
        assert!(task.error().is_none(), "{}", task.error().unwrap().shown("manual", source));
    }
}

#[test]
fn every_code_has_a_line_in_the_manual() {
    let page = page();
    let listed: Vec<&str> = page.lines().filter_map(|l| l.strip_prefix("| R")).map(|l| &l[..2]).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/program");
    let mut used = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for piece in text.split('"').filter(|p| p.len() == 3 && p.starts_with('R')) {
            used.insert(piece[1..].to_string());
        }
    }
    assert!(used.len() > 15);
    assert_eq!(used.iter().map(String::as_str).collect::<Vec<_>>(), listed);
}

/// The tool goes where the program says, along the way it says.
#[test]
fn motions_lead_where_they_should() {
    let arm = arms::industrial();
    let start = arm.forward(&START).p;
    let source = "
        point a = here
        move linear here shifted (0, 0, -100 mm)
        move linear here shifted (50 mm, 0, 0) blend 10 mm
        move linear a shifted (50 mm, 60 mm, -100 mm)
        move circular via a shifted (40 mm, 20 mm, -50 mm) to a
        move joint joints(0, 10 deg, 20 deg, 0, 45 deg, 0)
    ";
    let mut task = task(&arm, source, &START);
    let mut visited = vec![];
    let mut last = START.to_vec();
    run(&mut task, 0.004, &[], |_, _, q, _| {
        // At most the largest speed of a joint.
        assert!(q.iter().zip(&last).all(|(a, b)| (a - b).abs() <= 2.0 * 0.004 * 1.001));
        last = q.to_vec();
        visited.push(arm.forward(q).p);
    });
    assert!(task.error().is_none(), "{:?}", task.error());
    for by in [[0.0, 0.0, -0.1], [0.05, 0.06, -0.1], [0.04, 0.02, -0.05], [0.0; 3]] {
        let wanted = [0, 1, 2].map(|i| start[i] + by[i]);
        let nearest = visited.iter().map(|p| norm(minus(*p, wanted))).fold(f64::INFINITY, f64::min);
        // Half of what is travelled in a period.
        assert!(nearest < 6e-4, "{by:?}: {nearest}");
    }
    let end = [0.0_f64, 10.0, 20.0, 0.0, 45.0, 0.0];
    assert!(last.iter().zip(end).all(|(q, e)| (q - e.to_radians()).abs() < 1e-12));
}

/// The move of case D.3, written as a program: quintic, 5 s.
#[test]
fn the_move_of_the_elastic_manipulator_is_three_lines() {
    let arm = arms::emats();
    let start = [-0.20368, -0.29293, 1.40476, -0.22643, -1.12202, 0.09963];
    let source = "profile quintic\nmove joint pose(4.3295 m, -0.161 m, 0.175 m)\nwait 1 s\nmove linear pose(4.5295 m, -0.161 m, 0.175 m) time 5 s\n";
    let mut task = task(&arm, source, &start);
    let mut began = None;
    run(&mut task, 1e-3, &[], |t, task, q, _| {
        if task.source_line() >= 3 && began.is_none() {
            began = Some(t);
        }
        let Some(wait) = began else { return };
        let x = arm.forward(q).p[0];
        let s = ((t - wait - 1.0) / 5.0).clamp(0.0, 1.0);
        let expected = 4.3295 + 0.2 * s.powi(3) * (10.0 + s * (6.0 * s - 15.0));
        // The first motion ends within the period before the wait is seen: 1 ms at 0.075 m/s.
        assert!((x - expected).abs() < 1e-4, "{t}: {x} {expected}");
    });
    assert!(task.error().is_none(), "{:?}", task.error());
    let end = arm.forward(&[-0.16291, -0.05567, 0.72030, -0.26045, -0.68135, 0.20412]).p;
    assert!(norm(minus(arm.forward(&task.step(100.0, &[]).references.q).p, end)) < 2e-5);
}

#[test]
fn times_do_not_depend_on_the_period() {
    let arm = arms::emats();
    let source = "
        output x = 1
        wait 0.1234 s
        set x = 2
        move joint joints(0.3 rad, 0, 0.5 rad, 0, 0.2 rad, 0) time 0.7 s
        set x = 3
        repeat 3 times
          wait 10 ms
        end
        set x = 4
    ";
    for period in [1e-4, 1e-3, 7e-3] {
        let mut task = task(&arm, source, &[0.0; 6]);
        let mut changes = vec![];
        let mut last = 0.0;
        run(&mut task, period, &[], |t, _, _, out| {
            if out[0] != last {
                changes.push((t, out[0]));
                last = out[0];
            }
        });
        assert!(task.error().is_none());
        let path = 0.7_f64.max(0.5);
        for ((t, _), expected) in changes.iter().zip([0.0, 0.1234, 0.1234 + path, 0.1534 + path]) {
            assert!(*t >= expected - 1e-12 && *t < expected + period * 1.001, "{changes:?} {expected}");
        }
        assert_eq!(changes.iter().map(|c| c.1).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
    }
}

#[test]
fn signals_variables_and_procedures_do_what_they_say() {
    let arm = arms::emats();
    let source = "
        input a
        input b in mm
        output sum
        output way in m
        output late
        var n = 0
        procedure count(rounds, by)
          if rounds > 0.5
            n = n + by
            call count(rounds - 1, by)
          end
        end
        call count(4, 2.5)
        set sum = n + min(3, 8) * (2 - 1) - 7 mod 4
        set way = b * 2 + 10 mm
        wait until a > 5 timeout 200 ms
        set late = timed_out
    ";
    let mut task = task(&arm, source, &[0.0; 6]);
    let mut out = vec![];
    let end = run(&mut task, 0.01, &[1.0, 0.05], |_, _, _, o| out = o.to_vec());
    assert!(task.error().is_none(), "{:?}", task.error());
    assert_eq!(out[0], 10.0 + 3.0 - 3.0);
    assert!((out[1] - 0.11).abs() < 1e-15 && out[2] == 1.0);
    assert!((end - 0.2).abs() < 1e-9);
    let mut second = self::task(&arm, source, &[0.0; 6]);
    let end = run(&mut second, 0.01, &[6.0, 0.05], |_, _, _, o| out = o.to_vec());
    assert!(end == 0.0 && out[2] == 0.0);
}

/// Frames: the same point seen from two tables, with two tools.
#[test]
fn tool_and_work_frames_move_the_points() {
    let arm = arms::industrial();
    let source = "
        tool long = frame(0, 0, 100 mm)
        work table = frame(500 mm, 100 mm, 300 mm; 0, 0, 90 deg)
        point p = pose(100 mm, 50 mm, 0; 180 deg, 0, 0)
        use tool long
        use work table
        acceleration 0.5 m/s^2
        move joint p shifted (0, 0, 20 mm)
        move linear p shifted (0, 0, 20 mm) shifted tool (0, 0, 20 mm)
    ";
    let mut task = task(&arm, source, &START);
    let mut q = vec![];
    run(&mut task, 0.01, &[], |_, _, now, _| q = now.to_vec());
    assert!(task.error().is_none(), "{:?}", task.error());
    let mut longer = arm.clone();
    longer.tool = arm.tool.then(Pose { p: [0.0, 0.0, 0.1], r: UNTURNED });
    // x of the table is y of the base; the tool looks down, so 20 mm along it undo the shift upwards.
    assert!(norm(minus(longer.forward(&q).p, [0.45, 0.2, 0.3])) < 1e-9, "{:?}", longer.forward(&q));
}

/// Via points with blending take less time, and the tool does not stop.
#[test]
fn blends_save_time_and_do_not_stop() {
    let arm = arms::industrial();
    let program = |blend: &str| {
        format!(
            "
        point a = here
        move linear a shifted (0, 0, -200 mm){blend}
        move linear a shifted (0, 150 mm, -250 mm){blend}
        move linear a shifted (0, 250 mm, -200 mm)
    "
        )
    };
    let time = |source: &str| {
        let mut task = task(&arm, source, &START);
        let end = run(&mut task, 0.002, &[], |_, _, _, _| ());
        assert!(task.error().is_none(), "{:?}", task.error());
        end
    };
    let (stop, blended) = (time(&program("")), time(&program(" blend 60 mm")));
    assert!(blended < 0.95 * stop, "{blended} {stop}");
}

#[test]
fn a_clone_goes_on_as_the_original_and_runs_repeat_to_the_last_bit() {
    let arm = arms::industrial();
    let source = "
        var n = 0
        point a = here
        repeat 3 times
          n = n + 1
          move linear a shifted (0, 0, -n * 20 mm) blend 5 mm
          move linear a shifted (0, n * 20 mm, -n * 20 mm)
          wait 20 ms
        end
        move joint a
    ";
    let mut first = task(&arm, source, &START);
    let mut rows = vec![];
    let mut copies = vec![];
    run(&mut first, 0.01, &[], |t, task, q, _| {
        rows.push(q.to_vec());
        copies.push((t, task.clone()));
    });
    assert!(first.error().is_none());
    for (i, (_, copy)) in copies.iter().enumerate().step_by(17) {
        let mut copy = copy.clone();
        for (k, row) in rows.iter().enumerate().skip(i + 1) {
            assert_eq!(copy.step(0.01 * k as f64, &[]).references.q, *row);
        }
    }
}

#[test]
fn faults_while_running_stop_the_robot_where_it_is() {
    let arm = arms::emats();
    let start = [0.0, -0.6, 1.6, 0.0, -1.0, 0.0];
    let check = |source: &str, code: &str, text: &str| {
        let message = fault(&arm, source, &start);
        assert!(message.code == code && message.message.contains(text), "{}", message.shown("test", source));
        message
    };
    check("var n = 1\nwhile n > 0\nn = n + 1\nend", "R21", "without a wait");
    check("procedure p()\ncall p()\nend\ncall p()", "R22", "64 procedures");
    check(
        "move joint joints(0, 0, 0, 0, 0, 200 deg)",
        "R23",
        "`j6` would be 3.4907, range -3.1416 to 3.1416",
    );
    check("move joint pose(9 m, 0, 0)", "R24", "out of reach");
    let message = check(
        "point a = here\nmove linear a shifted (-300 mm, 0, 0)\nmove linear a shifted (2 m, 0, 0)",
        "R25",
        "mm along the motion",
    );
    assert_eq!(message.place("point a = here\nmove linear a shifted (-300 mm, 0, 0)\nmove linear").0, 3);
    check("move linear joints(0, -0.6 rad, 1.6 rad, 0, 1 rad, 0)", "R25", "wrist singularity");
    check("var a = 0\nvar b = 1/a", "R26", "not a finite number");
    check("procedure p()\nvar c = x\nend\ncall p()\nvar x = 1", "R26", "not a finite number");
    check("var a = -1 s\nwait a", "R27", "below 0");
    check("speed 150 %", "R27", "at most 100 %");
    check("move circular via here shifted (10 mm, 0, 0) to here shifted (20 mm, 0, 0)", "R23", "on a line");
    // An input that is no number.
    let source = "input a\nwait until a";
    let mut task = task(&arm, source, &start);
    let output = task.step(0.0, &[f64::NAN]);
    assert_eq!((output.status, output.references.q.as_slice()), (TaskStatus::Failed, start.as_slice()));
    assert_eq!(task.error().unwrap().code, "R28");
}

/// Work per step is bounded: a loop over many instructions is spread over several steps, and its result is right.
#[test]
fn long_computations_are_spread_over_steps() {
    let arm = arms::emats();
    let source =
        "output x\nvar n = 0\nvar sum = 0\nwhile n < 10000\nn = n + 1\nsum = sum + n\nend\nset x = sum";
    let mut task = task(&arm, source, &[0.0; 6]);
    let mut steps = 0;
    let mut out = 0.0;
    run(&mut task, 1e-3, &[], |_, _, _, o| {
        steps += 1;
        out = o[0];
    });
    // Four instructions a round, 2000 a step.
    assert!(out == 50_005_000.0 && (18..=25).contains(&steps), "{out} {steps}");
}

/// Axes of a gantry stay while the tool moves, and move when they are told to.
#[test]
fn held_axes_stay_during_tool_motions() {
    let arm = arms::emats_with_gantry();
    let start = [0.4, -0.1, -0.2, -0.3, 1.4, -0.2, -1.1, 0.1];
    let source = "point a = here\nmove linear a shifted (50 mm, 0, 0)\nmove joint joints(0.5 m, 0, 0, 0, 1 rad, 0, 1 rad, 0)";
    let mut task = task(&arm, source, &start);
    task.hold_axes(&[true, true, false, false, false, false, false, false]);
    let mut moved = vec![];
    run(&mut task, 0.01, &[], |_, task, q, _| {
        if task.source_line() == 2 {
            assert_eq!(&q[..2], &start[..2]);
            moved.push(arm.forward(q).p[0]);
        }
    });
    assert!(task.error().is_none(), "{:?}", task.error());
    let (first, last) = (moved[0], moved[moved.len() - 1]);
    assert!((last - first - 0.05).abs() < 1e-3, "{first} {last}");
    assert_eq!(task.step(100.0, &[]).references.q[0], 0.5);
}

/// More via points than blend in one go: all are passed, in bounded steps.
#[test]
fn long_chains_of_via_points_are_divided() {
    let arm = arms::industrial();
    let source = "
        point a = here
        var n = 0
        repeat 40 times
          n = n + 1
          move linear a shifted (0, 40 mm * sin(n * 20 deg), -5 mm * n) blend 4 mm
        end
        move linear a
    ";
    let mut task = task(&arm, source, &START);
    let mut lowest = f64::INFINITY;
    let start = arm.forward(&START).p;
    run(&mut task, 0.01, &[], |_, _, q, _| lowest = lowest.min(arm.forward(q).p[2]));
    assert!(task.error().is_none(), "{:?}", task.error());
    assert!((start[2] - lowest - 0.2).abs() < 4e-3, "{lowest}");
    assert!(norm(minus(arm.forward(&task.step(100.0, &[]).references.q).p, start)) < 1e-9);
}

/// Shares of what the joints can do, speeds of the tool: with ramps that hardly count, half the speed takes twice the time.
#[test]
fn limits_that_a_program_sets_are_kept() {
    let arm = arms::industrial();
    let time = |source: &str| {
        let mut task = task(&arm, source, &START);
        let end = run(&mut task, 1e-3, &[], |_, _, _, _| ());
        assert!(task.error().is_none(), "{:?}", task.error());
        end
    };
    let joint = |settings: &str| {
        time(&format!("profile trapezoid\n{settings}\nmove joint joints(2.1 rad, 0, 0, 0, 1 rad, 0)"))
    };
    // T = L/v + v/a of the axis that moves most: 2 rad, 2 rad/s, 8 rad/s².
    for (settings, expected) in [
        ("", 1.0 + 0.25),
        ("speed 50 %", 2.0 + 0.125),
        ("acceleration 50 %", 1.0 + 0.5),
        ("speed 50 %\nspeed 100 %", 1.25),
    ] {
        assert!((joint(settings) - expected).abs() < 2e-3, "{settings}: {}", joint(settings));
    }
    let tool = |settings: &str, option: &str| {
        time(&format!("profile trapezoid\n{settings}\nmove linear here shifted (0, 0, -100 mm) {option}"))
    };
    // 0.1 m at 0.25 m/s and 2 m/s², the defaults.
    for (settings, option, expected) in [
        ("", "", 0.4 + 0.125),
        ("speed 100 mm/s", "", 1.0 + 0.05),
        ("", "speed 100 mm/s", 1.0 + 0.05),
        ("acceleration 1 m/s^2", "", 0.4 + 0.25),
        ("", "time 3 s", 3.0),
        // The speed of one motion is not that of the next.
        ("", "speed 100 mm/s\nmove linear here shifted (0, 0, 100 mm)", 1.05 + 0.525),
    ] {
        assert!(
            (tool(settings, option) - expected).abs() < 2e-3,
            "{settings} {option}: {}",
            tool(settings, option)
        );
    }
}

#[test]
fn a_program_for_another_robot_is_refused() {
    let (six, eight) = (arms::emats(), arms::emats_with_gantry());
    let program = Arc::new(RobotProgram::compile("move joint here", &six).unwrap());
    let error = RobotTask::new(Arc::clone(&program), &eight, &[0.0; 8], DEFAULTS).unwrap_err();
    assert_eq!(error.to_string(), "the program is for 6 axes, the robot has 8 and its pose 8");
    assert!(RobotTask::new(program, &six, &[0.0; 5], DEFAULTS).is_err());
}
