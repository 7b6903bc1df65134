//! Nodes of a body of beams: where beams meet, which of them frames are at.

use super::beam_frame::FrameBeam;
use super::beam_frame_reader::{FrameReader, GEOMETRY, LARGEST, NO_NODE, ReadBeam, SAME, cross, minus, norm};
use crate::diagnostic::Diagnostic;
use crate::file::TomlKey;

/// Frames of the file with their nodes.
type NamedNodes = Vec<(String, usize)>;

impl FrameReader<'_> {
    /// Nodes along all beams; ends and nodes at the same place are one.
    pub fn mesh(&self, beams: Vec<ReadBeam>) -> Option<(Vec<[f64; 3]>, Vec<FrameBeam>)> {
        let total: usize = beams.iter().map(|b| b.elements + 1).sum();
        if total > LARGEST {
            let place = &self.f.entry("beams")?.key.span;
            let message = format!("a body of beams has at most {LARGEST} nodes");
            self.problems.add(Diagnostic::error(GEOMETRY, message).at(place, format!("{total} here")));
            return None;
        }
        let mut nodes: Vec<[f64; 3]> = vec![];
        let mut made: Vec<FrameBeam> = vec![];
        let near = SAME * size_of(&beams);
        for beam in beams {
            let [from, to] = beam.ends;
            let axis = minus(to, from);
            let along = |i: usize| {
                let share = i as f64 / beam.elements as f64;
                std::array::from_fn(|k| if i == beam.elements { to[k] } else { from[k] + share * axis[k] })
            };
            let mut node = |at: [f64; 3]| {
                nodes.iter().position(|n| norm(minus(*n, at)) <= near).unwrap_or_else(|| {
                    nodes.push(at);
                    nodes.len() - 1
                })
            };
            let places = (0..=beam.elements).map(|i| node(along(i))).collect();
            let (profile, shear, span) = (beam.profile, beam.shear, beam.span);
            // The height of a section is vertical; of an upright beam it is along x.
            let upright = norm(cross([0.0, 0.0, 1.0], axis)) <= 1e-6 * norm(axis);
            let up = beam.up.unwrap_or(if upright { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] });
            made.push(FrameBeam { nodes: places, profile, up, shear, span });
        }
        self.check_connected(nodes.len(), &made).then_some((nodes, made))
    }

    fn check_connected(&self, nodes: usize, beams: &[FrameBeam]) -> bool {
        let mut reached = vec![false; nodes];
        reached[beams[0].nodes[0]] = true;
        loop {
            let next = beams
                .iter()
                .find(|b| b.nodes.iter().any(|&n| reached[n]) && b.nodes.iter().any(|&n| !reached[n]));
            let Some(beam) = next else { break };
            beam.nodes.iter().for_each(|&n| reached[n] = true);
        }
        let loose = beams.iter().find(|b| !reached[b.nodes[0]]);
        if let Some(beam) = loose {
            self.problems.add(
                Diagnostic::error(
                    GEOMETRY,
                    format!("the beams of `{}` are not connected", self.part.key.name),
                )
                .at(&beam.span, "no chain of beams leads from the first beam to this one")
                .hint("beams meet at their ends, or at nodes between elements"),
            );
        }
        loose.is_none()
    }

    /// Nodes of the interfaces, the reference first, and those of the named frames.
    pub fn interfaces(
        &self,
        nodes: &[[f64; 3]],
        frames: &[(&TomlKey, [f64; 3])],
    ) -> Option<(Vec<usize>, NamedNodes)> {
        let size = nodes.iter().map(|n| norm(*n)).fold(0.0, f64::max);
        let find = |at: [f64; 3]| nodes.iter().position(|n| norm(minus(*n, at)) <= 10.0 * SAME * size);
        let mut named = vec![];
        let mut good = true;
        for (key, at) in frames {
            match find(*at) {
                Some(node) => named.push((key.name.clone(), node)),
                None => {
                    good = false;
                    self.no_node(key, *at, nodes);
                }
            }
        }
        let mut interfaces: Vec<usize> = find([0.0; 3]).into_iter().collect();
        for (_, node) in &named {
            if !interfaces.contains(node) {
                interfaces.push(*node);
            }
        }
        if good && interfaces.is_empty() {
            self.problems.add(
                Diagnostic::error(NO_NODE, format!("`{}` has nothing to be held at", self.part.key.name))
                    .at(&self.part.key.span, "its origin is no node of its beams, and it has no frames")
                    .hint("let a beam begin at [0, 0, 0], or give `frames` at ends of beams"),
            );
        }
        (good && !interfaces.is_empty()).then_some((interfaces, named))
    }

    fn no_node(&self, key: &TomlKey, at: [f64; 3], nodes: &[[f64; 3]]) {
        let distance = |n: &[f64; 3]| norm(minus(*n, at));
        let nearest = nodes.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let hint = nearest.map(|n| {
            let [x, y, z] =
                n.map(|v| format!("{v:.6}").trim_end_matches('0').trim_end_matches('.').to_string());
            format!(
                "the nearest node is at [\"{x} m\", \"{y} m\", \"{z} m\"]; more `elements` make more nodes"
            )
        });
        self.problems.add(
            Diagnostic::error(NO_NODE, format!("frame `{}.{}` is at no node", self.part.key.name, key.name))
                .at(&key.span, "neither an end of a beam nor a node between its elements")
                .hint_if(hint),
        );
    }
}

fn size_of(beams: &[ReadBeam]) -> f64 {
    beams.iter().flat_map(|b| b.ends).map(norm).fold(0.0, f64::max)
}
