//! Every example of the library runs.

#[path = "../examples/pause_and_resume.rs"]
mod pause_and_resume;
#[path = "../examples/run_an_image.rs"]
mod run_an_image;
#[path = "../examples/wrong_requests.rs"]
mod wrong_requests;

#[test]
fn a_run_goes_on_in_another_thread() {
    pause_and_resume::main().unwrap();
}

#[test]
fn an_image_runs_without_its_model() {
    run_an_image::main().unwrap();
}

#[test]
fn wrong_requests_are_told_apart() {
    wrong_requests::main().unwrap();
}
