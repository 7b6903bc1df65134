//! Tree to expression graph, checking dimensions on the way.
//!
//! After an error the part is replaced by a quantity that fits everywhere, so that one mistake gives one message.

use std::cell::OnceCell;
use std::ops::Range;

use trunnion_equations::{Binary, Ex, Expr, Graph};

use super::absolute::{as_difference, check_sides, check_value};
use super::ast::{AND, Ast, AstKind, COMPARISON, ChainOperator, OR, PRODUCT, SUM, number_text};
use super::error::{self, LangError, MOST_ERRORS};
use super::functions::{self, DimensionRule, FUNCTIONS, Function};
use super::{Scope, TableFn, Typed, is_function};
use crate::units::{Dimension, Unit, is_unit_name, shortened, unit_habit};
use trunnion_equations::nearest::nearest;

pub fn lower(graph: &Graph, ast: &Ast, scope: &dyn Scope) -> Result<Typed, Vec<LangError>> {
    let mut lowering = Lowering::new(graph, scope);
    let (ex, dimension) = lowering.term(ast);
    lowering.note(check_value(ast, scope));
    lowering.finish(Typed { expr: ex.id, dimension })
}

/// Both sides, checked to have the same dimension.
pub(crate) fn lower_equation(
    graph: &Graph,
    sides: &(Ast, Ast),
    scope: &dyn Scope,
) -> Result<(Expr, Expr), Vec<LangError>> {
    let mut lowering = Lowering::new(graph, scope);
    let (left, right) = sides;
    let on_left = lowering.term(left);
    // A sum whose terms disagree is held against the left side: the caret goes to the terms that do not fit it.
    let on_right = match (&right.kind, on_left.1) {
        (AstKind::Chain(first, rest), Some(dimension))
            if right.chain_rank() == Some(SUM) && !is_bare(left) =>
        {
            lowering.sum(first, rest, Some((left, dimension)))
        }
        _ => lowering.term(right),
    };
    lowering.agree(&[(left, on_left.1), (right, on_right.1)]);
    lowering.note(check_sides(left, right, scope));
    lowering.finish((on_left.0.id, on_right.0.id))
}

/// An expression and its dimension; `None` fits every dimension.
pub(super) type TypedTerm<'g> = (Ex<'g>, Option<Dimension>);

pub(super) struct Lowering<'g, 's> {
    pub graph: &'g Graph,
    scope: &'s dyn Scope,
    names: OnceCell<Vec<String>>,
    errors: Vec<LangError>,
}

impl<'g, 's> Lowering<'g, 's> {
    pub fn new(graph: &'g Graph, scope: &'s dyn Scope) -> Self {
        Lowering { graph, scope, names: OnceCell::new(), errors: Vec::new() }
    }

    pub fn finish<T>(self, result: T) -> Result<T, Vec<LangError>> {
        if self.errors.is_empty() { Ok(result) } else { Err(self.errors) }
    }

    /// Notes what another look at a text has found, if nothing else is wrong with it.
    pub fn note(&mut self, errors: Vec<LangError>) {
        if self.errors.is_empty() {
            self.errors = errors;
        }
    }

    /// Notes an error and gives what stands in for the wrong part.
    pub fn fail(&mut self, error: LangError) -> TypedTerm<'g> {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        }
        // Not a constant: nothing folds to infinity because of it.
        (self.graph.time(), None)
    }

    pub fn term(&mut self, ast: &Ast) -> TypedTerm<'g> {
        match &ast.kind {
            AstKind::Number(number, unit) => self.number(*number, unit.as_ref(), &ast.span),
            AstKind::Name(name) => self.name(name, &ast.span),
            AstKind::Negate(a) => {
                let (ex, dimension) = self.term(a);
                (-ex, dimension)
            }
            AstKind::Not(a) => (!self.condition(a), Some(Dimension::ONE)),
            AstKind::Chain(first, rest) => match ast.chain_rank() {
                Some(OR | AND) => self.logic(first, rest),
                Some(COMPARISON) => self.comparison(first, rest),
                Some(SUM) => self.sum(first, rest, None),
                Some(PRODUCT) => self.product(first, rest, &ast.span),
                _ => self.term(first),
            },
            AstKind::Power(base, exponent) => self.power(base, exponent, &ast.span),
            AstKind::Call(function, name_span, arguments) => {
                self.call(function, name_span, arguments, &ast.span)
            }
            AstKind::If(condition, a, b) => {
                let condition = self.condition(condition);
                let (on, off) = (self.term(a), self.term(b));
                let dimension = self.agree(&[(a, on.1), (b, off.1)]);
                (self.graph.select(condition, on.0, off.0), dimension)
            }
        }
    }

    fn number(&mut self, number: f64, unit: Option<&Unit>, span: &Range<usize>) -> TypedTerm<'g> {
        let Some(unit) = unit else {
            // A bare 0 is a zero of anything.
            return (self.graph.constant(number), (number != 0.0).then_some(Dimension::ONE));
        };
        let term = (self.graph.constant(unit.to_si(number)), Some(unit.dimension));
        self.finite(term, span)
    }

    fn name(&mut self, name: &str, span: &Range<usize>) -> TypedTerm<'g> {
        match name {
            "time" => (self.graph.time(), Some(Dimension::TIME)),
            "pi" => (self.graph.constant(std::f64::consts::PI), Some(Dimension::ONE)),
            "true" => (self.graph.constant(1.0), Some(Dimension::ONE)),
            "false" => (self.graph.constant(0.0), Some(Dimension::ONE)),
            _ => match self.scope.resolve(name) {
                Some(binding) => (self.graph.at(binding.expr), binding.dimension),
                None => {
                    let error = self.unknown_name(name, span);
                    self.fail(error)
                }
            },
        }
    }

    fn unknown_name(&self, name: &str, span: &Range<usize>) -> LangError {
        let hint = match nearest(name, self.names()) {
            Some(meant) if meant == name => Some(format!(
                "`{name}` is an output, for results only: make it one of [variables] with an equation"
            )),
            Some(meant) => Some(format!("did you mean `{meant}`?")),
            None if name == "t" => Some("simulated time is called `time`".into()),
            None if is_unit_name(name) => Some(format!(
                "`{name}` is a unit: it follows a number, as in `1 {name}`, and joins other units by `/`, `·` or a space"
            )),
            None if unit_habit(name).is_some() => {
                unit_habit(name).map(|unit| format!("the unit is `{unit}`"))
            }
            None if is_function(name) => Some(format!("to call the function, write `{name}(…)`")),
            None if name.contains('.') => None,
            None => Some(format!("declare `{}` under [parameters] or [variables]", shortened(name))),
        };
        LangError::new(error::NAME, span, format!("unknown name `{}`", shortened(name))).maybe_hint(hint)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.names.get_or_init(|| self.scope.names()).iter().map(String::as_str)
    }

    fn logic(&mut self, first: &Ast, rest: &[(ChainOperator, Ast)]) -> TypedTerm<'g> {
        let mut total = self.condition(first);
        for (operator, a) in rest {
            let next = self.condition(a);
            total = if *operator == ChainOperator::And { total.and(next) } else { total.or(next) };
        }
        (total, Some(Dimension::ONE))
    }

    /// A truth value: a plain number, 0 for false.
    fn condition(&mut self, ast: &Ast) -> Ex<'g> {
        let (ex, dimension) = self.term(ast);
        match dimension {
            Some(d) if d != Dimension::ONE => {
                let message = format!("expected a condition, found {}", d.quantity());
                let error = LangError::new(error::CONDITION, &ast.span, message);
                self.fail(error.hint(format!("compare it, as in `{} > 0`", short(ast)))).0
            }
            _ => ex,
        }
    }

    fn comparison(&mut self, first: &Ast, rest: &[(ChainOperator, Ast)]) -> TypedTerm<'g> {
        let (mut left, mut dimension) = self.term(first);
        for (operator, b) in rest {
            let (right, other) = self.term(b);
            self.agree(&[(first, dimension), (b, other)]);
            left = match operator {
                ChainOperator::Less => left.lt(right),
                ChainOperator::LessEqual => left.le(right),
                ChainOperator::Greater => right.lt(left),
                ChainOperator::GreaterEqual => right.le(left),
                ChainOperator::Equal => self.graph.binary(Binary::Eq, left, right),
                _ => self.graph.binary(Binary::Ne, left, right),
            };
            dimension = Some(Dimension::ONE);
        }
        (left, dimension)
    }

    /// Terms that agree give their dimension; others are each held against `reference`, if there is one.
    fn sum(
        &mut self,
        first: &Ast,
        rest: &[(ChainOperator, Ast)],
        reference: Option<(&Ast, Dimension)>,
    ) -> TypedTerm<'g> {
        let (mut total, dimension) = self.term(first);
        let mut terms = vec![(first, dimension)];
        for (operator, a) in rest {
            let (next, dimension) = self.term(a);
            total = if *operator == ChainOperator::Add { total + next } else { total - next };
            terms.push((a, dimension));
        }
        if terms.iter().any(|&(_, other)| other != dimension)
            && let Some((left, dimension)) = reference
        {
            terms.insert(0, (left, Some(dimension)));
        }
        (total, self.agree(&terms))
    }

    fn product(&mut self, first: &Ast, rest: &[(ChainOperator, Ast)], span: &Range<usize>) -> TypedTerm<'g> {
        let (mut total, mut dimension) = self.term(first);
        for (operator, a) in rest {
            let (next, other) = self.term(a);
            let both = dimension.zip(other);
            if *operator == ChainOperator::Multiply {
                (total, dimension) = (total * next, both.map(|(d, e)| d * e));
            } else if next.value() == Some(0.0) {
                let error = LangError::new(error::NOT_FINITE, &a.span, "division by zero");
                (total, dimension) = self.fail(error);
            } else {
                (total, dimension) = (total / next, both.map(|(d, e)| d / e));
            }
        }
        self.finite((total, dimension), span)
    }

    fn power(&mut self, base: &Ast, exponent: &Ast, span: &Range<usize>) -> TypedTerm<'g> {
        let (x, dimension) = self.term(base);
        let (n, of_exponent) = self.term(exponent);
        self.plain(exponent, of_exponent, "an exponent");
        let raised = match (dimension, n.value()) {
            (None, _) => None,
            (Some(Dimension::ONE), _) => Some(Dimension::ONE),
            (Some(d), Some(value)) => match d.powf(value) {
                Some(raised) => Some(raised),
                None => {
                    let message = format!("{} to the power {} has no unit", d.quantity(), number_text(value));
                    self.fail(LangError::new(error::EXPONENT, &exponent.span, message)).1
                }
            },
            (Some(d), None) => {
                let message = format!("the exponent of {} must be a number", d.quantity());
                let label = format!("`{}` is in {d}", short(base));
                let hint = "divide by a reference first, as in `(x/x_0)^n`";
                self.fail(LangError::new(error::EXPONENT, &exponent.span, message).label(label).hint(hint)).1
            }
        };
        self.finite((x.pow(n), raised), span)
    }

    fn call(
        &mut self,
        function: &str,
        name_span: &Range<usize>,
        arguments: &[Ast],
        span: &Range<usize>,
    ) -> TypedTerm<'g> {
        if function == "der" {
            return self.derivative(arguments, span);
        }
        if function == "crosses" {
            let error =
                LangError::new(error::CONDITION, span, "`crosses` stands only in the condition of an event");
            return self.fail(error.hint("compare with `<` or `>`"));
        }
        if let Some(known) = functions::find(function) {
            return self.known_function(known, arguments, span);
        }
        if let Some(table) = self.scope.table(function) {
            return self.table(function, &table, arguments, span);
        }
        arguments.iter().for_each(|a| {
            self.term(a);
        });
        let error = self.unknown_function(function, name_span);
        self.fail(error)
    }

    fn unknown_function(&self, function: &str, span: &Range<usize>) -> LangError {
        if self.scope.resolve(function).is_some() {
            let message = format!("`{function}` is not a function");
            return LangError::new(error::FUNCTION, span, message).hint("to multiply, write `*`");
        }
        let mut known: Vec<&str> = FUNCTIONS.iter().map(Function::name).chain(["der"]).collect();
        known.extend(self.names());
        let hint = match functions::habit(function) {
            Some(ours) => Some(format!("write `{ours}`")),
            None => nearest(function, known).map(|meant| format!("did you mean `{meant}`?")),
        };
        let message = format!("unknown function `{}`", shortened(function));
        LangError::new(error::FUNCTION, span, message).maybe_hint(hint)
    }

    fn derivative(&mut self, arguments: &[Ast], span: &Range<usize>) -> TypedTerm<'g> {
        let [argument] = arguments else { return self.wrong_count("der(x)", (1, 1), arguments.len(), span) };
        let AstKind::Name(name) = &argument.kind else {
            let error =
                LangError::new(error::DERIVATIVE, &argument.span, "`der` takes the name of an unknown");
            return self.fail(error.hint("give the expression a name by an equation of its own"));
        };
        let resolved = self.scope.resolve(name);
        match resolved.as_ref().and_then(|binding| binding.derivative) {
            Some(symbol) => {
                let dimension = resolved.and_then(|binding| binding.dimension);
                (self.graph.derivative(symbol), dimension.map(|d| d / Dimension::TIME))
            }
            None if resolved.is_some() || super::is_reserved(name) => {
                let message = format!("`der` needs an unknown, and `{name}` is none");
                self.fail(LangError::new(error::DERIVATIVE, &argument.span, message))
            }
            None => self.name(name, &argument.span),
        }
    }

    fn known_function(
        &mut self,
        function: &Function,
        arguments: &[Ast],
        span: &Range<usize>,
    ) -> TypedTerm<'g> {
        let (least, most) = function.count;
        if arguments.len() < least || arguments.len() > most {
            arguments.iter().for_each(|a| {
                self.term(a);
            });
            return self.wrong_count(function.form, function.count, arguments.len(), span);
        }
        if function.rule == DimensionRule::Power {
            return self.power(&arguments[0], &arguments[1], span);
        }
        let width = function.width();
        let value = |(i, a)| as_difference(a).filter(|_| width == Some(i));
        let widths: Vec<Option<Ast>> = arguments.iter().enumerate().map(value).collect();
        let terms: Vec<TypedTerm> =
            arguments.iter().zip(&widths).map(|(a, width)| self.term(width.as_ref().unwrap_or(a))).collect();
        let pairs: Vec<_> = arguments.iter().zip(terms.iter().map(|t| t.1)).collect();
        let dimension = if function.rule == DimensionRule::Dry {
            self.agree(&pairs[1..])
        } else if function.rule == DimensionRule::Hold {
            self.plain(&arguments[0], pairs[0].1, "the first argument of `hold`");
            let speed = pairs[1].1;
            if let (Some(speed), Some(rate)) = (speed, pairs[2].1)
                && rate != speed / Dimension::TIME
            {
                let error = LangError::dimension(&arguments[2].span, speed / Dimension::TIME, rate);
                self.fail(error.label(format!("{}, but it is the rate of the speed", in_unit(rate))));
            }
            speed.map(|speed| Dimension::POWER / speed)
        } else if function.rule == DimensionRule::Plain {
            let what = format!("the argument of `{}`", function.name());
            pairs.iter().for_each(|&(a, dimension)| self.plain(a, dimension, &what));
            Some(Dimension::ONE)
        } else {
            let one = self.agree(&pairs);
            match function.rule {
                DimensionRule::Root => one.and_then(|d| d.powf(0.5)),
                DimensionRule::Square => one.and_then(|d| d.powf(2.0)),
                DimensionRule::Ratio => Some(Dimension::ONE),
                _ => one,
            }
        };
        let values: Vec<Ex> = terms.iter().map(|t| t.0).collect();
        self.finite(((function.build)(self.graph, &values), dimension), span)
    }

    fn table(
        &mut self,
        name: &str,
        table: &TableFn,
        arguments: &[Ast],
        span: &Range<usize>,
    ) -> TypedTerm<'g> {
        let count = table.arguments.len();
        let terms: Vec<TypedTerm> = arguments.iter().map(|a| self.term(a)).collect();
        if terms.len() != count {
            let form = if count == 1 { format!("{name}(x)") } else { format!("{name}(x, y)") };
            return self.wrong_count(&form, (count, count), arguments.len(), span);
        }
        for (i, expected) in table.arguments.iter().enumerate() {
            if let (Some(expected), Some(found)) = (*expected, terms[i].1)
                && expected != found
            {
                let error = LangError::dimension(&arguments[i].span, expected, found);
                let place = if count == 1 { "the argument".into() } else { format!("argument {}", i + 1) };
                let label = format!("{}, but {place} of `{name}` is {}", in_unit(found), in_unit(expected));
                self.fail(error.label(label).maybe_hint(unit_hint(&arguments[i], expected)));
            }
        }
        let value = match terms[..] {
            [x] => self.graph.table1(table.id, x.0, 0),
            [x, y] => self.graph.table2(table.id, x.0, y.0, 0, 0),
            _ => {
                return self.fail(LangError::new(error::ARGUMENTS, span, "a table has one or two arguments"));
            }
        };
        self.finite((value, table.result), span)
    }

    fn wrong_count(
        &mut self,
        form: &str,
        count: (usize, usize),
        found: usize,
        span: &Range<usize>,
    ) -> TypedTerm<'g> {
        let name = form.split('(').next().unwrap_or(form);
        let more = if count.0 < count.1 { " or more" } else { "" };
        let plural = if count.0 == 1 && more.is_empty() { "" } else { "s" };
        let message = format!("`{name}` takes {}{more} argument{plural}, found {found}", count.0);
        self.fail(LangError::new(error::ARGUMENTS, span, message).hint(format!("write `{form}`")))
    }

    /// The one dimension of all terms. The first that is more than a bare number sets it; others get an error.
    pub(crate) fn agree(&mut self, terms: &[(&Ast, Option<Dimension>)]) -> Option<Dimension> {
        let known = || terms.iter().filter_map(|&(ast, dimension)| Some((ast, dimension?)));
        let (reference, expected) = known().find(|(ast, _)| !is_bare(ast)).or_else(|| known().next())?;
        let room = MOST_ERRORS.saturating_sub(self.errors.len());
        for (ast, found) in known().filter(|&(_, found)| found != expected).take(room) {
            let label = format!("{}, but `{}` is {}", in_unit(found), short(reference), in_unit(expected));
            let error = LangError::dimension(&ast.span, expected, found).label(label);
            self.fail(error.maybe_hint(unit_hint(ast, expected)));
        }
        Some(expected)
    }

    /// Notes an error if `ast` is not a plain number.
    fn plain(&mut self, ast: &Ast, dimension: Option<Dimension>, what: &str) {
        if let Some(found) = dimension.filter(|&d| d != Dimension::ONE) {
            let error = LangError::dimension(&ast.span, Dimension::ONE, found);
            self.fail(error.label(format!("{}, but {what} is a plain number", in_unit(found))));
        }
    }

    /// Constants fold while lowering; one that is not finite is a mistake in the text.
    fn finite(&mut self, term: TypedTerm<'g>, span: &Range<usize>) -> TypedTerm<'g> {
        match term.0.value() {
            Some(value) if value.is_nan() => self.fail(LangError::new(
                error::NOT_FINITE,
                span,
                "this is not a number: it has no real value",
            )),
            Some(value) if value.is_infinite() => {
                self.fail(LangError::new(error::NOT_FINITE, span, "this is not a finite number"))
            }
            _ => term,
        }
    }
}

/// A number without a unit, perhaps negative.
fn is_bare(ast: &Ast) -> bool {
    match &ast.kind {
        AstKind::Number(_, None) => true,
        AstKind::Negate(a) => is_bare(a),
        _ => false,
    }
}

fn unit_hint(ast: &Ast, expected: Dimension) -> Option<String> {
    (is_bare(ast) && expected != Dimension::ONE).then(|| format!("write `{} {expected}`", short(ast)))
}

fn in_unit(dimension: Dimension) -> String {
    if dimension == Dimension::ONE { "a plain number".into() } else { format!("in {dimension}") }
}

fn short(ast: &Ast) -> String {
    shortened(&ast.to_string())
}
