//! The spin-up of Kane, Ryan and Banerjee (1987) with the data of a reduced body alone: a beam whose root is driven about z.
//!
//!   M_e q̈ + 2 Cᵣ₁ ω q̇ + (K_e + ω² K_ω + α K_α + ω² O_e1) q + C_r0 α + O_e0 ω² = 0,  ω along z                       (1)
//!
//! Source of the numbers: own computation with a linear beam and first-order stiffening, 8 modes: −0.57437 m at 6.760 s, residual 3.65e-3;
//! without stiffening v(6) = −0.727, v(8) = −2.127. A geometrically exact beam gives −0.5739 m at 6.76 s.

use std::f64::consts::PI;

use trunnion_elastic::*;
use trunnion_num::Matrix;

use crate::support::*;

fn robot_arm() -> ReducedBody {
    let material = IsotropicMaterial { youngs_modulus: 7e10, poissons_ratio: 0.25, density: 3000.0 };
    let mut section = SectionShape::Circle { radius: 0.01 }.constants();
    (section.area, section.i_yy, section.i_zz, section.torsion) = (4e-4, 2e-7, 2e-7, 4e-7);
    section.shear_areas = Some([1e7 / material.shear_modulus(); 2]);
    let model = line_of_beams(16, [0.0; 3], [10.0, 0.0, 0.0], section, material, [0.0, 1.0, 0.0]);
    let options = ReductionOptions { interfaces: vec![1, 17], modes: 12, frame: BodyFrame::Clamped(0) };
    reduce(&model, &options).unwrap()
}

/// ω and α of the driven root.
fn drive(t: f64) -> (f64, f64) {
    if t >= 15.0 {
        return (6.0, 0.0);
    }
    let rate = 6.0 / 15.0;
    (rate * (t - 15.0 / (2.0 * PI) * (2.0 * PI * t / 15.0).sin()), rate * (1.0 - (2.0 * PI * t / 15.0).cos()))
}

/// Tip displacement (axial, lateral) at every step: average acceleration, which is stable at any step.
fn run(body: &ReducedBody, stiffened: bool, end: f64, h: f64) -> Vec<(f64, f64, f64)> {
    let n = body.modes();
    let (mut q, mut v, mut a) = (Matrix::zeros(n, 1), Matrix::zeros(n, 1), Matrix::zeros(n, 1));
    let mut rows = vec![];
    let steps = (end / h).round() as usize;
    for step in 1..=steps {
        let t = step as f64 * h;
        let (w, alpha) = drive(t);
        let centrifugal = Matrix::from_fn(n, n, |i, j| w * w * body.o_e1[j][(i, 2)]);
        let mut k = body.stiffness_e.plus(1.0, &centrifugal);
        if stiffened {
            k = k
                .plus(w * w, &body.stiffening.rates[2])
                .plus(alpha, &body.stiffening.angular_acceleration[2]);
        }
        let c = Matrix::from_fn(n, n, |i, j| w * body.g_e[j][(i, 2)]);
        let f = Matrix::from_fn(n, 1, |i, _| -alpha * body.c_r0[(i, 2)] - w * w * body.o_e0[(i, 2)]);
        // q = q₀ + h v₀ + h²/4 (a₀ + a), v = v₀ + h/2 (a₀ + a)
        let ahead = q.plus(h, &v).plus(h * h / 4.0, &a);
        let faster = v.plus(h / 2.0, &a);
        let matrix = body.mass_e.plus(h / 2.0, &c).plus(h * h / 4.0, &k);
        let next = matrix.solve(&f.plus(-1.0, &k.times(&ahead)).plus(-1.0, &c.times(&faster))).unwrap();
        q = ahead.plus(h * h / 4.0, &next);
        v = faster.plus(h / 2.0, &next);
        a = next;
        let tip = body.interfaces[1].phi.times(&q);
        rows.push((t, tip[(0, 0)], tip[(1, 0)]));
    }
    rows
}

#[test]
fn the_driven_beam_swings_as_published() {
    let body = robot_arm();
    let rows = run(&body, true, 20.0, 0.005);
    let peak = rows.iter().min_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
    near(peak.2, -0.57437, 2e-3);
    assert!((peak.0 - 6.760).abs() < 0.02, "{peak:?}");
    let after: Vec<_> = rows.iter().filter(|r| r.0 > 15.0).collect();
    let most = after.iter().map(|r| r.2).fold(0.0_f64, |m, v| m.max(v.abs()));
    near(most, 3.65e-3, 0.02);
    // ρAω²L³/3EA.
    let stretch = after.iter().map(|r| r.1).sum::<f64>() / after.len() as f64;
    near(stretch, 5.142857e-4, 2e-3);
}

#[test]
fn without_stiffening_the_same_beam_diverges() {
    let body = robot_arm();
    let rows = run(&body, false, 8.0, 0.005);
    let at = |t: f64| rows.iter().find(|r| r.0 >= t - 1e-9).unwrap().2;
    near(at(6.0), -0.727, 5e-3);
    near(at(8.0), -2.127, 1e-2);
}

/// A static rotation load on the full model stretches the beam by the same closed form.
#[test]
fn a_spinning_bar_stretches() {
    let material = IsotropicMaterial { youngs_modulus: 7e10, poissons_ratio: 0.25, density: 3000.0 };
    let section = SectionShape::Circle { radius: 0.01 }.constants();
    let mut model = line_of_beams(8, [0.0; 3], [10.0, 0.0, 0.0], section, material, [0.0, 1.0, 0.0]);
    model.clamp(0);
    model.loads.push(FeLoad::Spin { rate: [0.0, 0.0, 6.0], centre: [0.0; 3] });
    near(static_deflection(&model).unwrap().at(8)[0], 5.142857e-4, 1e-6);
}
