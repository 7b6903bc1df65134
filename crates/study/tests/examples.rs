//! Every example of the library runs.

#[path = "../examples/pause_and_resume.rs"]
mod pause_and_resume;

#[test]
fn a_run_goes_on_in_another_thread() {
    pause_and_resume::main().unwrap();
}
