//! Every example of the library runs.

#[path = "../examples/pause_and_resume.rs"]
mod pause_and_resume;
#[path = "../examples/run_an_image.rs"]
mod run_an_image;

#[test]
fn a_run_goes_on_in_another_thread() {
    pause_and_resume::main().unwrap();
}

#[test]
fn an_image_runs_without_its_model() {
    run_an_image::main().unwrap();
}
