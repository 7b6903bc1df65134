//! Hostile corpus: impulses. A source that jumps into a store without a state of its own is told (M0413); one that does not is not.

use crate::program::Folder;

const MASS: &str = "m = { type = \"mass\", m = \"1 kg\" }";
const CAPACITOR: &str = "c = { type = \"capacitor\", C = \"2 F\" }\ng = \"electric_ground\"";
const ACROSS: &str = "\"s.p\" = \"c.p\"\n\"g\" = [\"s.n\", \"c.n\"]";

/// What the model says, with `run` and with `check`.
fn said(components: &str, connections: &str, more: &str) -> [String; 2] {
    let folder = Folder::new();
    let text =
        format!("{more}\n[components]\n{components}\n[connect]\n{connections}\n[run]\nt_end = \"1 s\"\n");
    folder.write("m.toml", text);
    [&["run", "m.toml", "-q", "-o", "m.csv"][..], &["check", "m.toml"][..]].map(|arguments| {
        let answer = folder.run(arguments);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.err
    })
}

fn told(components: &str, connections: &str, more: &str, words: &[&str]) {
    for said in said(components, connections, more) {
        assert_eq!(said.matches("warning[M0413]").count(), 1, "{components}\n{said}");
        for word in words {
            assert!(said.contains(word), "no `{word}` in:\n{said}");
        }
    }
}

#[test]
fn a_source_that_jumps_into_a_store_is_told() {
    let motion = |drive: &str| format!("s = {{ type = \"motion_source\", drive = \"{drive}\" }}\n{MASS}");
    let on = "\"s\" = \"m\"";
    let words =
        ["`m.p` is taken from 0 kg m/s to 2 kg m/s at t = 0.5 s", "the impulse that does it, 2 kg m/s"];
    told(&motion("if time < 0.5 s then 0 m/s else 2 m/s"), on, "", &words);
    told(&motion("if time < 0.3 s then time*(1 m/s^2) else 0 m/s"), on, "", &["from 0.3 kg m/s to 0 kg m/s"]);
    // The largest of many.
    told(&motion("mod(time, 0.1 s)*floor(time/(0.1 s))*(1 m/s^2)"), on, "", &["at t = 0.9 s"]);
    // By an event, of time and of a state.
    let event = |when: &str| {
        format!(
            "[modes]\nr = {{ unit = \"m/s\", start = 0 }}\n[events.go]\nwhen = \"{when}\"\nset = {{ r = \"2 m/s\" }}"
        )
    };
    told(&motion("r"), on, &event("time > 0.5 s"), &words);
    told(&motion("r"), on, &event("m.x < -1 m or time > 0.5 s"), &words);
    // By a task.
    let task = "[modes]\nr = { unit = \"m/s\", start = 0 }\n[tasks.go]\nperiod = \"0.5 s\"\nset = { r = \"if time > 0.4 s and time < 0.9 s then 2 m/s else r\" }";
    told(&motion("r"), on, task, &words);
    // A capacitor across a voltage, by charge.
    let voltage =
        |drive: &str| format!("s = {{ type = \"voltage_source\", drive = \"{drive}\" }}\n{CAPACITOR}");
    told(
        &voltage("if time < 0.5 s then 1 V else 3 V"),
        ACROSS,
        "",
        &["`c.q` is taken from 2 A s to 6 A s at t = 0.5 s"],
    );
    // A coil in series with a current, by flux.
    told(
        "s = { type = \"current_source\", drive = \"if time < 0.5 s then 0 A else 4 A\" }\nl = { type = \"inductor\", L = \"0.5 H\" }\ng = \"electric_ground\"",
        "\"s.p\" = \"l.p\"\n\"g\" = [\"s.n\", \"l.n\"]",
        "",
        &["`l.flux` is taken from 0 V s to -2 V s at t = 0.5 s"],
    );
    // Oil at a pressure that steps.
    told(
        "s = { type = \"reservoir\", drive = \"if time < 0.5 s then 1 bar else 15 bar\" }\nv = { type = \"volume\", V0 = \"1 l\", beta = \"1.4 GPa\" }",
        "\"s\" = \"v\"",
        "",
        &["`v.V_i` is taken", "at t = 0.5 s"],
    );
    // Two masses: both are told.
    for said in said(
        &format!(
            "{}\nn = {{ type = \"mass\", m = \"3 kg\" }}",
            motion("if time < 0.5 s then 0 m/s else 2 m/s")
        ),
        "\"s\" = [\"m\", \"n\"]",
        "",
    ) {
        assert_eq!(said.matches("warning[M0413]").count(), 2, "{said}");
    }
}

#[test]
fn what_does_not_jump_is_not_told() {
    let quiet = |components: &str, connections: &str, more: &str| {
        for said in said(components, connections, more) {
            assert!(!said.contains("M0413"), "{components}\n{said}");
        }
    };
    let motion = |drive: &str| format!("s = {{ type = \"motion_source\", drive = \"{drive}\" }}\n{MASS}");
    for drive in [
        "max(time - 0.5 s, 0 s)*(3 m/s^2)",
        "abs(sin(20*time/(1 s)))*(1 m/s)",
        "clip((time - 0.3 s)/(0.1 s), 0, 1)*(2 m/s)",
        "sin(30*time/(1 s))*(1 m/s)",
        "if time < 0.7 s then time*(1 m/s^2) else 0.7 m/s",
    ] {
        quiet(&motion(drive), "\"s\" = \"m\"", "");
    }
    // Something gives way.
    quiet(
        &format!(
            "{}\nk = {{ type = \"spring\", k = \"100 N/m\" }}",
            motion("if time < 0.5 s then 0 m/s else 2 m/s")
        ),
        "\"s\" = \"k.a\"\n\"k.b\" = \"m\"",
        "",
    );
    // An event sets what it means to set: two masses, of which one has the state.
    quiet(
        &format!("{MASS}\nn = {{ type = \"mass\", m = \"3 kg\" }}"),
        "\"m\" = \"n\"",
        "[events.go]\nwhen = \"time > 0.5 s\"\nset = { \"m.p\" = \"1 kg m/s\" }",
    );
}
