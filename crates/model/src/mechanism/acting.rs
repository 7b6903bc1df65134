//! What acts between bodies or looks at them: lines, couplings, loads and sensors.

use trunnion_equations::{Expr, Symbol};

use super::places::{Places, coordinate};
use super::sections::{MechanismPart, Sections};
use super::{
    Coupling, CouplingForm, ForceLine, Frame, Load, Mechanism, SensedQuantity, Sensor, Vector, wrong_length,
};
use crate::component::{Section, flatten, read_scalar};
use crate::diagnostic::Diagnostic;
use crate::file::{Data, Fields, TomlKey, TomlText, TomlValue};
use crate::instantiate::{ModelBuilder, si};
use crate::units::{Dimension, parse_unit};

fn length() -> Dimension {
    parse_unit("m").map_or(Dimension::ONE, |u| u.dimension)
}

impl<'a> ModelBuilder<'a> {
    /// Everything the sections of a mechanism say.
    pub(crate) fn add_mechanism(&mut self, sections: &'a Sections) {
        if sections.is_empty() {
            return;
        }
        self.mechanism.planar = sections.planar();
        self.read_gravity(sections.planar());
        let places = self.read_bodies(sections);
        self.read_joints(sections, &places);
        for part in sections.of(Section::Lines).iter().chain(&sections.mounted) {
            let line = self.read_line(part, &places);
            self.mechanism.lines.extend(line);
        }
        for part in sections.of(Section::Couplings) {
            let coupling = self.read_coupling(part, &places);
            self.mechanism.couplings.extend(coupling);
        }
        for part in sections.of(Section::Loads) {
            let load = self.read_load(part, &places);
            self.mechanism.loads.extend(load);
        }
        for part in sections.of(Section::Sensors) {
            let sensor = self.read_sensor(part, &places);
            self.mechanism.sensors.extend(sensor);
        }
    }

    fn part_origin(&self, part: &MechanismPart) -> trunnion_equations::flat::Origin {
        let mut origin = self.origin(0, &part.key.span);
        origin.component = part.key.name.clone();
        origin
    }

    /// Two points that have to differ.
    fn read_ends(&self, f: &Fields<'_>, part: &MechanismPart, places: &Places) -> Option<(Frame, Frame)> {
        let (from, to) = (places.frame(f, "from"), places.frame(f, "to"));
        let (from, to) = (from?, to?);
        if from.body == to.body {
            let same = if from.p == to.p {
                "both ends are the same point"
            } else {
                "both ends are on the same body"
            };
            let place = f.value("to").map_or_else(|| part.key.span.clone(), |v| v.span.clone());
            self.problems.add(
                Diagnostic::error("M0506", format!("`{}` leads from a body to itself", part.key.name))
                    .at(&place, same)
                    .hint("`from` and `to` are points on different bodies"),
            );
            return None;
        }
        Some((from, to))
    }

    fn read_line(&mut self, part: &'a MechanismPart, places: &Places) -> Option<ForceLine> {
        let &child = self.tree.instances[0].children.get(&part.key.name)?;
        // What a component is mounted between may depend on options: another line has taken the name.
        if self.tree.instances[child].place != part.key.span {
            return None;
        }
        let f = part.fields("line", self.problems);
        let (from, to) = self.read_ends(&f, part, places)?;
        Some(ForceLine {
            name: part.key.name.clone(),
            origin: self.part_origin(part),
            from,
            to,
            length: self.symbol_of(part, "l")?,
            rate: self.symbol_of(part, "v")?,
            force: self.symbol_of(part, "f")?,
        })
    }

    fn read_coupling(&mut self, part: &'a MechanismPart, places: &Places) -> Option<Coupling> {
        let f = part.fields("coupling", self.problems);
        let kind = part.table.get("type")?.value.as_text()?.text;
        let one = self.graph().constant(1.0).id;
        let own = |b: &Self, name: &str, sign: f64| {
            let symbol = b.symbol_of(part, name)?;
            Some((sign * b.flat.ex(symbol)).id)
        };
        let (form, tied) = match kind.as_str() {
            "gear" => self.ties(&f, &[("a", Some(one)), ("b", own(self, "ratio", -1.0))], None)?,
            "rack" => self.ties(
                &f,
                &[("slides", Some(one)), ("turns", own(self, "radius", -1.0))],
                Some([false, true]),
            )?,
            "differential" => {
                let two = self.graph().constant(-2.0).id;
                self.ties(&f, &[("a", Some(one)), ("b", Some(one)), ("carrier", Some(two))], None)?
            }
            "linear" => self.linear(&f)?,
            "rod" => {
                let (from, to) = self.read_ends(&f, part, places)?;
                (CouplingForm::Rod { from, to, length: own(self, "length", 1.0) }, length())
            }
            _ => return None,
        };
        self.check_terms_of(&f, part, &form)?;
        let (name, force) =
            ["tau", "f", "force"].into_iter().find_map(|name| Some((name, self.symbol_of(part, name)?)))?;
        self.set_unit(&format!("{}.{name}", part.key.name), force, tied);
        Some(Coupling { name: part.key.name.clone(), origin: self.part_origin(part), form, force })
    }

    /// Every coordinate counts, and counts once.
    fn check_terms_of(&mut self, f: &Fields<'_>, part: &MechanismPart, form: &CouplingForm) -> Option<()> {
        let CouplingForm::Linear(terms) = form else { return Some(()) };
        let value = ["ratio", "radius", "terms"].into_iter().find_map(|key| f.value(key));
        let place = value.map_or_else(|| part.key.span.clone(), |v| v.span.clone());
        let name = |b: &Self, (joint, freedom, _): &(usize, usize, Expr)| {
            b.flat.quantity(b.mechanism.joints[*joint].freedoms[*freedom].position).name.clone()
        };
        for (k, term) in terms.iter().enumerate() {
            let (coordinate, whose) = (name(self, term), &part.key.name);
            if terms[..k].iter().any(|t| (t.0, t.1) == (term.0, term.1)) {
                self.problems.add(
                    Diagnostic::error("M0513", format!("`{whose}` couples `{coordinate}` with itself"))
                        .at(&part.key.span, "it is named twice")
                        .hint("name coordinates of different joints"),
                );
                return None;
            }
            if self.values.of(&self.flat.graph, term.2) == Some(0.0) {
                self.problems.add(
                    Diagnostic::error("M0513", format!("`{whose}` does not couple `{coordinate}`"))
                        .at(&place, "its factor is 0")
                        .hint("leave the coupling out, or hold the joint with `motion`"),
                );
                return None;
            }
        }
        Some(())
    }

    /// The force of a tie whose sum has the dimension `tied`: their product is an energy.
    fn set_unit(&mut self, name: &str, force: Symbol, tied: Dimension) {
        let Ok(torque) = parse_unit("N m") else { return };
        let unit = if tied == Dimension::ONE { torque } else { si(torque.dimension / tied) };
        if let Some(named) = self.names.map.get_mut(name).filter(|n| n.unit.is_none()) {
            self.flat.quantities[force.index()].unit = (&unit).into();
            named.unit = Some(unit);
        }
    }

    /// Coordinates named by keys, each with its factor; `turns` says which kind each has to be, None: all the same.
    fn ties(
        &self,
        f: &Fields<'_>,
        keys: &[(&'static str, Option<Expr>)],
        turns: Option<[bool; 2]>,
    ) -> Option<(CouplingForm, Dimension)> {
        let mut terms = vec![];
        let mut first = None;
        for (k, (key, factor)) in keys.iter().enumerate() {
            if f.value(key).is_none() {
                f.missing(key, "a joint, or a coordinate of one, as in \"pin.phi\"");
            }
            let Some(text) = f.text(key) else { continue };
            match coordinate(&self.mechanism.joints, &text) {
                Ok((joint, freedom)) => {
                    let found = self.mechanism.joints[joint].freedoms[freedom].turns;
                    let wanted = turns.map_or(*first.get_or_insert(found), |t| t[k.min(1)]);
                    if found != wanted {
                        self.problems.add(
                            Diagnostic::error("M0513", format!("`{}` does not fit `{key}`", text.text))
                                .at(&text.span, if found { "this is an angle" } else { "this is a length" })
                                .hint("a `rack` joins a turn and a slide, `linear` any coordinates"),
                        );
                        continue;
                    }
                    terms.push((joint, freedom, (*factor)?));
                }
                // A joint that is wrong is not there.
                Err(error) => self.report_coordinate(&text, error),
            }
        }
        let slides = turns.is_some() || first == Some(false);
        let tied = if slides { length() } else { Dimension::ONE };
        (terms.len() == keys.len()).then_some((CouplingForm::Linear(terms), tied))
    }

    fn report_coordinate(&self, text: &TomlText, error: Diagnostic) {
        let joint = text.text.split('.').next().unwrap_or_default();
        let read = self.mechanism.joints.iter().any(|j| j.name == joint);
        let unread =
            !read && self.tree.instances[0].children.contains_key(joint) && self.problems.has_errors();
        if !unread && !self.names.is_broken(joint) {
            self.problems.add(error);
        }
    }

    fn linear(&mut self, f: &Fields<'_>) -> Option<(CouplingForm, Dimension)> {
        let Some(entry) = f.entry("terms") else {
            f.missing("terms", "as in terms = { \"j1.phi\" = 1, \"j2.phi\" = -2 }");
            return None;
        };
        let given: Vec<(TomlKey, &TomlValue)> = flatten(f.entries("terms"));
        if given.is_empty() {
            self.problems
                .add(Diagnostic::error("M0513", "a coupling of nothing").at(&entry.value.span, "no terms"));
        }
        let (mut terms, mut wanted) = (vec![], None);
        for (key, value) in &given {
            let text = TomlText { text: key.name.clone(), span: key.span.clone() };
            let place = match coordinate(&self.mechanism.joints, &text) {
                Ok(place) => place,
                Err(error) => {
                    self.report_coordinate(&text, error);
                    continue;
                }
            };
            let turns = self.mechanism.joints[place.0].freedoms[place.1].turns;
            let own = if turns { Dimension::ONE } else { length() };
            let scalar = read_scalar(value, &key.name, self.problems);
            let unit = wanted.map(|w: Dimension| si(w / own));
            let Some((typed, _)) =
                self.constant(&scalar, 0, unit.as_ref(), &format!("the factor of `{}`", key.name))
            else {
                continue;
            };
            wanted = wanted.or(typed.dimension.map(|d| d * own));
            terms.push((place.0, place.1, typed.expr));
        }
        let tied = wanted.unwrap_or(Dimension::ONE);
        (terms.len() == given.len() && !terms.is_empty()).then_some((CouplingForm::Linear(terms), tied))
    }

    fn read_load(&mut self, part: &'a MechanismPart, places: &Places) -> Option<Load> {
        let f = part.fields("load", self.problems);
        let at = places.frame(&f, "at");
        let turns_along = f.choice("along", &[("world", false), ("body", true)]).unwrap_or(false);
        let name = &part.key.name;
        let zero = self.graph().constant(0.0).id;
        let planar = places.planar;
        let force = f.value("force").map(|v| self.acting(v, "force", "N", name, planar));
        let torque = match f.value("torque") {
            Some(value) if planar && !matches!(value.data, Data::List(_)) => {
                Some(self.acting_number(value, "torque", "N m", name).map(|t| [zero, zero, t]))
            }
            Some(value) if planar => {
                self.problems.add(wrong_length(value, "torque", "one torque, about z"));
                Some(None)
            }
            value => value.map(|v| self.acting(v, "torque", "N m", name, false)),
        };
        f.text("doc");
        if force.is_none() && torque.is_none() {
            f.missing("force", "or a `torque`");
        }
        f.finish();
        let at = at?;
        if at.body == Mechanism::WORLD {
            self.problems.add(
                Diagnostic::error("M0506", format!("load `{name}` acts on the world"))
                    .at(&part.key.span, "which never moves")
                    .hint("`at` names a body or a frame on one"),
            );
            return None;
        }
        Some(Load {
            name: name.clone(),
            origin: self.part_origin(part),
            at,
            turns_along,
            force: force.unwrap_or(Some([zero; 3]))?,
            torque: torque.unwrap_or(Some([zero; 3]))?,
        })
    }

    /// An expression of anything.
    fn acting_number(&self, value: &TomlValue, key: &str, unit: &str, whose: &str) -> Option<Expr> {
        let scalar = read_scalar(value, key, self.problems);
        let unit = parse_unit(unit).ok();
        let typed = self.scalar(&scalar, &self.view(0), unit.as_ref(), &format!("`{key}` of `{whose}`"))?;
        Some(typed.expr)
    }

    fn acting(&self, value: &TomlValue, key: &str, unit: &str, whose: &str, planar: bool) -> Option<Vector> {
        let wanted = if planar { 2 } else { 3 };
        let list = match &value.data {
            Data::List(list) if list.len() == wanted => list,
            _ => {
                let text = if planar { "two numbers, as everything in a plane" } else { "three numbers" };
                self.problems.add(wrong_length(value, key, text));
                return None;
            }
        };
        let mut vector = [self.graph().constant(0.0).id; 3];
        for (place, value) in vector.iter_mut().zip(list) {
            *place = self.acting_number(value, key, unit, whose)?;
        }
        Some(vector)
    }

    fn read_sensor(&mut self, part: &'a MechanismPart, places: &Places) -> Option<Sensor> {
        let f = part.fields("sensor", self.problems);
        let of = places.frame(&f, "of");
        let from = match f.value("from") {
            Some(_) => places.frame(&f, "from"),
            None => Some(places.origin(Mechanism::WORLD)),
        };
        let vectors: [fn(usize) -> SensedQuantity; 4] = [
            SensedQuantity::Position,
            SensedQuantity::Velocity,
            SensedQuantity::Acceleration,
            SensedQuantity::AngularVelocity,
        ];
        let names = ["", "v", "a", "w"];
        let name = |first: &str, k: usize| format!("{first}{}", ["x", "y", "z"][k]);
        let vectors = vectors
            .into_iter()
            .zip(names)
            .flat_map(|(what, first)| (0..3).map(move |k| (what(k), name(first, k))));
        let single = [
            (SensedQuantity::Angle, "angle".to_string()),
            (SensedQuantity::Distance, "distance".to_string()),
        ];
        let shows =
            vectors.chain(single).filter_map(|(what, name)| Some((what, self.symbol_of(part, &name)?)));
        let shows = shows.collect();
        Some(Sensor {
            name: part.key.name.clone(),
            origin: self.part_origin(part),
            of: of?,
            from: from?,
            shows,
        })
    }
}
