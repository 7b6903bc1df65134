//! Former names of parameters: they are still read, with a note. Both forms of start values, without one.
//!
//! A displacement was once given as the volume of a revolution. Such a name has a unit of its own, `m^3/rev`: a number
//! without an angle in its unit counts per revolution,
//!
//!   10 ml  →  10 ml/rev = 10 ml/2π per radian                                                      (1)
//!
//! and one with an angle is what it says.

use super::sets::Sets;
use super::tree::{Argument, Instance};
use crate::component::{FormerName, Parameter, Scalar, ScalarForm, read_scalar};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{TomlKey, TomlValue};
use crate::language::{Ast, AstKind};
use crate::units::{Unit, has_angle, parse_unit};

/// The code of a former name.
pub const FORMER_NAME: &str = "M0330";

/// How descriptions of start values end.
const AT_START: [&str; 2] = ["at the start", "at the beginning"];

/// Start values are written `x0` or `x_0`, whichever the component calls its own: the parameter that `name` is the other form of.
pub(crate) fn other_form<'a>(instance: &Instance<'a>, name: &str) -> Option<&'a Parameter> {
    let other = match name.strip_suffix("_0") {
        Some(stem) => format!("{stem}0"),
        None => format!("{}_0", name.strip_suffix('0')?),
    };
    let is_start = |p: &&Parameter| AT_START.iter().any(|end| p.doc.contains(end));
    instance.each(|b| &b.parameters).filter(is_start).find(|p| p.key.name == other)
}

/// The other form of a start value's name, where it is no name of something else.
pub(crate) fn spelt(instance: &Instance<'_>, name: &str) -> Option<String> {
    let other = match name.strip_suffix("_0") {
        Some(stem) => format!("{stem}0"),
        None => format!("{}_0", name.strip_suffix('0')?),
    };
    let named = instance.each(|b| &b.parameters).any(|p| p.key.name == other);
    (!named && other_form(instance, &other).is_some()).then_some(other)
}

/// The parameter that has `name` as a former name.
pub fn find<'a>(instance: &Instance<'a>, name: &str) -> Option<(&'a Parameter, &'a FormerName)> {
    instance
        .each(|b| &b.parameters)
        .find_map(|p| p.aliases.iter().find(|alias| alias.name == name).map(|alias| (p, alias)))
}

/// A value under a former name; None: refused, which has been reported.
pub fn give(
    instance: &Instance<'_>,
    key: &TomlKey,
    value: &TomlValue,
    scope: usize,
    problems: &Problems,
) -> Option<(String, Argument)> {
    let (parameter, alias) = find(instance, &key.name)?;
    let name = parameter.key.name.clone();
    if instance.arguments.contains_key(&name) {
        problems.add(
            Diagnostic::error("M0105", format!("`{name}` of `{}` is given twice", instance.path))
                .at(&key.span, format!("`{}` is a former name of `{name}`", key.name)),
        );
        return None;
    }
    let shown = alias.unit.as_ref().map(|u| format!(", in {}", u.text)).unwrap_or_default();
    problems.add(
        Diagnostic::note(
            FORMER_NAME,
            format!("`{}` of `{}` is now called `{name}`{shown}", key.name, instance.definition.name),
        )
        .at(&key.span, "a former name"),
    );
    let scalar = read_scalar(value, &key.name, problems);
    let scalar = match &alias.unit {
        Some(unit) => per_angle(scalar, unit, (&key.name, &name), problems)?,
        None => scalar,
    };
    Some((name, Argument { scalar, scope }))
}

/// A value under the present name beside one under a former name, or in the other form.
pub(crate) fn refuse_twice(instance: &Instance<'_>, key: &TomlKey, problems: &Problems) {
    let mut own = instance.each(|b| &b.parameters).filter(|p| p.key.name == key.name);
    let has_other = spelt(instance, &key.name).is_some();
    if own.any(|p| has_other || !p.aliases.is_empty()) && instance.arguments.contains_key(&key.name) {
        problems.add(
            Diagnostic::error("M0105", format!("`{}` of `{}` is given twice", key.name, instance.path))
                .at(&key.span, "given under another name too"),
        );
    }
}

/// Values under former names from outside the files.
pub(crate) fn give_sets(instance: &mut Instance<'_>, sets: &Sets, problems: &Problems) {
    let former: Vec<String> =
        instance.each(|b| &b.parameters).flat_map(|p| &p.aliases).map(|a| a.name.clone()).collect();
    for name in former {
        let path = instance.full(&name);
        let Some(value) = sets.take(&path) else { continue };
        let key = TomlKey { name, span: value.span.clone() };
        // What the file says under the present name gives way.
        if let Some((parameter, _)) = find(instance, &key.name) {
            instance.arguments.remove(&parameter.key.name);
        }
        if let Some((name, argument)) = give(instance, &key, value, 0, problems) {
            instance.arguments.insert(name, argument);
        }
    }
}

/// (1)
fn per_angle(scalar: Scalar, unit: &Unit, names: (&str, &str), problems: &Problems) -> Option<Scalar> {
    let Scalar { form, span } = scalar;
    let form = match form {
        ScalarForm::Number(number) => {
            let text = crate::file::TomlText { text: format!("{number} {}", unit.text), span: span.clone() };
            let ast = Ast { kind: AstKind::Number(number, Some(unit.clone())), span: 0..0 };
            ScalarForm::Formula(crate::component::Formula { ast, text })
        }
        ScalarForm::Formula(mut formula) => match &formula.ast.kind {
            AstKind::Number(_, Some(own)) if has_angle(own) => ScalarForm::Formula(formula),
            AstKind::Number(number, Some(own)) => {
                let own = parse_unit(&format!("({})/rev", own.text)).ok()?;
                formula.ast.kind = AstKind::Number(*number, Some(own));
                ScalarForm::Formula(formula)
            }
            _ => {
                let (former, now) = names;
                problems.add(
                    Diagnostic::error("M0331", format!("`{former}` is now `{now}`, which is per angle"))
                        .at(&span, "per revolution or per radian?")
                        .hint(format!(
                            "write {now} = \"({})/1 rev\" if this is a volume per revolution",
                            formula.text.text
                        )),
                );
                return None;
            }
        },
        other => other,
    };
    Some(Scalar { form, span })
}
