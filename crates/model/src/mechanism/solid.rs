//! Volume, centre and inertia of what a closed mesh encloses, at density 1.
//!
//! Each triangle (a, b, c) makes a tetrahedron with the origin; D = a · (b × c), s = a + b + c:
//!
//!   V = Σ D/6,   ∫ x dV = Σ D s/24,   ∫ x xᵀ dV = Σ D (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/120               (1)
//!   I = tr(S) 1 − S,  S = ∫ x xᵀ dV − V c cᵀ                                                       (2)
//!
//! The divergence theorem asks for a closed surface whose triangles run counter-clockwise seen from outside.

use std::collections::{BTreeMap, HashMap};

use super::Triangle;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidProperties {
    pub volume: f64,
    pub center: [f64; 3],
    /// About the centre: xx, yy, zz, xy, xz, yz with I_xy = −∫xy dV.
    pub inertia: [f64; 6],
}

/// Corners nearer to each other than this part of the size are one: formats with few digits move them.
const WELD: f64 = 1e-6;

/// What a mesh encloses; why it encloses nothing.
pub fn solid(triangles: &[Triangle]) -> Result<SolidProperties, String> {
    let corners = || triangles.iter().flatten();
    if triangles.is_empty() || corners().flatten().any(|x| !x.is_finite()) {
        return Err("the mesh has no triangles, or corners that are no numbers".into());
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for corner in corners() {
        for k in 0..3 {
            (low[k], high[k]) = (low[k].min(corner[k]), high[k].max(corner[k]));
        }
    }
    let size = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let open = open_edges(triangles, low, size);
    if open > 0 {
        return Err(format!("the mesh is open: {open} edges have a triangle on one side only"));
    }
    // From the middle, so that large coordinates do not cancel.
    let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|p| std::array::from_fn::<f64, 3, _>(|k| p[k] - middle[k]));
        let d = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        let s: [f64; 3] = std::array::from_fn(|k| a[k] + b[k] + c[k]);
        volume += d / 6.0;
        for i in 0..3 {
            first[i] += d * s[i] / 24.0;
            for j in 0..3 {
                second[i][j] += d * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s[i] * s[j]) / 120.0; // (1)
            }
        }
    }
    if volume < 0.0 {
        return Err("the mesh is inside out: its triangles run clockwise seen from outside".into());
    }
    if let Some(n) = turned_shell(triangles, low, size) {
        return Err(format!(
            "a part of the mesh ({n} triangles) is inside out: they run clockwise seen from outside"
        ));
    }
    if volume <= 1e-12 * size.powi(3) {
        return Err("the mesh encloses no volume".into());
    }
    let c = first.map(|x| x / volume);
    let moment = |i: usize, j: usize| second[i][j] - volume * c[i] * c[j];
    let (xx, yy, zz) = (moment(0, 0), moment(1, 1), moment(2, 2));
    let inertia = [yy + zz, xx + zz, xx + yy, -moment(0, 1), -moment(0, 2), -moment(1, 2)]; // (2)
    Ok(SolidProperties { volume, center: std::array::from_fn(|k| c[k] + middle[k]), inertia })
}

/// A corner, the same for all that are welded.
type WeldedCorner = [i64; 3];

/// Where corners lie on the grid that welds them.
fn welding(low: [f64; 3], size: f64) -> impl Fn(&[f64; 3]) -> WeldedCorner {
    let grid = WELD * size.max(f64::MIN_POSITIVE);
    move |p| std::array::from_fn(|k| ((p[k] - low[k]) / grid).round() as i64)
}

/// Triangles joined by corners, what they enclose, and where they reach.
struct SolidSurface {
    triangles: usize,
    volume: f64,
    low: [f64; 3],
    high: [f64; 3],
}

/// Triangles of a shell with a negative volume that is no cavity: it does not lie within the extent of another one.
fn turned_shell(triangles: &[Triangle], low: [f64; 3], size: f64) -> Option<usize> {
    let shells = shells(triangles, low, size);
    let within = |inner: &SolidSurface, outer: &SolidSurface| {
        (0..3).all(|k| outer.low[k] <= inner.low[k] && inner.high[k] <= outer.high[k])
    };
    let holds = |inner: &SolidSurface| shells.iter().any(|outer| outer.volume > 0.0 && within(inner, outer));
    let turned = |shell: &&SolidSurface| shell.volume < -1e-12 * size.powi(3) && !holds(shell);
    shells.iter().find(turned).map(|shell| shell.triangles)
}

fn shells(triangles: &[Triangle], low: [f64; 3], size: f64) -> Vec<SolidSurface> {
    let place = welding(low, size);
    let mut numbers: HashMap<WeldedCorner, usize> = HashMap::new();
    let mut above: Vec<usize> = vec![];
    fn root(above: &mut [usize], mut k: usize) -> usize {
        while above[k] != k {
            above[k] = above[above[k]];
            k = above[k];
        }
        k
    }
    let mut first = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        let corners = triangle.map(|corner| {
            let n = numbers.len();
            let number = *numbers.entry(place(&corner)).or_insert(n);
            above.extend((number == n).then_some(n));
            number
        });
        first.push(corners[0]);
        for &corner in &corners[1..] {
            let (a, b) = (root(&mut above, corners[0]), root(&mut above, corner));
            above[a.max(b)] = a.min(b);
        }
    }
    let mut shells: BTreeMap<usize, SolidSurface> = BTreeMap::new();
    for (triangle, &corner) in triangles.iter().zip(&first) {
        let shell = shells.entry(root(&mut above, corner)).or_insert(SolidSurface {
            triangles: 0,
            volume: 0.0,
            low: [f64::INFINITY; 3],
            high: [f64::NEG_INFINITY; 3],
        });
        let [a, b, c] = triangle.map(|p| std::array::from_fn::<f64, 3, _>(|k| p[k] - low[k]));
        shell.triangles += 1;
        shell.volume += (a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
            / 6.0;
        for corner in triangle {
            for k in 0..3 {
                (shell.low[k], shell.high[k]) = (shell.low[k].min(corner[k]), shell.high[k].max(corner[k]));
            }
        }
    }
    shells.into_values().collect()
}

/// Edges that are not met once in each direction.
fn open_edges(triangles: &[Triangle], low: [f64; 3], size: f64) -> usize {
    let place = welding(low, size);
    let mut edges: HashMap<(WeldedCorner, WeldedCorner), i32> = HashMap::new();
    for triangle in triangles {
        let [a, b, c] = [place(&triangle[0]), place(&triangle[1]), place(&triangle[2])];
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from < to {
                *edges.entry((from, to)).or_default() += 1;
            } else if to < from {
                *edges.entry((to, from)).or_default() -= 1;
            }
        }
    }
    edges.values().filter(|&&balance| balance != 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{found} {expected}");
    }

    fn cuboid(size: [f64; 3], at: [f64; 3]) -> Vec<Triangle> {
        let corner = |k: usize| -> [f64; 3] {
            std::array::from_fn(|i| at[i] + if k >> i & 1 == 1 { size[i] / 2.0 } else { -size[i] / 2.0 })
        };
        // Corner k has bit i set where coordinate i is high; each side counter-clockwise from outside.
        let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]].map(|t| t.map(corner));
        sides.into_iter().flat_map(triangles).collect()
    }

    #[test]
    fn a_box_has_the_inertia_of_the_formula() {
        let [a, b, c] = [2.0, 3.0, 5.0];
        let found = solid(&cuboid([a, b, c], [10.0, -20.0, 30.0])).unwrap();
        let v = a * b * c;
        assert_near(found.volume, v);
        [10.0, -20.0, 30.0].into_iter().zip(found.center).for_each(|(e, f)| assert_near(f, e));
        let expected = [v * (b * b + c * c) / 12.0, v * (a * a + c * c) / 12.0, v * (a * a + b * b) / 12.0];
        expected.into_iter().zip(found.inertia).for_each(|(e, f)| assert_near(f, e));
        found.inertia[3..].iter().for_each(|f| assert_near(*f, 0.0));
    }

    #[test]
    fn a_corner_of_a_cube_has_products_of_inertia() {
        let [o, x, y, z] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let found = solid(&[[o, y, x], [o, x, z], [o, z, y], [x, y, z]]).unwrap();
        assert_near(found.volume, 1.0 / 6.0);
        found.center.into_iter().for_each(|c| assert_near(c, 0.25));
        // ∫x² dV = 1/60, ∫xy dV = 1/120 about the corner.
        let (own, mixed) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
        found.inertia[..3].iter().for_each(|i| assert_near(*i, 2.0 * own));
        found.inertia[3..].iter().for_each(|i| assert_near(*i, -mixed));
    }

    #[test]
    fn a_cavity_is_no_part_that_is_inside_out() {
        let turned = |part: Vec<Triangle>| part.into_iter().map(|[a, b, c]| [a, c, b]);
        // 3³ − 1 and 1 + 2³.
        let hollow: Vec<Triangle> =
            cuboid([3.0; 3], [0.0; 3]).into_iter().chain(turned(cuboid([1.0; 3], [0.5; 3]))).collect();
        assert_near(solid(&hollow).unwrap().volume, 26.0);
        let small = cuboid([1.0; 3], [9.0, 0.0, 0.0]);
        let two: Vec<Triangle> = cuboid([2.0; 3], [0.0; 3]).into_iter().chain(small.clone()).collect();
        assert_near(solid(&two).unwrap().volume, 9.0);
        let wrong: Vec<Triangle> = cuboid([2.0; 3], [0.0; 3]).into_iter().chain(turned(small)).collect();
        let reason = solid(&wrong).unwrap_err();
        assert!(reason.contains("a part of the mesh (12 triangles) is inside out"), "{reason}");
    }

    #[test]
    fn what_encloses_nothing_is_refused() {
        let whole = cuboid([1.0; 3], [0.0; 3]);
        assert!(solid(&whole[1..]).unwrap_err().contains("open"));
        let turned: Vec<Triangle> = whole.iter().map(|&[a, b, c]| [a, c, b]).collect();
        assert!(solid(&turned).unwrap_err().contains("inside out"));
        let flat = [whole[0], [whole[0][0], whole[0][2], whole[0][1]]];
        assert!(solid(&flat).unwrap_err().contains("no volume"));
        assert!(solid(&[]).is_err());
        assert!(solid(&[[[f64::NAN; 3]; 3]]).is_err());
    }
}
