//! STL, text and binary.
//!
//! Binary: 80 bytes of anything, the number of triangles, then 50 bytes each: normal, three corners, two bytes of
//! anything. Some binary files begin with "solid" as texts do, so the length decides.

use super::{MeshFault, Triangle, f32_at, text, u32_at};
use trunnion_num::space::Point;

const HEAD: usize = 84;
const RECORD: usize = 50;

pub fn parse(bytes: &[u8]) -> Result<Vec<Triangle>, MeshFault> {
    let needed = u32_at(bytes, 80).map(|n| HEAD as u64 + RECORD as u64 * u64::from(n));
    let begins = bytes.trim_ascii_start().get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid"));
    match needed {
        Some(needed) if needed == bytes.len() as u64 => Ok(binary(bytes)),
        // No text has a zero in it.
        _ if begins && !bytes.contains(&0) => from_text(text(bytes)?),
        Some(needed) if needed < bytes.len() as u64 => Ok(binary(&bytes[..needed as usize])),
        _ => Err(MeshFault::Short { needed: needed.unwrap_or(HEAD as u64), found: bytes.len() }),
    }
}

fn binary(bytes: &[u8]) -> Vec<Triangle> {
    let corner = |record: &[u8], k: usize| -> Point {
        [0, 1, 2].map(|i| f32_at(record, 12 * (k + 1) + 4 * i).unwrap_or(f64::NAN))
    };
    bytes[HEAD..].as_chunks::<RECORD>().0.iter().map(|record| [0, 1, 2].map(|k| corner(record, k))).collect()
}

/// Only the corners count: three `vertex` lines make a triangle.
fn from_text(text: &str) -> Result<Vec<Triangle>, MeshFault> {
    let mut triangles = vec![];
    let mut corners: Vec<Point> = vec![];
    let mut ended = false;
    for (idx, line) in text.lines().enumerate() {
        let line_no = idx + 1;
        let mut words = line.split_ascii_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("vertex") => {
                let mut number = || words.next()?.parse::<f64>().ok();
                let corner = (|| Some([number()?, number()?, number()?]))();
                corners.push(corner.ok_or(MeshFault::Line { line: line_no, expected: "`vertex x y z`" })?);
            }
            Some("endloop") => match corners[..] {
                [a, b, c] => {
                    triangles.push([a, b, c]);
                    corners.clear();
                }
                _ => {
                    return Err(MeshFault::Line {
                        line: line_no,
                        expected: "three corners before `endloop`",
                    });
                }
            },
            Some("endsolid") => ended = true,
            Some("solid" | "facet" | "outer" | "endfacet") | None => {}
            Some(_) => {
                return Err(MeshFault::Line { line: line_no, expected: "`facet`, `vertex` or `endsolid`" });
            }
        }
    }
    match ended && corners.is_empty() {
        true => Ok(triangles),
        false => Err(MeshFault::Line { line: text.lines().count(), expected: "`endsolid` at the end" }),
    }
}
