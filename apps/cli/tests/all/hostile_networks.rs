//! Hostile corpus: random networks of resistors and diodes, where the branch of each diode depends on all others.
//!
//! The reference is the nodal solution of the network at many instants of a period: with G the conductances and I what diodes that conduct bring,
//!   G(branches) u = I(branches, t),   each diode conducts where u_p − u_n > U_f                       (1)
//! has one solution for every network that takes up power. `TRUNNION_NETWORKS` asks for more than the usual number.

use std::f64::consts::TAU;

use crate::hostile::{SOLVERS, run};

const U_F: f64 = 0.7;
const R_ON: f64 = 0.1;
const G_OFF: f64 = 1e-9;
/// Instants of a period, and periods in a run.
const INSTANTS: usize = 4_000;
const T_END: f64 = 0.04;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Two nodes up to the last.
    fn pair(&mut self, last: usize) -> (usize, usize) {
        let a = self.below(last + 1);
        (a, (a + 1 + self.below(last)) % (last + 1))
    }
}

/// A source of amplitude u behind 1 Ω at node 1; node 0 is the ground.
struct Net {
    nodes: usize,
    u: f64,
    f: f64,
    resistors: Vec<(usize, usize, f64)>,
    diodes: Vec<(usize, usize)>,
}

impl Net {
    fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        (0..8).for_each(|_| _ = random.below(2));
        let nodes = 2 + random.below(4);
        let (mut resistors, mut diodes) = (vec![], vec![]);
        let values = [1.0, 10.0, 100.0, 1000.0];
        for node in 2..=nodes {
            let other = 1 + random.below(node - 1);
            match random.below(5) {
                0 | 1 => resistors.push((node, other, random.pick(&values))),
                2 => diodes.push((other, node)),
                _ => diodes.push((node, other)),
            }
        }
        for _ in 0..2 + random.below(3) {
            diodes.push(random.pair(nodes));
        }
        for _ in 0..nodes {
            let (a, b) = random.pair(nodes);
            resistors.push((a, b, random.pick(&values)));
        }
        resistors.push((nodes, 0, 100.0));
        Net { nodes, u: random.pick(&[5.0, 20.0, 100.0]), f: random.pick(&[50.0, 200.0]), resistors, diodes }
    }

    fn model(&self) -> String {
        let mut parts = format!(
            "s = {{ type = \"voltage_source\", drive = \"{} V*sin(2*pi*{}*time/1 s)\" }}\nrs = {{ type = \"resistor\", R = \"1 Ohm\" }}\ng = \"electric_ground\"\n",
            self.u, self.f
        );
        let mut ports: Vec<Vec<String>> = vec![vec![]; self.nodes + 1];
        ports[0].extend(["g".into(), "s.n".into()]);
        ports[1].push("rs.n".into());
        for (k, (a, b, r)) in self.resistors.iter().enumerate() {
            parts += &format!("r{k} = {{ type = \"resistor\", R = \"{r} Ohm\" }}\n");
            ports[*a].push(format!("r{k}.p"));
            ports[*b].push(format!("r{k}.n"));
        }
        for (k, (a, b)) in self.diodes.iter().enumerate() {
            parts += &format!("d{k} = \"diode\"\n");
            ports[*a].push(format!("d{k}.p"));
            ports[*b].push(format!("d{k}.n"));
        }
        let mut wires = "\"s.p\" = \"rs.p\"\n".to_string();
        for list in ports.iter().filter(|list| list.len() > 1) {
            let others: Vec<String> = list[1..].iter().map(|p| format!("\"{p}\"")).collect();
            wires += &format!("\"{}\" = [{}]\n", list[0], others.join(", "));
        }
        format!(
            "[components]\n{parts}[variables]\nq = {{ unit = \"C\", start = 0 }}\nw = {{ unit = \"J\", start = 0 }}\n\
             [equations]\nq = \"der(q) = max(rs.i, 0 A)\"\nw = \"der(w) = rs.i*s.u\"\n[connect]\n{wires}[run]\nt_end = \"{T_END} s\"\npoints = 101\n"
        )
    }

    /// (1) with the source at u, from branches that may fit.
    fn solve(&self, u: f64, on: &mut [bool]) -> Vec<f64> {
        let n = self.nodes + 1;
        for round in 0.. {
            let mut a = vec![vec![0.0; n + 1]; n];
            let mut put = |p: usize, q: usize, g: f64, i: f64| {
                for (x, y, sign) in [(p, q, 1.0), (q, p, -1.0)] {
                    a[x][x] += g;
                    a[x][y] -= g;
                    a[x][n] -= sign * i;
                }
            };
            self.resistors.iter().for_each(|&(p, q, r)| put(p, q, 1.0 / r, 0.0));
            for (&(p, q), &on) in self.diodes.iter().zip(&*on) {
                let g = if on { 1.0 / R_ON } else { 0.0 };
                put(p, q, G_OFF + g, -g * U_F);
            }
            a[1][1] += 1.0;
            a[1][n] += u;
            // The ground.
            a[0] = vec![0.0; n + 1];
            a[0][0] = 1.0;
            let x = gauss(a);
            let fits = |k: usize| (x[self.diodes[k].0] - x[self.diodes[k].1] > U_F) == on[k];
            let wrong: Vec<usize> = (0..on.len()).filter(|&k| !fits(k)).collect();
            assert!(round < 1_000, "no branches fit");
            match wrong.first() {
                None => return x,
                Some(&first) if round > 30 => on[first] = !on[first],
                Some(_) => wrong.iter().for_each(|&k| on[k] = !on[k]),
            }
        }
        unreachable!()
    }

    /// Charge and energy from the source in a run of whole periods.
    fn expected(&self) -> [f64; 2] {
        let mut on = vec![false; self.diodes.len()];
        let mut sums = [0.0; 2];
        for k in 0..INSTANTS {
            let u = self.u * (TAU * (k as f64 + 0.5) / INSTANTS as f64).sin();
            let i = u - self.solve(u, &mut on)[1];
            sums[0] += i.max(0.0);
            sums[1] += i * u;
        }
        sums.map(|s| s * T_END / INSTANTS as f64)
    }
}

/// Solution of the rows of (A, b).
fn gauss(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for i in 0..n {
        let pivot = (i..n).max_by(|&p, &q| a[p][i].abs().total_cmp(&a[q][i].abs())).unwrap();
        a.swap(i, pivot);
        for r in (0..n).filter(|&r| r != i) {
            let factor = a[r][i] / a[i][i];
            let row = a[i].clone();
            a[r].iter_mut().zip(&row).for_each(|(x, p)| *x -= factor * p);
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

/// How far the diodes of a result are from their law anywhere, in A, beside a thousandth.
fn off_the_law(rows: &[Vec<f64>], names: &[&str], diodes: usize) -> f64 {
    let column = |name: String| names.iter().position(|n| *n == name).unwrap();
    let places: Vec<(usize, usize)> =
        (0..diodes).map(|k| (column(format!("d{k}.u")), column(format!("d{k}.i")))).collect();
    let off = |row: &Vec<f64>, (u, i): (usize, usize)| {
        let law = G_OFF * row[u] + (row[u] - U_F).max(0.0) / R_ON;
        (row[i] - law).abs() / row[i].abs().max(1.0) - 1e-3
    };
    rows.iter().flat_map(|row| places.iter().map(move |&p| off(row, p))).fold(0.0, f64::max)
}

#[test]
fn diodes_find_their_branches_together() {
    let count = std::env::var("TRUNNION_NETWORKS").map_or(16, |n| n.parse().unwrap());
    let mut failures = vec![];
    for seed in 0..count {
        let net = Net::random(seed);
        let expected = net.expected();
        for (solver, (code, err, result)) in run(&net.model(), &[], &SOLVERS) {
            let told = |what: String| format!("network {seed}, {solver}: {what}\n{}", net.model());
            if code != 0 {
                failures.push(told(format!("exit {code}: {err}")));
                continue;
            }
            let mut lines = result.lines().filter(|l| !l.starts_with('#'));
            let names: Vec<&str> =
                lines.next().unwrap().split(',').map(|h| h.split(' ').next().unwrap()).collect();
            let rows: Vec<Vec<f64>> =
                lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
            for (name, value) in ["q", "w"].into_iter().zip(expected) {
                let found = rows.last().unwrap()[names.iter().position(|n| *n == name).unwrap()];
                if (found - value).abs() > 1e-4 * (1.0 + value.abs()) {
                    failures.push(told(format!("{name} is {found}, not {value}")));
                }
            }
            let off = off_the_law(&rows, &names, net.diodes.len());
            if off > 0.0 {
                failures.push(told(format!("a diode is {off} A off its law")));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
