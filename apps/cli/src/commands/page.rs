//! `trunnion page`: the reference page of a component, made from its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use trunnion_model::file::relative;
use trunnion_model::{ComponentDefinition, Files, Library};

use crate::failure::usage_hint;
use crate::output::say;
use crate::session::Session;
use trunnion_draw::page::{PagePicture, content, html, markdown};
use trunnion_engine::Failure;
use trunnion_engine::files::{Embedded, library};
use trunnion_files::write_whole;
use trunnion_results::nearest;
use trunnion_study::component_checks::Bundle;

#[derive(Args, Debug)]
pub struct PageArgs {
    /// A component by its name or alias, or its file
    pub component: String,
    /// Write to a file, .md or .html; pictures of an .md come beside it
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

pub fn execute(args: &PageArgs, session: &Session) -> Result<(), Failure> {
    let (definition, library) = find(&args.component, session)?;
    let icon = icon(&definition, session);
    let blocks = content(&definition, &library, icon.as_ref());
    let Some(path) = &args.out else {
        say(markdown(&blocks).trim_end());
        return Ok(());
    };
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => Ok(write_whole(path, html(&definition.title, &blocks).as_bytes())?),
        Some("md") => {
            let pictures = blocks.iter().filter_map(|b| b.picture());
            for picture in pictures {
                write_whole(&path.with_file_name(&picture.name), picture.svg.as_bytes())?;
            }
            Ok(write_whole(path, markdown(&blocks).as_bytes())?)
        }
        _ => Err(usage_hint(
            format!("`{}` is neither .md nor .html", path.display()),
            "write it as -o page.md or -o page.html",
        )),
    }
}

/// The component and what it can use.
pub fn find(name: &str, session: &Session) -> Result<(Arc<ComponentDefinition>, Library), Failure> {
    let built_in = library();
    if let Some(found) = built_in.find(name) {
        return Ok((found.clone(), built_in.clone()));
    }
    if name.ends_with(".toml") || Path::new(name).is_file() {
        let bundle = Bundle::of_file(&session.workspace.confined(&[name.to_string()]), built_in, name);
        let errors: Vec<_> = bundle.problems().cloned().collect();
        return match bundle.components.first() {
            Some(found) if errors.is_empty() => Ok((found.clone(), bundle.library)),
            _ if errors.is_empty() => Err(usage_hint(
                format!("`{name}` is no component"),
                "a component has [ports] or a title, and neither [model] nor [run]",
            )),
            _ => Err(Failure::Model(errors)),
        };
    }
    let near = nearest(name, built_in.names());
    let hint = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`trunnion components` lists them; your own are named by their file".into(),
    };
    Err(usage_hint(format!("there is no component `{name}`"), hint))
}

/// The icon of a component, from where its file is.
fn icon(definition: &ComponentDefinition, session: &Session) -> Option<PagePicture> {
    let name = definition.icon.as_ref()?;
    let path = relative(&definition.source.name, name);
    let built_in = Embedded.read(&definition.source.name).is_ok_and(|text| text == definition.source.text);
    let beside = || session.workspace.confined(&[definition.source.name.to_string()]).read(&path);
    let svg = if built_in { Embedded.read(&path) } else { beside() }.ok()?;
    Some(PagePicture { name: path.rsplit('/').next().unwrap_or(&path).to_string(), svg })
}
