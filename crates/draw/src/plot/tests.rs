//! Whole charts: well-formed, complete, small, and drawn from anything.

use super::views::{self, BodeCurve};
use std::fs;

use super::*;
use trunnion_num::spectrum::{Window, spectrum};
use trunnion_results::Column;

/// Parses the SVG and renders it; gives the SVG back.
fn check(chart: &Chart) -> String {
    let svg = chart.svg();
    roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(chart.png().unwrap().starts_with(b"\x89PNG"));
    svg
}

fn column(name: &str, unit: &str, values: Vec<f64>) -> Column {
    Column { values, ..Column::new(name, unit, "") }
}

fn wave(n: usize) -> (Column, Column) {
    let time: Vec<f64> = (0..n).map(|i| i as f64 * 0.01).collect();
    let x = time.iter().map(|t| 30.0 * t.sin()).collect();
    (column("time", "s", time), column("body.x", "mm", x))
}

fn one(x: Vec<f64>, y: Vec<f64>) -> Chart {
    let series = vec![Series::new("x", x, y)];
    Chart { panels: vec![Panel { series, ..Panel::default() }], ..Chart::default() }
}

#[test]
fn signals_of_one_unit_share_a_panel() {
    let (time, x) = wave(100);
    let (y, v) = (column("arm.x", "mm", x.values.clone()), column("body.v", "mm/s", x.values.clone()));
    let chart = views::history(&time, &[&x, &v, &y]);
    assert_eq!(chart.panels.len(), 2);
    let svg = check(&chart);
    for text in ["body.x", "arm.x", "[mm]", "body.v [mm/s]", "time [s]"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn every_kind_of_chart_is_drawn() {
    let (time, x) = wave(500);
    check(&views::phase_plane(&x, &[&time]));
    check(&views::sweep(
        &column("gas.V0", "l", vec![0.2, 0.4, 0.8]),
        &[&column("max(x)", "mm", vec![3.0, 2.0, 1.0])],
    ));
    let axis = |name: &str| column(name, "", vec![1.0, 2.0, 4.0]);
    let measure = column("max(x)", "mm", vec![1.0, 2.0, 3.0, f64::NAN, 5.0, 6.0, 7.0, 8.0, 9.0]);
    check(&views::sweep_map(&axis("a"), &axis("b"), &measure));
    let response = BodeCurve {
        name: "x/f".into(),
        frequency: vec![0.1, 1.0, 10.0],
        magnitude_db: vec![0.0, 20.0, -40.0],
        phase_deg: vec![0.0, -90.0, -180.0],
    };
    check(&views::bode(&[response]));
    let found = spectrum(&time.values, &x.values, Window::Hann).unwrap();
    check(&views::spectra(&[(&x, found)]));
    check(&views::poles(&[(-1.0, 2.0), (-1.0, -2.0), (-50.0, 0.0)]));
}

#[test]
fn no_data_breaks_a_chart() {
    check(&Chart::default());
    check(&Chart { panels: vec![Panel::default()], ..Chart::default() });
    for (x, y) in [
        (vec![], vec![]),
        (vec![1.0], vec![2.0]),
        (vec![0.0, 1.0], vec![5.0, 5.0]),
        (vec![0.0, 1.0, 2.0], vec![f64::NAN; 3]),
        (vec![f64::NAN, f64::INFINITY], vec![1.0, 2.0]),
        (vec![0.0, 1.0], vec![f64::INFINITY, f64::NEG_INFINITY]),
        (vec![0.0, 1.0], vec![f64::MIN, f64::MAX]),
        (vec![0.0, 5e-324], vec![0.0, 5e-324]),
        (vec![1e15, 1e15 + 1.0], vec![1e9, 1e9 + 1e-3]),
        (vec![0.0, 1.0, 2.0], vec![1.0]),
    ] {
        let mut chart = one(x, y);
        chart.panels[0].statistics = true;
        check(&chart);
        chart.x.log = true;
        chart.panels[0].y.log = true;
        check(&chart);
        chart.equal_scale = true;
        chart.width = f64::NAN;
        chart.panel_height = Some(-1.0);
        chart.x = ChartAxis { range: Some((f64::NAN, 1.0)), ..ChartAxis::default() };
        check(&chart);
    }
    let map = HeatMap { x: vec![1.0], y: vec![], z: vec![], ..HeatMap::default() };
    check(&Chart { panels: vec![Panel { heat_map: Some(map), ..Panel::default() }], ..Chart::default() });
}

#[test]
fn text_of_users_stays_text() {
    let mut chart = one(vec![0.0, 1.0], vec![0.0, 1.0]);
    let nasty = "a<b> & \"c\" \u{0} \u{1b}[0m ' ]]> \u{ffff}";
    chart.title = nasty.into();
    chart.subtitle = nasty.into();
    chart.x.label = nasty.into();
    chart.panels[0].y = ChartAxis::new(nasty, nasty);
    chart.panels[0].series[0].name = nasty.into();
    chart.panels[0].lines.push(Indicator::Horizontal { y: 0.5, label: nasty.into() });
    check(&chart);
}

#[test]
fn a_million_rows_make_a_small_file_with_their_peak() {
    let n = 1_000_000;
    let mut y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin()).collect();
    y[654_321] = 10.0;
    let chart = one((0..n).map(|i| i as f64 * 1e-6).collect(), y);
    let svg = check(&chart);
    assert!(svg.len() < 80_000, "{}", svg.len());
}

#[test]
fn a_jump_is_drawn_upright_and_a_gap_left_open() {
    let chart = one(vec![0.0, 1.0, 1.0, 2.0], vec![0.0, 0.0, 1.0, 1.0]);
    let path =
        |svg: &str| svg.split("<path d=\"").nth(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    let data = path(&check(&chart)).unwrap();
    let numbers: Vec<&str> = data.trim_start_matches('M').split(' ').collect();
    assert_eq!(numbers[2], numbers[4], "{data}");
    let gap = one(vec![0.0, 1.0, 2.0, 3.0, 4.0], vec![0.0, 1.0, f64::NAN, 1.0, 0.0]);
    assert_eq!(path(&check(&gap)).unwrap().matches('M').count(), 2);
}

#[test]
fn pictures_are_saved_by_their_extension() {
    let folder = std::env::temp_dir().join(format!("trunnion-plot-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let chart = one(vec![0.0, 1.0], vec![0.0, 1.0]);
    save(&chart, &folder.join("a.svg")).unwrap();
    save(&chart, &folder.join("a.PNG")).unwrap();
    assert!(fs::read_to_string(folder.join("a.svg")).unwrap().ends_with("</svg>\n"));
    assert!(fs::read(folder.join("a.PNG")).unwrap().starts_with(b"\x89PNG"));
    let error = save(&chart, &folder.join("a.jpg")).unwrap_err();
    assert_eq!(error.hint(), Some("end the name with .svg or .png"));
    let error = save(&chart, &folder.join("none/a.svg")).unwrap_err();
    assert!(matches!(error, PlotError::File { .. }) && error.hint().is_some());
    fs::create_dir(folder.join("folder.svg")).unwrap();
    assert!(save(&chart, &folder.join("folder.svg")).is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    fs::remove_dir_all(&folder).unwrap();
}

/// The embedded fonts have every sign that units and names are written with.
#[test]
fn units_are_printed_with_raised_exponents() {
    for (unit, printed) in [
        ("m^3/s", "m³/s"),
        ("kg m^-1 s^-2", "kg m⁻¹ s⁻²"),
        ("(m^7/kg)^0.5", "(m⁷/kg)^0.5"),
        ("", ""),
        ("^", "^"),
    ] {
        assert_eq!(svg::printed_unit(unit), printed);
    }
}

#[test]
fn a_long_name_moves_from_the_axis_to_the_legend() {
    let (time, x) = wave(100);
    let name = "harvester.crane.boom.cylinder.rod_side.chamber.connection.pressure_of_the_oil_at_the_port";
    let chart =
        Chart { panel_height: Some(145.0), ..views::history(&time, &[&Column { name: name.into(), ..x }]) };
    let svg = check(&chart);
    assert!(svg.contains(&format!(">{name}<")) && svg.contains(">[mm]<"), "{svg}");
}

#[test]
fn a_spectrum_has_no_line_at_zero() {
    let (time, x) = wave(1000);
    let about = Column { values: x.values.iter().map(|v| v + 500.0).collect(), ..x };
    let found = spectrum(&time.values, &about.values, Window::Hann).unwrap();
    let chart = views::spectra(&[(&about, found.clone())]);
    let series = &chart.panels[0].series[0];
    assert_eq!((found.frequency[0], series.x[0]), (0.0, found.frequency[1]));
    assert!(series.y.iter().all(|a| *a < 40.0), "the mean of 500 is no amplitude");
}

#[test]
fn no_sign_is_missing_in_the_fonts() {
    let signs = "αβγδεζηθκλμνξπρστφχψωΔΣΩΦ⁰¹²³⁴⁵⁶⁷⁸⁹⁻·×°−√∞≤≥≈±∂½→…µ₀₁₂ϕẋ";
    assert_eq!(png::missing_signs(signs), "");
}
