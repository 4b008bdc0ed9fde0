//! The `bench` attribute; `cyclescope-bench` re-exports and documents it.

mod expand;
mod options;

use proc_macro::TokenStream;
use syn::{ItemFn, parse_macro_input};

use options::Options;

/// Turns a function into a benchmark; see `cyclescope-bench`.
#[proc_macro_attribute]
pub fn bench(options: TokenStream, function: TokenStream) -> TokenStream {
    let options = parse_macro_input!(options as Options);
    let function = parse_macro_input!(function as ItemFn);
    expand::bench(&options, &function)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
