//! `trunnion components`: the built-in components, by folder.

use clap::Args;

use crate::failure::usage_hint;
use crate::output::say;
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_engine::catalogue::{Catalogue, catalogue, catalogue_tables};

#[derive(Args, Debug)]
pub struct ComponentsArgs {
    /// Only those of this domain, or with this word in name, alias, title or description
    pub word: Option<String>,
    /// As the page docs/reference/library.md
    #[arg(long)]
    pub markdown: bool,
}

pub fn execute(args: &ComponentsArgs) -> Result<(), Failure> {
    let folders = catalogue(args.word.as_deref().unwrap_or_default());
    if folders.is_empty() {
        return Err(usage_hint(
            format!("no component has `{}` in it", args.word.as_deref().unwrap_or_default()),
            "`trunnion components` lists all",
        ));
    }
    if args.markdown {
        say(page(&folders).trim_end());
        return Ok(());
    }
    for (k, (folder, list)) in folders.iter().enumerate() {
        if k > 0 {
            say("");
        }
        say(folder);
        let mut table = Listing::new([("", Align::Left), ("", Align::Left), ("", Align::Left)]);
        for d in list {
            table.push([format!("  {}", d.name), d.aliases.join(", "), d.title.clone()]);
        }
        table.lines().iter().skip(1).for_each(say);
    }
    say("\ntrunnion page NAME shows one");
    Ok(())
}

/// The index of the library as a page of the manual.
pub fn index() -> String {
    page(&catalogue(""))
}

fn page(folders: &Catalogue) -> String {
    let head = "# The component library\n\nMade from the files under `library/` by `trunnion components --markdown`. \
                `trunnion page NAME` shows all of a component: ports,\nparameters, options, bond graph and laws.\n";
    format!("{head}{}", catalogue_tables(folders))
}
