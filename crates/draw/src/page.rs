//! The reference page of a component, made from its file.

mod blocks;
mod content;

pub use blocks::{Block, html, markdown};
pub use content::content;

/// A picture of a page: file name and SVG.
pub struct PagePicture {
    pub name: String,
    pub svg: String,
}
