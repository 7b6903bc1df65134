//! What is said of bad meshes: code, place, hint.

use super::super::read_where;
use super::writers::Bar;
use super::{bulk_of, bulk_with, gmsh_of};
use trunnion_model::Diagnostic;

/// "M0543 4:1 message", one a line.
fn told(list: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let span = &d.labels[0].span;
        let (line, column) = span.source.position(span.range.start);
        assert!(d.hint.is_some(), "{d}");
        format!("{} {line}:{column} {}", d.code, d.message)
    };
    list.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn bad_meshes_of_gmsh_are_refused_with_their_place() {
    let cases = [
        ("4.1 0 8", "4.1 1 8", "M0544 2:1 the mesh is binary"),
        ("4.1 0 8", "4.0 0 8", "M0544 2:1 the mesh is of format 4.0"),
        ("$Nodes\n2 12", "$Nodes\ntwo 12", "M0542 15:1 line 15"),
        ("0 1.5 1 1\n", "", "M0542"),
        ("1.5 1 0\n", "1.5 nan 0\n", "M0542 35:1 line 35"),
        ("2 10 13", "2 10 14", "M0543 48:1 element 2 has node 14"),
        ("3 1 5 2", "3 1 7 2", "M0542 48:1 line 48"),
        ("3 1 5 2", "3 1 99 2", "M0544 47:1 elements of type 99"),
        ("\n25\n", "\n22\n", "M0543"),
        ("$EndElements\n", "", "M0542"),
        ("$Entities", "$PartitionedEntities", "M0544 9:1 the mesh is partitioned"),
        ("$Entities", "$Other", "M0542 9:1 section `Other` does not end"),
    ];
    for (from, to, expected) in cases {
        let text = Bar { bricks: 2 }.gmsh_41();
        let text = if text.contains(from) { text.replacen(from, to, 1) } else { text + from };
        let found = gmsh_of(&text).map_or_else(|errors| told(&errors), |_| "no error".into());
        assert!(found.starts_with(expected), "{to}: {found}");
    }
    let empty = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    assert!(told(&gmsh_of(empty).unwrap_err()).contains("no elements"));
    let pyramid = "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n$EndNodes\n$Elements\n1\n1 7 0 1 2 3 4 5\n$EndElements\n";
    let found = gmsh_of(&format!("{empty}{pyramid}")).unwrap_err();
    assert_eq!(told(&found), "M0544 14:1 element 1 is a pyramid, which cannot carry load here");
}

#[test]
fn bad_bulk_data_are_refused_with_their_place() {
    let cases = [
        ("CROD,1,1,1,9", "M0543 5:12 CROD 1 names grid 9, which is not in the file"),
        ("CROD,1,2,1,2", "M0543 5:8 CROD 1 has property 2, which is not in the file"),
        ("CQUAD4,1,1,1,2,3,4", "M0543 5:10 CQUAD4 1 has a property of another kind"),
        ("CROD,1,1,1,1", "M0542 5:12 CROD 1 has grid 1 twice"),
        ("CROD,1,1,1", "M0542 5:1 field 5 of CROD 1 is blank"),
        ("CROD,1,1,1,x", "M0542 5:12 field 5 of CROD 1 is malformed"),
        ("CROD,1,1,1,2\nCROD,1,1,2,1", "M0543 6:6 CROD 1 is there twice"),
        ("CQUADX,1,1", "M0544 5:1 the card `CQUADX` is not known"),
        (
            "PCOMP,1,1\nCWELD,2",
            "M0544 5:1 the card `PCOMP` is not known\nM0544 6:1 the card `CWELD` is not known",
        ),
        ("GRID,5,,1.e,0.,0.", "M0542 5:9 field 4 of GRID 5 is malformed"),
        ("GRID,5,7", "M0543 5:8 GRID 5 names system 7, which is not in the file"),
        ("CORD2R,5,,0.,0.,0.,0.,0.,1.\n,0.,0.,2.", "M0542 5:11 the points of CORD2R 5 lie on a line"),
        ("MAT1,2,1.", "M0542 5:8 MAT1 2 needs two of E, G and NU"),
        ("PSHELL,2,1,1.", "M0544 5:1 PSHELL 2: MID2 differs from MID1"),
        ("PBARL,2,1,,HAT\n,1.,1.,1.,1.", "M0544 5:12 PBARL 2: the shape `HAT` is not known"),
        ("CELAS2,2,1.,1,1,2,2", "M0544 5:19 CELAS2 2: its two components differ"),
        ("CELAS2,2,1.,1,2,2,2", "M0544 5:13 CELAS2 2: the spring acts across the line between its grids"),
        ("RBE3,2,,1,123,1.,123,2,3", "M0544 5:11 RBE3 2: REFC is not 123456"),
        ("CROD,1,1,1,2,,,,,,,9", "M0542 5:1 line 5 has too many fields"),
        ("GRID,5,,é", "M0542 5:1 line 5 has characters that bulk data do not have"),
        ("INCLUDE 'x.bdf", "M0542 5:1 INCLUDE without an end"),
        ("INCLUDE 'part.bdf'", "M0541 5:1 cannot include `part.bdf`: it is being read already"),
        ("INCLUDE 'none.bdf'", "M0541 5:1 there is no such file"),
    ];
    for (card, expected) in cases {
        let text = format!("GRID,1\nGRID,2,,1.\nMAT1,1,1.,,.3\nPROD,1,1,1.\n{card}\n");
        let found = bulk_of(&text).map_or_else(|errors| told(&errors), |_| "no error".into());
        assert_eq!(found, expected, "{card}");
    }
    let out_of_order = "GRID,1\n+A,5,6\n";
    assert!(bulk_with(out_of_order, &[]).is_err());
    let other =
        "CHEXA   1       1       1       2       3       4       5       6       +A\n+B      7       8\n";
    assert!(told(&bulk_of(other).unwrap_err()).contains("line 2 continues another card"));
}

/// Nothing beyond the beginning of a file that is no mesh is read: a hole of 2 GB takes no time and no memory.
#[test]
fn what_is_no_mesh_is_seen_from_its_beginning() {
    let folder = std::env::temp_dir().join(format!("trunnion-fe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let cases = [
        ("hole.msh", "it is no mesh of Gmsh"),
        ("hole.bdf", "it is no text"),
        ("empty.dat", "it is empty"),
        ("prose.nas", "it is no bulk data of Nastran"),
        ("part.step", "`.step` is no mesh of finite elements"),
        ("absent.msh", "there is no such file"),
    ];
    for (name, expected) in cases {
        let path = folder.join(name);
        match name {
            "absent.msh" => {}
            "prose.nas" => std::fs::write(&path, "Dear reader,\nthis is a letter.\n").unwrap(),
            _ => {
                let file = std::fs::File::create(&path).unwrap();
                file.set_len(if name.starts_with("hole") { 2 << 30 } else { 0 }).unwrap();
            }
        }
        let found = read_where(&path, &|_| Ok(())).unwrap_err();
        assert_eq!(found[0].code, "M0541");
        assert!(found[0].message.contains(expected) && found[0].hint.is_some(), "{}", found[0]);
    }
    let refused = read_where(&folder.join("prose.nas"), &|_| Err("it lies outside".into())).unwrap_err();
    assert!(refused[0].message.contains("it lies outside"), "{}", refused[0]);
    std::fs::remove_dir_all(&folder).unwrap();
}
