//! Hybrid systems made at random, and their model files.

use std::fmt::Write;

use crate::TENTH;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Tenths between −n and n.
    pub fn tenths(&mut self, n: usize) -> i128 {
        (self.below(2 * n + 1) as i128 - n as i128) * TENTH
    }

    pub fn rate(&mut self) -> Rate {
        Rate([1, 2, 4, 8][self.below(4)] * if self.below(2) == 0 { 1 } else { -1 })
    }
}

/// In halves per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate(pub i128);

/// How a state moves.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    Constant(Rate),
    /// A mode is the rate.
    Mode(usize),
    /// One rate while an earlier state is above a value, another else.
    If(usize, i128, Rate, Rate),
}

#[derive(Clone, Copy, Debug)]
pub enum Level {
    Fixed(i128),
    Reference(usize),
}

#[derive(Clone, Copy, Debug)]
pub enum Guard {
    Above(usize, Level),
    Below(usize, Level),
    Time(i128),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    State(usize),
    Rate(usize),
    Reference(usize),
}

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Fixed(i128),
    More(i128),
    Opposite,
    Of(usize),
}

pub type Assignments = Vec<(Target, Value)>;

#[derive(Debug)]
pub struct Spec {
    pub starts: Vec<i128>,
    pub laws: Vec<Law>,
    pub rates: Vec<Rate>,
    pub references: Vec<i128>,
    pub events: Vec<(Guard, Assignments)>,
    /// Period, offset and what is set.
    pub task: Option<(i128, i128, Assignments)>,
}

pub fn assignments(random: &mut Random, n: usize, most: usize) -> Assignments {
    let mut set: Assignments = vec![];
    while set.is_empty() || random.below(most) > 0 && set.len() < most {
        let target = match random.below(6) {
            0..=2 => Target::State(random.below(n)),
            3 => Target::Rate(random.below(2)),
            4 => Target::Rate(0),
            _ => Target::Reference(random.below(2)),
        };
        let value = match (target, random.below(5)) {
            (Target::Rate(_), 0..=2) => Value::Opposite,
            (Target::Rate(_), _) => Value::Fixed(random.rate().0),
            (_, 0 | 1) => Value::More(random.tenths(20)),
            (_, 2) => Value::Of(random.below(n)),
            _ => Value::Fixed(random.tenths(20)),
        };
        // Set to what it is, a state at its threshold may or may not count as put there.
        let idle = matches!(value, Value::More(0))
            || matches!((target, value), (Target::State(i), Value::Of(j)) if i == j);
        if !idle && set.iter().all(|(t, _)| *t != target) {
            set.push((target, value));
        }
    }
    set
}

impl Spec {
    pub fn random(random: &mut Random) -> Spec {
        let n = 1 + random.below(3);
        let law = |random: &mut Random, i: usize| match random.below(4) {
            0 | 1 => Law::Mode(random.below(2)),
            2 if i > 0 => Law::If(random.below(i), random.tenths(20), random.rate(), random.rate()),
            _ => Law::Constant(random.rate()),
        };
        let level = |random: &mut Random| match random.below(3) {
            0 => Level::Reference(random.below(2)),
            _ => Level::Fixed(random.tenths(20)),
        };
        let mut events: Vec<(Guard, Assignments)> = vec![];
        for _ in 0..1 + random.below(4) {
            let guard = match (random.below(8), events.last()) {
                (0, _) => Guard::Time((1 + random.below(90)) as i128 * TENTH),
                // Thermostats: two events that share a threshold.
                (1, Some(&(Guard::Above(i, at), _))) => Guard::Below(i, at),
                (1 | 2, Some(&(Guard::Below(i, at), _))) => Guard::Above(i, at),
                (2..=4, _) => Guard::Below(random.below(n), level(random)),
                _ => Guard::Above(random.below(n), level(random)),
            };
            let mut set = assignments(random, n, 2);
            // Onto its own threshold.
            if let (Guard::Above(i, Level::Fixed(c)) | Guard::Below(i, Level::Fixed(c)), 0) =
                (guard, random.below(6))
            {
                set.retain(|(t, _)| *t != Target::State(i));
                set.push((Target::State(i), Value::Fixed(c)));
            }
            events.push((guard, set));
        }
        let task = (random.below(3) == 0).then(|| {
            let period = (3 + random.below(30)) as i128 * TENTH;
            let mut set = assignments(random, n, 2);
            // States are for events.
            while set.iter().any(|(t, _)| matches!(t, Target::State(_))) {
                set = assignments(random, n, 2);
            }
            (period, random.below(20) as i128 * TENTH, set)
        });
        Spec {
            starts: (0..n).map(|_| random.tenths(20)).collect(),
            laws: (0..n).map(|i| law(random, i)).collect(),
            rates: vec![random.rate(), random.rate()],
            references: vec![random.tenths(20), random.tenths(20)],
            events,
            task,
        }
    }

    pub fn text(&self) -> String {
        let number = |v: i128| format!("{:.1}", v as f64 / TENTH as f64 / 10.0);
        let rate = |r: Rate| format!("{:.1}", r.0 as f64 / 2.0);
        let level = |l: Level| match l {
            Level::Fixed(c) => number(c),
            Level::Reference(k) => format!("ref{k}"),
        };
        let set = |set: &Assignments| {
            let one = |&(target, value): &(Target, Value)| {
                let name = match target {
                    Target::State(i) => format!("x{i}"),
                    Target::Rate(j) => format!("rate{j}"),
                    Target::Reference(k) => format!("ref{k}"),
                };
                let value = match value {
                    Value::Fixed(c) if matches!(target, Target::Rate(_)) => rate(Rate(c)),
                    Value::Fixed(c) => number(c),
                    Value::More(c) => format!("{name} + ({})", number(c)),
                    Value::Opposite => format!("-{name}"),
                    Value::Of(i) => format!("x{i}"),
                };
                format!("{name} = \"{value}\"")
            };
            set.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::from("[modes]\n");
        for (j, r) in self.rates.iter().enumerate() {
            let _ = writeln!(text, "rate{j} = {}", rate(*r));
        }
        for (k, r) in self.references.iter().enumerate() {
            let _ = writeln!(text, "ref{k} = {}", number(*r));
        }
        text.push_str("[variables]\n");
        for (i, x) in self.starts.iter().enumerate() {
            let _ = writeln!(text, "x{i} = {{ start = {} }}", number(*x));
        }
        text.push_str("[equations]\n");
        for (i, law) in self.laws.iter().enumerate() {
            let law = match *law {
                Law::Constant(r) => rate(r),
                Law::Mode(j) => format!("rate{j}"),
                Law::If(j, c, a, b) => format!("if x{j} > {} then {} else {}", number(c), rate(a), rate(b)),
            };
            let _ = writeln!(text, "d{i} = \"der(x{i})*1 s = {law}\"");
        }
        for (e, (guard, assignments)) in self.events.iter().enumerate() {
            let when = match *guard {
                Guard::Above(i, at) => format!("x{i} > {}", level(at)),
                Guard::Below(i, at) => format!("x{i} < {}", level(at)),
                Guard::Time(t) => format!("time > {} s", number(t)),
            };
            let _ = writeln!(text, "[events.e{e}]\nwhen = \"{when}\"\nset = {{ {} }}", set(assignments));
        }
        if let Some((period, offset, assignments)) = &self.task {
            let (p, o) = (number(*period), number(*offset));
            let _ = writeln!(
                text,
                "[tasks.s]\nperiod = \"{p} s\"\noffset = \"{o} s\"\nset = {{ {} }}",
                set(assignments)
            );
        }
        text
    }
}
