//! SVG to PNG with embedded fonts, the same on every machine.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

use super::PlotError;

/// Noto Sans, and DejaVu Sans for the signs that it lacks (⁻¹, ₀).
static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    for font in [ttf_noto_sans::REGULAR, ttf_noto_sans::BOLD, dejavu::sans::regular()] {
        fonts.load_font_source(Source::Binary(Arc::new(font)));
    }
    fonts.set_sans_serif_family("Noto Sans");
    Arc::new(fonts)
});

/// A picture of `scale` pixels per unit of the SVG.
pub fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PlotError> {
    let options = Options { fontdb: FONTS.clone(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(PlotError::Render)?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut pixels = Pixmap::new(width, height).ok_or(PlotError::TooLarge { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|cause| PlotError::Encode(cause.into()))
}

/// Says why an SVG cannot be shown.
pub fn check(svg: &str) -> Result<(), String> {
    Tree::from_str(svg, &Options::default()).map(|_| ()).map_err(|e| e.to_string())
}

/// Which of these no embedded font can draw.
#[cfg(test)]
pub(crate) fn missing_signs(signs: &str) -> String {
    let blank = |sign: char| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\" font-family=\"sans-serif\">\
             <text>{sign}</text></svg>"
        );
        let options = Options { fontdb: FONTS.clone(), ..Options::default() };
        Tree::from_str(&svg, &options).map_or(true, |tree| !tree.root().has_children())
    };
    signs.chars().filter(|sign| blank(*sign)).collect()
}
