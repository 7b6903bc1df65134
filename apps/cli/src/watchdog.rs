//! Ends the program where a controller does not return.
//!
//! A script is stopped by its engine, but not inside a built-in function: an `indexOf` in megabytes of text may take hours. A thread of
//! its own sees that a call goes on beyond its limit, or after Ctrl-C, keeps what was computed, and ends the process.

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use trunnion_sim::script::{CallCount, calls};

use crate::failure::{exit, render};
use crate::output::tell;
use crate::session::leave;
use trunnion_engine::Failure;
use trunnion_results::{CANCELLED, rescue};
use trunnion_study::Cancel;

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(100);
/// What the engine is given beyond the limit to stop a call by itself, and a call after Ctrl-C to end.
const GRACE: Duration = Duration::from_millis(700);

/// Starts to watch; runs as long as the process.
pub fn start(cancel: Cancel, colour: bool) {
    thread::spawn(move || {
        let mut seen: HashMap<*const CallCount, (u64, Instant)> = HashMap::new();
        let mut cancelled: Option<Instant> = None;
        loop {
            thread::sleep(INTERVAL);
            let now = Instant::now();
            if cancel.is_cancelled() {
                cancelled.get_or_insert(now);
            }
            let inside: Vec<(Arc<CallCount>, u64)> =
                calls().into_iter().filter_map(|c| c.inside().map(|n| (c, n))).collect();
            seen.retain(|at, _| inside.iter().any(|(c, _)| Arc::as_ptr(c) == *at));
            for (script, call) in &inside {
                let since = seen.entry(Arc::as_ptr(script)).or_insert((*call, now));
                if since.0 != *call {
                    *since = (*call, now);
                }
                let within = now - since.1;
                if within > script.limit + GRACE {
                    give_up(script, colour);
                }
                if cancelled.is_some_and(|at| now - at > GRACE) && within > GRACE {
                    rescue(CANCELLED);
                    eprint!("{}", render(&Failure::Cancelled, colour));
                    leave(exit::CANCELLED);
                }
            }
        }
    });
}

fn give_up(script: &CallCount, colour: bool) {
    let seconds = script.limit.as_secs_f64();
    let message = format!("{}: a call ran for more than {seconds} s inside a built-in function", script.name);
    let hint = "look for `join`, `indexOf`, `copyWithin` and the like on very long arrays or texts";
    let kept = rescue(&format!("failed: {message}"));
    for path in kept {
        tell(format_args!("what was computed is in {}", path.display()));
    }
    eprint!("{}", render(&Failure::Run { message, hint: Some(hint.into()) }, colour));
    leave(exit::RUN);
}
