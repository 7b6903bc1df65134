//! Which places of a component a model puts to use.
//!
//! Every place gets a name that does not exist; places whose names a model's errors complain of are in use. What is
//! given another value, or stands under an option that is not chosen, is not read.

use trunnion_model::{Library, Source};

use super::sites::Site;
use super::{Example, model_of, reworded};
use trunnion_engine::Failure;

const UNUSED_NAME: &str = "no_such_name_";

/// For each site whether the example uses it.
pub fn reached(library: &Library, source: &Source, sites: &[Site], example: &Example) -> Vec<bool> {
    let mut found: Vec<bool> = sites.iter().map(|s| !can_be_renamed(source, s)).collect();
    for sets in std::iter::once(&vec![]).chain(&example.variants) {
        // One error may hide another: what is known is left as it is, and the rest asked again.
        loop {
            let text = poisoned(source, sites, &found);
            let Ok(library) = reworded(library, &source.name, &text) else { break };
            let Err(Failure::Model(errors)) = model_of(&example.path, sets, &library) else { break };
            let mut more = false;
            for error in &errors {
                let texts = error.labels.iter().map(|l| l.span.text()).chain([error.message.as_str()]);
                for k in texts.flat_map(numbers) {
                    more |= k < found.len() && !std::mem::replace(&mut found[k], true);
                }
            }
            if !more {
                break;
            }
        }
    }
    found
}

/// The numbers of names that do not exist, in a text.
fn numbers(text: &str) -> Vec<usize> {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    text.split(UNUSED_NAME).skip(1).filter_map(|rest| digits(rest).parse().ok()).collect()
}

/// Columns of tables take numbers only, and a bare mode takes its unit from a text.
fn can_be_renamed(source: &Source, site: &Site) -> bool {
    let text = source.text.get(site.range.clone()).unwrap_or("");
    let is_text = text.starts_with('"');
    match site.path.split('.').next() {
        Some("tables") => false,
        Some("modes") => is_text || site.path.ends_with(".start"),
        _ => true,
    }
}

/// The file with a name that does not exist in each place that is not known to be used.
fn poisoned(source: &Source, sites: &[Site], known: &[bool]) -> String {
    let mut text = source.text.clone();
    for (k, site) in sites.iter().enumerate().rev().filter(|(k, _)| !known[*k]) {
        let name = match site.path.split('.').next() {
            Some("equations") => format!("\"{UNUSED_NAME}{k} = 0\""),
            Some("events") if site.path.ends_with(".when") => format!("\"{UNUSED_NAME}{k} > 0\""),
            _ => format!("\"{UNUSED_NAME}{k}\""),
        };
        text.replace_range(site.range.clone(), &name);
    }
    text
}
