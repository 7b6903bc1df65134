//! A few SVG elements, written as text.

use std::fmt::Write;

use super::colour;

/// The embedded font first, then what common systems have that looks alike.
const FONTS: &str = "'Noto Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";

/// Text ready for SVG, with its width in em.
#[derive(Clone, Debug, Default)]
pub struct Markup {
    xml: String,
    em: f64,
    /// Ends above the line, as an exponent does.
    raised: bool,
}

impl Markup {
    pub fn plain(text: &str) -> Self {
        Self { xml: escape(text), em: text.chars().map(char_em).sum(), raised: false }
    }

    pub fn then(mut self, more: Self) -> Self {
        if self.raised {
            // Back to the line: 0.42 em of three quarters of the size.
            self.xml += &format!("<tspan dy=\"0.315em\">{}</tspan>", more.xml);
        } else {
            self.xml += &more.xml;
        }
        self.em += more.em;
        self.raised = more.raised;
        self
    }

    /// `10ⁿ`.
    pub(crate) fn power_of_ten(exponent: i32) -> Self {
        let exponent = Self::plain(&with_minus(&exponent.to_string()));
        let raised = format!("<tspan dy=\"-0.42em\" font-size=\"75%\">{}</tspan>", exponent.xml);
        Self::plain("10").then(Self { xml: raised, em: 0.75 * exponent.em, raised: true })
    }

    /// A value in four digits, short enough for a legend.
    pub fn number(value: f64) -> Self {
        let size = value.abs();
        if value == 0.0 || !value.is_finite() || (1e-3..1e5).contains(&size) {
            let decimals = if value == 0.0 { 0 } else { (3 - size.log10().floor() as i32).clamp(0, 6) };
            let digits = format!("{value:.*}", decimals as usize);
            let digits = if digits.contains('.') {
                digits.trim_end_matches('0').trim_end_matches('.')
            } else {
                &digits
            };
            return Self::plain(&with_minus(digits));
        }
        // Rounding may carry into the next power of ten, so the exponent is read off the rounded number.
        let text = format!("{value:.2e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        Self::plain(&with_minus(digits))
            .then(Self::plain("×"))
            .then(Self::power_of_ten(exponent.parse().unwrap_or(0)))
    }

    /// As large as this share of the text around it.
    pub fn scaled(self, share: f64) -> Self {
        let xml = format!("<tspan font-size=\"{}%\">{}</tspan>", coordinate(100.0 * share), self.xml);
        Self { xml, em: share * self.em, ..self }
    }

    pub fn width(&self, size: f64) -> f64 {
        self.em * size
    }
}

/// A unit as it is printed: m³/s for m^3/s. Exponents that are no whole numbers stay.
pub(crate) fn printed_unit(unit: &str) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let mut parts = unit.split('^');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.strip_prefix('-').unwrap_or(part);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if end == 0 || digits[end..].starts_with('.') {
            text = text + "^" + part;
            continue;
        }
        text.extend(part.starts_with('-').then_some('⁻'));
        text.extend(digits[..end].chars().filter_map(|c| RAISED.get(c.to_digit(10)? as usize)));
        text += &digits[end..];
    }
    text
}

/// A true minus sign instead of a hyphen.
pub(crate) fn with_minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

/// `text` cut to `width`, keeping its end: names differ in their last parts.
pub fn shortened(text: &str, size: f64, width: f64) -> String {
    let em = |text: &str| -> f64 { text.chars().map(char_em).sum() };
    if em(text) * size <= width {
        return text.to_owned();
    }
    let mut tail = text;
    while let Some(first) = tail.chars().next() {
        if (em(tail) + char_em('…')) * size <= width {
            break;
        }
        tail = &tail[first.len_utf8()..];
    }
    format!("…{}", tail.trim_start_matches('.'))
}

/// Width of a letter in em, close to the embedded font's and rather too wide than too narrow.
fn char_em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '·' => 0.28,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.38,
        'm' | 'M' | 'W' | '%' | '@' | '…' => 0.92,
        'w' => 0.79,
        'A'..='Z' => 0.68,
        _ => 0.58,
    }
}

fn escape(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => xml += "&amp;",
            '<' => xml += "&lt;",
            '>' => xml += "&gt;",
            '"' => xml += "&quot;",
            // XML has no place for the other control characters and the two non-characters.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => xml.push(' '),
            other => xml.push(other),
        }
    }
    xml
}

/// A coordinate in hundredths of a px. Renderers compute in single precision: nothing lies beyond a million.
pub fn coordinate(value: f64) -> String {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-1e6, 1e6) };
    let mut text = format!("{value:.2}");
    let len = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(len);
    if text == "-0" { "0".into() } else { text }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub struct Font {
    pub size: f64,
    pub fill: &'static str,
    pub bold: bool,
    pub anchor: Anchor,
    /// A white rim keeps the text readable on lines.
    pub halo: bool,
    /// Reads upwards.
    pub upright: bool,
}

impl Font {
    pub fn new(size: f64, fill: &'static str, anchor: Anchor) -> Self {
        Self { size, fill, bold: false, anchor, halo: false, upright: false }
    }
}

/// An SVG being written.
pub struct Canvas {
    xml: String,
}

impl Canvas {
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let (w, h) = (coordinate(width), coordinate(height));
        let mut xml = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"{FONTS}\" role=\"img\">\n"
        );
        if !title.is_empty() {
            xml += &format!("<title>{}</title>\n", escape(title));
        }
        let mut canvas = Self { xml };
        canvas.rect([0.0, 0.0, width, height], "fill=\"#ffffff\"");
        canvas
    }

    /// `attributes` are SVG's own: stroke, fill.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), attributes: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(coordinate);
        self.element(&format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>"));
    }

    /// `[x, y, width, height]`.
    pub(crate) fn rect(&mut self, rect: [f64; 4], attributes: &str) {
        let [x, y, w, h] = rect.map(coordinate);
        self.element(&format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" {attributes}/>"));
    }

    pub fn circle(&mut self, at: (f64, f64), radius: f64, attributes: &str) {
        let [x, y, r] = [at.0, at.1, radius].map(coordinate);
        self.element(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {attributes}/>"));
    }

    pub fn path(&mut self, data: &str, attributes: &str) {
        self.element(&format!("<path d=\"{data}\" {attributes}/>"));
    }

    pub fn text(&mut self, at: (f64, f64), font: Font, text: &Markup) {
        let (x, y) = (coordinate(at.0), coordinate(at.1));
        let anchor = match font.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let mut attributes = format!("font-size=\"{}\" fill=\"{}\"{anchor}", font.size, font.fill);
        if font.bold {
            attributes += " font-weight=\"bold\"";
        }
        if font.halo {
            attributes +=
                " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
        }
        if font.upright {
            // Writing to memory cannot fail.
            let _ = write!(attributes, " transform=\"rotate(-90 {x} {y})\"");
        }
        self.element(&format!("<text x=\"{x}\" y=\"{y}\" {attributes}>{}</text>", text.xml));
    }

    /// Opens a group that shows only what lies inside the rectangle; `id` must be unique in the picture.
    pub(crate) fn clip(&mut self, id: &str, rect: [f64; 4]) {
        self.element(&format!("<clipPath id=\"{id}\">"));
        self.rect(rect, "");
        self.element(&format!("</clipPath>\n<g clip-path=\"url(#{id})\">"));
    }

    /// Opens a group whose members share these attributes.
    pub fn group(&mut self, attributes: &str) {
        self.element(&format!("<g {attributes}>"));
    }

    /// Closes a group or clip.
    pub fn end(&mut self) {
        self.element("</g>");
    }

    fn element(&mut self, element: &str) {
        self.xml += element;
        self.xml.push('\n');
    }

    pub fn finish(mut self) -> String {
        self.element("</svg>");
        self.xml
    }
}

/// Stroke attributes of the grid.
pub(crate) fn grid_stroke(fine: bool) -> String {
    format!("stroke=\"{}\" stroke-width=\"1\"", if fine { colour::FINE_GRID } else { colour::GRID })
}
