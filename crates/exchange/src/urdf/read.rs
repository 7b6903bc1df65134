//! URDF into a robot. [wiki.ros.org/urdf/XML]
//!
//! Turns are fixed-axis roll, pitch, yaw, as in our files. The inertia is given in a frame of its own: I_L = R I Rᵀ.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use roxmltree::{Document, Node};
use trunnion_model::{Diagnostic, Source, Span};

use super::Findings;
use super::robot::{
    Inertial, Link, Mimic, Robot, UrdfGeometry, UrdfJoint, UrdfJointKind, UrdfOrigin, Visual,
};
use super::xml::{XmlReader, element, head};
use trunnion_files::input;
use trunnion_num::space::{Point, RotationMatrix, product, transposed, unit};
use trunnion_results::nearest;

/// None: nothing could be read; what is wrong is among the findings.
pub fn robot(source: &Arc<Source>, folder: &Path, findings: &Findings) -> Option<Robot> {
    if let Some(at) = crowded(&source.text) {
        let error = Diagnostic::error("I0001", format!("a tag has more than {MOST_ATTRIBUTES} attributes"));
        findings.add(
            error
                .at(&Span::new(source, at..at + 1), "begins here")
                .hint("no tag of a robot has more than ten"),
        );
        return None;
    }
    let document = Document::parse(&source.text).map_err(|e| findings.add(not_xml(source, &e))).ok()?;
    let reader = XmlReader::new(source, findings);
    let top = document.root_element();
    let macros = top
        .descendants()
        .find(|n| n.is_element() && n.tag_name().namespace().is_some_and(|s| s.contains("xacro")));
    if let Some(node) = macros {
        let hint = "expand the macros first: xacro robot.urdf.xacro > robot.urdf";
        reader.error("I0002", "these are macros, not yet a robot".into(), head(node), "is a macro", hint);
        return None;
    }
    if top.tag_name().name() != "robot" {
        let message = format!("`{}` is not a URDF robot", top.tag_name().name());
        reader.error(
            "I0002",
            message,
            head(top),
            "expected `robot`",
            "a URDF file begins with <robot name=\"…\">",
        );
        return None;
    }
    let parts = UrdfParts { reader, folder, materials: materials(top) };
    Some(parts.robot(top))
}

/// The reader of XML compares every attribute of a tag with all others of it.
const MOST_ATTRIBUTES: usize = 1000;

/// Where a tag begins that has more.
fn crowded(text: &str) -> Option<usize> {
    let (mut tag, mut quote, mut count) = (None, None, 0);
    for (at, c) in text.bytes().enumerate() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, b'<') => (tag, count) = (Some(at), 0),
            (None, b'>') => tag = None,
            (None, b'"' | b'\'') if tag.is_some() => {
                quote = Some(c);
                count += 1;
                if count > MOST_ATTRIBUTES {
                    return tag;
                }
            }
            _ => {}
        }
    }
    None
}

fn not_xml(source: &Arc<Source>, error: &roxmltree::Error) -> Diagnostic {
    let place = error.pos();
    let before: usize =
        source.text.split_inclusive('\n').take(place.row.saturating_sub(1) as usize).map(str::len).sum();
    let line = source.line_of(before).1;
    let column: usize = line.chars().take(place.col.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let at = (before + column).min(source.text.len());
    // The library ends its message with the place, which is shown anyway.
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at ").map_or(reason.as_str(), |(reason, _)| reason);
    Diagnostic::error("I0001", format!("the XML is wrong: {reason}"))
        .at(&Span::new(source, at..at), "here, or shortly before")
        .hint("every <tag> needs its </tag>, or ends in />; attributes stand in quotes")
}

/// Colours by name.
fn materials(top: Node) -> HashMap<String, String> {
    let named = top.descendants().filter(|n| n.has_tag_name("material"));
    named.filter_map(|n| Some((n.attribute("name")?.to_string(), colour(n)?))).collect()
}

/// "#rrggbb" of a material.
fn colour(material: Node) -> Option<String> {
    let rgba = material.children().find(|n| n.has_tag_name("color"))?.attribute("rgba")?;
    let parts: Vec<f64> = rgba.split_ascii_whitespace().filter_map(|w| w.parse().ok()).collect();
    let byte = |x: f64| (255.0 * x.clamp(0.0, 1.0)).round() as u8;
    (parts.len() >= 3).then(|| format!("#{:02x}{:02x}{:02x}", byte(parts[0]), byte(parts[1]), byte(parts[2])))
}

struct UrdfParts<'a> {
    reader: XmlReader<'a>,
    /// Where the model file will stand.
    folder: &'a Path,
    materials: HashMap<String, String>,
}

impl UrdfParts<'_> {
    fn robot<'n>(&self, top: Node<'n, 'n>) -> Robot {
        let reader = &self.reader;
        let mut robot = Robot { name: top.attribute("name").unwrap_or("robot").into(), ..Robot::default() };
        let parts = reader.children(top, &["link", "joint", "material"]);
        for node in parts.iter().filter(|n| n.has_tag_name("link")) {
            let Some(name) = reader.text(*node, "name") else { continue };
            self.twice(*node, name, robot.links.iter().any(|l| l.name == name));
            robot.links.push(self.link(*node, name));
        }
        let nodes: Vec<(Node, &str)> = (parts.iter().filter(|n| n.has_tag_name("joint")))
            .filter_map(|n| Some((*n, reader.text(*n, "name")?)))
            .collect();
        let names: Vec<&str> = nodes.iter().map(|(_, name)| *name).collect();
        for (k, &(node, name)) in nodes.iter().enumerate() {
            self.twice(node, name, names[..k].contains(&name));
            robot.joints.extend(self.joint(node, name, &robot.links, &names));
        }
        for joint in robot.joints.iter().filter(|j| j.mimic.is_some()) {
            let other = joint.mimic.and_then(|m| robot.joints.get(m.joint));
            if !joint.kind.single() || other.is_some_and(|o| o.name == joint.name || !o.kind.single()) {
                let message = format!("`{}` cannot follow this joint", joint.name);
                let hint = "a joint that turns or slides follows another one that does";
                reader.error("I0010", message, joint.place.clone(), "has a wrong `mimic`", hint);
            }
        }
        if robot.links.is_empty() {
            let hint = "write <link name=\"base\"/>";
            reader.error("I0003", "the robot has no links".into(), head(top), "is empty", hint);
        }
        robot
    }

    fn twice(&self, node: Node, name: &str, twice: bool) {
        if twice {
            let tag = node.tag_name().name();
            let range = node.attribute_node("name").map_or(head(node), |a| a.range_value());
            let message = format!("there are two {tag}s `{name}`");
            self.reader.error(
                "I0009",
                message,
                range,
                "is the second one",
                "give every one a name of its own",
            );
        }
    }

    fn link<'n>(&self, node: Node<'n, 'n>, name: &str) -> Link {
        let parts = self.reader.children(node, &["inertial", "visual", "collision"]);
        let of = |tag: &'static str| parts.iter().copied().filter(move |n| n.has_tag_name(tag));
        if let Some(collision) = of("collision").next() {
            self.reader.left_out(collision, "bodies do not touch each other");
        }
        Link {
            name: name.into(),
            place: node.attribute_node("name").map_or(head(node), |a| a.range_value()),
            inertial: of("inertial").next().and_then(|n| self.inertial(n)),
            visuals: of("visual").filter_map(|n| self.visual(n)).collect(),
        }
    }

    fn origin(&self, node: Node<'_, '_>) -> UrdfOrigin {
        let Some(origin) = element(node, "origin") else { return UrdfOrigin::default() };
        let three = |name: &str| self.reader.numbers::<3>(origin, name).unwrap_or_default();
        UrdfOrigin { xyz: three("xyz"), rpy: three("rpy") }
    }

    fn inertial<'n>(&self, node: Node<'n, 'n>) -> Option<Inertial> {
        let reader = &self.reader;
        let origin = self.origin(node);
        let (mass, tensor) = (reader.child(node, "mass"), reader.child(node, "inertia"));
        let (mass, tensor) = (mass?, tensor?);
        let value = reader.needed(mass, "value")?;
        if value < 0.0 {
            reader.beyond(mass, "value", "of a mass cannot be negative");
        }
        let needed = ["ixx", "iyy", "izz"].map(|name| reader.needed(tensor, name));
        let others = ["ixy", "ixz", "iyz"].map(|name| reader.number(tensor, name).unwrap_or(0.0));
        let ([Some(xx), Some(yy), Some(zz)], [xy, xz, yz]) = (needed, others) else { return None };
        let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        if !possible(own) {
            let hint = "the sum of two principal moments is never less than the third";
            reader.warn("I0007", "no body has this inertia".into(), head(tensor), "is impossible", hint);
        }
        let r = origin.pose().r;
        let i = product(product(r, own), transposed(r));
        // Where nothing is turned, rounding has no place.
        let i = if origin.rpy == [0.0; 3] { own } else { i };
        Some(Inertial {
            mass: value,
            center: origin.xyz,
            inertia: [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]],
        })
    }

    fn visual<'n>(&self, node: Node<'n, 'n>) -> Option<Visual> {
        let reader = &self.reader;
        let geometry = reader.child(node, "geometry")?;
        let parts = reader.children(geometry, &["box", "cylinder", "sphere", "mesh"]);
        let part = parts.first().copied()?;
        let form = match part.tag_name().name() {
            "box" => {
                reader.text(part, "size")?;
                let size: Point = reader.numbers(part, "size")?;
                if size.iter().any(|x| *x <= 0.0) {
                    reader.beyond(part, "size", "has to be above 0");
                }
                UrdfGeometry::Box(size)
            }
            "cylinder" => UrdfGeometry::Cylinder {
                radius: reader.size(part, "radius")?,
                length: reader.size(part, "length")?,
            },
            "sphere" => UrdfGeometry::Sphere(reader.size(part, "radius")?),
            _ => self.mesh(part)?,
        };
        let material = element(node, "material");
        let named = |m: Node| self.materials.get(m.attribute("name")?).cloned();
        let colour = material.and_then(|m| colour(m).or_else(|| named(m)));
        Some(Visual { origin: self.origin(node), form, colour })
    }

    /// A mesh that cannot be used is left out: nothing that moves depends on it.
    fn mesh<'n>(&self, node: Node<'n, 'n>) -> Option<UrdfGeometry> {
        let reader = &self.reader;
        let file = reader.text(node, "filename")?;
        let scale = if node.has_attribute("scale") { reader.numbers::<3>(node, "scale")? } else { [1.0; 3] };
        let range = node.attribute_node("filename").map_or(head(node), |a| a.range_value());
        let leave = |why: String, hint: &str| {
            reader.warn("I0008", format!("the mesh `{file}` is left out"), range.clone(), &why, hint);
            None
        };
        let ending = file.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
        if !["stl", "obj", "gltf", "glb"].contains(&ending.as_str()) {
            return leave(format!("`.{ending}` cannot be read"), "convert it to .stl, .obj or .glb");
        }
        if scale != [scale[0]; 3] || scale[0] <= 0.0 {
            return leave("is scaled differently along x, y and z".into(), "scale the mesh itself");
        }
        let found = located(Path::new(&*reader.source.name), file);
        // The model will need it: no output may take its place.
        found.iter().for_each(|path| input::remember(path));
        match found {
            Some(path) => Some(UrdfGeometry::Mesh { file: seen_from(self.folder, &path), scale: scale[0] }),
            None => leave(
                "there is no such file".into(),
                "package:// is looked for in the folder of the URDF and in those above it",
            ),
        }
    }

    fn joint<'n>(
        &self,
        node: Node<'n, 'n>,
        name: &str,
        links: &[Link],
        joints: &[&str],
    ) -> Option<UrdfJoint> {
        let reader = &self.reader;
        let known = ["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"];
        reader.children(node, &known);
        let kind = self.kind(node);
        let link =
            |tag: &str| self.named(reader.child(node, tag)?, "link", links.iter().map(|l| l.name.as_str()));
        let (parent, child) = (link("parent"), link("child"));
        let given =
            element(node, "axis").and_then(|axis| reader.numbers::<3>(axis, "xyz").map(|xyz| (axis, xyz)));
        let axis = given.map_or(Some([1.0, 0.0, 0.0]), |(_, xyz)| unit(xyz));
        if let (None, Some((node, _))) = (axis, given) {
            reader.beyond(node, "xyz", "is no direction");
        }
        let dynamics = element(node, "dynamics");
        let loss = |name: &str| dynamics.and_then(|d| reader.number(d, name)).unwrap_or(0.0);
        let kind = kind?;
        Some(UrdfJoint {
            name: name.into(),
            place: node.attribute_node("name").map_or(head(node), |a| a.range_value()),
            kind,
            parent: parent?,
            child: child?,
            origin: self.origin(node),
            axis: axis?,
            limits: element(node, "limit").and_then(|limit| self.limits(limit, kind)),
            damping: loss("damping"),
            friction: loss("friction"),
            mimic: element(node, "mimic").and_then(|mimic| self.mimic(mimic, joints)),
        })
    }

    fn kind(&self, node: Node<'_, '_>) -> Option<UrdfJointKind> {
        let name = self.reader.text(node, "type")?;
        let found = UrdfJointKind::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        if found.is_none() {
            let names = UrdfJointKind::NAMES.map(|(name, _)| name);
            let range = node.attribute_node("type").map_or(head(node), |a| a.range_value());
            let message = format!("`{name}` is no type of joint");
            self.reader.error(
                "I0005",
                message,
                range,
                "is not known",
                &format!("there are {}", names.join(", ")),
            );
        }
        found
    }

    /// The place of what an attribute names among all there are.
    fn named<'n>(
        &self,
        node: Node<'n, 'n>,
        what: &str,
        all: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<usize> {
        let name = self.reader.text(node, what)?;
        let found = all.clone().position(|known| known == name);
        if found.is_none() {
            let near = nearest(name, all);
            let hint = near.first().map_or("check the name".into(), |near| format!("did you mean `{near}`?"));
            let range = node.attribute_node(what).map_or(head(node), |a| a.range_value());
            self.reader.error(
                "I0006",
                format!("there is no {what} `{name}`"),
                range,
                "is not in this file",
                &hint,
            );
        }
        found
    }

    fn limits(&self, limit: Node<'_, '_>, kind: UrdfJointKind) -> Option<(f64, f64)> {
        let number = |name: &str| self.reader.number(limit, name).unwrap_or(0.0);
        let (lower, upper) = (number("lower"), number("upper"));
        if !matches!(kind, UrdfJointKind::Revolute | UrdfJointKind::Prismatic) {
            return None;
        }
        if lower > upper {
            self.reader.beyond(limit, "lower", "is above `upper`");
        }
        Some((lower, upper))
    }

    fn mimic<'n>(&self, node: Node<'n, 'n>, joints: &[&'n str]) -> Option<Mimic> {
        let number = |name: &str, default: f64| match node.has_attribute(name) {
            true => self.reader.number(node, name),
            false => Some(default),
        };
        Some(Mimic {
            joint: self.named(node, "joint", joints.iter().copied())?,
            factor: number("multiplier", 1.0)?,
            offset: number("offset", 0.0)?,
        })
    }
}

/// Whether ½ tr(I) 1 − I = ∫ x xᵀ dm is positive, up to rounding: all its principal minors are.
fn possible(i: RotationMatrix) -> bool {
    let half = 0.5 * (i[0][0] + i[1][1] + i[2][2]);
    let s = |a: usize, b: usize| if a == b { half - i[a][b] } else { -i[a][b] };
    let two = |a: usize, b: usize| s(a, a) * s(b, b) - s(a, b) * s(a, b);
    let three = s(0, 0) * two(1, 2) - s(0, 1) * (s(0, 1) * s(2, 2) - s(1, 2) * s(0, 2))
        + s(0, 2) * (s(0, 1) * s(1, 2) - s(1, 1) * s(0, 2));
    // Six digits, as files are written.
    let least = -1e-6 * half.abs();
    let ones = (0..3).all(|a| s(a, a) >= least);
    let twos = [(0, 1), (0, 2), (1, 2)].iter().all(|&(a, b)| two(a, b) >= least * half);
    ones && twos && three >= least * half * half
}

/// The file that a URDF names: beside it, or in a package above it.
fn located(urdf: &Path, file: &str) -> Option<PathBuf> {
    let folder = urdf.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Some(path) = file.strip_prefix("file://") {
        return Some(PathBuf::from(path)).filter(|p| p.is_file());
    }
    let Some((_, path)) = file.split_once("://") else {
        return Some(folder.join(file)).filter(|p| p.is_file());
    };
    let inside = path.split_once('/').map_or(path, |(_, inside)| inside);
    let absolute = std::path::absolute(folder).ok()?;
    let candidates = absolute.ancestors().flat_map(|above| [above.join(path), above.join(inside)]);
    candidates.into_iter().find(|p| p.is_file())
}

/// A path as a file in `folder` names it, with `/`.
fn seen_from(folder: &Path, path: &Path) -> String {
    let real =
        |p: &Path| if p.as_os_str().is_empty() { Path::new(".").canonicalize() } else { p.canonicalize() };
    let (Ok(from), Ok(to)) = (real(folder), real(path)) else { return path.to_string_lossy().into_owned() };
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| "..".to_string());
    let down = to.components().skip(shared).map(|c| c.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
