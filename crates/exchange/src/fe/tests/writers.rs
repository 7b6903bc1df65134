//! A bar of bricks, and how each format writes it.

/// Edges of solids in the order of Gmsh, corners from 0. [Gmsh reference manual, "Node ordering"]
pub const GMSH_TETRA: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (3, 0), (2, 3), (1, 3)];
pub const GMSH_HEXA: [(usize, usize); 12] =
    [(0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7), (5, 6), (6, 7)];
pub const GMSH_WEDGE: [(usize, usize); 9] =
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)];

/// Edges in the order of Nastran. [Quick Reference Guide, CTETRA, CHEXA, CPENTA]
pub const BULK_TETRA: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)];
pub const BULK_HEXA: [(usize, usize); 12] =
    [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 5), (2, 6), (3, 7), (4, 5), (5, 6), (6, 7), (7, 4)];
pub const BULK_WEDGE: [(usize, usize); 9] =
    [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)];

/// Bricks of 8 nodes along x, 1 × 1 across; the group "root" is the face at x = 0.
pub struct Bar {
    pub bricks: usize,
}

impl Bar {
    /// Numbers with gaps, so that none is an index.
    pub fn number(&self, index: usize) -> usize {
        10 + 3 * index
    }

    pub fn nodes(&self) -> Vec<[f64; 3]> {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        (0..=self.bricks).flat_map(|i| square.map(|[y, z]| [1.5 * i as f64, y, z])).collect()
    }

    pub fn element(&self, k: usize) -> Vec<usize> {
        (4 * k..4 * k + 8).collect()
    }

    fn numbers(&self, nodes: &[usize]) -> String {
        nodes.iter().map(|&n| self.number(n).to_string()).collect::<Vec<_>>().join(" ")
    }

    pub fn gmsh_22(&self) -> String {
        let mut text = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
        text += "$PhysicalNames\n2\n2 7 \"root face\"\n3 1 \"all\"\n$EndPhysicalNames\n";
        text += &format!("$Nodes\n{}\n", self.nodes().len());
        for (i, [x, y, z]) in self.nodes().iter().enumerate() {
            text += &format!("{} {x} {y} {z}\n", self.number(i));
        }
        text += &format!("$EndNodes\n$Elements\n{}\n", self.bricks + 1);
        text += &format!("1 3 2 7 5 {}\n", self.numbers(&[0, 1, 2, 3]));
        for k in 0..self.bricks {
            text += &format!("{} 5 2 1 1 {}\n", k + 2, self.numbers(&self.element(k)));
        }
        text + "$EndElements\n"
    }

    pub fn gmsh_41(&self) -> String {
        let mut text = String::from("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
        text += "$PhysicalNames\n2\n2 7 \"root face\"\n3 1 \"all\"\n$EndPhysicalNames\n";
        text += "$Entities\n0 0 1 1\n5 0 0 0 0 1 1 1 7 0\n1 0 0 0 9 1 1 1 1 1 5\n$EndEntities\n";
        let nodes = self.nodes();
        text += &format!("$Nodes\n2 {0} 1 {1}\n", nodes.len(), self.number(nodes.len()));
        // The face first, then the inside.
        for (dimension, tag, range) in [(2, 5, 0..4), (3, 1, 4..nodes.len())] {
            text += &format!("{dimension} {tag} 0 {}\n", range.len());
            range.clone().for_each(|i| text += &format!("{}\n", self.number(i)));
            range.for_each(|i| text += &format!("{} {} {}\n", nodes[i][0], nodes[i][1], nodes[i][2]));
        }
        text += &format!("$EndNodes\n$Elements\n2 {0} 1 {0}\n", self.bricks + 1);
        text += &format!("2 5 3 1\n1 {}\n3 1 5 {}\n", self.numbers(&[0, 1, 2, 3]), self.bricks);
        for k in 0..self.bricks {
            text += &format!("{} {}\n", k + 2, self.numbers(&self.element(k)));
        }
        text + "$EndElements\n"
    }

    /// Cards as lists of fields behind their name.
    pub fn cards(&self) -> Vec<(&'static str, Vec<String>)> {
        let text = |list: &[&str]| list.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let mut cards =
            vec![("MAT1", text(&["3", "2.1+5", "", ".3", "7.85-9"])), ("PSOLID", text(&["4", "3"]))];
        for (i, at) in self.nodes().iter().enumerate() {
            let [x, y, z] = at.map(|v| format!("{v:.1}"));
            cards.push(("GRID", vec![self.number(i).to_string(), String::new(), x, y, z]));
        }
        for k in 0..self.bricks {
            let mut fields = vec![(k + 2).to_string(), "4".to_string()];
            fields.extend(self.element(k).iter().map(|&n| self.number(n).to_string()));
            cards.push(("CHEXA", fields));
        }
        cards
    }

    pub fn bulk_small(&self) -> String {
        let mut text = String::from("SOL 103\nCEND\nTITLE = bar\nBEGIN BULK\n$ a bar\n");
        for (name, fields) in self.cards() {
            for (k, line) in fields.chunks(8).enumerate() {
                text += &format!("{:<8}", if k == 0 { name } else { "+" });
                line.iter().for_each(|f| text += &format!("{f:>8}"));
                text += "\n";
            }
        }
        text + "ENDDATA\n"
    }

    pub fn bulk_large(&self) -> String {
        let mut text = String::from("BEGIN BULK\n");
        for (name, fields) in self.cards() {
            for (k, line) in fields.chunks(4).enumerate() {
                text += &format!("{:<8}", if k == 0 { format!("{name}*") } else { "*".into() });
                line.iter().for_each(|f| text += &format!("{f:>16}"));
                text += "\n";
            }
        }
        text + "ENDDATA\n"
    }

    pub fn bulk_free(&self) -> String {
        let mut text = String::new();
        for (name, fields) in self.cards() {
            for (k, line) in fields.chunks(8).enumerate() {
                let more = if fields.len() > 8 * (k + 1) { ",+" } else { "" };
                text += &format!("{},{}{more}\n", if k == 0 { name } else { "+" }, line.join(","));
            }
        }
        text
    }
}
