//! Fields of single cards of Nastran.

use trunnion_model::mechanism::*;

use super::{bulk_of, bulk_with, good};

const GRIDS: &str =
    "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,2.,1.,0.\nGRID,4,,0.,1.,0.\nMAT1,1,2.1+11,,.3,7850.\n";

fn mesh(cards: &str) -> FeMesh {
    good(bulk_of(&format!("{GRIDS}{cards}")))
}

fn near(found: [f64; 3], expected: [f64; 3]) {
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-12), "{found:?} {expected:?}");
}

/// System 5 is turned by 90° about z at (10, 0, 0); 6 stands in 5.
#[test]
fn grids_stand_in_systems() {
    let systems = "CORD2R,6,5,1.,0.,0.,1.,0.,1.\n,2.,0.,0.\nCORD2R,5,,10.,0.,0.,10.,0.,1.\n,10.,1.,0.\n";
    let found = mesh(&format!(
        "{systems}GRID,7,5,1.,2.,3.\nGRID,8,6,1.,0.,0.\nPROD,1,1,4.-4,,,.5\nCROD,1,1,7,8\nCONM2,2,7,6,3.,1.,0.,0.\n,1.,.25,2.,,,2.5\n"
    ));
    near(found.nodes[4].at, [8.0, 1.0, 3.0]);
    near(found.nodes[5].at, [10.0, 2.0, 0.0]);
    let MeshProperty { form, added_mass, .. } = &found.properties[0];
    assert_eq!((form, *added_mass), (&MeshPropertyForm::Rod { area: 4e-4 }, 0.5));
    // x of the system is y of the model, its y is −x.
    let mass = &found.masses[0];
    near(mass.offset, [0.0, 1.0, 0.0]);
    near([mass.inertia[0][0], mass.inertia[1][1], mass.inertia[2][2]], [2.0, 1.0, 2.5]);
    near(mass.inertia[0], [2.0, 0.25, 0.0]);
}

#[test]
fn bars_have_directions_offsets_and_releases() {
    let found = mesh(
        "PBAR,1,1,1.-3,2.-6,3.-6,4.-6,.7\n,,,,,,,,\n,.8,.5,1.-7\nCBAR,1,1,1,2,0.,1.,0.\n,45,6,,,.1,,,-.1\nCBAR,2,1,2,3,4\n",
    );
    let section = MeshSection::Constants {
        area: 1e-3,
        i_yy: 3e-6,
        i_zz: 2e-6,
        i_yz: 1e-7,
        torsion: 4e-6,
        shear_areas: Some([0.8e-3, 0.5e-3]),
        centroid: [0.0; 2],
    };
    assert_eq!(found.properties[0].form, MeshPropertyForm::Beam(vec![(0.0, section)]));
    assert_eq!(found.properties[0].added_mass, 0.7);
    let placement = found.elements[0].placement.as_ref().unwrap();
    assert_eq!(placement.orientation, [0.0, 1.0, 0.0]);
    assert_eq!(placement.releases[0], [false, false, false, true, true, false]);
    assert_eq!(placement.releases[1], [false, false, false, false, false, true]);
    assert_eq!(placement.offsets, [[0.0, 0.0, 0.1], [0.0, 0.0, -0.1]]);
    assert_eq!(found.elements[1].placement.as_ref().unwrap().orientation, [-2.0, 1.0, 0.0]);
}

#[test]
fn beams_have_stations_and_shapes() {
    let found = mesh(
        "PBEAM,1,1,1.-3,2.-6,3.-6,,4.-6\n,,,,,,,,\n,NO,1.,5.-4\n,1.,1.\n,,,,,.01,.02\nCBEAM,1,1,1,2,0.,1.,0.\n\
         PBARL,2,1,,BOX\n,.1,.2,.01,.005\nCBAR,2,2,1,2,0.,1.,0.\nPBEAML,3,1,,TUBE\n,.05,.04,,NO,1.,.03,.02\nCBEAM,3,3,1,2,0.,0.,1.\n",
    );
    let MeshPropertyForm::Beam(stations) = &found.properties[0].form else { panic!("{found:?}") };
    let [
        (_, MeshSection::Constants { area: at_a, .. }),
        (share, MeshSection::Constants { area, i_zz, centroid, .. }),
    ] = &stations[..]
    else {
        panic!("{stations:?}")
    };
    assert_eq!((*at_a, *share, *area, *i_zz, *centroid), (1e-3, 1.0, 5e-4, 2e-6, [0.01, 0.02]));
    let profile = BeamProfile::Box { width: 0.1, height: 0.2, side: 0.005, cover: 0.01 };
    let shape = MeshSection::Profile { profile, turned: true, shear: true };
    assert_eq!(found.properties[1].form, MeshPropertyForm::Beam(vec![(0.0, shape)]));
    let MeshPropertyForm::Beam(stations) = &found.properties[2].form else { panic!("{found:?}") };
    let BeamProfile::Tube { diameter, wall } = (match &stations[1].1 {
        MeshSection::Profile { profile, .. } => profile,
        other => panic!("{other:?}"),
    }) else {
        panic!("{stations:?}")
    };
    assert!((diameter - 0.06).abs() < 1e-15 && (wall - 0.01).abs() < 1e-15);
}

/// Between grids apart the bushing sits on the line between them, on nodes that follow rigidly.
#[test]
fn bushings_and_springs() {
    let found = mesh(
        "PBUSH,1,K,1.,2.,3.,4.,5.,6.\nCBUSH,1,1,1,2,,,,0\n,.25\nCELAS2,2,7.,1,1,2,1\nCBUSH,3,1,4,,,,,0\n",
    );
    assert_eq!(found.nodes.len(), 6);
    assert_eq!((found.nodes[4].at, found.nodes[5].at), ([0.5, 0.0, 0.0], [0.5, 0.0, 0.0]));
    assert_eq!(found.elements[0].nodes, [4, 5]);
    assert_eq!((found.elements[1].kind, &found.elements[1].nodes), (MeshElementKind::Spring, &vec![0, 1]));
    assert_eq!(found.elements[2].kind, MeshElementKind::GroundedBushing);
    let MeshPropertyForm::Bushing { axes, stiffness } = &found.properties[0].form else {
        panic!("{found:?}")
    };
    assert_eq!((axes[1], stiffness[5]), ([0.0, 1.0, 0.0], 6.0));
    assert_eq!(found.links.len(), 2);
}

#[test]
fn shells_links_and_what_does_not_act() {
    let found = mesh(
        "PARAM,WTMASS,2.\nPSHELL,1,1,.01,1,,1,,3.\nCQUAD4,1,1,1,2,3,4\nGRID,9,,1.,.5,0.\nGRID,10,,1.,.5,0.\n\
         RBE2,5,9,123456,1,2\nRBE3,6,,10,123456,1.,123,1,2\n,2.,123,3\nSPC1,1,123456,1,THRU,4\nFORCE,1,2,,5.,0.,0.,1.\nEIGRL,1,,,10\nCONM2,7,9,,4.\n",
    );
    assert_eq!(found.properties[0].form, MeshPropertyForm::Shell { thickness: 0.01 });
    assert_eq!(
        (found.properties[0].added_mass, found.materials[0].density, found.masses[0].mass),
        (6.0, 15700.0, 8.0)
    );
    let links = [
        MeshLink::Rigid { number: 5, reference: 4, nodes: vec![0, 1], components: [true; 6] },
        MeshLink::Averaging { number: 6, reference: 5, nodes: vec![(0, 1.0), (1, 1.0), (2, 2.0)] },
    ];
    assert_eq!(found.links, links);
    let left: Vec<&str> = found.left_out.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(left, ["EIGRL", "SPC1", "FORCE"]);
}

/// Marks of continuations, comments, tabs, small and large lines in one card.
#[test]
fn lines_are_joined() {
    let text = "$ comment with ä\nMAT1\t1\t7.+10\t\t.3\nPSOLID  1       1\n\
                GRID    1               0.      0.      0.\nGRID*   2                               1.              0.\n*       0.\n\
                GRID,3,,1.,1.,0. $ end\nGRID,4,,0.,0.,1.\n\
                CTETRA  1       1       1       2       3       4\n";
    let found = good(bulk_of(text));
    assert_eq!(found.elements[0].nodes, [0, 1, 2, 3]);
    assert_eq!(found.nodes[1].at, [1.0, 0.0, 0.0]);
    assert_eq!(found.materials[0].youngs_modulus, 7e10);
}

#[test]
fn files_are_included() {
    let main = "INCLUDE 'parts/grids.bdf'\nMAT1,1,1.,,.3\nPROD,1,1,1.\nCROD,1,1,1,2\nENDDATA\nnothing here";
    let found = good(bulk_with(
        main,
        &[("parts/grids.bdf", "GRID,1\nINCLUDE\n'more.bdf'\n"), ("parts/more.bdf", "GRID,2,,1.\n")],
    ));
    assert_eq!(found.files, ["part.bdf", "parts/grids.bdf", "parts/more.bdf"]);
    assert_eq!(found.place_of(1).as_deref(), Some("part.bdf:4"));
}
