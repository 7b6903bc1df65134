//! The bench a component is run on: a model with a drive at every power port and a signal at every input.
//!
//!   effort:  e = e₀ + e₁ sin(2π(t/T + φ))       flow:  f = f₁ sin(2π(t/T + φ))                              (1)
//!
//! Typical drives are what ports are commonly connected with: in mechanics a mass that a force moves, behind a damper of
//! 1000 e₁/f₁; elsewhere a volume that a flow fills, behind a resistance of 0.001 e₁/f₁. A raw bond may be either, which
//! `Dual` exchanges. Soft drives give way at once: an effort behind 0.2 e₁/f₁, a flow beside a leak of 3 e₁/f₁ to e₀. Stiff
//! drives impose (1). φ differs from port to port. Signals that have a default keep it beside efforts and are driven beside
//! flows. The length of a mounted component is what its ends make it, from 1 m or 1 rad on.

use std::fmt::Write;

use trunnion_model::Files;
use trunnion_model::component::{ComponentDefinition, Port, PoseMount, SignalDirection, When};
use trunnion_model::domain::{Connector, Domain};
use trunnion_model::units::nominal;

/// In seconds; the run ends in the middle of a wave, where stores are not as at the start.
const PERIOD: f64 = 0.7;

/// The component's name on the bench.
pub const IT: &str = "it";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchDrive {
    Typical,
    /// Typical, save that raw bonds get a mass.
    Dual,
    /// A mass that nothing soft separates from the port: for friction that sticks.
    Rigid,
    SoftEffort,
    SoftFlow,
    Effort,
    Flow,
}

impl BenchDrive {
    pub const ALL: [BenchDrive; 5] = [
        BenchDrive::Typical,
        BenchDrive::SoftEffort,
        BenchDrive::SoftFlow,
        BenchDrive::Effort,
        BenchDrive::Flow,
    ];

    /// Whether every component takes what it imposes.
    pub fn gives_way(self) -> bool {
        !matches!(self, BenchDrive::Effort | BenchDrive::Flow)
    }

    /// "with an effort at every port".
    pub fn phrase(self) -> &'static str {
        match self {
            BenchDrive::Typical | BenchDrive::Dual | BenchDrive::Rigid => {
                "with a mass or a volume at every port"
            }
            BenchDrive::SoftEffort | BenchDrive::Effort => "with an effort at every port",
            BenchDrive::SoftFlow | BenchDrive::Flow => "with a flow at every port",
        }
    }
}

/// Files of the bench: `model` and the drives it uses.
#[derive(Debug)]
pub struct Bench {
    pub model: &'static str,
    files: Vec<(String, String)>,
}

/// The model and the folder of its drives.
const MODEL: &str = "bench.toml";
const FOLDER: &str = "bench/bench_";

impl Bench {
    /// Whether a file is one of the bench's.
    pub fn is_part(file: &str) -> bool {
        file == MODEL || file.starts_with(FOLDER)
    }
}

impl Files for Bench {
    fn read(&self, path: &str) -> Result<String, String> {
        let found = self.files.iter().find(|(name, _)| name == path);
        found.map(|(_, text)| text.clone()).ok_or_else(|| "it is not part of the bench".into())
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let inside = |name: &&String| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        Ok(self.files.iter().map(|(name, _)| name).filter(inside).cloned().collect())
    }
}

/// More combinations of options than this are not tried: then each option is changed alone.
const MOST: usize = 16;

/// What to choose for the options: all combinations if there are few, else each choice alone.
pub fn choices(definition: &ComponentDefinition) -> Vec<Vec<(String, String)>> {
    let options: Vec<_> = definition.options.iter().filter(|o| o.count.is_none()).collect();
    let default: Vec<(String, String)> =
        options.iter().map(|o| (o.key.name.clone(), o.default.clone())).collect();
    if options.iter().map(|o| o.choices.len()).product::<usize>() > MOST {
        let mut all = vec![default.clone()];
        for (k, option) in options.iter().enumerate() {
            for choice in option.choices.iter().filter(|c| **c != option.default) {
                let mut one = default.clone();
                one[k].1.clone_from(choice);
                all.push(one);
            }
        }
        return all;
    }
    let mut all = vec![default];
    for (k, option) in options.iter().enumerate() {
        let others = option.choices.iter().filter(|c| **c != option.default);
        let more: Vec<_> = others
            .flat_map(|choice| {
                all.iter().map(move |old| {
                    let mut new = old.clone();
                    new[k].1.clone_from(choice);
                    new
                })
            })
            .collect();
        all.extend(more);
    }
    all
}

/// The bench for a component with these options.
pub fn bench(definition: &ComponentDefinition, chosen: &[(String, String)], drive: BenchDrive) -> Bench {
    let active = |w: &&When| {
        let value = chosen.iter().find(|(name, _)| *name == w.option.text).map(|(_, value)| value);
        w.is.iter().any(|is| Some(&is.text) == value)
    };
    let more = definition.when.iter().filter(active).flat_map(|w| &w.body.ports);
    let length = definition.mount.as_ref().and_then(|m| m.length.as_ref()).map_or("", |l| &l.text);
    let mut has_length = false;
    let measured = pose(definition, chosen);
    let (mut drives, mut connections, mut files) = (String::new(), String::new(), vec![]);
    for port in definition.body.ports.iter().chain(more) {
        // Two members of a family show whether they disturb each other.
        let members: &[&str] = if port.key.name.contains('#') { &["1", "2"] } else { &[""] };
        if port.key.name == length {
            has_length = true;
            continue;
        }
        if measured.iter().any(|(signal, ..)| *signal == port.key.name) {
            continue;
        }
        for member in members {
            let number = files.len() + 1;
            let Some(text) = driver(port, drive, number) else { continue };
            let name = port.key.name.replace('#', member);
            let _ = writeln!(drives, "drive{number} = {{ type = \"bench_{number}\" }}");
            let _ = writeln!(connections, "\"drive{number}.out\" = \"{IT}.{name}\"");
            files.push((format!("{FOLDER}{number}.toml"), text));
        }
    }
    let (given, measured) = match has_length {
        true => mounted(definition),
        false => posed(&measured),
    };
    let options: String = chosen.iter().map(|(name, value)| format!(", {name} = \"{value}\"")).collect();
    let model = format!(
        "[model]\nlibraries = [\"bench\"]\n\n[components]\n{IT} = {{ type = \"{}\"{options}{given} }}\n{drives}\n\
         [connect]\n{connections}\n{measured}[run]\nt_end = \"1 s\"\n",
        definition.name
    );
    files.push((MODEL.into(), model));
    Bench { model: MODEL, files }
}

/// The value for the length of a mounted component, and the sections that measure it.
fn mounted(definition: &ComponentDefinition) -> (String, String) {
    let Some(mount) = &definition.mount else { return Default::default() };
    let Some(length) = &mount.length else { return Default::default() };
    let (unit, rate) = if mount.turns() { ("rad", "w") } else { ("m", "v") };
    let held = mount.from.as_ref().map_or(String::new(), |from| format!(" - {IT}.{}.{rate}", from.text));
    let sections = format!(
        "[variables]\nlength = {{ unit = \"{unit}\", start = 1 }}\n\n\
         [equations]\nlength = \"der(length) = {IT}.{}.{rate}{held}\"\n\n",
        mount.to.text
    );
    (format!(", {} = \"length\"", length.text), sections)
}

/// Signals of a component between two frames, each with its unit and the port at whose rate it grows; None: part of an orientation.
fn pose<'d>(
    definition: &'d ComponentDefinition,
    chosen: &[(String, String)],
) -> Vec<(&'d str, Option<(&'static str, &'d str)>)> {
    let Some(pose) = &definition.pose else { return vec![] };
    let planar = chosen.iter().any(|(name, value)| name == "dimensions" && value == "plane");
    let (kind, pairs, _) = pose.of(planar);
    let port =
        |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, text)| text.text.as_str());
    let is_port = |name: &str| kind.pose_ports.contains(&name);
    let signals = pairs.iter().filter(|(key, _)| !is_port(&key.name));
    signals
        .map(|(key, text)| {
            let along = PoseMount::port_of(kind, &key.name);
            let rate = along.and_then(|a| Some((if a == "rotation" { "w" } else { "v" }, port(a)?)));
            (text.text.as_str(), rate)
        })
        .collect()
}

/// Values for them, from zero on, and the sections that measure them.
fn posed(measured: &[(&str, Option<(&'static str, &str)>)]) -> (String, String) {
    let (mut given, mut variables, mut equations) = (String::new(), String::new(), String::new());
    for (signal, rate) in measured {
        let Some((rate, port)) = rate else {
            let _ = write!(given, ", {signal} = {}", if signal.ends_with('w') { 1 } else { 0 });
            continue;
        };
        let unit = if *rate == "w" { "rad" } else { "m" };
        let _ = write!(given, ", {signal} = \"pose_{signal}\"");
        let _ = writeln!(variables, "pose_{signal} = {{ unit = \"{unit}\", start = 0 }}");
        let _ = writeln!(equations, "pose_{signal} = \"der(pose_{signal}) = {IT}.{port}.{rate}\"");
    }
    if variables.is_empty() {
        return (given, String::new());
    }
    (given, format!("[variables]\n{variables}\n[equations]\n{equations}\n"))
}

/// The component that drives a port; None where it needs none.
fn driver(port: &Port, drive: BenchDrive, number: usize) -> Option<String> {
    let domain = port.domain?;
    let phase = 0.15 * number as f64;
    if domain.is_power() {
        return Some(power(port, domain, drive, phase));
    }
    let keeps = port.default.is_some() && !matches!(drive, BenchDrive::SoftFlow | BenchDrive::Flow);
    if port.causality == Some(SignalDirection::Out) || keeps {
        return None;
    }
    let unit = port.unit.as_ref().map_or("1", |u| &u.text);
    let size = port.unit.as_ref().map_or(1.0, |u| nominal(u.dimension) / u.factor);
    let declared = if port.unit.is_some() { format!(", unit = \"{unit}\"") } else { String::new() };
    Some(format!(
        "[ports]\nout = {{ domain = \"signal\", direction = \"out\"{declared} }}\n\
         [parameters]\na = {{ unit = \"{unit}\", default = {size:e} }}\n\
         [equations]\nlaw = \"out = a*(0.5 + 0.4*sin(2*pi*(time/{PERIOD} s + {phase})))\"\n"
    ))
}

/// e₀, e₁ and f₁ in SI: what machines of each domain commonly see.
fn sizes(domain: &Domain) -> [f64; 3] {
    match domain.name {
        "translational" => [0.0, 10.0, 0.01],
        "rotational" => [0.0, 1.0, 1.0],
        "hydraulic" => [5e6, 1e6, 1e-4],
        "pneumatic" => [5e5, 1e5, 1e-3],
        "electric" => [0.0, 10.0, 0.1],
        "thermal" => [300.0, 20.0, 10.0],
        _ => [0.0, 1.0, 1.0],
    }
}

fn is_mechanical(domain: &Domain) -> bool {
    matches!(domain.connector, Connector::Power { across_is_effort: false, .. })
}

fn power(port: &Port, domain: &Domain, drive: BenchDrive, phase: f64) -> String {
    let [mean, effort, flow] = sizes(domain);
    let units = domain.effort_and_flow().map_or(["", ""], |(e, f)| [e.unit, f.unit]);
    let [in_effort, in_flow] = units.map(|u| if u.is_empty() { "1" } else { u });
    let wave = format!("sin(2*pi*(time/{PERIOD} s + {phase}))");
    let mass = "\"SE.drive -> 1.body -> 0.coupling -> out\", \"1.body -> I.mass\", \"1.body -> R.inside\", \
                \"0.coupling -> R.damper\"";
    let volume = "\"SF.drive -> 0.inner -> 1.neck -> out\", \"0.inner -> C.volume\", \"1.neck -> R.wall\", \
                  \"SE.around -> 1.way -> 0.inner\", \"1.way -> R.leak\"";
    let (structure, laws) = match drive {
        BenchDrive::Typical | BenchDrive::Dual
            if is_mechanical(domain) || (domain.is_raw() && drive == BenchDrive::Dual) =>
        {
            (
                mass,
                "laws.drive = { effort = \"e0 + e1*WAVE\" }\nlaws.inside = { effort = \"0.2*e1/f1*f\" }\n\
             laws.mass = { flow = \"p*f1/(e1*0.1 s)\" }\nlaws.damper = { effort = \"1000*e1/f1*f\" }",
            )
        }
        BenchDrive::Rigid if is_mechanical(domain) => (
            "\"SE.drive -> 1.body -> out\", \"1.body -> I.mass\", \"1.body -> R.inside\"",
            "laws.drive = { effort = \"e0 + e1*WAVE\" }\nlaws.inside = { effort = \"0.2*e1/f1*f\" }\n\
             laws.mass = { flow = \"p*f1/(e1*0.1 s)\" }",
        ),
        BenchDrive::Typical | BenchDrive::Dual | BenchDrive::Rigid => (
            volume,
            "laws.drive = { flow = \"f1*WAVE\" }\nlaws.around = { effort = \"e0\" }\n\
             laws.leak = { effort = \"3*e1/f1*f\" }\nlaws.volume = { effort = \"e0 + q*e1/(f1*0.1 s)\" }\n\
             laws.wall = { effort = \"0.001*e1/f1*f\" }",
        ),
        BenchDrive::Effort => ("\"SE.drive -> out\"", "laws.drive = { effort = \"e0 + e1*WAVE\" }"),
        BenchDrive::Flow => ("\"SF.drive -> out\"", "laws.drive = { flow = \"f1*WAVE\" }"),
        BenchDrive::SoftEffort => (
            "\"SE.drive -> 1.inner -> out\", \"1.inner -> R.inside\"",
            "laws.drive = { effort = \"e0 + e1*WAVE\" }\nlaws.inside = { effort = \"0.2*e1/f1*f\" }",
        ),
        BenchDrive::SoftFlow => (
            "\"SF.drive -> 0.inner -> out\", \"SE.around -> 1.way -> 0.inner\", \"1.way -> R.leak\"",
            "laws.drive = { flow = \"f1*WAVE\" }\nlaws.around = { effort = \"e0\" }\n\
             laws.leak = { effort = \"3*e1/f1*f\" }",
        ),
    };
    let given = port.takes.iter().map(|v| {
        let unit = v.unit.as_ref().map_or("", |u| &u.text);
        format!("{} = \"1 {}\"", v.key.name, if unit == "1" { "" } else { unit })
    });
    let given: Vec<String> = given.collect();
    let laws = laws.replace("WAVE", &wave);
    format!(
        "[ports]\nout = {{ domain = \"{}\", gives = {{ {} }} }}\n[parameters]\n\
         e0 = {{ unit = \"{in_effort}\", default = {mean:e} }}\ne1 = {{ unit = \"{in_effort}\", default = {effort:e} }}\n\
         f1 = {{ unit = \"{in_flow}\", default = {flow:e} }}\n[bond_graph]\nstructure = [{structure}]\n{laws}\n",
        domain.name,
        given.join(", ")
    )
}
