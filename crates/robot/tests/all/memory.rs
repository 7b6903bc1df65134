//! Tasks that are kept in an archive and brought back go on with the same bits; programs are rehearsed.

use std::sync::Arc;

use trunnion_num::Archive;
use trunnion_robot::program::{Rehearsal, RobotProgram, RobotTask, TaskDefaults, TaskStatus};
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

/// Every kind of motion, wait and value, and procedures within each other.
const PROGRAM: &str = "
input part
output hand
tool tip = frame(0, 0, 50 mm; 0, 10 deg, 0)
work table = frame(20 mm, 10 mm, 0; 0, 0, 5 deg)
point begin = here
var n = 0
procedure there(point p, by in mm)
  var k = 2
  move linear p shifted (0, 0, by) blend 10 mm
  move linear p shifted (by, 0, by)
  while k > 0
    k = k - 1
    wait 33 ms
  end
  if by > 30 mm
    call there(p, by - 20 mm)
  end
end
move joint joints(0.2 rad, 0.2 rad, 0.3 rad, 0.2 rad, 0.9 rad, 0) blend 5 deg
move joint joints(0.2 rad, 0.3 rad, 0.3 rad, 0.2 rad, 0.9 rad, 0)
use tool tip
use work table
profile quintic
set hand = 1
call there(here, 40 mm)
wait until part timeout 0.2 s
profile trapezoid
speed 100 mm/s
move circular via here shifted (20 mm, 20 mm, 0) to here shifted (40 mm, 0, 0)
set hand = n + timed_out
";

fn task(arm: &Arm, source: &str) -> RobotTask {
    let program = RobotProgram::compile(source, arm).unwrap_or_else(|errors| {
        panic!("{}", errors.iter().map(|e| e.shown("test", source)).collect::<String>())
    });
    RobotTask::new(Arc::new(program), arm, &START, DEFAULTS).unwrap()
}

/// References and outputs of one step, as bits.
fn step(task: &mut RobotTask, k: u32) -> (Vec<u64>, TaskStatus, usize) {
    let t = 0.01 * f64::from(k);
    let out = task.step(t, &[0.0]);
    let r = out.references;
    let bits = r.q.iter().chain(&r.v).chain(&r.a).chain(out.outputs).map(|x| x.to_bits()).collect();
    let status = out.status;
    (bits, status, task.source_line())
}

fn kept(task: &mut RobotTask) -> Vec<u64> {
    let mut archive = Archive::to_write();
    task.remember(&mut archive);
    archive.finish().unwrap()
}

#[test]
fn a_task_brought_back_at_any_step_goes_on_with_the_same_bits() {
    let arm = arms::industrial();
    let mut whole = task(&arm, PROGRAM);
    let (mut course, mut snapshots) = (vec![], vec![]);
    for k in 0..3000 {
        course.push(step(&mut whole, k));
        snapshots.push(kept(&mut whole));
        if course[k as usize].1 == TaskStatus::Done {
            break;
        }
    }
    assert!(whole.error().is_none(), "{}", whole.error().unwrap().shown("test", PROGRAM));
    assert_eq!(course.last().unwrap().1, TaskStatus::Done);
    // The archive is the same for a task that was brought back.
    for (k, words) in snapshots.iter().enumerate().step_by(7) {
        let mut again = task(&arm, PROGRAM);
        let mut archive = Archive::to_read(words.clone());
        again.remember(&mut archive);
        assert!(archive.finish().is_some(), "step {k}");
        assert_eq!(&kept(&mut again), words, "step {k}");
        for (i, wanted) in course.iter().enumerate().skip(k + 1) {
            assert_eq!(&step(&mut again, i as u32), wanted, "step {i} after a snapshot at {k}");
        }
    }
}

#[test]
fn an_archive_that_does_not_fit_is_refused() {
    let arm = arms::industrial();
    let mut one = task(&arm, PROGRAM);
    (0..150).for_each(|k| drop(step(&mut one, k)));
    let words = kept(&mut one);
    for n in [0, 1, 5, words.len() / 2, words.len() - 1] {
        let mut archive = Archive::to_read(words[..n].to_vec());
        task(&arm, PROGRAM).remember(&mut archive);
        assert!(archive.finish().is_none(), "{n} words");
    }
    // A line that the program does not have.
    let mut archive = Archive::to_read(words);
    task(&arm, "move joint joints(0, 0, 0, 0, 0.9 rad, 0)").remember(&mut archive);
    assert!(archive.finish().is_none());
}

#[test]
fn a_rehearsal_finds_what_the_run_would() {
    let arm = arms::industrial();
    let rehearsed = |source: &str| task(&arm, source).rehearse(0.0, 100.0, 0.01);
    // The times of waits and motions do not depend on the period.
    assert_eq!(rehearsed("wait 0.37 s\nwait 1 s"), Rehearsal::Ends { t: 1.37 });
    assert_eq!(rehearsed("repeat\n wait 1 s\nend"), Rehearsal::GoesOn);
    let asks = "input part\nwait 0.2 s\nwait until part\nmove joint joints(99 rad, 0, 0, 0, 0, 0)";
    assert_eq!(rehearsed(asks), Rehearsal::AsksInput { t: 0.2, line: 3 });
    let far = "wait 0.5 s\nmove joint pose(5 m, 0, 0)";
    let Rehearsal::Fails { t, line, message } = rehearsed(far) else { panic!("{:?}", rehearsed(far)) };
    assert_eq!((t, line, message.code), (0.5, 2, "R24"));
    let endless = "var n = 0\nwhile n < 1\n n = 0\nend";
    assert!(matches!(rehearsed(endless), Rehearsal::Fails { message, .. } if message.code == "R21"));
    // The task itself has not moved.
    let mut one = task(&arm, far);
    one.rehearse(0.0, 10.0, 0.01);
    assert_eq!(one.step(0.0, &[]).status, TaskStatus::Waiting);
}
