//! The times at which two runs are compared: those of both, and events side by side.

use trunnion_num::text::{count, number};
use trunnion_results::Column;

/// A smaller change at an event, as a share of the signal's range, is none.
const JUMP: f64 = 1e-9;

/// Times with one row.
pub fn single_times(times: &[f64]) -> Vec<f64> {
    let same = |k: usize| times[k] == times[k - 1];
    let single = |&k: &usize| !(k > 0 && same(k) || k + 1 < times.len() && same(k + 1));
    (0..times.len()).filter(single).map(|k| times[k]).collect()
}

/// The times at which two signals are compared.
pub struct ComparisonTimes {
    pub at: Vec<f64>,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub interpolated: bool,
    /// Instants with two rows: in both, only in the first, only in the second.
    events: [Vec<(InstantRows, InstantRows)>; 3],
}

/// First and last row of an instant; the same where it has one.
type InstantRows = (usize, usize);

/// Instants with several rows.
fn events(times: &[f64]) -> Vec<InstantRows> {
    let runs = times.chunk_by(|a, b| a == b);
    let from = runs.scan(0, |at, run| {
        *at += run.len();
        Some((*at - run.len(), *at - 1))
    });
    from.filter(|(first, last)| first < last).collect()
}

/// Events of both that belong together, being nearest to each other without a row between them; the others of each, with the row of the other
/// one that comes last before them.
fn matched(a: &[f64], b: &[f64]) -> [Vec<(InstantRows, InstantRows)>; 3] {
    let (of_a, of_b) = (events(a), events(b));
    let row_at = |times: &[f64], t: f64| times.partition_point(|&s| s <= t).saturating_sub(1);
    let between = |times: &[f64], s: f64, t: f64| {
        times.partition_point(|&x| x < s.max(t)) > times.partition_point(|&x| x <= s.min(t))
    };
    let nearest = |list: &[InstantRows], times: &[f64], t: f64| {
        let k = list.partition_point(|e| times[e.0] < t);
        let near = [k.checked_sub(1), Some(k)].into_iter().flatten().filter(|&k| k < list.len());
        near.min_by(|&i, &j| (times[list[i].0] - t).abs().total_cmp(&(times[list[j].0] - t).abs()))
    };
    let [mut both, mut only_a, mut only_b] = [vec![], vec![], vec![]];
    let mut taken = vec![false; of_b.len()];
    for (i, &e) in of_a.iter().enumerate() {
        let t = a[e.0];
        let partner = nearest(&of_b, b, t).filter(|&j| {
            let s = b[of_b[j].0];
            nearest(&of_a, a, s) == Some(i) && !between(a, s, t) && !between(b, s, t)
        });
        match partner {
            Some(j) => {
                taken[j] = true;
                both.push((e, of_b[j]));
            }
            None => only_a.push((e, (row_at(b, t), row_at(b, t)))),
        }
    }
    for (&e, _) in of_b.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        only_b.push(((row_at(a, b[e.0]), row_at(a, b[e.0])), e));
    }
    [both, only_a, only_b]
}

impl ComparisonTimes {
    pub fn new(a: &[f64], b: &[f64]) -> Self {
        let (single_a, single_b) = (single_times(a), single_times(b));
        let mut common = vec![];
        let (mut i, mut j) = (0, 0);
        while i < single_a.len() && j < single_b.len() {
            match single_a[i].total_cmp(&single_b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    common.push(single_a[i]);
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
        let (coarse, fine) = if single_a.len() <= single_b.len() { (single_a, b) } else { (single_b, a) };
        let interpolated = 2 * common.len() < coarse.len();
        if interpolated {
            let (first, last) = (fine.first().copied(), fine.last().copied());
            common = coarse;
            common.retain(|t| first.is_some_and(|f| f <= *t) && last.is_some_and(|l| *t <= l));
        }
        ComparisonTimes { at: common, a: a.to_vec(), b: b.to_vec(), interpolated, events: matched(a, b) }
    }

    /// Differences of signals that jump, before and after events.
    pub(crate) fn at_events(&self, x: &Column, y: &Column, size: f64) -> Vec<(f64, f64)> {
        let jumps = |c: &Column, e: InstantRows| (c.values[e.0] - c.values[e.1]).abs() > JUMP * size;
        let mut found = vec![];
        let [both, only_a, only_b] = &self.events;
        for &(e, f) in both.iter().filter(|(e, f)| jumps(x, *e) || jumps(y, *f)) {
            found.extend(
                [(e.0, f.0), (e.1, f.1)].map(|(i, j)| (self.a[i], (x.values[i] - y.values[j]).abs())),
            );
        }
        for (list, from_a) in [(only_a, true), (only_b, false)] {
            for &(e, f) in list {
                let (own, c, e, other, times) =
                    if from_a { (&self.a, x, e, y, &self.b) } else { (&self.b, y, f, x, &self.a) };
                let t = own[e.0];
                if !jumps(c, e) || t < times[0] || t > times[times.len() - 1] {
                    continue;
                }
                // The other one may have jumped between its rows too: it is somewhere from one to the next.
                let last = times.partition_point(|&s| s <= t) - 1;
                let next = if times[last] < t { last + 1 } else { last };
                let (p, q) = (other.values[last], other.values[next]);
                let away = |v: f64| (v - p.max(q)).max(p.min(q) - v).max(0.0);
                found.extend([e.0, e.1].map(|i| (t, away(c.values[i]))));
            }
        }
        found
    }

    /// Differences of the highest and of the lowest values, where both runs go over the same time.
    pub(crate) fn of_extremes(&self, x: &Column, y: &Column) -> Vec<(f64, f64)> {
        let (Some(p), Some(q)) = (x.extremes, y.extremes) else { return vec![] };
        let ends = |t: &[f64]| (t.first().copied(), t.last().copied());
        if ends(&self.a) != ends(&self.b) {
            return vec![];
        }
        [(p.min, q.min), (p.max, q.max)].map(|(p, q)| (p.0, (p.1 - q.1).abs())).to_vec()
    }

    pub fn describe(&self) -> String {
        let n = count(self.at.len(), "time");
        let (from, to) = (number(self.at[0], 6), number(self.at[self.at.len() - 1], 6));
        let how = if self.interpolated { "interpolated at " } else { "" };
        format!("compared at {how}{n} from {from} s to {to} s\n")
    }
}

/// Values at ascending times, by straight lines.
pub fn sampled(times: &[f64], values: &[f64], at: &[f64]) -> Vec<f64> {
    let mut k = 0;
    let sample = |&t: &f64| {
        while k + 1 < times.len() && times[k + 1] <= t {
            k += 1;
        }
        if times[k] == t || k + 1 == times.len() {
            return values[k];
        }
        values[k] + (t - times[k]) / (times[k + 1] - times[k]) * (values[k + 1] - values[k])
    };
    at.iter().map(sample).collect()
}
