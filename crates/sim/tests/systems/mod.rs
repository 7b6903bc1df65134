//! Small models that several tests run.

use trunnion_equations::{EvaluationEngine, analyse};
use trunnion_model::{Files, Library, load};
use trunnion_sim::machine::Prepared;

/// A model and nothing else.
struct Text(&'static str);

impl Files for Text {
    fn read(&self, _: &str) -> Result<String, String> {
        Ok(self.0.into())
    }
    fn list(&self, _: &str) -> Result<Vec<String>, String> {
        Ok(vec![])
    }
}

pub fn prepared(text: &'static str) -> Prepared {
    let model = load(&Text(text), "model.toml", &[], &Library::default());
    let model = model.unwrap_or_else(|errors| panic!("{}", errors[0].render(false)));
    let system = analyse(model.flat).unwrap_or_else(|errors| panic!("{errors:?}"));
    Prepared::new(system, EvaluationEngine::Interpreter)
}

/// Whole numbers, waves of time and a table.
pub const TURNS: &str = r#"
    [parameters]
    tau = "1 s"
    [tables]
    bump = { x = [-3, -1, 0, 2, 5], y = [0, 1, 0.5, 2, -1], shape = "monotone" }
    kinked = { x = [0, 0.3, 1.1, 4], y = [0, 1, 0, 3] }
    [variables]
    x = { start = 0.3 }
    v = { start = 30 }
    z = { start = 0 }
    [equations]
    a = "tau*der(x) = v"
    b = "tau*der(v) = -100*sin(x) + sin(40*time/tau)^8 + bump(x)"
    c = "tau*der(z) = floor(x) + mod(x, 0.7) + kinked(time/tau)"
"#;

/// Sticks and slips on a belt.
pub const BELT: &str = r#"
    [parameters]
    m = "1 kg"
    k = "100 N/m"
    v_0 = "0.1 m/s"
    [variables]
    x = { unit = "m" }
    v = { unit = "m/s" }
    [equations]
    a = "der(x) = v"
    b = "m*der(v) = -k*x - dry(v - v_0, 5 N, 3 N)"
"#;

/// Events, an algebraic unknown, a sampled set and a controller with a parameter, an object of a class and random numbers together.
pub const EVERYTHING: &str = r#"
    [parameters]
    tau = "1 s"
    [inputs]
    push = { start = 0 }
    [modes]
    held = { start = 0 }
    side = { start = 1 }
    [variables]
    x = { start = 1 }
    v = { start = 0 }
    w = { start = 0.3 }
    [equations]
    a = "tau*der(x) = v"
    b = "tau*der(v) = -40*x - 0.1*v + damp.u + push + if(x > 0.4, -200*(x - 0.4), 0) + side"
    c = "0 = w + w^3 - x - held"
    [events.turn]
    when = "crosses(x, -0.3)"
    set  = { side = "-side" }
    [tasks.hold]
    period = "7 ms"
    set    = { held = "0.1*v" }
    [controllers.damp]
    script = """
    let sum = 0, dt = 0;
    class Filter { constructor() { this.y = 0; } next(x) { return this.y += 0.1 * (x - this.y); } }
    const filter = new Filter();
    function init(t, p) { dt = p.period; }
    function step(t, i) { sum += dt * i.x; return { u: -filter.next(i.v) - 4 * sum + 0.1 * Math.random() }; }
    """
    period  = "2.5 ms"
    inputs  = { x = "x", v = "v" }
    outputs = { u = { unit = "1" } }
"#;
