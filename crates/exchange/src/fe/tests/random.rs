//! Files cut off or changed at random places: read or refused, never a panic.

use proptest::prelude::*;

use super::writers::Bar;
use super::{bulk_of, gmsh_of};

const CARDS: &str = "CORD2R,5,,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nGRID,1,5,0.,0.,0.,5,123\nGRID,2,,2.,0.,0.\nGRID,3,,2.,1.,0.\nGRID,4,,0.,1.,0.\n\
    MAT1,1,2.1+11,,.3,7850.\nPARAM,WTMASS,.5\nPBAR,1,1,1.-3,2.-6,3.-6,4.-6\n,,,,,,,,\n,.8,.9\nCBAR,1,1,1,2,0.,1.,0.\n,45,6\n\
    PBARL,2,1,,BOX\n,.1,.2,.01,.005\nPBEAM,3,1,1.-3,2.-6,3.-6,,4.-6\n,YES,1.,5.-4\n,1.,1.\nCBEAM,2,3,1,2,3\nPBEAML,4,1,,I\n,.2,.1,.1,.01,.01,.01\n\
    PBUSH,5,K,1.,2.,3.,4.,5.,6.\nCBUSH,3,5,1,2,,,,0\nPELAS,6,1.\nCELAS1,4,6,1,1,2,1\nPSHELL,7,1,.01,1,,1\nCQUAD4,5,7,1,2,3,4\nCTRIA3,6,7,1,2,3\n\
    CONM2,7,1,5,3.,1.,0.,0.\n,1.,.25,2.\nRBE2,8,1,123456,3,4\nRBE3,9,,2,123456,1.,123,1,3,4\nSPC1,1,123456,1,THRU,4\nSPC,1,1,12\nFORCE,1,2,5,5.,0.,0.,1.\n\
    PROD,8,1,1.\nCROD,10,8,1,2\nINCLUDE 'x.bdf'\nENDDATA\n";

fn texts() -> [String; 6] {
    let bar = Bar { bricks: 2 };
    [bar.gmsh_22(), bar.gmsh_41(), bar.bulk_small(), bar.bulk_large(), bar.bulk_free(), CARDS.to_string()]
}

fn read(text: &str) {
    for errors in [gmsh_of(text).err(), bulk_of(text).err()].into_iter().flatten() {
        // What is wrong can be shown.
        errors.iter().for_each(|e| assert!(!e.to_string().is_empty()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_off(which in 0..6_usize, share in 0.0..1.0_f64) {
        let text = &texts()[which];
        read(&text[..(share * text.len() as f64) as usize]);
    }

    #[test]
    fn changed(which in 0..6_usize, changes in proptest::collection::vec((0.0..1.0_f64, 0..24_usize), 1..6)) {
        let mut text = texts()[which].clone();
        let pieces = ["", "\n", " ", ",", "-", "+", "*", "$", "0", "9", "99999999999999999999", "1e400", "nan", ".", "e",
            "THRU", "'", "\"", "é", "\t", "$Nodes\n", "INCLUDE 'part.bdf'\n", "CBAR", "-1"];
        for (share, piece) in changes {
            let at = (share * text.len() as f64) as usize;
            let at = (0..=at).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0);
            let end = (at + 1..=text.len()).find(|&k| text.is_char_boundary(k)).unwrap_or(at);
            text.replace_range(at..end, pieces[piece]);
        }
        read(&text);
    }
}
