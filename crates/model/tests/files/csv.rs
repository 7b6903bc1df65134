//! Tables that are read from files.

use insta::assert_snapshot;
use trunnion_model::load;

use crate::{Memory, built_in, shown};

const PATH: &str = "# measured\n\"time [ms]\";\"stroke [mm]\";note\n0;0;1\n500;50;2\n1000;80;x\n";

fn files(table: &str) -> Memory {
    let model = format!("[tables]\np = {table}\n[outputs]\ny = \"p(time)\"\n");
    Memory::new(&[
        ("models/model.toml", &model),
        ("models/path.csv", PATH),
        ("models/empty.csv", "# nothing\n"),
    ])
}

#[test]
fn a_table_takes_columns_of_a_file_with_their_units() {
    let wanted = [
        "{ x = { unit = \"ms\", values = [0, 500, 1000] }, y = { unit = \"mm\", values = [0, 50, 80] } }",
        "{ file = \"path.csv\" }",
        "{ file = \"path.csv\", x = \"time\", y = \"stroke\" }",
        "{ file = \"path.csv\", x = \"time\", y = { column = \"stroke\", unit = \"mm\" } }",
    ];
    let read = |table: &str| {
        let model = load(&files(table), "models/model.toml", &[], &built_in())
            .unwrap_or_else(|e| panic!("{}", shown(&e)));
        format!("{:?}", model.flat.graph.table_at(0))
    };
    let written = read(wanted[0]);
    wanted[1..].iter().for_each(|table| assert_eq!(read(table), written, "{table}"));
}

#[test]
fn files_that_do_not_fit() {
    let mut all = String::new();
    for table in [
        "{ file = \"pth.csv\" }",
        "{ file = \"empty.csv\" }",
        "{ file = \"path.csv\", y = \"strok\" }",
        "{ file = \"path.csv\", y = \"note\" }",
        "{ file = \"path.csv\", y = 3 }",
        "{ file = \"path.csv\", y = { unit = \"m\" } }",
        "{ file = \"path.csv\", x = \"time\", y = \"stroke\", z = \"note\" }",
        "{ file = \"path.csv\", x = { column = \"time\", unit = \"kg\" } }",
        "{ file = \"path.csv\", x = \"time\", y = \"stroke\", shap = \"monotone\" }",
    ] {
        let errors = load(&files(table), "models/model.toml", &[], &built_in()).unwrap_err();
        all += &(shown(&errors) + "\n");
    }
    assert_snapshot!(all);
}
