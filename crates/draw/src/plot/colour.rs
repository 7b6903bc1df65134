//! Colours that stay apart for colour-blind readers and in grey print.

/// Okabe and Ito's set without its yellow, which is lost on white. [Okabe2008]
pub(crate) const PALETTE: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"];
/// Once all colours are used they come again with the next of these.
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

pub(crate) const TEXT: &str = "#23272e";
pub(crate) const QUIET_TEXT: &str = "#565d68";
pub(crate) const AXIS: &str = "#8b929c";
pub(crate) const GRID: &str = "#e2e5e9";
pub(crate) const FINE_GRID: &str = "#f1f3f5";
pub(crate) const INDICATOR: &str = "#7a3b46";
pub const MISSING: &str = "#d9dce0";

/// Colour and dash pattern of the n-th series.
pub fn series(idx: usize) -> (&'static str, &'static str) {
    (PALETTE[idx % PALETTE.len()], DASHES[idx / PALETTE.len() % DASHES.len()])
}

/// Eleven stops of viridis, whose lightness grows evenly.
const VIRIDIS: [[u8; 3]; 11] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x24, 0x75],
    [0x41, 0x44, 0x87],
    [0x35, 0x5f, 0x8d],
    [0x2a, 0x78, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x22, 0xa8, 0x84],
    [0x44, 0xbf, 0x70],
    [0x7a, 0xd1, 0x51],
    [0xbd, 0xdf, 0x26],
    [0xfd, 0xe7, 0x25],
];

/// Colour of a share from 0 to 1.
pub fn heat(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let lower = (place as usize).min(VIRIDIS.len() - 2);
    let part = place - lower as f64;
    let mixed = |channel: usize| {
        let (a, b) = (f64::from(VIRIDIS[lower][channel]), f64::from(VIRIDIS[lower + 1][channel]));
        (a + part * (b - a)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

/// Text on a heat colour: white on the dark half.
pub(crate) fn on_heat(share: f64) -> &'static str {
    if share < 0.55 { "#ffffff" } else { TEXT }
}
