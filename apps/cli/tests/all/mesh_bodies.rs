//! Elastic bodies of mesh files: the same part in every format, against closed forms, and what is said of bad ones. Meshes are written here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::brick_bar::BrickBar;
use crate::program::Folder;
use trunnion_engine::project::Project;
use trunnion_engine::{Failure, ReductionSettings, Workspace};
use trunnion_model::mechanism::ModalData;
use trunnion_sim::linear::linearise;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, point};

/// Frequencies of the model at its start in rad/s, ascending.
fn frequencies_of(folder: &Folder, gravity: &str, body: &str, joints: &str) -> Vec<f64> {
    let head = format!("[mechanism]\ngravity = \"{gravity} m/s^2\"\n");
    folder.write("m.toml", format!("{head}{body}\n[joints]\n{joints}\n[run]\nt_end = \"1 s\"\n"));
    let project =
        Project::open(&folder.path("m.toml").to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}"));
    let Ok(mut at) = point(&project, &Overrides::default(), None, &Monitor::default()) else {
        panic!("no start")
    };
    let linear = linearise(&mut at.machine, at.t, &at.y, &[], &[]).unwrap().0;
    let mut found: Vec<f64> = linear.poles().unwrap().iter().map(|p| p.im).filter(|w| *w > 0.0).collect();
    found.sort_by(f64::total_cmp);
    found
}

const CLAMP: &str = "clamp = { type = \"weld\", parent = \"world\", child = \"part.root\" }";

/// Of a part that is clamped at its frame `root`.
fn frequencies(folder: &Folder, body: &str) -> Vec<f64> {
    frequencies_of(folder, "0", body, CLAMP)
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} for {expected}");
}

const STEEL: &str = "material = { E = \"210 GPa\", nu = 0, rho = \"7850 kg/m^3\" }\n";

fn of_gmsh(extra: &str) -> String {
    format!(
        "[bodies.part]\nmesh = \"part.msh\"\nscale = \"1 m\"\n{STEEL}modes = 4\n\
         frames = {{ root = {{ group = \"root\" }}, tip = {{ group = \"tip face\", kind = \"averaging\" }} }}\n{extra}"
    )
}

/// The same frames by numbers of nodes; the shares of nodes in a face are equal for a square one.
fn of_nastran(bar: &BrickBar, scale: &str) -> String {
    let [root, tip] = bar.faces().map(|f| f.join(", "));
    format!(
        "[bodies.part]\nmesh = \"part.bdf\"\nscale = \"{scale}\"\nmodes = 4\n\
         frames = {{ root = {{ nodes = [{root}] }}, tip = {{ nodes = [{tip}], kind = \"averaging\" }} }}\n"
    )
}

#[test]
fn a_part_has_the_same_frequencies_in_every_format() {
    let bar = BrickBar { bricks: 4, size: [1.0, 0.0625, 0.0625] };
    let folder = Folder::new();
    folder.write("part.msh", bar.gmsh_22());
    let old = frequencies(&folder, &of_gmsh(""));
    folder.write("part.msh", bar.gmsh_41());
    assert_eq!(old, frequencies(&folder, &of_gmsh("")), "the same bits");
    let mut bulk = vec![];
    for format in ["small", "large", "free"] {
        folder.write("part.bdf", bar.bulk("2.1+11", "7850.", format));
        bulk.push(frequencies(&folder, &of_nastran(&bar, "1 m")));
    }
    assert!(bulk.iter().all(|b| *b == bulk[0]), "the same bits");
    // Only the sum of the weights of a face is rounded differently.
    old.iter().zip(&bulk[0]).for_each(|(a, b)| assert_near(*a, *b, 1e-9));
    // β L = 1.8751 of a slender beam in two directions; shear lowers it by less than 1 % at L/h = 16.
    let expected = 1.875_104_f64.powi(2) * (210e9 / 7850.0 / 12.0_f64).sqrt() * 0.0625;
    assert_near(old[0], expected, 0.01);
    assert_near(old[1], old[0], 1e-6);
}

/// In mm, N and t.
#[test]
fn units_of_a_file_are_consistent() {
    let folder = Folder::new();
    let bar = BrickBar { bricks: 4, size: [1.0, 0.0625, 0.125] };
    folder.write("part.bdf", bar.bulk("2.1+11", "7850.", "free"));
    let metres = frequencies(&folder, &of_nastran(&bar, "1 m"));
    let small = BrickBar { bricks: 4, size: [1000.0, 62.5, 125.0] };
    folder.write("part.bdf", small.bulk("2.1+5", "7.85-9", "free"));
    let millimetres = frequencies(&folder, &of_nastran(&small, "1 mm"));
    metres.iter().zip(&millimetres).for_each(|(a, b)| assert_near(*a, *b, 1e-9));
}

/// A pendulum of ω² = g c / ((L² + h²)/12 + c²), c = L/2, and of mass ρ L b h; supports of the file do not act.
#[test]
fn a_rigid_part_swings_as_a_brick() {
    let bar = BrickBar { bricks: 2, size: [1.0, 0.1, 0.2] };
    let folder = Folder::new();
    folder.write(
        "part.bdf",
        bar.bulk("2.1+11", "7850.", "free").replace("ENDDATA", "SPC1,1,123456,1\nENDDATA"),
    );
    let body = of_nastran(&bar, "1 m");
    let rigid = body.replace("[bodies.part]", "[bodies.part]\nmodel = \"rigid\"");
    let joint = "pin = { type = \"revolute\", parent = \"world\", child = \"part.root\", axis = \"y\", phi0 = \"90 deg\" }";
    let found = frequencies_of(&folder, "9.81", &rigid, joint);
    let expected = 9.81 * 0.5 / ((1.0 + 0.04) / 12.0 + 0.25);
    assert_eq!(found.len(), 1);
    assert_near(found[0], f64::sqrt(expected), 1e-9);
    folder.write("m.toml", format!("[mechanism]\n{body}[joints]\n{joint}\n[run]\nt_end = \"1 s\"\n"));
    let said = folder.run(&["check", "m.toml"]);
    let said = said.out + &said.err;
    assert!(said.contains("B0017") && said.contains("SPC1 (1)") && said.contains("157 kg"), "{said}");
}

/// (1.8751)² √(D/ρt)/L² of the sheet of the example; plates of the model file are the same elements.
#[test]
fn shells_of_a_file_and_plates_are_alike() {
    let folder = Folder::new();
    let root =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/domains/elastic/sheet.msh");
    folder.write("sheet.msh", std::fs::read_to_string(root).unwrap());
    let material = "material = { E = \"70 GPa\", nu = 0, rho = \"2700 kg/m^3\" }\nmodes = 4\n";
    let read = frequencies(
        &folder,
        &format!(
            "[bodies.part]\nmesh = \"sheet.msh\"\nscale = \"1 mm\"\nthickness = \"4 mm\"\n{material}frames = {{ root = {{ node = 3 }} }}"
        ),
    );
    let corners =
        "[[0, \"-50 mm\", 0], [\"400 mm\", \"-50 mm\", 0], [\"400 mm\", \"50 mm\", 0], [0, \"50 mm\", 0]]";
    let plate = frequencies(
        &folder,
        &format!(
            "[bodies.part]\n{material}plates = [{{ corners = {corners}, thickness = \"4 mm\", elements = [8, 4] }}]\nframes = {{ root = [0, 0, 0] }}"
        ),
    );
    assert_eq!(read.len(), 4);
    read.iter().zip(&plate).for_each(|(a, b)| assert_near(*a, *b, 1e-7));
    let clamped = frequencies(
        &folder,
        &format!(
            "[bodies.part]\nmesh = \"sheet.msh\"\nscale = \"1 mm\"\nthickness = \"4 mm\"\n{material}frames = {{ root = {{ group = \"root\" }} }}"
        ),
    );
    let expected = 1.875_104_f64.powi(2) * (70e9 * 0.004_f64.powi(2) / 12.0 / 2700.0).sqrt() / 0.16;
    assert_near(clamped[0], expected, 0.01);
    assert!(read[0] < clamped[0], "held at one node it is softer");
}

/// Sections of Nastran have their height along the element's y, those of model files along `up`; a mass and a stiffener beside them.
#[test]
fn bars_of_nastran_are_beams_of_the_model_file() {
    let shapes = [
        ("BAR", ".03,.004", "rectangle = [\"30 mm\", \"4 mm\"]"),
        ("BOX", ".08,.05,.004,.004", "box = [\"80 mm\", \"50 mm\", \"4 mm\"]"),
        ("TUBE", ".03,.025", "tube = [\"60 mm\", \"5 mm\"]"),
        ("I", ".1,.06,.06,.005,.008,.008", "i = [\"60 mm\", \"100 mm\", \"5 mm\", \"8 mm\"]"),
    ];
    let folder = Folder::new();
    for (name, sizes, section) in shapes {
        let mut bulk = format!("MAT1,1,2.1+11,,.3,7850.\nPBARL,1,1,,{name}\n,{sizes}\nCONM2,99,9,,2.\n");
        (0..=8).for_each(|k| bulk += &format!("GRID,{},,{},0.,0.\n", k + 1, k as f64 / 4.0));
        (1..=8).for_each(|k| bulk += &format!("CBAR,{k},1,{k},{},0.,0.,1.\n", k + 1));
        folder.write("bars.bdf", bulk);
        let read = frequencies(
            &folder,
            "[bodies.part]\nmesh = \"bars.bdf\"\nscale = \"1 m\"\nframes = { root = { node = 1 }, tip = [\"2 m\", 0, 0] }\nmodes = 4\n",
        );
        let described = frequencies(
            &folder,
            &format!(
                "[bodies.part]\nmaterial = \"steel\"\nbeams = [{{ from = [0, 0, 0], to = [\"2 m\", 0, 0], section = {{ {section} }} }}]\n\
                 frames = {{ root = [0, 0, 0], tip = [\"2 m\", 0, 0] }}\nmodes = 4\npoint_masses = [{{ frame = \"tip\", m = \"2 kg\" }}]\n"
            ),
        );
        assert_eq!(read.len(), 10);
        read.iter().zip(&described).for_each(|(a, b)| assert_near(*a, *b, 1e-7));
    }
}

/// Snapshots and results name a model by its hash: another mesh is another model, the same one elsewhere is not.
#[test]
fn a_mesh_is_part_of_the_hash_of_its_model() {
    let hash = |bar: &BrickBar| {
        let folder = Folder::new();
        folder.write("part.msh", bar.gmsh_22());
        frequencies(&folder, &of_gmsh(""));
        let path = folder.path("m.toml");
        Project::open(&path.to_string_lossy(), &[]).unwrap_or_else(|f| panic!("{f}")).hash
    };
    let bar = |length: f64| BrickBar { bricks: 2, size: [length, 0.1, 0.2] };
    assert_eq!(hash(&bar(1.0)), hash(&bar(1.0)));
    assert_ne!(hash(&bar(1.0)), hash(&bar(1.1)));
}

/// An included file is read beside the one that names it, and only where the model may read.
#[test]
fn included_files_stay_within_the_folder_of_the_model() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("model")).unwrap();
    folder.write("outside.bdf", "GRID,1\n").write("model/grids.bdf", "GRID,1\nGRID,2,,1.\n");
    let model = "[mechanism]\n[bodies.part]\nmesh = \"part.bdf\"\nscale = \"1 m\"\nframes = { root = { node = 1 } }\nmodes = 2\n";
    folder.write("model/m.toml", format!("{model}[joints]\n{CLAMP}\n[run]\nt_end = \"1 s\"\n"));
    let bar = "MAT1,1,2.1+11,,.3,7850.\nPBARL,1,1,,ROD\n,.01\nCBAR,1,1,1,2,0.,0.,1.\n";
    folder.write("model/part.bdf", format!("INCLUDE 'grids.bdf'\n{bar}"));
    assert_eq!(folder.run(&["check", "model/m.toml"]).code, 0);
    folder.write("model/part.bdf", format!("{bar}INCLUDE '../outside.bdf'\n"));
    let text = folder.run(&["check", "model/m.toml"]).err;
    assert!(text.contains("M0541") && text.contains("outside of") && text.contains("part.bdf:5"), "{text}");
}

/// Lines of a group become stiffeners: the strip of the sheet with a rib along its middle is stiffer, and heavier.
#[test]
fn a_group_of_lines_becomes_beams() {
    let folder = Folder::new();
    let nodes =
        "$Nodes\n6\n1 0 0 0\n2 500 0 0\n3 1000 0 0\n4 0 100 0\n5 500 100 0\n6 1000 100 0\n$EndNodes\n";
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"rib\"\n1 2 \"root\"\n2 3 \"skin\"\n$EndPhysicalNames\n";
    let elements = "$Elements\n5\n1 1 2 1 1 1 2\n2 1 2 1 1 2 3\n3 1 2 2 1 1 4\n4 3 2 3 1 1 2 5 4\n5 3 2 3 1 2 3 6 5\n$EndElements\n";
    folder.write("part.msh", format!("{head}{nodes}{elements}"));
    let body = |groups: &str| {
        format!(
            "[bodies.part]\nmesh = \"part.msh\"\nscale = \"1 mm\"\nmaterial = \"steel\"\n{groups}\nframes = {{ root = {{ group = \"root\" }} }}\nmodes = 3\n"
        )
    };
    let plain = frequencies(&folder, &body("thickness = \"2 mm\""));
    let rib = frequencies(
        &folder,
        &body(
            "groups = { skin = { thickness = \"2 mm\" }, rib = { section = { rectangle = [\"4 mm\", \"40 mm\"] } } }",
        ),
    );
    assert!(rib[0] > 2.0 * plain[0], "{rib:?} {plain:?}");
}

/// A mass in the description is the same as a body that is welded to the frame.
#[test]
fn a_point_mass_is_a_welded_body() {
    let strip = "[bodies.part]\nmaterial = \"steel\"\nbeams = [{ from = [0, 0, 0], to = [\"2 m\", 0, 0], section = { circle = \"40 mm\" } }]\n\
                 frames = { root = [0, 0, 0], tip = [\"2 m\", 0, 0] }\nmodes = 4\n";
    let folder = Folder::new();
    let inertia = "inertia = [\"0.01 kg m^2\", \"0.02 kg m^2\", \"0.02 kg m^2\"]";
    let own = frequencies(
        &folder,
        &format!(
            "{strip}point_masses = [{{ frame = \"tip\", m = \"3 kg\", center = [\"0.1 m\", 0, 0], {inertia} }}]\n"
        ),
    );
    let body = format!("{strip}[bodies.load]\nm = \"3 kg\"\ncenter = [\"0.1 m\", 0, 0]\n{inertia}\n");
    let grip = "grip = { type = \"weld\", parent = \"part.tip\", child = \"load\" }";
    let welded = frequencies_of(&folder, "0", &body, &format!("{CLAMP}\n{grip}"));
    own.iter().zip(&welded).take(6).for_each(|(a, b)| assert_near(*a, *b, 1e-6));
}

/// Tip deflection of a cone that is loaded at its end: 64 F L³ / (3 π E d_0³ d_1).
#[test]
fn a_tapered_beam_bends_as_a_cone() {
    let (length, d0, d1, force): (f64, f64, f64, f64) = (2.0, 0.06, 0.03, 10.0 * 9.81);
    let sag = 64.0 * force * length.powi(3) / (3.0 * std::f64::consts::PI * 210e9 * d0.powi(3) * d1);
    let folder = Folder::new();
    folder.write(
        "m.toml",
        format!(
            "[mechanism]\ngravity = \"9.81 m/s^2\"\n[bodies.part]\nmaterial = {{ E = \"210 GPa\", nu = 0.3, rho = \"1e-3 kg/m^3\" }}\n\
             beams = [{{ from = [0, 0, 0], to = [\"2 m\", 0, 0], section = {{ circle = \"60 mm\" }}, section_to = {{ circle = \"30 mm\" }}, shear = false }}]\n\
             point_masses = [{{ at = [\"2 m\", 0, 0], m = \"10 kg\" }}]\nframes = {{ tip = [\"2 m\", 0, 0] }}\nmodes = 2\ndamping = \"1 %\"\n\
             [joints]\nclamp = {{ type = \"weld\", parent = \"world\", child = \"part\" }}\n[sensors]\ntip = {{ of = \"part.tip\", shows = [\"position\"] }}\n\
             [start]\nbalance = \"rest\"\n[run]\nt_end = \"0.01 s\"\n\
             [[expect]]\nsignal = \"tip.z/(1 m)\"\nvalue = {}\ntol = \"0.2 %\"\nsource = \"64 F L³ / (3 π E d_0³ d_1)\"\n",
            -sag
        ),
    );
    folder.good(&["verify", "m.toml"]);
}

/// What `check` says of a part with texts exchanged, in the model or in its mesh.
fn said(file: &str, from: &str, to: &str) -> String {
    let bar = BrickBar { bricks: 2, size: [1.0, 0.1, 0.2] };
    let mesh = bar.gmsh_22();
    let model = of_gmsh("");
    let [model, mesh] = [("model", model), ("mesh", mesh)].map(|(name, text)| {
        assert!(name != file || text.contains(from), "{from}");
        if name == file { text.replacen(from, to, 1) } else { text }
    });
    let folder = Folder::new();
    folder.write("part.msh", mesh);
    let joint = "[joints]\nclamp = { type = \"weld\", parent = \"world\", child = \"part.root\" }\n";
    folder.write("m.toml", format!("[mechanism]\n{model}{joint}[run]\nt_end = \"1 s\"\n"));
    folder.run(&["check", "m.toml"]).err
}

#[test]
fn bad_parts_are_refused_with_place_and_hint() {
    let first = "1 17 2 9 1 1 19 ";
    let cases = [
        ("model", "scale = \"1 m\"\n", "", "M0545", "scale = \"1 mm\""),
        ("model", "\"1 m\"", "\"1 kg\"", "M0521", "has to be in m"),
        ("model", "\"tip face\"", "\"tipface\"", "M0545", "did you mean `tip face`"),
        (
            "model",
            "{ group = \"tip face\", kind = \"averaging\" }",
            "{ node = 9000 }",
            "M0524",
            "no such node",
        ),
        (
            "model",
            "{ group = \"tip face\", kind = \"averaging\" }",
            "[\"3 m\", 0, 0]",
            "M0524",
            "the nearest node",
        ),
        (
            "model",
            "{ group = \"tip face\", kind = \"averaging\" }",
            "{ node = 1 }",
            "B0015",
            "has no rotations",
        ),
        ("model", "kind = \"averaging\"", "kind = \"averagin\"", "M0112", "averaging"),
        ("model", "\"part.msh\"", "\"none.msh\"", "M0541", "there is no such file"),
        ("model", "modes = 4", "modes = 4\nbeams = []", "M0545", "mesh file"),
        (
            "model",
            "modes = 4",
            "modes = 4\ngroups = { web = { thickness = \"1 mm\" } }",
            "M0545",
            "no group `web`",
        ),
        ("model", "modes = 4", "modes = 4\nm = \"2 kg\"", "M0526", "point_masses"),
        (
            "model",
            "modes = 4",
            "modes = 4\npoint_masses = [{ frame = \"hub\", m = \"1 kg\" }]",
            "M0524",
            "no frame `hub`",
        ),
        (
            "model",
            "{ group = \"root\" }",
            "{ nodes = [1, 3], kind = \"averaging\" }",
            "B0015",
            "at frame `root`",
        ),
        ("mesh", "2.2 0 8", "2.2 1 8", "M0544", "binary"),
        ("mesh", first, "1 17 2 9 1 1 9999 ", "M0543", "part.msh:"),
        // The bottom face runs the other way round.
        ("mesh", "1 17 2 9 1 1 19 25 7 ", "1 17 2 9 1 19 1 7 25 ", "B0015", "part.msh:"),
    ];
    for (file, from, to, code, words) in cases {
        let text = said(file, from, to);
        assert!(text.contains(code) && text.contains(words), "{to}: {text}");
        assert!(text.contains("m.toml:") && text.contains("hint:"), "{to}: {text}");
    }
}

/// A released end that nothing else holds is a mechanism.
#[test]
fn a_released_free_end_is_found() {
    let folder = Folder::new();
    let beam = "beams = [{ from = [0, 0, 0], to = [\"2 m\", 0, 0], section = { circle = \"40 mm\" }, release = { to = [\"ry\"] } }]";
    let joint = "[joints]\nclamp = { type = \"weld\", parent = \"world\", child = \"part\" }\n";
    let body =
        format!("[bodies.part]\nmaterial = \"steel\"\n{beam}\nframes = {{ tip = [\"2 m\", 0, 0] }}\n{joint}");
    folder.write("m.toml", format!("[mechanism]\n{body}[run]\nt_end = \"1 s\"\n"));
    let text = folder.run(&["check", "m.toml"]).err;
    assert!(text.contains("B0015") && text.contains("rotation about y"), "{text}");
}

/// Opens the model of a folder with its cache: how often a stage of the reduction was told, and what was found.
fn opened(folder: &Folder, values: &[String]) -> (usize, Arc<ModalData>) {
    let told = Arc::new(AtomicUsize::new(0));
    let counter = told.clone();
    let count = move |_: &str, _: usize, _: usize| {
        counter.fetch_add(1, Ordering::Relaxed);
        true
    };
    let reduction = ReductionSettings { cache: Some(folder.path("cache")), watch: Some(Arc::new(count)) };
    let mut workspace = Workspace::default();
    workspace.reduction = reduction;
    let path = folder.path("m.toml").to_string_lossy().into_owned();
    let project = workspace.open(&path, values).unwrap_or_else(|f| panic!("{f}"));
    let modal = project.mechanism.bodies[1].inertia.modal().unwrap().data.clone();
    (told.load(Ordering::Relaxed), modal)
}

/// A part of 441 nodes: from its file the second time, with the same bits; from a damaged one never.
#[test]
fn a_large_part_is_reduced_once() {
    let folder = Folder::new();
    let corners = "[[0, 0, 0], [\"1 m\", 0, 0], [\"1 m\", \"1 m\", 0], [0, \"1 m\", 0]]";
    let body = format!(
        "[bodies.part]\nmaterial = \"steel\"\nplates = [{{ corners = {corners}, thickness = \"5 mm\", elements = 20 }}]\n\
         frames = {{ root = [0, 0, 0], far = [\"1 m\", \"1 m\", 0] }}\nmodes = 3\n"
    );
    folder.write("m.toml", format!("[mechanism]\n{body}[joints]\n{CLAMP}\n[run]\nt_end = \"1 s\"\n"));
    let (stages, first) = opened(&folder, &[]);
    assert_eq!(stages, 7, "six stages and the end");
    assert_eq!(opened(&folder, &[]), (0, first.clone()));
    let files: Vec<_> = std::fs::read_dir(folder.path("cache")).unwrap().map(|e| e.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let bytes = std::fs::read(file).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], b"", b"nothing"] {
        std::fs::write(file, damaged).unwrap();
        assert_eq!(opened(&folder, &[]), (7, first.clone()));
        assert_eq!(std::fs::read(file).unwrap(), bytes, "made anew");
    }
    let (stages, other) = opened(&folder, &["part.modes=2".into()]);
    assert_eq!((stages, other.size()), (7, first.size() - 1));

    let reduction = ReductionSettings { cache: None, watch: Some(Arc::new(|_, stage, _| stage < 2)) };
    let mut workspace = Workspace::default();
    workspace.reduction = reduction;
    let ended = workspace.open(&folder.path("m.toml").to_string_lossy(), &[]);
    assert!(matches!(ended, Err(Failure::Cancelled)));
}
