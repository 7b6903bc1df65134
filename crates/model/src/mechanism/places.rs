//! Bodies and frames by name.

use std::collections::HashMap;

use trunnion_equations::Graph;

use super::pieces::MovedFrame;
use super::shapes::rotation;
use super::{Frame, Joint};
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, TomlEntry, TomlText};
use crate::instantiate::ModelBuilder;

/// The frames of every body; the first one is the body's own.
#[derive(Debug)]
pub struct Places {
    pub planar: bool,
    frames: Vec<(String, Vec<(String, Frame)>)>,
    by_name: HashMap<String, usize>,
}

impl Places {
    pub fn new(planar: bool) -> Self {
        Places { planar, frames: vec![], by_name: HashMap::new() }
    }

    /// A further body.
    pub fn enter(&mut self, graph: &Graph, name: &str) {
        let zero = graph.constant(0.0);
        let r = rotation(graph, [zero; 3]);
        let frame =
            Frame { body: self.frames.len(), interface: None, name: name.to_string(), p: [zero.id; 3], r };
        self.by_name.entry(name.to_string()).or_insert(self.frames.len());
        self.frames.push((name.to_string(), vec![(String::new(), frame)]));
    }

    pub fn add(&mut self, body: usize, name: &str, frame: Frame) {
        self.frames[body].1.push((name.to_string(), frame));
    }

    /// A frame of a piece under the name of the whole body too.
    pub(super) fn also(&mut self, moved: &MovedFrame) {
        let find = |name: &str| self.by_name.get(name).copied();
        let (Some(whole), Some(piece)) = (find(&moved.body), find(&moved.piece)) else { return };
        let found = self.frames[piece].1.iter().find(|(name, _)| *name == moved.frame).cloned();
        self.frames[whole].1.extend(found);
    }

    pub fn all(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter().flat_map(|(_, frames)| frames).map(|(_, frame)| frame)
    }

    pub fn origin(&self, body: usize) -> Frame {
        self.frames[body].1[0].1.clone()
    }

    /// The frame that a key names: "arm" or "arm.tip". What is wrong is said.
    pub fn frame(&self, f: &Fields<'_>, key: &'static str) -> Option<Frame> {
        if f.value(key).is_none() {
            f.missing(key, "a body or a frame on one, as in \"world\" or \"arm.tip\"");
        }
        let text = f.text(key)?;
        self.find(&text).map_err(|error| f.problems.add(*error)).ok()
    }

    fn find(&self, text: &TomlText) -> Result<Frame, Box<Diagnostic>> {
        let (body, frame) = text.text.split_once('.').unwrap_or((&text.text, ""));
        let Some(&index) = self.by_name.get(body) else {
            let names = self.frames.iter().map(|(name, _)| name.as_str());
            return Err(Box::new(
                Diagnostic::error("M0505", format!("there is no body `{body}`"))
                    .at(&text.span, "not among [bodies]")
                    .hint("a frame is named by its body: \"arm.tip\"")
                    .hint_if(did_you_mean(body, names)),
            ));
        };
        let frames = &self.frames[index].1;
        let found = frames.iter().find(|(name, _)| name == frame).map(|(_, found)| found.clone());
        found.ok_or_else(|| {
            let names: Vec<&str> = frames.iter().skip(1).map(|(name, _)| name.as_str()).collect();
            let listed = match names.len() {
                0 => format!("`{body}` has no frames: add frames = {{ {frame} = [\"… m\", 0, 0] }}"),
                _ => format!("it has {}", one_of(names.iter().copied()).replace(" or ", " and ")),
            };
            Box::new(
                Diagnostic::error("M0505", format!("`{body}` has no frame `{frame}`"))
                    .at(&text.span, "unknown frame")
                    .hint(listed)
                    .hint_if(did_you_mean(frame, names)),
            )
        })
    }
}

/// The coordinate that a text names: "pin" where it has one only, or "pin.phi". Joint and number of the freedom.
pub fn coordinate(joints: &[Joint], text: &TomlText) -> Result<(usize, usize), Diagnostic> {
    let (name, part) = text.text.split_once('.').unwrap_or((&text.text, ""));
    let names = joints.iter().map(|j| j.name.as_str());
    let Some(index) = joints.iter().position(|j| j.name == name) else {
        return Err(Diagnostic::error("M0513", format!("there is no joint `{name}`"))
            .at(&text.span, "not among [joints]")
            .hint_if(did_you_mean(name, names)));
    };
    let coordinates = joints[index].kind.coordinates;
    let parts = || coordinates.iter().map(|c| c.position);
    let place = match part {
        "" if coordinates.len() == 1 => Some(0),
        part => parts().position(|q| q == part),
    };
    place.map(|k| (index, k)).ok_or_else(|| {
        let message = match part {
            "" if coordinates.is_empty() => format!("`{name}` has no coordinate to couple"),
            "" => format!("which coordinate of `{name}`?"),
            part => format!("`{name}` has no coordinate `{part}`"),
        };
        let paths: Vec<String> = parts().map(|q| format!("{name}.{q}")).collect();
        let listed = one_of(paths.iter().map(String::as_str));
        Diagnostic::error("M0513", message)
            .at(&text.span, "no coordinate")
            .hint_if((!paths.is_empty()).then(|| format!("it can be {listed}")))
    })
}

impl ModelBuilder<'_> {
    /// An entry of `frames`. `node`: of a body with a mesh, where the mesh has it.
    pub(super) fn read_frame(
        &mut self,
        entry: &TomlEntry,
        index: usize,
        body: &str,
        places: &Places,
        node: Option<Option<[f64; 3]>>,
    ) -> Option<Frame> {
        let name = format!("{body}.{}", entry.key.name);
        if let Data::Table(table) = &entry.value.data {
            let f = Fields::new(table, format!("frame `{name}`"), &entry.key.span, self.problems);
            let (mut p, r) = self.read_pose(&f, &name, places.planar)?;
            if node.is_some() {
                f.ask(&["group", "node", "nodes", "kind"]);
            }
            if let Some(at) = node.flatten() {
                p = at.map(|x| self.graph().constant(x).id);
            }
            f.finish();
            return Some(Frame { body: index, interface: None, name, p, r });
        }
        let p = self.read_vector(&entry.value, &entry.key.name, "m", body, places.planar)?;
        let r = rotation(self.graph(), [self.graph().constant(0.0); 3]);
        Some(Frame { body: index, interface: None, name, p, r })
    }
}
