//! In no row of the price list is Mainspring worse than a kernel that it is compared with.

use std::fs;

use lab::batch::{Options, measure_spec};
use lab::spec::parse;
use xtask::{firmware, root};

#[test]
fn than_any_peer() {
    let path = root().join("firmware/prices/tasks.toml");
    let text = fs::read_to_string(&path).expect("the spec of the group");
    let spec = parse("tasks.toml", &text).expect("a good spec");
    firmware::build().expect("the programs compile");
    let options = Options::built_in(firmware::folder());
    let measured = measure_spec(&spec, &options, || ());
    assert!(measured.messages.is_empty(), "{:#?}", measured.messages);
    let (ours, peers): (Vec<_>, Vec<_>) = measured.rows.iter().partition(|row| row.kernel == "mainspring");
    let mut compared = 0;
    for our in ours {
        for peer in peers.iter().filter(|peer| peer.id == our.id) {
            assert!(
                our.max <= peer.max,
                "{}: {} here, {} with {}",
                our.id,
                our.max,
                peer.max,
                peer.kernel
            );
            compared += 1;
        }
    }
    assert!(
        compared >= 45,
        "15 rows against 3 peers, at the least, not {compared}"
    );
}
