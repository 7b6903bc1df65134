//! A part as it is after its reduction, and its file in the cache.
//!
//! A file has a mark, the key of what was reduced, the numbers, and a checksum of all before it. One that does not fit in any of these is as if it
//! were not there.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use trunnion_model::file::ContentHash;
use trunnion_model::mechanism::{ElasticPart, ModalData, ModalInterface, ModalMatrix, Stiffening};
use trunnion_num::Matrix;

/// What a reduction found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReducedPart {
    /// None of a rigid body.
    pub data: ModalData,
    /// How nodes move, six rows a node; empty of a rigid body.
    pub shapes: Matrix,
    pub mass: f64,
    pub center: [f64; 3],
    /// About the centre: xx, yy, zz, xy, xz, yz.
    pub inertia: [f64; 6],
    pub unknowns: usize,
    /// Hz, in the frame of the body, and with all interfaces held.
    pub frequencies: Vec<f64>,
    pub held_frequencies: Vec<f64>,
}

/// Parts with fewer nodes are reduced faster than a file is found.
pub(crate) const SMALLEST: usize = 400;
/// Files that stay; the oldest go.
const MOST_FILES: usize = 100;
const ENDING: &str = "reduced";
const MARK: &[u8] = b"trunnion reduced part 2\n";
/// Changes with the sources of the reduction.
const SOURCES: &str = env!("TRUNNION_REDUCTION");

/// Of everything that the reduction depends on.
fn key(part: &ElasticPart) -> u128 {
    let mut hash = ContentHash::EMPTY;
    let ElasticPart { elastic, mesh, interfaces, named, modes, damping, .. } = part;
    let all = (SOURCES, mesh.content(), elastic, interfaces, named, modes, damping);
    let written = write!(hash, "{all:?}");
    debug_assert!(written.is_ok());
    hash.0
}

/// Where the part is, if it is large enough to be kept.
fn place(folder: &Path, part: &ElasticPart) -> Option<(PathBuf, u128)> {
    let key = (part.mesh.nodes.len() >= SMALLEST).then(|| key(part))?;
    Some((folder.join(format!("{key:032x}.{ENDING}")), key))
}

/// The part of an earlier run.
pub(crate) fn cached(folder: &Path, part: &ElasticPart) -> Option<ReducedPart> {
    let (path, key) = place(folder, part)?;
    let bytes = fs::read(path).ok()?;
    unpacked(&bytes, key)
}

/// Keeps a part for later runs. A cache that cannot be written is none: nothing is lost but time.
pub(crate) fn keep(folder: &Path, part: &ElasticPart, reduced: &ReducedPart) {
    let Some((path, key)) = place(folder, part) else { return };
    if fs::create_dir_all(folder).is_ok() && trunnion_files::write_whole(&path, &packed(reduced, key)).is_ok()
    {
        remove_oldest(folder);
    }
}

fn remove_oldest(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let ours = entries.flatten().filter(|e| e.path().extension().is_some_and(|x| x == ENDING));
    let mut ours: Vec<_> =
        ours.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    ours.sort();
    for (_, path) in ours.iter().take(ours.len().saturating_sub(MOST_FILES)) {
        let _ = fs::remove_file(path);
    }
}

/// Numbers one after the other.
#[derive(Default)]
struct Packing(Vec<f64>);

impl Packing {
    fn count(&mut self, n: usize) {
        self.0.push(n as f64);
    }

    fn list(&mut self, list: &[f64]) {
        self.count(list.len());
        self.0.extend(list);
    }

    fn vectors(&mut self, list: &[[f64; 3]]) {
        self.count(list.len());
        self.0.extend(list.iter().flatten());
    }

    fn matrix(&mut self, m: &ModalMatrix) {
        self.0.extend(m.iter().flatten());
    }
}

fn packed(reduced: &ReducedPart, key: u128) -> Vec<u8> {
    let mut p = Packing::default();
    let d = &reduced.data;
    p.0.push(reduced.mass);
    p.0.extend(reduced.center.iter().chain(&reduced.inertia));
    p.count(reduced.unknowns);
    p.list(&reduced.frequencies);
    p.list(&reduced.held_frequencies);
    p.0.push(d.mass);
    p.0.extend(d.first.iter().chain(d.second.iter().flatten()));
    p.vectors(&d.shift);
    p.0.extend(d.moment.iter().flatten().flatten());
    p.0.extend(d.rotary.iter().flatten());
    [&d.mass_matrix, &d.stiffness, &d.damping].into_iter().for_each(|m| p.matrix(m));
    p.count(usize::from(d.product.is_some()));
    d.product.iter().flatten().flatten().for_each(|m| p.matrix(m));
    p.count(usize::from(d.stiffening.is_some()));
    if let Some(s) = &d.stiffening {
        s.shift.iter().chain(s.moment.iter().flatten()).for_each(|m| p.matrix(m));
    }
    p.count(d.interfaces.len());
    for i in &d.interfaces {
        let name: Vec<f64> = i.name.bytes().map(f64::from).collect();
        p.list(&name);
        p.0.extend(i.position);
        p.0.extend(i.translation.iter().chain(&i.rotation).flatten());
        p.count(usize::from(i.second.is_some()));
        i.second.iter().flatten().for_each(|m| p.matrix(m));
    }
    p.count(reduced.shapes.rows());
    p.count(reduced.shapes.columns());
    (0..reduced.shapes.rows()).for_each(|i| p.0.extend(reduced.shapes.row(i)));
    let mut bytes = MARK.to_vec();
    bytes.extend(key.to_le_bytes());
    p.0.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    let mut sum = ContentHash::EMPTY;
    sum.add(&bytes);
    bytes.extend(sum.0.to_le_bytes());
    bytes
}

/// Numbers as they come; None beyond the end.
struct Unpacking<'a>(std::slice::ChunksExact<'a, u8>);

impl Unpacking<'_> {
    fn number(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.0.next()?.try_into().ok()?))
    }

    /// No more than there are numbers left.
    fn count(&mut self) -> Option<usize> {
        let n = self.number()?;
        (n >= 0.0 && n.fract() == 0.0 && n <= self.0.len() as f64).then_some(n as usize)
    }

    fn numbers(&mut self, n: usize) -> Option<Vec<f64>> {
        (0..n).map(|_| self.number()).collect()
    }

    fn list(&mut self) -> Option<Vec<f64>> {
        let n = self.count()?;
        self.numbers(n)
    }

    fn triple(&mut self) -> Option<[f64; 3]> {
        Some([self.number()?, self.number()?, self.number()?])
    }

    fn triples(&mut self, n: usize) -> Option<Vec<[f64; 3]>> {
        (0..n).map(|_| self.triple()).collect()
    }

    fn square(&mut self) -> Option<[[f64; 3]; 3]> {
        Some([self.triple()?, self.triple()?, self.triple()?])
    }

    fn matrix(&mut self, n: usize) -> Option<ModalMatrix> {
        (0..n).map(|_| self.numbers(n)).collect()
    }

    fn matrices(&mut self, n: usize) -> Option<[ModalMatrix; 3]> {
        Some([self.matrix(n)?, self.matrix(n)?, self.matrix(n)?])
    }

    fn nine(&mut self, n: usize) -> Option<[[ModalMatrix; 3]; 3]> {
        Some([self.matrices(n)?, self.matrices(n)?, self.matrices(n)?])
    }
}

fn unpacked(bytes: &[u8], key: u128) -> Option<ReducedPart> {
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(16)?)?;
    let mut expected = ContentHash::EMPTY;
    expected.add(body);
    let inside = body.strip_prefix(MARK)?.strip_prefix(&key.to_le_bytes()[..])?;
    if expected.0.to_le_bytes() != sum || !inside.len().is_multiple_of(8) {
        return None;
    }
    let mut u = Unpacking(inside.chunks_exact(8));
    let mass = u.number()?;
    let center = u.triple()?;
    let [first, second] = [u.triple()?, u.triple()?];
    let inertia = [first[0], first[1], first[2], second[0], second[1], second[2]];
    let unknowns = u.number()? as usize;
    let (frequencies, held_frequencies) = (u.list()?, u.list()?);
    let data = modal_data(&mut u)?;
    let (rows, columns) = (u.count()?, u.count()?);
    let entries = u.numbers(rows.checked_mul(columns)?)?;
    let shapes = Matrix::from_fn(rows, columns, |i, a| entries[i * columns + a]);
    u.0.next().is_none().then_some(ReducedPart {
        data,
        shapes,
        mass,
        center,
        inertia,
        unknowns,
        frequencies,
        held_frequencies,
    })
}

fn modal_data(u: &mut Unpacking<'_>) -> Option<ModalData> {
    let mass = u.number()?;
    let (first, second) = (u.triple()?, u.square()?);
    let n = u.count()?;
    let shift = u.triples(n)?;
    let moment = (0..n).map(|_| u.square()).collect::<Option<_>>()?;
    let rotary = u.triples(n)?;
    let [mass_matrix, stiffness, damping] = u.matrices(n)?;
    let product = if u.count()? == 1 { Some(u.nine(n)?) } else { None };
    let stiffening = match u.count()? {
        1 => Some(Stiffening { shift: u.matrices(n)?, moment: u.nine(n)? }),
        _ => None,
    };
    let mut interfaces = vec![];
    for _ in 0..u.count()? {
        let name = u.list()?.into_iter().map(|b| b as u8).collect();
        interfaces.push(ModalInterface {
            name: String::from_utf8(name).ok()?,
            position: u.triple()?,
            translation: u.triples(n)?,
            rotation: u.triples(n)?,
            second: if u.count()? == 1 { Some(u.matrices(n)?) } else { None },
        });
    }
    Some(ModalData {
        mass,
        first,
        second,
        shift,
        moment,
        rotary,
        product,
        mass_matrix,
        stiffness,
        damping,
        stiffening,
        interfaces,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunnion_model::mechanism::ModalPoint;

    fn some_part() -> ReducedPart {
        let point = ModalPoint {
            mass: 2.0,
            position: [1.0, 0.5, 0.0],
            shapes: vec![[0.1, 0.2, 0.3], [1.0, -1.0, 0.0]],
        };
        let mut data = ModalData::of_points(2, &[point]);
        let square = |x: f64| vec![vec![x, 0.5], vec![0.25, -x]];
        data.stiffening = Some(Stiffening {
            shift: [1.0, 2.0, 3.0].map(square),
            moment: [[4.0; 3]; 3].map(|m| m.map(square)),
        });
        data.interfaces.push(ModalInterface {
            name: "tip ü".into(),
            position: [1.0, 2.0, 3.0],
            translation: vec![[1.0; 3], [2.0; 3]],
            rotation: vec![[3.0; 3], [4.0; 3]],
            second: Some([5.0, 6.0, 7.0].map(square)),
        });
        let (frequencies, held_frequencies) = (vec![1.0, 2.0], vec![3.0]);
        ReducedPart {
            data,
            shapes: Matrix::from_fn(12, 2, |i, a| (i + 20 * a) as f64),
            mass: 2.0,
            center: [1.0, 0.5, 0.0],
            inertia: [0.1; 6],
            unknowns: 12,
            frequencies,
            held_frequencies,
        }
    }

    #[test]
    fn a_part_comes_back_as_it_was() {
        let part = some_part();
        assert_eq!(unpacked(&packed(&part, 7), 7), Some(part));
    }

    /// Each byte changed, each length cut, another key.
    #[test]
    fn damaged_files_are_not_taken() {
        let bytes = packed(&some_part(), 7);
        assert!(unpacked(&bytes, 8).is_none());
        for at in 0..bytes.len() {
            assert!(unpacked(&bytes[..at], 7).is_none());
            let mut other = bytes.clone();
            other[at] ^= 0x10;
            assert!(unpacked(&other, 7).is_none(), "byte {at}");
        }
    }
}
