//! A step allocates nothing, whatever the solver; nor does the curve over it.

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use trunnion_sim::problem::{Layout, Problem};
use trunnion_sim::solvers::bdf::bdf;
use trunnion_sim::solvers::esdirk::{esdirk34, trbdf2};
use trunnion_sim::solvers::problems::{Written, hires, hydraulic_circuit, index_one};
use trunnion_sim::solvers::rosenbrock::{realtime, rodas5p};
use trunnion_sim::stepper::{Options, Stepper};

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(memory) }
    }
    unsafe fn dealloc(&self, at: *mut u8, memory: Memory) {
        unsafe { System.dealloc(at, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    type Make = fn(&Layout, &Options) -> Box<dyn Stepper>;
    type Pose = fn() -> Written;
    let solvers: [(&str, Make); 5] = [
        ("trbdf2", |l, o| Box::new(trbdf2(l, o))),
        ("esdirk34", |l, o| Box::new(esdirk34(l, o))),
        ("rodas5p", |l, o| Box::new(rodas5p(l, o))),
        ("bdf", |l, o| Box::new(bdf(l, o))),
        ("realtime", |l, o| Box::new(realtime(l, o))),
    ];
    let problems: [(&str, Pose); 3] =
        [("HIRES", hires), ("index one", index_one), ("circuit", hydraulic_circuit)];
    for (name, make) in solvers {
        for (problem_name, problem) in problems {
            let mut problem = problem();
            let start = problem.start.clone();
            let mut y = start.clone();
            let mut solver =
                make(problem.layout(), &Options { rtol: 1e-4, h: Some(1e-4), ..Options::default() });
            solver.restart(&mut problem, 0.0, &start).unwrap();
            let before = COUNT.with(Cell::get);
            for _ in 0..3000 {
                solver.step(&mut problem, 10.0).unwrap();
                let curve = solver.segment();
                curve.at(0.5 * (curve.t0 + curve.t1), &mut y);
            }
            assert_eq!(COUNT.with(Cell::get) - before, 0, "{name} on {problem_name}");
        }
    }
}
