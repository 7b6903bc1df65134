//! OBJ: corners (`v x y z`) and faces (`f 1 2 3`, `f 1/2/3 …`, `f -3 -2 -1`). A face of more than three corners is fanned from its
//! first one, which is right for convex ones. Everything else (textures, normals, groups) is not needed here.

use super::{MeshFault, Triangle, text};
use trunnion_num::space::Point;

pub fn parse(bytes: &[u8]) -> Result<Vec<Triangle>, MeshFault> {
    let mut corners: Vec<Point> = vec![];
    let mut triangles = vec![];
    for (idx, line) in text(bytes)?.lines().enumerate() {
        let line_no = idx + 1;
        let mut words = line.split('#').next().unwrap_or("").split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || words.next()?.parse::<f64>().ok();
                let corner = (|| Some([number()?, number()?, number()?]))();
                corners.push(corner.ok_or(MeshFault::Line { line: line_no, expected: "`v x y z`" })?);
            }
            Some("f") => {
                let face: Vec<Point> =
                    words.map(|word| corner(word, line_no, &corners)).collect::<Result<_, _>>()?;
                if face.len() < 3 {
                    return Err(MeshFault::Line {
                        line: line_no,
                        expected: "a face of at least three corners",
                    });
                }
                triangles.extend(face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

/// `7`, `7/1/3` or `-1`: from 1, or from the end.
fn corner(word: &str, line: usize, corners: &[Point]) -> Result<Point, MeshFault> {
    let number = word.split('/').next().unwrap_or("").parse::<i64>();
    let number = number.map_err(|_| MeshFault::Line { line, expected: "numbers of corners after `f`" })?;
    let place = if number < 0 { corners.len() as i64 + number } else { number - 1 };
    let found = usize::try_from(place).ok().and_then(|place| corners.get(place));
    found.copied().ok_or(MeshFault::Corner { line, corner: number, count: corners.len() })
}
