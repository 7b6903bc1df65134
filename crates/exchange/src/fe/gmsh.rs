//! Meshes of Gmsh, formats 2.2 and 4.1, as text. [Gmsh reference manual, "MSH file format"]
//!
//! 2.2: every element says its physical group; one that is in several groups is listed several times. 4.1: elements belong to entities of the
//! geometry, and these to physical groups.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use trunnion_model::mechanism::{FeMesh, MeshNode};
use trunnion_model::{Diagnostic, Source};

use super::gmsh_kinds::GmshKind;
use super::{ABSENT, MALFORMED, MeshResult, UNSUPPORTED, fault};

pub(super) fn recognise(head: &[u8]) -> Result<(), (&'static str, &'static str)> {
    const HINT: &str = "a mesh that Gmsh has written begins with $MeshFormat: gmsh part.geo -3 -format msh41";
    let text = head.iter().position(|b| !b.is_ascii_whitespace()).map_or(&head[..0], |at| &head[at..]);
    match text {
        [] => Err(("it is empty", HINT)),
        [b'$', ..] => Ok(()),
        _ => Err(("it is no mesh of Gmsh", HINT)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GmshVersion {
    V22,
    V41,
}

/// An element as the file has it.
pub(super) struct GmshElement {
    pub number: u32,
    pub kind: &'static GmshKind,
    pub physical: Vec<i64>,
    /// In the order of the file.
    pub nodes: Vec<usize>,
    pub range: Range<usize>,
    pub line: usize,
}

/// A line that is not blank.
#[derive(Clone)]
struct GmshLine<'a> {
    text: &'a str,
    range: Range<usize>,
    number: usize,
}

pub(super) struct GmshReader<'a> {
    pub source: &'a Arc<Source>,
    at: usize,
    line: usize,
    version: Option<GmshVersion>,
    /// By dimension and tag.
    pub names: HashMap<(usize, i64), String>,
    /// Groups of an entity of the geometry, by dimension and tag.
    entities: HashMap<(usize, i64), Vec<i64>>,
    index: HashMap<u32, usize>,
    pub mesh: FeMesh,
    pub elements: Vec<GmshElement>,
}

/// Words of a line, with errors that point at it.
struct GmshWords<'a> {
    source: &'a Arc<Source>,
    line: GmshLine<'a>,
    words: std::str::SplitAsciiWhitespace<'a>,
    expected: &'static str,
}

impl GmshWords<'_> {
    fn wrong(&self) -> Box<Diagnostic> {
        let hint = "write the mesh again, or take it from a tool that follows the format";
        let message = format!("line {} of the mesh is malformed", self.line.number);
        fault(
            self.source,
            self.line.range.clone(),
            MALFORMED,
            message,
            format!("expected {}", self.expected),
            hint,
        )
    }

    fn integer(&mut self) -> MeshResult<i64> {
        let word = self.words.next().and_then(|w| w.parse().ok());
        word.ok_or_else(|| self.wrong())
    }

    fn count(&mut self) -> MeshResult<usize> {
        let word = self.words.next().and_then(|w| w.parse().ok());
        word.ok_or_else(|| self.wrong())
    }

    fn tag(&mut self) -> MeshResult<u32> {
        let word = self.words.next().and_then(|w| w.parse().ok());
        word.ok_or_else(|| self.wrong())
    }

    fn number(&mut self) -> MeshResult<f64> {
        let word = self.words.next().and_then(|w| w.parse::<f64>().ok()).filter(|x| x.is_finite());
        word.ok_or_else(|| self.wrong())
    }

    fn point(&mut self) -> MeshResult<[f64; 3]> {
        Ok([self.number()?, self.number()?, self.number()?])
    }
}

pub(super) fn parse(source: &Arc<Source>) -> MeshResult<FeMesh> {
    let mut reader = GmshReader {
        source,
        at: 0,
        line: 0,
        version: None,
        names: HashMap::new(),
        entities: HashMap::new(),
        index: HashMap::new(),
        mesh: FeMesh { files: vec![source.name.to_string()], ..FeMesh::default() },
        elements: vec![],
    };
    while let Some(line) = reader.next_line() {
        reader.section(&line)?;
    }
    if reader.elements.is_empty() {
        let end = source.text.len();
        let hint =
            "save all elements, or put the part itself into a physical group: only those in groups are saved";
        return Err(fault(
            source,
            end..end,
            ABSENT,
            "there are no elements in the mesh",
            "the file ends here",
            hint,
        ));
    }
    reader.assembled()
}

impl<'a> GmshReader<'a> {
    fn next_line(&mut self) -> Option<GmshLine<'a>> {
        loop {
            let rest = self.source.text.get(self.at..).filter(|r| !r.is_empty())?;
            let length = rest.find('\n').unwrap_or(rest.len());
            let start = self.at;
            self.at += (length + 1).min(rest.len());
            self.line += 1;
            let text = rest[..length].trim();
            if !text.is_empty() {
                return Some(GmshLine {
                    text,
                    range: start..start + rest[..length].trim_end().len(),
                    number: self.line,
                });
            }
        }
    }

    fn words(&mut self, expected: &'static str) -> MeshResult<GmshWords<'a>> {
        let source = self.source;
        let found = self.next_line().filter(|line| !line.text.starts_with('$') || expected.starts_with('$'));
        let line = found.ok_or_else(|| {
            let at = self.at.min(source.text.len());
            let message = format!("the mesh ends early at line {}", self.line);
            fault(
                source,
                at..at,
                MALFORMED,
                message,
                format!("expected {expected}"),
                "the file may have been cut off",
            )
        })?;
        let words = line.text.split_ascii_whitespace();
        Ok(GmshWords { source, line, words, expected })
    }

    fn section(&mut self, line: &GmshLine<'a>) -> MeshResult<()> {
        let Some(name) = line.text.strip_prefix('$') else {
            let message = format!("line {} of the mesh is in no section", line.number);
            let hint = "sections begin with a word such as $Nodes; a count above may be too small";
            return Err(fault(
                self.source,
                line.range.clone(),
                MALFORMED,
                message,
                "expected a section",
                hint,
            ));
        };
        match name {
            "MeshFormat" => self.format(line)?,
            "PhysicalNames" => self.physical_names()?,
            "Entities" => self.entities()?,
            "Nodes" => match self.version(line)? {
                GmshVersion::V22 => self.nodes_22()?,
                GmshVersion::V41 => self.nodes_41()?,
            },
            "Elements" => match self.version(line)? {
                GmshVersion::V22 => self.elements_22()?,
                GmshVersion::V41 => self.elements_41()?,
            },
            "PartitionedEntities" => {
                let hint = "save the mesh without partitions";
                return Err(fault(
                    self.source,
                    line.range.clone(),
                    UNSUPPORTED,
                    "the mesh is partitioned",
                    "here",
                    hint,
                ));
            }
            other => return self.skip(other, line),
        }
        let mut end = self.words("$End of the section")?;
        if end.words.next().and_then(|w| w.strip_prefix("$End")) == Some(name) {
            Ok(())
        } else {
            Err(end.wrong())
        }
    }

    fn skip(&mut self, name: &str, begin: &GmshLine<'a>) -> MeshResult<()> {
        let end = format!("$End{name}");
        while let Some(line) = self.next_line() {
            if line.text == end {
                return Ok(());
            }
        }
        let message = format!("section `{name}` does not end");
        let hint = "the file may have been cut off";
        Err(fault(self.source, begin.range.clone(), MALFORMED, message, format!("there is no {end}"), hint))
    }

    fn version(&self, line: &GmshLine<'a>) -> MeshResult<GmshVersion> {
        self.version.ok_or_else(|| {
            let hint = "a mesh begins with $MeshFormat";
            fault(
                self.source,
                line.range.clone(),
                MALFORMED,
                "the format of the mesh is not known yet",
                "before $MeshFormat",
                hint,
            )
        })
    }

    fn format(&mut self, begin: &GmshLine<'a>) -> MeshResult<()> {
        let mut words = self.words("version, type and size, such as 4.1 0 8")?;
        let version = words.words.next().unwrap_or("").to_string();
        let binary = words.integer()? != 0;
        let refuse = |message: String, hint: &str| {
            fault(self.source, begin.range.end + 1..words.line.range.end, UNSUPPORTED, message, "here", hint)
        };
        if binary {
            return Err(refuse(
                "the mesh is binary".into(),
                "save it as text: gmsh part.geo -3 -format msh41 -bin 0",
            ));
        }
        self.version = Some(match version.as_str() {
            "2.2" => GmshVersion::V22,
            "4.1" => GmshVersion::V41,
            other => {
                let hint = "formats 2.2 and 4.1 are read: gmsh old.msh -save -format msh41 -o new.msh";
                return Err(refuse(format!("the mesh is of format {other}"), hint));
            }
        });
        Ok(())
    }

    fn physical_names(&mut self) -> MeshResult<()> {
        let count = self.words("the number of physical names")?.count()?;
        for _ in 0..count {
            let mut words = self.words("dimension, tag and \"name\" of a group")?;
            let (dimension, tag) = (words.count()?, words.integer()?);
            let quoted = words.line.text.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"'));
            let name = quoted.ok_or_else(|| words.wrong())?.0;
            self.names.insert((dimension, tag), name.to_string());
        }
        Ok(())
    }

    fn entities(&mut self) -> MeshResult<()> {
        let mut words = self.words("the numbers of points, curves, surfaces and volumes")?;
        let counts = [words.count()?, words.count()?, words.count()?, words.count()?];
        for (dimension, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let mut words = self.words("an entity: tag, extent, physical groups")?;
                let tag = words.integer()?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    words.number()?;
                }
                let groups = words.count()?;
                let groups = (0..groups).map(|_| words.integer()).collect::<MeshResult<Vec<i64>>>()?;
                self.entities.insert((dimension, tag), groups);
            }
        }
        Ok(())
    }

    fn add_node(&mut self, number: u32, at: [f64; 3], words: &GmshWords<'a>) -> MeshResult<()> {
        if self.index.insert(number, self.mesh.nodes.len()).is_some() {
            let message = format!("node {number} is there twice");
            let hint = "give every node a number of its own";
            return Err(fault(self.source, words.line.range.clone(), ABSENT, message, "again here", hint));
        }
        self.mesh.nodes.push(MeshNode { number, at });
        Ok(())
    }

    fn nodes_22(&mut self) -> MeshResult<()> {
        let count = self.words("the number of nodes")?.count()?;
        for _ in 0..count {
            let mut words = self.words("a node: number, x, y, z")?;
            let (number, at) = (words.tag()?, words.point()?);
            self.add_node(number, at, &words)?;
        }
        Ok(())
    }

    fn nodes_41(&mut self) -> MeshResult<()> {
        let blocks = self.words("the numbers of blocks and nodes")?.count()?;
        for _ in 0..blocks {
            let mut words = self.words("a block of nodes: dimension, entity, parametric, count")?;
            let (_, _, _, count) = (words.integer()?, words.integer()?, words.integer()?, words.count()?);
            let mut numbers = vec![];
            for _ in 0..count {
                numbers.push(self.words("the number of a node")?.tag()?);
            }
            for number in numbers {
                let mut words = self.words("the place of a node: x, y, z")?;
                let at = words.point()?;
                self.add_node(number, at, &words)?;
            }
        }
        Ok(())
    }

    fn kind(&self, number: i64, words: &GmshWords<'a>) -> MeshResult<&'static GmshKind> {
        GmshKind::of(number).ok_or_else(|| {
            let message = format!("elements of type {number} of Gmsh are not known");
            let hint = "lines, triangles, quadrangles, tetrahedra, prisms and hexahedra of first or second order are";
            fault(self.source, words.line.range.clone(), UNSUPPORTED, message, "here", hint)
        })
    }

    /// The nodes that follow in a line.
    fn element_nodes(
        &self,
        kind: &GmshKind,
        number: u32,
        words: &mut GmshWords<'a>,
    ) -> MeshResult<Vec<usize>> {
        let mut nodes = Vec::with_capacity(kind.nodes);
        for _ in 0..kind.nodes {
            let node = words.tag()?;
            let Some(&index) = self.index.get(&node) else {
                let message = format!("element {number} has node {node}, which is not in the mesh");
                let hint = "the file may have been cut off, or edited by hand";
                return Err(fault(self.source, words.line.range.clone(), ABSENT, message, "here", hint));
            };
            nodes.push(index);
        }
        if words.words.next().is_some() { Err(words.wrong()) } else { Ok(nodes) }
    }

    fn elements_22(&mut self) -> MeshResult<()> {
        let count = self.words("the number of elements")?.count()?;
        for _ in 0..count {
            let mut words = self.words("an element: number, type, tags, nodes")?;
            let (number, kind, tags) = (words.tag()?, words.integer()?, words.count()?);
            let kind = self.kind(kind, &words)?;
            let mut physical = vec![];
            for k in 0..tags {
                let tag = words.integer()?;
                if k == 0 && tag != 0 {
                    // Negative: with the opposite orientation.
                    physical.push(tag.saturating_abs());
                }
            }
            let nodes = self.element_nodes(kind, number, &mut words)?;
            let (range, line) = (words.line.range.clone(), words.line.number);
            self.elements.push(GmshElement { number, kind, physical, nodes, range, line });
        }
        Ok(())
    }

    fn elements_41(&mut self) -> MeshResult<()> {
        let blocks = self.words("the numbers of blocks and elements")?.count()?;
        for _ in 0..blocks {
            let mut words = self.words("a block of elements: dimension, entity, type, count")?;
            let (dimension, entity) = (words.count()?, words.integer()?);
            let (kind, count) = (words.integer()?, words.count()?);
            let kind = self.kind(kind, &words)?;
            let groups = self.entities.get(&(dimension, entity)).cloned().unwrap_or_default();
            let physical: Vec<i64> = groups.iter().map(|tag| tag.saturating_abs()).collect();
            for _ in 0..count {
                let mut words = self.words("an element: number, nodes")?;
                let number = words.tag()?;
                let nodes = self.element_nodes(kind, number, &mut words)?;
                let (range, line) = (words.line.range.clone(), words.line.number);
                self.elements.push(GmshElement {
                    number,
                    kind,
                    physical: physical.clone(),
                    nodes,
                    range,
                    line,
                });
            }
        }
        Ok(())
    }
}
