//! Formats a format string with its arguments.

use std::fmt::Write as _;

use defmt_parser::{DisplayHint, Fragment, ParserMode, TimePrecision, Type};

use super::value::Value;

/// Formats the values; `None` if they do not match the format. `outer` is the hint of the enclosing argument.
pub(super) fn text(format: &str, values: &[Value], outer: Option<&DisplayHint>) -> Option<String> {
    let fragments = defmt_parser::parse(format, ParserMode::ForwardsCompatible).ok()?;
    let mut text = String::new();
    for fragment in fragments {
        match fragment {
            Fragment::Literal(literal) => text.push_str(&literal),
            Fragment::Parameter(parameter) => {
                let value = values.get(parameter.index)?;
                let hint = parameter.hint.as_ref();
                // A debug hint passes the outer one on.
                let hint = hint.filter(|hint| !matches!(hint, DisplayHint::Debug) || outer.is_none());
                let hint = hint.or(outer);
                let field;
                let value = match (&parameter.ty, value) {
                    (Type::BitField(range), Value::Unsigned(bits)) => {
                        let mask = u128::MAX >> (128 - u32::from(range.end));
                        field = Value::Unsigned((bits & mask) >> range.start);
                        &field
                    }
                    _ => value,
                };
                show(value, hint, &mut text)?;
            }
        }
    }
    Some(text)
}

fn show(value: &Value, hint: Option<&DisplayHint>, to: &mut String) -> Option<()> {
    let quoted = matches!(hint, Some(DisplayHint::Debug));
    match value {
        Value::Bool(bool) => write!(to, "{bool}").ok(),
        Value::F32(float) => write!(to, "{float:?}").ok(),
        Value::F64(float) => write!(to, "{float:?}").ok(),
        Value::Char(letter) => write!(to, "{letter}").ok(),
        Value::Text(text) if quoted => write!(to, "{text:?}").ok(),
        Value::Text(text) => write!(to, "{text}").ok(),
        Value::Unsigned(number) => unsigned(*number, hint, to),
        Value::Signed(number, bits) => signed(*number, *bits, hint, to),
        Value::Bytes(all) => bytes(all, hint, to),
        Value::Formatted(format, values) => {
            to.push_str(&text(format, values, hint)?);
            Some(())
        }
        Value::List(all) => {
            if let (Some(DisplayHint::Ascii), Some(ascii)) = (hint, of_bytes(all)) {
                return bytes(&ascii, hint, to);
            }
            to.push('[');
            for (place, value) in all.iter().enumerate() {
                to.push_str(if place == 0 { "" } else { ", " });
                show(value, hint, to)?;
            }
            to.push(']');
            Some(())
        }
        Value::Sequence(all) => all.iter().try_for_each(|value| show(value, hint, to)),
    }
}

/// The bytes of a list, if all elements are bytes.
fn of_bytes(all: &[Value]) -> Option<Vec<u8>> {
    let byte = |value: &Value| match value {
        Value::Formatted(format, values) if format == "{=u8}" => match values.as_slice() {
            [Value::Unsigned(byte)] => u8::try_from(*byte).ok(),
            _ => None,
        },
        _ => None,
    };
    all.iter().map(byte).collect()
}

fn unsigned(number: u128, hint: Option<&DisplayHint>, to: &mut String) -> Option<()> {
    let written = match hint {
        Some(&DisplayHint::NoHint { zero_pad }) => write!(to, "{number:0zero_pad$}"),
        Some(&DisplayHint::Binary {
            alternate: true,
            zero_pad,
        }) => write!(to, "{number:#0zero_pad$b}"),
        Some(&DisplayHint::Binary { zero_pad, .. }) => write!(to, "{number:0zero_pad$b}"),
        Some(&DisplayHint::Octal {
            alternate: true,
            zero_pad,
        }) => write!(to, "{number:#0zero_pad$o}"),
        Some(&DisplayHint::Octal { zero_pad, .. }) => write!(to, "{number:0zero_pad$o}"),
        Some(&DisplayHint::Hexadecimal {
            alternate,
            uppercase,
            zero_pad,
        }) => match (alternate, uppercase) {
            (true, true) => write!(to, "{number:#0zero_pad$X}"),
            (true, false) => write!(to, "{number:#0zero_pad$x}"),
            (false, true) => write!(to, "{number:0zero_pad$X}"),
            (false, false) => write!(to, "{number:0zero_pad$x}"),
        },
        Some(DisplayHint::Seconds(TimePrecision::Micros)) => {
            write!(to, "{}.{:06}", number / 1_000_000, number % 1_000_000)
        }
        Some(DisplayHint::Seconds(_)) => write!(to, "{}.{:03}", number / 1_000, number % 1_000),
        Some(DisplayHint::Time(precision)) => return time(number, precision, to),
        _ => write!(to, "{number}"),
    };
    written.ok()
}

/// A negative number in another base shows its two's complement bits.
fn signed(number: i128, bits: u32, hint: Option<&DisplayHint>, to: &mut String) -> Option<()> {
    match hint {
        Some(DisplayHint::Binary { .. } | DisplayHint::Octal { .. } | DisplayHint::Hexadecimal { .. }) => {
            unsigned(number.cast_unsigned() & (u128::MAX >> (128 - bits)), hint, to)
        }
        Some(&DisplayHint::NoHint { zero_pad }) => write!(to, "{number:0zero_pad$}").ok(),
        _ => write!(to, "{number}").ok(),
    }
}

/// Days, hours, minutes, seconds.
fn time(number: u128, precision: &TimePrecision, to: &mut String) -> Option<()> {
    let (per_second, digits) = match precision {
        TimePrecision::Micros => (1_000_000, 6),
        TimePrecision::Millis => (1_000, 3),
        TimePrecision::Seconds => (1, 0),
    };
    let (seconds, fraction) = (number / per_second, number % per_second);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let (days, hours) = (hours / 24, hours % 24);
    if days > 0 {
        write!(to, "{days}:").ok()?;
    }
    write!(to, "{hours:02}:{minutes:02}:{seconds:02}").ok()?;
    if digits > 0 {
        write!(to, ".{fraction:0digits$}").ok()?;
    }
    Some(())
}

fn bytes(all: &[u8], hint: Option<&DisplayHint>, to: &mut String) -> Option<()> {
    if let Some(DisplayHint::Ascii) = hint {
        let escaped = all.iter().flat_map(|&byte| byte.escape_ascii());
        let escaped: String = escaped.map(char::from).collect();
        return write!(to, "b\"{escaped}\"").ok();
    }
    to.push('[');
    for (place, &byte) in all.iter().enumerate() {
        to.push_str(if place == 0 { "" } else { ", " });
        unsigned(byte.into(), hint, to)?;
    }
    to.push(']');
    Some(())
}
