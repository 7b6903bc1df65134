//! A bar of solids, written as the mesh of each format.

/// A bar of quadratic bricks along x; width along y, height along z.
pub struct BrickBar {
    pub bricks: usize,
    pub size: [f64; 3],
}

/// Corners of a brick, then middles of edges in the order of Nastran, as steps of half a brick.
const NASTRAN: [[usize; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
];
/// The same in the order of Gmsh.
const GMSH: [[usize; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 1, 0],
    [2, 0, 1],
    [1, 2, 0],
    [2, 2, 1],
    [0, 2, 1],
    [1, 0, 2],
    [0, 1, 2],
    [2, 1, 2],
    [1, 2, 2],
];

impl BrickBar {
    /// Number of the node at these half steps.
    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        1 + (i * 3 + j) * 3 + k
    }

    /// Those that a brick of 20 nodes has: at most one coordinate is a middle.
    fn nodes(&self) -> Vec<(usize, [f64; 3])> {
        let mut nodes = vec![];
        for i in 0..=2 * self.bricks {
            for j in 0..3 {
                for k in 0..3 {
                    if i % 2 + j % 2 + k % 2 <= 1 {
                        let step = [i as f64 / (2.0 * self.bricks as f64), j as f64 / 2.0, k as f64 / 2.0];
                        let at =
                            [0, 1, 2].map(|a| self.size[a] * if a == 0 { step[0] } else { step[a] - 0.5 });
                        nodes.push((self.number([i, j, k]), at));
                    }
                }
            }
        }
        nodes
    }

    fn element(&self, brick: usize, order: &[[usize; 3]; 20]) -> Vec<String> {
        order.iter().map(|[i, j, k]| self.number([2 * brick + i, *j, *k]).to_string()).collect()
    }

    /// Faces of 8 nodes at the ends.
    pub fn faces(&self) -> [Vec<String>; 2] {
        let around = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1]];
        [0, 2 * self.bricks].map(|i| around.map(|[j, k]| self.number([i, j, k]).to_string()).to_vec())
    }

    pub fn gmsh_22(&self) -> String {
        let nodes = self.nodes();
        let mut text = String::from(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"root\"\n2 2 \"tip face\"\n$EndPhysicalNames\n",
        );
        text += &format!("$Nodes\n{}\n", nodes.len());
        nodes.iter().for_each(|(n, [x, y, z])| text += &format!("{n} {x} {y} {z}\n"));
        text += &format!("$EndNodes\n$Elements\n{}\n", self.bricks + 2);
        for (k, face) in self.faces().iter().enumerate() {
            text += &format!("{} 16 2 {} 1 {}\n", k + 101, k + 1, face.join(" "));
        }
        for k in 0..self.bricks {
            text += &format!("{} 17 2 9 1 {}\n", k + 1, self.element(k, &GMSH).join(" "));
        }
        text + "$EndElements\n"
    }

    pub fn gmsh_41(&self) -> String {
        let nodes = self.nodes();
        let mut text = String::from(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"root\"\n2 2 \"tip face\"\n$EndPhysicalNames\n",
        );
        text += "$Entities\n0 0 2 1\n11 0 0 0 0 0 0 1 1 0\n12 0 0 0 0 0 0 1 2 0\n13 0 0 0 0 0 0 0 0\n$EndEntities\n";
        text += &format!("$Nodes\n1 {0} 1 9999\n3 13 0 {0}\n", nodes.len());
        nodes.iter().for_each(|(n, _)| text += &format!("{n}\n"));
        nodes.iter().for_each(|(_, [x, y, z])| text += &format!("{x} {y} {z}\n"));
        text += &format!("$EndNodes\n$Elements\n3 {} 1 9999\n", self.bricks + 2);
        for (k, face) in self.faces().iter().enumerate() {
            text += &format!("2 {} 16 1\n{} {}\n", k + 11, k + 101, face.join(" "));
        }
        text += &format!("3 13 17 {}\n", self.bricks);
        (0..self.bricks).for_each(|k| text += &format!("{} {}\n", k + 1, self.element(k, &GMSH).join(" ")));
        text + "$EndElements\n"
    }

    /// Fields of the cards behind their name; `e` and `rho` as bulk data write them.
    fn cards(&self, e: &str, rho: &str) -> Vec<(&'static str, Vec<String>)> {
        let text = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let mut cards = vec![("MAT1", text(&["1", e, "", "0.", rho])), ("PSOLID", text(&["1", "1"]))];
        for (n, at) in self.nodes() {
            let [x, y, z] = at.map(|v| format!("{v:?}"));
            cards.push(("GRID", vec![n.to_string(), String::new(), x, y, z]));
        }
        for k in 0..self.bricks {
            let mut fields = vec![(k + 1).to_string(), "1".to_string()];
            fields.extend(self.element(k, &NASTRAN));
            cards.push(("CHEXA", fields));
        }
        cards
    }

    pub fn bulk(&self, e: &str, rho: &str, format: &str) -> String {
        let mut text = String::from("BEGIN BULK\n");
        for (name, fields) in self.cards(e, rho) {
            let count = if format == "large" { 4 } else { 8 };
            for (k, line) in fields.chunks(count).enumerate() {
                let head = match (k, format) {
                    (0, "large") => format!("{name}*"),
                    (0, _) => name.to_string(),
                    (_, "large") => "*".into(),
                    _ => "+".into(),
                };
                text += &match format {
                    "free" => format!("{head},{}\n", line.join(",")),
                    "large" => {
                        format!("{head:<8}{}\n", line.iter().map(|f| format!("{f:>16}")).collect::<String>())
                    }
                    _ => format!("{head:<8}{}\n", line.iter().map(|f| format!("{f:>8}")).collect::<String>()),
                };
            }
        }
        text + "ENDDATA\n"
    }
}
