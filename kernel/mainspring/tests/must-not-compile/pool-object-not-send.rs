//! An object goes from one to another, so it is `Send`.

use mainspring::pool::*;

mainspring::object_pool!(Places: *const u8, 2, core::ptr::null());

fn main() {
    let _ = Places.request();
}
