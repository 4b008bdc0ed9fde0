//! Expands a benchmark into the unchanged function and a type of the same name that runs it.
//!
//! For each input there is a function of its own, whose call is measured; its symbol is `cyclescope.bench:` and the measurement's id. The
//! benchmark is inlined into it. Each function has its own section, since optimisers otherwise fold functions with equal bodies.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Result, ReturnType, Type};

use crate::options::{Input, Options, mistake};

/// Default number of calls per input: the first runs with cold caches, the others with warm ones.
const SAMPLES: u32 = 3;

/// Prefix of the symbol of a measured call.
const PREFIX: &str = "cyclescope.bench:";

pub(crate) fn bench(options: &Options, function: &ItemFn) -> Result<TokenStream> {
    let parameter = parameter(function)?;
    check(options, function, parameter)?;
    let name = &function.sig.ident;
    let cfgs: Vec<&Attribute> = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect();
    let id = id(options, name);
    let calls: Vec<TokenStream> = match &options.inputs {
        None => vec![call(options, function, parameter, &id, None)],
        Some(inputs) => {
            let one = |input: &Input| {
                call(
                    options,
                    function,
                    parameter,
                    &format!("{id}/{}", input.label),
                    Some(input),
                )
            };
            inputs.iter().map(one).collect()
        }
    };
    let inline = function
        .attrs
        .iter()
        .all(|attribute| !attribute.path().is_ident("inline"));
    // Inlining keeps the call of the benchmark itself out of the measurement.
    let inline = inline.then(|| quote!(#[allow(clippy::inline_always)] #[inline(always)]));
    let visibility = &function.vis;
    Ok(quote! {
        #inline
        #function

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, unsafe_code, clippy::all, clippy::pedantic)]
        #visibility enum #name {}

        #(#cfgs)*
        #[allow(unsafe_code, clippy::all, clippy::pedantic)]
        impl #name {
            #[doc(hidden)]
            pub fn run() {
                #(#calls)*
            }
        }
    })
}

/// The measurement's id, `group/name`. The default group is the crate, which is the benchmark's file.
fn id(options: &Options, name: &Ident) -> String {
    let group = match &options.group {
        Some(group) => group.value(),
        None => std::env::var("CARGO_CRATE_NAME").unwrap_or_else(|_| "bench".to_owned()),
    };
    let name = options
        .name
        .as_ref()
        .map_or_else(|| name.to_string(), syn::LitStr::value);
    format!("{group}/{name}")
}

/// The loop that calls the benchmark with one input `samples` times.
fn call(
    options: &Options,
    function: &ItemFn,
    parameter: Option<&Type>,
    id: &str,
    input: Option<&Input>,
) -> TokenStream {
    let name = &function.sig.ident;
    let output = match &function.sig.output {
        ReturnType::Default => quote!(),
        returned @ ReturnType::Type(..) => quote!(#returned),
    };
    let (symbol, section) = (format!("{PREFIX}{id}"), format!(".text.{PREFIX}{id}"));
    let samples = options.samples.unwrap_or(SAMPLES);
    let value = match (&options.setup, input) {
        (Some(setup), Some(Input { value, .. })) => quote!((#setup)(#value)),
        (Some(setup), None) => quote!((#setup)()),
        (None, Some(Input { value, .. })) => quote!(#value),
        (None, None) => quote!(),
    };
    let declared = parameter.map(|kind| quote!(value: #kind));
    let prepared = parameter.map(|kind| match kind {
        // The borrowed value outlives the call, so that dropping it is not measured.
        Type::Reference(reference) if reference.mutability.is_some() => quote! {
            let mut value = #value;
            let passed: #kind = &mut value;
        },
        Type::Reference(_) if !is_borrowed(options, input) => quote! {
            let value = #value;
            let passed: #kind = &value;
        },
        _ => quote!(let passed: #kind = #value;),
    });
    let passed = parameter.map(|_| quote!(::core::hint::black_box(passed)));
    let handed_on = parameter.map(|_| quote!(value));
    quote! {
        {
            #[unsafe(export_name = #symbol)]
            #[cfg_attr(target_os = "none", unsafe(link_section = #section))]
            #[inline(never)]
            fn call(#declared) #output {
                #name(#handed_on)
            }
            // The black box keeps the optimiser from inlining or removing the call.
            let call: fn(#parameter) #output = ::core::hint::black_box(call);
            for _ in 0..#samples {
                #prepared
                let _ = ::core::hint::black_box(call(#passed));
            }
        }
    }
}

/// Whether the input expression is already a reference.
fn is_borrowed(options: &Options, input: Option<&Input>) -> bool {
    let text = |literal: &ExprLit| matches!(literal.lit, Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_));
    options.setup.is_none()
        && input.is_some_and(|input| match &input.value {
            Expr::Reference(_) => true,
            Expr::Lit(literal) => text(literal),
            _ => false,
        })
}

/// The type of the function's only parameter; `None` without parameters.
fn parameter(function: &ItemFn) -> Result<Option<&Type>> {
    let mut parameters = function.sig.inputs.iter();
    let first = match parameters.next() {
        None => return Ok(None),
        Some(FnArg::Typed(first)) => first,
        Some(receiver) => return Err(Error::new_spanned(receiver, "a benchmark is no method")),
    };
    match parameters.next() {
        None => Ok(Some(&first.ty)),
        Some(second) => Err(Error::new_spanned(
            second,
            "a benchmark has one parameter at the most: several are a tuple",
        )),
    }
}

fn check(options: &Options, function: &ItemFn, parameter: Option<&Type>) -> Result<()> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() {
        let what = "a benchmark is one function, and generic ones are many: write one that calls it";
        return Err(Error::new_spanned(&signature.generics, what));
    }
    if let Some(token) = &signature.asyncness {
        return Err(Error::new_spanned(
            token,
            "a benchmark is called, and not awaited",
        ));
    }
    match (parameter, options.inputs.is_some() || options.setup.is_some()) {
        (Some(kind), false) => Err(Error::new_spanned(
            kind,
            "where does this come from? `#[bench(inputs = […])]`, `#[bench(setup = function)]`, or both",
        )),
        (None, true) => Err(mistake(
            "the function has no parameter for what `inputs` and `setup` give",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(options: &str, function: &str) -> std::result::Result<String, String> {
        let options: Options = syn::parse_str(options).map_err(|error| error.to_string())?;
        let function: ItemFn = syn::parse_str(function).map_err(|error| error.to_string())?;
        let tokens = bench(&options, &function).map_err(|error| error.to_string())?;
        Ok(tokens.to_string())
    }

    #[test]
    fn each_input_is_a_symbol() {
        let made = made(
            "group = \"sort\", name = \"in-place\", inputs = [-8, 1.5, \"abc\", two = (1, 2)], setup = f, samples = 5",
            "fn g(list: &mut [u32]) -> bool { true }",
        );
        let made = made.expect("sound");
        for id in ["-8", "1.5", "abc", "two"] {
            assert!(
                made.contains(&format!("\"cyclescope.bench:sort/in-place/{id}\"")),
                "{id}: {made}"
            );
        }
        assert_eq!(made.matches("0 .. 5u32").count(), 4);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let ok = "fn f(x: u32) {}";
        for (options, function, says) in [
            ("", "fn f(x: u32) {}", "where does this come from?"),
            ("inputs = [1]", "fn f() {}", "no parameter"),
            ("", "fn f(a: u8, b: u8) {}", "several are a tuple"),
            ("", "fn f(self) {}", "no method"),
            ("", "fn f<T>() {}", "generic ones are many"),
            ("", "async fn f() {}", "not awaited"),
            ("inputs = []", ok, "there is no input"),
            ("inputs = [1, 1]", ok, "two inputs are called `1`"),
            ("inputs = [a(1)]", ok, "give this input a name"),
            ("inputs = ['a']", ok, "give this input a name"),
            ("sample = 3", ok, "there is no `sample`: a benchmark has"),
            ("samples = 0", ok, "from 1"),
            ("group = \"a/b\"", ok, "a name has letters"),
            ("group = \"a@b\"", ok, "a name has letters"),
            ("group = \"a\", group = \"b\"", ok, "stands here twice"),
        ] {
            let told = made(options, function).expect_err(options);
            assert!(told.contains(says), "{options} {function}: {told}");
        }
    }
}
