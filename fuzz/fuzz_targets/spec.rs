//! Any text as a spec: it is read, or refused with a message that can be shown; its points are found in a program and on
//! a board, or the message about that can be shown.

#![no_main]

use std::hint::black_box;

use fuzz::{BOARDS, IMAGE};
use lab::diagnostic::Diagnostic;
use lab::resolve::Scope;
use lab::spec::{Located, Measured, Point, Spec, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match parse("fuzz.toml", text) {
        Ok(spec) => resolve(&spec),
        Err(error) => show(&error),
    }
});

fn resolve(spec: &Spec) {
    let scope = Scope {
        spec,
        image: &IMAGE,
        board: &BOARDS[1],
    };
    for program in &spec.programs {
        for span in &program.spans {
            if let Some(ends) = span.what.ends() {
                place(&scope, &ends.from);
                place(&scope, &ends.to);
            }
            if let Measured::Value(symbol, _) = &span.what {
                shown(scope.address(symbol));
            }
        }
        for raise in &program.raises {
            shown(scope.exception(&raise.irq));
            raise
                .when
                .point()
                .into_iter()
                .for_each(|point| place(&scope, point));
        }
    }
}

fn place(scope: &Scope<'_>, point: &Located<Point>) {
    black_box(point.value.to_string());
    shown(scope.place(point));
    shown(scope.halts(point));
}

fn shown<T>(result: Result<T, Diagnostic>) {
    match result {
        Ok(found) => drop(black_box(found)),
        Err(error) => show(&error),
    }
}

fn show(error: &Diagnostic) {
    black_box((error.render(false), error.render(true)));
}
