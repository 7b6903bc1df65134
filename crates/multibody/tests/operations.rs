//! How many operations accelerations take. A change is explained in its commit.

mod build;

use build::{IDENTITY, Model, chain, operations};
use trunnion_model::mechanism::JointKind;

#[test]
fn chains() {
    let count = |n: usize| {
        let mut model = chain(n);
        model.emit();
        operations(&model)
    };
    assert_eq!([5, 20, 100].map(count), [469, 3275, 18195]);
}

#[test]
fn a_planar_double_pendulum() {
    let mut model = Model::new([0.0, -9.81, 0.0]);
    for i in 0..2 {
        let body = model.body(&format!("b{i}"), 1.3, [0.5, 0.0, 0.0], [0.01, 0.09, 0.09, 0.0, 0.0, 0.0]);
        let near = model.frame(body - 1, [i as f64, 0.0, 0.0], IDENTITY);
        let far = model.frame(body, [0.0; 3], IDENTITY);
        model.joint(JointKind::REVOLUTE, near, far, &[[0.0, 0.0, 1.0]]);
    }
    model.emit();
    assert_eq!(operations(&model), 36);
}
