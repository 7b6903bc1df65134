//! Fewer points, same picture.
//!
//! Of a series in order of x only the first, lowest, highest and last point of every pixel column are kept: no
//! peak is lost, and a million rows give a few thousand points. A path that turns back (phase plane) is thinned
//! by distance instead.

type ChartPoint = (f64, f64);

/// A path with more points than this is thinned with coarser and coarser distances.
const MOST_PATH_POINTS: usize = 20_000;
/// Points of a path nearer than this to the one before do not change what is seen.
const PATH_DISTANCE: f64 = 0.4;

/// The pieces of a series between gaps (NaN), thinned. Points are in px, visible ones from `left` to `right`.
pub(crate) fn thin(points: impl Iterator<Item = ChartPoint>, left: f64, right: f64) -> Vec<Vec<ChartPoint>> {
    let pieces = split_at_gaps(points);
    let sorted = |piece: &[ChartPoint]| piece.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    if pieces.iter().all(|piece| sorted(piece)) {
        return pieces.iter().map(|piece| by_column(piece, left, right)).collect();
    }
    let mut distance = PATH_DISTANCE;
    loop {
        let thinned: Vec<Vec<ChartPoint>> = pieces.iter().map(|piece| by_distance(piece, distance)).collect();
        // Beyond 3 px curves would show corners.
        if thinned.iter().map(Vec::len).sum::<usize>() <= MOST_PATH_POINTS || distance > 3.0 {
            return thinned;
        }
        distance *= 2.0;
    }
}

fn split_at_gaps(points: impl Iterator<Item = ChartPoint>) -> Vec<Vec<ChartPoint>> {
    let mut pieces = vec![Vec::new()];
    for (x, y) in points {
        if x.is_nan() || y.is_nan() {
            pieces.push(Vec::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push((x, y));
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn by_column(piece: &[ChartPoint], left: f64, right: f64) -> Vec<ChartPoint> {
    // All points left of what is seen share one column, and all right of it.
    let column = |point: &ChartPoint| point.0.floor().clamp(left - 2.0, right + 2.0);
    let mut kept = Vec::new();
    for group in piece.chunk_by(|a, b| column(a) == column(b)) {
        let extreme = |better: fn(f64, f64) -> bool| {
            (1..group.len()).fold(0, |best, i| if better(group[i].1, group[best].1) { i } else { best })
        };
        let mut places = [0, extreme(|a, b| a < b), extreme(|a, b| a > b), group.len() - 1];
        places.sort_unstable();
        for (i, place) in places.iter().enumerate() {
            if i == 0 || places[i - 1] != *place {
                kept.push(group[*place]);
            }
        }
    }
    kept
}

fn by_distance(piece: &[ChartPoint], distance: f64) -> Vec<ChartPoint> {
    let mut kept = vec![piece[0]];
    let mut last = piece[0];
    for point in &piece[1..] {
        if (point.0 - last.0).hypot(point.1 - last.1) >= distance {
            kept.push(*point);
            last = *point;
        }
    }
    if kept.last() != piece.last() {
        kept.extend(piece.last());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_survive_a_million_points() {
        let n = 1_000_000;
        let y = |i: usize| if i == 123_457 { 500.0 } else { (i as f64 * 0.01).sin() };
        let pieces = thin((0..n).map(|i| (i as f64 * 800.0 / n as f64, y(i))), 0.0, 800.0);
        assert_eq!(pieces.len(), 1);
        assert!(pieces[0].len() <= 4 * 801);
        assert!(pieces[0].iter().any(|point| point.1 == 500.0));
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let points = [(0.0, 1.0), (10.0, 2.0), (10.0, 5.0), (20.0, 5.0)];
        assert_eq!(thin(points.into_iter(), 0.0, 20.0), [points.to_vec()]);
        let turn = [(0.0, 0.0), (10.0, 0.0), (5.0, 5.0)];
        assert_eq!(thin(turn.into_iter(), 0.0, 20.0), [turn.to_vec()]);
    }

    #[test]
    fn gaps_split() {
        let points = [(0.0, 1.0), (1.0, f64::NAN), (2.0, 1.0), (3.0, f64::NAN), (f64::NAN, 1.0)];
        assert_eq!(thin(points.into_iter(), 0.0, 3.0), [vec![(0.0, 1.0)], vec![(2.0, 1.0)]]);
        assert!(thin(std::iter::empty(), 0.0, 1.0).is_empty());
    }

    #[test]
    fn a_long_orbit_of_small_steps_is_thinned() {
        // 30 turns of about 1300 px each; corners of 3 px are not seen.
        let points = (0..1_000_000).map(|i| {
            let angle = f64::from(i) * 60.0 * std::f64::consts::PI / 1e6;
            (400.0 + 200.0 * angle.cos(), 200.0 + 200.0 * angle.sin())
        });
        let n: usize = thin(points, 0.0, 800.0).iter().map(Vec::len).sum();
        assert!((10_000..=MOST_PATH_POINTS).contains(&n), "{n}");
    }

    #[test]
    fn a_view_into_a_long_series_keeps_its_neighbours() {
        let points = (0..100_000).map(|i| (f64::from(i), f64::from(i % 7)));
        let pieces = thin(points, 500.0, 600.0);
        assert!(pieces[0].len() < 450);
        assert!(pieces[0].contains(&(499.0, 2.0)) && pieces[0].contains(&(601.0, 6.0)));
    }
}
