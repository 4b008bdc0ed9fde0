//! The attribute's options: `group = "sort", inputs = [8, 64], setup = shuffled, samples = 5`.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, Expr, Ident, Lit, LitInt, LitStr, Result, Token, bracketed};

const KEYS: &str = "a benchmark has `group`, `name`, `inputs`, `setup` and `samples`";

/// The options of one benchmark.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) group: Option<LitStr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) inputs: Option<Vec<Input>>,
    pub(crate) setup: Option<Expr>,
    pub(crate) samples: Option<u32>,
}

/// An input value and its label.
pub(crate) struct Input {
    pub(crate) label: String,
    pub(crate) value: Expr,
}

impl Parse for Options {
    fn parse(text: ParseStream<'_>) -> Result<Options> {
        let mut options = Options::default();
        while !text.is_empty() {
            let key: Ident = text.parse()?;
            text.parse::<Token![=]>()?;
            let twice = match key.to_string().as_str() {
                "group" => options.group.replace(name(text)?).is_some(),
                "name" => options.name.replace(name(text)?).is_some(),
                "inputs" => options.inputs.replace(inputs(text)?).is_some(),
                "setup" => options.setup.replace(text.parse()?).is_some(),
                "samples" => options.samples.replace(samples(text)?).is_some(),
                other => return Err(Error::new(key.span(), format!("there is no `{other}`: {KEYS}"))),
            };
            if twice {
                return Err(Error::new(key.span(), format!("`{key}` stands here twice")));
            }
            if !text.is_empty() {
                text.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

fn name(text: ParseStream<'_>) -> Result<LitStr> {
    let name: LitStr = text.parse()?;
    if is_name(&name.value()) {
        return Ok(name);
    }
    Err(Error::new(
        name.span(),
        "a name has letters, digits, `_`, `-`, `+` and `.`",
    ))
}

fn samples(text: ParseStream<'_>) -> Result<u32> {
    let number: LitInt = text.parse()?;
    match number.base10_parse() {
        Ok(0) | Err(_) => Err(Error::new(
            number.span(),
            "samples are a number from 1 to 4294967295",
        )),
        Ok(samples) => Ok(samples),
    }
}

fn inputs(text: ParseStream<'_>) -> Result<Vec<Input>> {
    let list;
    let bracket = bracketed!(list in text);
    let inputs: Punctuated<Input, Token![,]> = Punctuated::parse_terminated(&list)?;
    let inputs: Vec<Input> = inputs.into_iter().collect();
    if inputs.is_empty() {
        return Err(Error::new(bracket.span.join(), "there is no input"));
    }
    for (index, input) in inputs.iter().enumerate() {
        if inputs[..index].iter().any(|other| other.label == input.label) {
            let what = format!("two inputs are called `{}`", input.label);
            return Err(Error::new_spanned(&input.value, what));
        }
    }
    Ok(inputs)
}

impl Parse for Input {
    fn parse(text: ParseStream<'_>) -> Result<Input> {
        if text.peek(Ident) && text.peek2(Token![=]) && !text.peek2(Token![==]) {
            let label: Ident = text.parse()?;
            text.parse::<Token![=]>()?;
            return Ok(Input {
                label: label.to_string(),
                value: text.parse()?,
            });
        }
        let value: Expr = text.parse()?;
        let label = match &value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => text.value(),
                other => other.to_token_stream().to_string(),
            },
            other => other
                .to_token_stream()
                .to_string()
                .replace(char::is_whitespace, ""),
        };
        if is_name(&label) {
            return Ok(Input { label, value });
        }
        let what = "give this input a name: `inputs = [name = …]`";
        Err(Error::new_spanned(value, what))
    }
}

/// Whether the text can be part of an id and of a symbol.
fn is_name(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-+.".contains(letter);
    !text.is_empty() && text.chars().all(is_plain)
}

/// An error without a more precise span.
pub(crate) fn mistake(what: &str) -> Error {
    Error::new(Span::call_site(), what)
}
