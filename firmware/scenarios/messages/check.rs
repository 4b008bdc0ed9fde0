// The properties that must hold; the same text on every core.

fn check(good: bool) {
    if !good {
        fail();
    }
}
