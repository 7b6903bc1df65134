//! Cross-sections of beams. The section lies in the local y–z plane; its origin is the reference line of the beam.
//!
//!   I_yy = ∫ z² dA,  I_zz = ∫ y² dA,  I_yz = ∫ y z dA   about the centroid                                (1)
//!   solid rectangle a ≥ b:  J = a b³/3 · (1 − 192/π⁵ · b/a · Σ tanh(nπa/2b)/n⁵),  n = 1, 3, 5 …           (2)  [Timoshenko1970, art. 109]
//!   thin closed wall:  J = 4 A_m² / ∮ ds/t,  W_t = 2 A_m t_min                                            (3)  [Bredt]
//!   thin open wall:    J = Σ b t³/3,  W_t = J/t_max                                                       (4)
//!   shear areas: circle 6/7 A, tube 6(1+m²)²/(7(1+m²)² + 20m²) A with m = r_i/r_o ([Cowper1966] at ν = 0), rectangle 5/6 A,
//!   thin walls: the walls along the force                                                                 (5)
//!
//! Limits: warping of open sections is free (no bimoment); thin-wall formulas neglect fillets.

use std::f64::consts::PI;

/// Constants of one cross-section.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionConstants {
    pub area: f64,
    pub i_yy: f64,
    pub i_zz: f64,
    pub i_yz: f64,
    /// Torsion constant J.
    pub torsion: f64,
    /// Torque over largest shear stress, W_t.
    pub torsion_modulus: f64,
    /// Effective areas for shear along y and z; without them the beam is of Euler and Bernoulli.
    pub shear_areas: Option<[f64; 2]>,
    /// (y, z) from the reference line.
    pub centroid: [f64; 2],
    /// (y, z) from the reference line.
    pub shear_centre: [f64; 2],
    /// (y, z) from the reference line where stresses are recovered.
    pub stress_points: Vec<[f64; 2]>,
}

impl SectionConstants {
    /// (a, b, c) of the normal stress a N + b M_y + c M_z at (y, z), moments about the centroid.
    pub fn fibre(&self, [y, z]: [f64; 2]) -> [f64; 3] {
        let (y, z) = (y - self.centroid[0], z - self.centroid[1]);
        let determinant = self.i_yy * self.i_zz - self.i_yz * self.i_yz;
        let per = |about_y: f64, about_z: f64| (z * about_y - y * about_z) / determinant;
        [1.0 / self.area, per(self.i_zz, self.i_yz), per(self.i_yz, self.i_yy)]
    }

    /// Of circles and tubes, the only sections whose torsion constant is the polar moment: the outer radius.
    pub fn round(&self) -> Option<f64> {
        let polar = self.i_yy + self.i_zz;
        // Numbers that were read may be rounded.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * polar;
        let round = near(self.i_yy, self.i_zz) && near(self.i_yz, 0.0) && near(self.torsion, polar);
        round.then(|| self.torsion / self.torsion_modulus).filter(|r| r.is_finite())
    }

    /// Without shear deformation.
    pub fn slender(mut self) -> Self {
        self.shear_areas = None;
        self
    }

    /// The same section with its centroid at (y, z) from the reference line.
    pub fn moved(mut self, [y, z]: [f64; 2]) -> Self {
        let shift = |p: [f64; 2]| [p[0] + y, p[1] + z];
        self.centroid = shift(self.centroid);
        self.shear_centre = shift(self.shear_centre);
        self.stress_points = self.stress_points.into_iter().map(shift).collect();
        self
    }

    /// Weighted mean of all constants but the stress points, which are those of the nearer section.
    fn between(&self, other: &SectionConstants, share: f64) -> SectionConstants {
        let mix = |a: f64, b: f64| a + share * (b - a);
        let mix2 = |a: [f64; 2], b: [f64; 2]| [mix(a[0], b[0]), mix(a[1], b[1])];
        let near = if share < 0.5 { self } else { other };
        SectionConstants {
            area: mix(self.area, other.area),
            i_yy: mix(self.i_yy, other.i_yy),
            i_zz: mix(self.i_zz, other.i_zz),
            i_yz: mix(self.i_yz, other.i_yz),
            torsion: mix(self.torsion, other.torsion),
            torsion_modulus: mix(self.torsion_modulus, other.torsion_modulus),
            shear_areas: self.shear_areas.zip(other.shear_areas).map(|(a, b)| mix2(a, b)),
            centroid: mix2(self.centroid, other.centroid),
            shear_centre: mix2(self.shear_centre, other.shear_centre),
            stress_points: near.stress_points.clone(),
        }
    }
}

/// Sections along a beam: one for a prismatic beam, else stations from 0 to 1 with constants linear between them.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamSection {
    pub stations: Vec<(f64, SectionConstants)>,
}

impl BeamSection {
    pub fn prismatic(constants: SectionConstants) -> Self {
        BeamSection { stations: vec![(0.0, constants)] }
    }

    /// `count` equal lengths of a section whose dimensions vary: `section(share)` with share from 0 to 1.
    pub fn tapered(count: usize, section: impl Fn(f64) -> SectionConstants) -> Self {
        let count = count.max(1);
        let share = |i: usize| i as f64 / count as f64;
        BeamSection { stations: (0..=count).map(|i| (share(i), section(share(i)))).collect() }
    }

    pub(crate) fn at(&self, share: f64) -> SectionConstants {
        let after = self.stations.partition_point(|(s, _)| *s <= share);
        match (after.checked_sub(1).map(|i| &self.stations[i]), self.stations.get(after)) {
            (Some((s0, a)), Some((s1, b))) => a.between(b, (share - s0) / (s1 - s0)),
            (Some((_, a)), None) | (None, Some((_, a))) => a.clone(),
            (None, None) => unreachable!("a section has stations, which the checks of the model assert"),
        }
    }
}

/// Shapes whose constants are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SectionShape {
    Circle {
        radius: f64,
    },
    Tube {
        outer_radius: f64,
        inner_radius: f64,
    },
    /// `width` along y, `height` along z.
    Rectangle {
        width: f64,
        height: f64,
    },
    /// Outer dimensions; `side` is the thickness of the walls along z, `cover` of those along y.
    Box {
        width: f64,
        height: f64,
        side: f64,
        cover: f64,
    },
    /// Web along z, two equal flanges along y.
    I {
        width: f64,
        height: f64,
        web: f64,
        flange: f64,
    },
    /// Legs along +y and +z from the corner; the origin is the centroid.
    L {
        width: f64,
        height: f64,
        thickness: f64,
    },
}

impl SectionShape {
    /// Constants with the centroid on the reference line.
    pub fn constants(self) -> SectionConstants {
        match self {
            SectionShape::Circle { radius } => ring(radius, 0.0),
            SectionShape::Tube { outer_radius, inner_radius } => ring(outer_radius, inner_radius),
            SectionShape::Rectangle { width, height } => rectangle(width, height),
            SectionShape::Box { width, height, side, cover } => hollow(width, height, side, cover),
            SectionShape::I { width, height, web, flange } => i_section(width, height, web, flange),
            SectionShape::L { width, height, thickness } => angle(width, height, thickness),
        }
    }

    /// Dimensions are positive and walls fit into the outline.
    pub fn is_possible(self) -> bool {
        let positive = |v: &[f64]| v.iter().all(|x| *x > 0.0 && x.is_finite());
        match self {
            SectionShape::Circle { radius } => positive(&[radius]),
            SectionShape::Tube { outer_radius: o, inner_radius: i } => positive(&[o]) && i >= 0.0 && i < o,
            SectionShape::Rectangle { width, height } => positive(&[width, height]),
            SectionShape::Box { width, height, side, cover } => {
                positive(&[width, height, side, cover]) && 2.0 * side < width && 2.0 * cover < height
            }
            SectionShape::I { width, height, web, flange } => {
                positive(&[width, height, web, flange]) && web <= width && 2.0 * flange < height
            }
            SectionShape::L { width, height, thickness: t } => {
                positive(&[width, height, t]) && t < width.min(height)
            }
        }
    }
}

fn corners(width: f64, height: f64) -> Vec<[f64; 2]> {
    let (y, z) = (width / 2.0, height / 2.0);
    vec![[-y, -z], [y, -z], [y, z], [-y, z]]
}

fn symmetric(
    area: f64,
    i_yy: f64,
    i_zz: f64,
    torsion: (f64, f64),
    shear_areas: [f64; 2],
) -> SectionConstants {
    SectionConstants {
        area,
        i_yy,
        i_zz,
        i_yz: 0.0,
        torsion: torsion.0,
        torsion_modulus: torsion.1,
        shear_areas: Some(shear_areas),
        centroid: [0.0; 2],
        shear_centre: [0.0; 2],
        stress_points: vec![],
    }
}

fn ring(outer: f64, inner: f64) -> SectionConstants {
    let area = PI * (outer.powi(2) - inner.powi(2));
    let i = PI / 4.0 * (outer.powi(4) - inner.powi(4));
    let m2 = (inner / outer).powi(2);
    let factor = 6.0 * (1.0 + m2).powi(2) / (7.0 * (1.0 + m2).powi(2) + 20.0 * m2); // (5)
    let mut section = symmetric(area, i, i, (2.0 * i, 2.0 * i / outer), [factor * area; 2]);
    section.stress_points = vec![[outer, 0.0], [0.0, outer], [-outer, 0.0], [0.0, -outer]];
    section
}

/// (2) and the largest shear stress, in the middle of the longer side: J and W_t.
fn torsion_of_rectangle(width: f64, height: f64) -> (f64, f64) {
    let (a, b) = (width.max(height), width.min(height));
    // Terms fall as n⁻⁵ and n⁻² e^(−nπa/2b): forty of them reach rounding.
    let odd = || (0..40).map(|k| f64::from(2 * k + 1));
    let sum: f64 = odd().map(|n| (n * PI * a / (2.0 * b)).tanh() / n.powi(5)).sum();
    let j = a * b.powi(3) / 3.0 * (1.0 - 192.0 / PI.powi(5) * b / a * sum);
    let edge: f64 = odd().map(|n| 1.0 / (n * n * (n * PI * a / (2.0 * b)).cosh())).sum();
    (j, j / (b * (1.0 - 8.0 / PI.powi(2) * edge)))
}

fn rectangle(width: f64, height: f64) -> SectionConstants {
    let area = width * height;
    let (i_yy, i_zz) = (width * height.powi(3) / 12.0, height * width.powi(3) / 12.0);
    let mut section = symmetric(area, i_yy, i_zz, torsion_of_rectangle(width, height), [5.0 / 6.0 * area; 2]);
    section.stress_points = corners(width, height);
    section
}

fn hollow(width: f64, height: f64, side: f64, cover: f64) -> SectionConstants {
    let (w, h) = (width - 2.0 * side, height - 2.0 * cover);
    let area = width * height - w * h;
    let i_yy = (width * height.powi(3) - w * h.powi(3)) / 12.0;
    let i_zz = (height * width.powi(3) - h * w.powi(3)) / 12.0;
    let (wm, hm) = (width - side, height - cover);
    let enclosed = wm * hm;
    let j = 4.0 * enclosed.powi(2) / (2.0 * wm / cover + 2.0 * hm / side); // (3)
    let modulus = 2.0 * enclosed * side.min(cover);
    let mut section = symmetric(area, i_yy, i_zz, (j, modulus), [2.0 * wm * cover, 2.0 * hm * side]);
    section.stress_points = corners(width, height);
    section
}

fn i_section(width: f64, height: f64, web: f64, flange: f64) -> SectionConstants {
    let inner = height - 2.0 * flange;
    let area = 2.0 * width * flange + inner * web;
    let i_yy = (width * height.powi(3) - (width - web) * inner.powi(3)) / 12.0;
    let i_zz = (2.0 * flange * width.powi(3) + inner * web.powi(3)) / 12.0;
    let j = (2.0 * width * flange.powi(3) + (height - flange) * web.powi(3)) / 3.0; // (4)
    let shear = [5.0 / 6.0 * 2.0 * width * flange, (height - flange) * web];
    let mut section = symmetric(area, i_yy, i_zz, (j, j / web.max(flange)), shear);
    section.stress_points = corners(width, height);
    section
}

/// Two rectangles: the leg along z with its full height, the leg along y beside it. The shear centre is where the middle lines meet.
fn angle(width: f64, height: f64, t: f64) -> SectionConstants {
    // (area, y, z, width, height) from the outer corner.
    let legs = [
        (t * height, t / 2.0, height / 2.0, t, height),
        ((width - t) * t, (width + t) / 2.0, t / 2.0, width - t, t),
    ];
    let area: f64 = legs.iter().map(|l| l.0).sum();
    let (yc, zc) = (
        legs.iter().map(|l| l.0 * l.1).sum::<f64>() / area,
        legs.iter().map(|l| l.0 * l.2).sum::<f64>() / area,
    );
    let (mut i_yy, mut i_zz, mut i_yz) = (0.0, 0.0, 0.0);
    for (a, y, z, w, h) in legs {
        i_yy += a * (h * h / 12.0 + (z - zc).powi(2));
        i_zz += a * (w * w / 12.0 + (y - yc).powi(2));
        i_yz += a * (y - yc) * (z - zc);
    }
    let j = ((width - t / 2.0) + (height - t / 2.0)) * t.powi(3) / 3.0; // (4)
    let shear = [5.0 / 6.0 * width * t, 5.0 / 6.0 * height * t];
    let mut section = symmetric(area, i_yy, i_zz, (j, j / t), shear);
    section.i_yz = i_yz;
    section.shear_centre = [t / 2.0 - yc, t / 2.0 - zc];
    section.stress_points =
        vec![[-yc, -zc], [width - yc, -zc], [width - yc, t - zc], [t - yc, height - zc], [-yc, height - zc]];
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [Timoshenko1970, art. 109]: J = 0.1406 a⁴ and W_t = 0.208 a³ of a square, J = 0.229 a b³ and W_t = 0.246 a b² at a = 2 b.
    #[test]
    fn torsion_of_rectangles_is_that_of_the_table() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 6e-4, "{a} {b}");
        let (j, w) = torsion_of_rectangle(1.0, 1.0);
        near(j, 0.1406);
        near(w, 0.208);
        let (j, w) = torsion_of_rectangle(1.0, 2.0);
        near(j / 2.0, 0.229);
        near(w / 2.0, 0.246);
    }

    /// Moments of a box, an I and an L by summing small squares.
    #[test]
    fn moments_are_those_of_the_outline() {
        let (b, h, t, s) = (0.08, 0.12, 0.012, 0.015);
        let inside_box = |y: f64, z: f64| y.abs() > b / 2.0 - t || z.abs() > h / 2.0 - s;
        let inside_i = |y: f64, z: f64| y.abs() < t / 2.0 || z.abs() > h / 2.0 - s;
        let inside_l = |y: f64, z: f64| y < t - b / 2.0 || z < t - h / 2.0;
        check(SectionShape::Box { width: b, height: h, side: t, cover: s }, (b, h), inside_box);
        check(SectionShape::I { width: b, height: h, web: t, flange: s }, (b, h), inside_i);
        check(SectionShape::L { width: b, height: h, thickness: t }, (b, h), inside_l);
    }

    fn check(shape: SectionShape, (b, h): (f64, f64), inside: impl Fn(f64, f64) -> bool) {
        let n = 400;
        let (mut a, mut m, mut i) = (0.0, [0.0; 2], [0.0; 3]);
        let da = b * h / (n * n) as f64;
        for k in 0..n * n {
            let y = b * (((k % n) as f64 + 0.5) / n as f64 - 0.5);
            let z = h * (((k / n) as f64 + 0.5) / n as f64 - 0.5);
            if inside(y, z) {
                a += da;
                m = [m[0] + y * da, m[1] + z * da];
                i = [i[0] + z * z * da, i[1] + y * y * da, i[2] + y * z * da];
            }
        }
        let (yc, zc) = (m[0] / a, m[1] / a);
        let c = shape.constants();
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-4 * (c.i_yy + c.i_zz), "{shape:?} {x} {y}");
        assert!((c.area - a).abs() < 1e-9 * a, "{shape:?}");
        near(c.i_yy, i[0] - a * zc * zc);
        near(c.i_zz, i[1] - a * yc * yc);
        near(c.i_yz, i[2] - a * yc * zc);
    }
}
