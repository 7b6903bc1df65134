//! A page as blocks, written as Markdown or HTML. Text between back quotes is code in both.

use std::fmt::Write;

use super::PagePicture;

pub enum Block {
    Heading(usize, String),
    Text(String),
    /// Shown as it is, letter for letter.
    Plain(String),
    Table {
        head: Vec<&'static str>,
        rows: Vec<Vec<String>>,
    },
    /// With a description for those who do not see it.
    Picture(PagePicture, String),
}

impl Block {
    pub fn picture(&self) -> Option<&PagePicture> {
        match self {
            Block::Picture(picture, _) => Some(picture),
            _ => None,
        }
    }
}

pub fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let _ = match block {
            Block::Heading(level, text) => writeln!(out, "{} {text}\n", "#".repeat(*level)),
            Block::Text(text) => writeln!(out, "{text}\n"),
            Block::Plain(text) => writeln!(out, "```\n{text}\n```\n"),
            Block::Table { head, rows } => {
                let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
                out.push_str(&line(head.iter().map(ToString::to_string).collect()));
                out.push_str(&line(head.iter().map(|_| "---".into()).collect()));
                for row in rows {
                    // A bar would end the cell.
                    out.push_str(&line(row.iter().map(|cell| cell.replace('|', "\\|")).collect()));
                }
                writeln!(out)
            }
            Block::Picture(picture, about) => writeln!(out, "![{about}]({})\n", picture.name),
        };
    }
    out
}

const STYLE: &str =
    "body { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; line-height: 1.4 }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2em .6em; text-align: left }
pre, code { background: #f2f2f2 } pre { padding: .6em; overflow-x: auto }";

pub fn html(title: &str, blocks: &[Block]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <style>\n{STYLE}\n</style>\n</head>\n<body>\n",
        escaped(title)
    );
    for block in blocks {
        let _ = match block {
            Block::Heading(level, text) => writeln!(out, "<h{level}>{}</h{level}>", marked(text)),
            Block::Text(text) => writeln!(out, "<p>{}</p>", marked(text)),
            Block::Plain(text) => writeln!(out, "<pre>{}</pre>", escaped(text)),
            Block::Table { head, rows } => {
                let line = |tag: &str, cells: Vec<String>| {
                    let cells: String =
                        cells.iter().map(|c| format!("<{tag}>{}</{tag}>", marked(c))).collect();
                    format!("<tr>{cells}</tr>\n")
                };
                out.push_str("<table>\n");
                out.push_str(&line("th", head.iter().map(ToString::to_string).collect()));
                for row in rows {
                    out.push_str(&line("td", row.clone()));
                }
                writeln!(out, "</table>")
            }
            Block::Picture(picture, _) => writeln!(out, "<p>{}</p>", element(&picture.svg)),
        };
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// The svg element alone, without the heading of an XML file.
fn element(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |start| &svg[start..])
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Back quotes become code.
fn marked(text: &str) -> String {
    let parts: Vec<String> = escaped(text).split('`').map(String::from).collect();
    let code = |(k, part): (usize, &String)| match k % 2 {
        1 if k + 1 < parts.len() => format!("<code>{part}</code>"),
        1 => format!("`{part}"),
        _ => part.clone(),
    };
    parts.iter().enumerate().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_and_marked() {
        assert_eq!(marked("a `b < c` d"), "a <code>b &lt; c</code> d");
        assert_eq!(marked("an odd ` quote"), "an odd ` quote");
        let table = Block::Table { head: vec!["x"], rows: vec![vec!["|u|".into()]] };
        assert_eq!(markdown(&[table]), "| x |\n| --- |\n| \\|u\\| |\n\n");
        assert!(html("<t>", &[Block::Plain("a < b".into())]).contains("<pre>a &lt; b</pre>"));
    }
}
