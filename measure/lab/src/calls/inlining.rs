//! Explains where a function without a symbol is.

use std::collections::BTreeSet;

use machine::Image;
use machine::image::SymbolKind;

/// Advice for a missing function, with the functions that it was inlined into if debug information tells.
pub(crate) fn hint(image: &Image, name: &str) -> String {
    let remedy = "`#[inline(never)]` keeps a function separate, even with LTO";
    match &into(image, name)[..] {
        [] => format!("it may have been inlined, or removed because nothing calls it: {remedy}"),
        [one] => format!("it was inlined into `{one}`: {remedy}"),
        [first, others @ ..] => format!(
            "it was inlined into `{first}` and {} more: {remedy}",
            others.len()
        ),
    }
}

/// The functions that contain inlined code of the function of this name.
fn into(image: &Image, name: &str) -> Vec<String> {
    let functions = image
        .symbols()
        .filter(|symbol| symbol.kind == SymbolKind::Function);
    let mut found = BTreeSet::new();
    for function in functions {
        let end = function.address.saturating_add(function.size);
        let has = (function.address..end).step_by(2).any(|address| {
            let frames = image.frames_at(address);
            let inlined = frames.iter().filter(|frame| frame.inlined);
            inlined
                .filter_map(|frame| frame.function.as_deref())
                .any(|known| is_called(known, name))
        });
        if has {
            found.insert(function.name.clone());
        }
    }
    found.into_iter().collect()
}

/// Whether `name` is the end of a path, by whole segments.
fn is_called(path: &str, name: &str) -> bool {
    path.strip_suffix(name)
        .is_some_and(|before| before.is_empty() || before.ends_with("::"))
}
