//! Shapes, and what they weigh.
//!
//!   box       m = ρ a b c,        I_xx = m (b² + c²)/12, …                                        (1)
//!   cylinder  m = ρ π r² l,       I_xx = I_yy = m (3 r² + l²)/12,  I_zz = m r²/2                  (2)
//!   sphere    m = ρ 4/3 π r³,     I = 2/5 m r²                                                    (3)
//!   several   m = Σ mᵢ,  c = Σ mᵢ cᵢ/m,  I = Σ Iᵢ + mᵢ (|dᵢ|² 1 − dᵢ dᵢᵀ),  dᵢ = cᵢ − c           (4)
//!
//! `rotation` is R = Rz(yaw) Ry(pitch) Rx(roll): turns about the fixed axes x, y, z in this order.     (5)

use std::f64::consts::PI;

use trunnion_equations::{Ex, Expr, Graph};

use super::places::Places;
use super::sections::Sections;
use super::solid::solid;
use super::{BodyGeometry, BodyShape, Frame, Rotation, Vector, wrong_length};
use crate::component::read_scalar;
use crate::diagnostic::{Diagnostic, one_of};
use crate::file::{Data, Fields, TomlValue, relative, wrong_type};
use crate::instantiate::ModelBuilder;
use crate::units::parse_unit;

/// Mass, centre of mass and the inertia about it, in the body's axes.
#[derive(Clone, Debug)]
pub struct MassProperties {
    pub mass: Expr,
    pub center: Vector,
    /// xx, yy, zz, xy, xz, yz.
    pub inertia: [Expr; 6],
}

type SymbolicMatrix<'g> = [[Ex<'g>; 3]; 3];

/// A turn by a right angle has zeros and ones.
fn snapped(x: Ex<'_>, g: &Graph) -> Expr {
    match x.value() {
        Some(v) if (v - v.round()).abs() <= 1e-15 => g.constant(v.round()).id,
        _ => x.id,
    }
}

/// (5)
pub fn rotation<'g>(g: &'g Graph, [roll, pitch, yaw]: [Ex<'g>; 3]) -> Rotation {
    let cos_sin = |a: Ex<'g>| (g.at(snapped(a.cos(), g)), g.at(snapped(a.sin(), g)));
    let ((cr, sr), (cp, sp), (cy, sy)) = (cos_sin(roll), cos_sin(pitch), cos_sin(yaw));
    let rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ];
    rows.map(|row| row.map(|x| snapped(x, g)))
}

fn product<'g>(a: &SymbolicMatrix<'g>, b: &SymbolicMatrix<'g>) -> SymbolicMatrix<'g> {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
    })
}

fn at<'g>(g: &'g Graph, r: &Rotation) -> SymbolicMatrix<'g> {
    r.map(|row| row.map(|e| g.at(e)))
}

impl MassProperties {
    /// As seen from the body that the frame is fixed to: c = p + R c_F, I = R I_F Rᵀ.
    fn placed(&self, g: &Graph, frame: &Frame) -> MassProperties {
        let r = at(g, &frame.r);
        let [xx, yy, zz, xy, xz, yz] = self.inertia.map(|e| g.at(e));
        let turned = product(&r, &[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
        let i = product(&turned, &std::array::from_fn(|i| std::array::from_fn(|j| r[j][i])));
        let c = self.center.map(|e| g.at(e));
        MassProperties {
            mass: self.mass,
            center: std::array::from_fn(|k| {
                (g.at(frame.p[k]) + (r[k][0] * c[0] + r[k][1] * c[1] + r[k][2] * c[2])).id
            }),
            inertia: [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]].map(|x| x.id),
        }
    }
}

/// (4)
pub(crate) fn combined(g: &Graph, parts: &[MassProperties]) -> (Expr, Vector, [Expr; 6]) {
    let zero = g.constant(0.0);
    let [one, more @ ..] = parts else { return (zero.id, [zero.id; 3], [zero.id; 6]) };
    if more.is_empty() {
        return (one.mass, one.center, one.inertia);
    }
    let m = parts.iter().fold(zero, |sum, p| sum + g.at(p.mass));
    let center: [Ex<'_>; 3] = std::array::from_fn(|k| {
        let moment = parts.iter().fold(zero, |sum, p| sum + g.at(p.mass) * g.at(p.center[k]));
        if moment.value() == Some(0.0) { zero } else { moment / m }
    });
    let mut inertia = [zero; 6];
    for part in parts {
        let m = g.at(part.mass);
        let d: [Ex<'_>; 3] = std::array::from_fn(|k| g.at(part.center[k]) - center[k]);
        let shift = [
            d[1] * d[1] + d[2] * d[2],
            d[0] * d[0] + d[2] * d[2],
            d[0] * d[0] + d[1] * d[1],
            -(d[0] * d[1]),
            -(d[0] * d[2]),
            -(d[1] * d[2]),
        ];
        for (k, sum) in inertia.iter_mut().enumerate() {
            *sum = *sum + g.at(part.inertia[k]) + m * shift[k];
        }
    }
    (m.id, center.map(|c| c.id), inertia.map(|i| i.id))
}

/// A form of constant density about its own frame.
fn weighed(g: &Graph, form: &BodyGeometry, density: Expr) -> Result<MassProperties, String> {
    let (rho, zero) = (g.at(density), g.constant(0.0).id);
    let still = |mass: Ex<'_>, [xx, yy, zz]: [Expr; 3]| MassProperties {
        mass: mass.id,
        center: [zero; 3],
        inertia: [xx, yy, zz, zero, zero, zero],
    };
    Ok(match form {
        BodyGeometry::Box(size) => {
            let [a, b, c] = size.map(|e| g.at(e));
            let m = rho * a * b * c;
            let about = |p: Ex<'_>, q: Ex<'_>| (m * (p * p + q * q) / 12.0).id;
            still(m, [about(b, c), about(a, c), about(a, b)]) // (1)
        }
        BodyGeometry::Cylinder(r, l) => {
            let (r, l) = (g.at(*r), g.at(*l));
            let m = rho * PI * r * r * l;
            let across = (m * (3.0 * r * r + l * l) / 12.0).id;
            still(m, [across, across, (m * r * r / 2.0).id]) // (2)
        }
        BodyGeometry::Sphere(r) => {
            let r = g.at(*r);
            let m = rho * (4.0 / 3.0 * PI) * r * r * r;
            still(m, [(0.4 * m * r * r).id; 3]) // (3)
        }
        BodyGeometry::Rod(_) => return Err("a line has no volume".into()),
        BodyGeometry::Mesh { triangles, .. } => {
            let found = solid(triangles)?;
            MassProperties {
                mass: (rho * found.volume).id,
                center: found.center.map(|c| g.constant(c).id),
                inertia: found.inertia.map(|i| (rho * i).id),
            }
        }
    })
}

impl<'a> ModelBuilder<'a> {
    /// One entry of `shapes`: it is drawn, and with a density it weighs something.
    pub(crate) fn read_shape(
        &mut self,
        value: &TomlValue,
        body: usize,
        places: &Places,
        sections: &'a Sections,
        inertials: &mut Vec<MassProperties>,
    ) {
        let Data::Table(table) = &value.data else {
            self.problems.add(wrong_type(value, "shapes", "a list of tables"));
            return;
        };
        let whose = self.mechanism.bodies[body].name.clone();
        let f = Fields::new(table, format!("a shape of `{whose}`"), &value.span, self.problems);
        let pose = self.read_pose(&f, &whose, places.planar);
        let form = self.read_form(&f, &whose, sections);
        let color = f.text("color").map(|t| t.text);
        let density = f.value("density").and_then(|v| self.read_number(v, "density", "kg/m^3", &whose));
        let good = form.as_ref().is_some_and(|form| self.check_shape(&f, &whose, form, density));
        f.finish();
        let (Some((p, r)), Some(form), true) = (pose, form, good) else { return };
        let frame = Frame { body, interface: None, name: whose, p, r };
        if let Some(density) = density {
            match weighed(self.graph(), &form, density) {
                Ok(inertial) => inertials.push(inertial.placed(self.graph(), &frame)),
                Err(reason) => self.problems.add(
                    Diagnostic::error("M0511", format!("this shape cannot be weighed: {reason}"))
                        .at(&value.span, "it has a density")
                        .hint("leave `density` out and give the body `m`, `center` and `inertia`, or mend the mesh"),
                ),
            }
        }
        self.mechanism.bodies[body].shapes.push(BodyShape { form, frame, color });
    }

    /// Nothing has a negative size or density.
    fn check_shape(
        &mut self,
        f: &Fields<'_>,
        whose: &str,
        form: &BodyGeometry,
        density: Option<Expr>,
    ) -> bool {
        let (key, sizes) = match form {
            BodyGeometry::Box(size) => ("box", size.to_vec()),
            BodyGeometry::Cylinder(radius, length) => ("cylinder", vec![*radius, *length]),
            BodyGeometry::Sphere(radius) => ("sphere", vec![*radius]),
            BodyGeometry::Rod(_) | BodyGeometry::Mesh { .. } => ("mesh", vec![]),
        };
        let mut lowest = |list: &[Expr]| -> f64 {
            let values = list.iter().filter_map(|&e| self.values.of(&self.flat.graph, e));
            values.fold(0.0, f64::min)
        };
        let found = [(key, lowest(&sizes)), ("density", lowest(density.as_slice()))];
        for (key, lowest) in found.into_iter().filter(|(_, lowest)| *lowest < 0.0) {
            let place = f.value(key).map_or_else(|| f.place().clone(), |v| v.span.clone());
            self.problems.add(
                Diagnostic::error("M0108", format!("`{key}` of `{whose}` has to be at least 0"))
                    .at(&place, format!("this is {lowest}"))
                    .hint("a hole is no shape: give the body its `m`, `center` and `inertia`"),
            );
        }
        found.iter().all(|(_, lowest)| *lowest >= 0.0)
    }

    fn read_form(&mut self, f: &Fields<'_>, whose: &str, sections: &'a Sections) -> Option<BodyGeometry> {
        const FORMS: [&str; 4] = ["box", "cylinder", "sphere", "mesh"];
        let given: Vec<&'static str> = FORMS.into_iter().filter(|key| f.value(key).is_some()).collect();
        let scale = f.value("scale");
        match given.as_slice() {
            [] => {
                let error = Diagnostic::error("M0106", format!("{} has no form", f.what()));
                self.problems.add(error.at(f.place(), "this shape").hint(format!("it is {}", one_of(FORMS))));
                None
            }
            ["box"] => self.read_vector(f.value("box")?, "box", "m", whose, false).map(BodyGeometry::Box),
            ["cylinder"] => {
                let value = f.value("cylinder")?;
                let Data::List(list) = &value.data else {
                    self.problems.add(wrong_length(value, "cylinder", "[radius, length]"));
                    return None;
                };
                let [radius, length] = list.as_slice() else {
                    self.problems.add(wrong_length(value, "cylinder", "[radius, length]"));
                    return None;
                };
                let radius = self.read_number(radius, "cylinder", "m", whose);
                let length = self.read_number(length, "cylinder", "m", whose);
                Some(BodyGeometry::Cylinder(radius?, length?))
            }
            ["sphere"] => {
                self.read_number(f.value("sphere")?, "sphere", "m", whose).map(BodyGeometry::Sphere)
            }
            [a, b, ..] => {
                f.exclude(a, b, "write one shape for each");
                None
            }
            _ => {
                let file = f.text("mesh")?;
                let scale = match scale {
                    Some(value) => self.read_scale(value)?,
                    None => 1.0,
                };
                let path = relative(&file.span.source.name, &file.text);
                let triangles = sections.meshes.get(&path)?.as_ref()?;
                let scaled = triangles.iter().map(|t| t.map(|p| p.map(|x| x * scale))).collect();
                Some(BodyGeometry::Mesh { file: path, triangles: std::sync::Arc::new(scaled) })
            }
        }
    }

    fn read_scale(&mut self, value: &TomlValue) -> Option<f64> {
        let scalar = read_scalar(value, "scale", self.problems);
        let (_, scale) = self.constant(&scalar, 0, parse_unit("1").ok().as_ref(), "`scale`")?;
        if scale > 0.0 {
            return Some(scale);
        }
        let error = Diagnostic::error("M0108", "`scale` has to be above 0");
        self.problems.add(error.at(&value.span, format!("this is {scale}")));
        None
    }
}
