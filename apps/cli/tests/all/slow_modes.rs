//! Slow motions beside fast ones keep their digits in `modes` and `linearize`.

use crate::program::Folder;

/// An oscillation of 1 rad/s, a current that decays in 1e-12 s or faster, and how they act on each other.
fn model(rate: f64, drives: &str, back: &str) -> String {
    format!(
        "[variables]\nx = {{ start = 1 }}\nv = {{ start = 0 }}\nu = {{ start = 1 }}\n\
         [parameters]\nw = {{ unit = \"1/s\", value = 1 }}\nr = {{ unit = \"1/s\", value = {rate:e} }}\n\
         [equations]\na = \"der(x) = w*v\"\nb = \"der(v) = w*(-x{drives})\"\nc = \"der(u) = r*(-u{back})\"\n\
         [run]\nt_end = \"1 s\"\n"
    )
}

#[test]
fn an_oscillation_beside_a_fast_current_is_one() {
    for rate in [1e6, 1e12, 1e16] {
        for (drives, back) in [("", ""), (" + u", ""), ("", " + x"), (" + 1e-3 * u", " - 1e-3 * v")] {
            let folder = Folder::new();
            folder.write("slow.toml", model(rate, drives, back));
            let text = folder.good(&["modes", "slow.toml"]);
            let line = text.lines().find(|l| l.contains("0.15915")).unwrap_or_else(|| panic!("{text}"));
            assert!(line.contains("undamped") || line.contains("oscillation"), "{text}");
            assert!(line.contains("x 50 %") && line.contains("v 50 %"), "{text}");
            assert!(!text.contains("free"), "{text}");
            let text = folder.good(&["linearize", "slow.toml"]);
            assert!(text.contains("0.15915"), "{text}");
        }
    }
}

/// A spring that acts on one side only: at its end the linear model is that of one side, and says so; elsewhere it does not.
#[test]
fn a_point_on_a_kink_is_told() {
    let folder = Folder::new();
    folder.write(
        "kink.toml",
        "[parameters]\nw = { unit = \"1/s\", value = 2 }\nx0 = { value = 0 }\n\
         [variables]\nx = { start = \"x0\" }\nv = { start = 0 }\n\
         [equations]\na = \"der(x) = w*v\"\nb = \"der(v) = -w*max(x, 0) - w*v\"\n[run]\nt_end = \"1 s\"\n",
    );
    for command in ["modes", "linearize"] {
        let text = folder.good(&[command, "kink.toml"]);
        assert!(text.contains("note: the point lies on a kink"), "{text}");
        for x in ["0.1", "1e-8", "-1e-8"] {
            let text = folder.good(&[command, "kink.toml", "--set", &format!("x0={x}")]);
            assert!(!text.contains("note:"), "{text}");
        }
        // Within rounding it is the same point.
        for x in ["3e-17", "-2e-10"] {
            let text = folder.good(&[command, "kink.toml", "--set", &format!("x0={x}")]);
            assert!(text.contains("note: the point lies on a kink"), "{text}");
        }
    }
    let text = folder.good(&["modes", "kink.toml", "--format", "json"]);
    let cautions = crate::program::json(&text)["result"]["cautions"].clone();
    assert!(cautions[0].as_str().is_some_and(|c| c.contains("a kink")), "{text}");
}

/// A sampled controller is a constant for a linear model.
#[test]
fn sampled_tasks_that_are_held_are_told() {
    let folder = Folder::new();
    folder.good(&["new", "m", "--template", "controller"]);
    for command in ["modes", "linearize"] {
        let text = folder.good(&[command, "m.toml"]);
        assert!(text.contains("note: sampled tasks do not act in it"), "{text}");
    }
}
