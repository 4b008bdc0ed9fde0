//! Line wrapping.

/// Terminal width in columns that all tables are laid out for.
pub const WIDTH: usize = 80;

/// Wraps a text to `width` characters, between words; a no-break space does not break.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + length <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// Table rows whose last two columns are texts: `text` follows `front`, and `words` begin at `column`. Longer texts wrap into further
/// lines. No line exceeds [`WIDTH`] unless a single word does.
pub fn beside(front: &str, text: &str, column: usize, words: &str) -> String {
    let from = front.chars().count();
    let mut lines = indented(front, &wrapped(text, WIDTH.saturating_sub(from)), from);
    let in_room = wrapped(words, WIDTH.saturating_sub(column));
    let widest = in_room.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut rest = &in_room[..];
    let last = lines.last_mut().filter(|_| widest > 0);
    if let Some(last) = last {
        let length = last.chars().count();
        let whole = in_room.join(" ");
        if length + 2 <= column && column + widest <= WIDTH {
            last.push_str(&" ".repeat(column - length));
            last.push_str(&in_room[0]);
            rest = &in_room[1..];
        } else if length + 2 + whole.chars().count() <= WIDTH {
            last.push_str("  ");
            last.push_str(&whole);
            rest = &[];
        }
    }
    let column = column.min(WIDTH.saturating_sub(widest));
    lines.extend(rest.iter().map(|line| " ".repeat(column) + line));
    lines.join("\n")
}

/// Puts `front` before the first line and indents the others as far.
fn indented(front: &str, lines: &[String], from: usize) -> Vec<String> {
    let Some((first, rest)) = lines.split_first() else {
        return vec![front.trim_end().to_owned()];
    };
    let rest = rest.iter().map(|line| " ".repeat(from) + line);
    std::iter::once(front.to_owned() + first).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::{beside, wrapped};

    #[test]
    fn words_stand_beside_a_text_or_below_it() {
        assert_eq!(beside("  7  ", "nop", 12, "alu\u{a0}1"), "  7  nop    alu 1");
        assert_eq!(
            beside("  7  ", "a longer one", 12, "alu\u{a0}1"),
            "  7  a longer one  alu 1"
        );
        assert_eq!(beside("  7  ", "", 12, ""), "  7");
        let text = "ldmia.w r0!, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, fp, ip, lr}";
        for column in [12, 40, 60, 75] {
            for words in [
                "load\u{a0}2",
                "store-register-offset\u{a0}210000 + flash-wait\u{a0}7 + multiple\u{a0}60000",
            ] {
                let shown = beside("        12         7  08000000  ", text, column, words);
                assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
                let letters = |text: &str| text.replace(['\u{a0}', ' ', '\n'], "");
                assert!(
                    letters(&shown).ends_with(&letters(&(text.to_owned() + words))),
                    "{shown}"
                );
            }
        }
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a\u{a0}1 +\u{a0}b\u{a0}2", 5), ["a 1", "+ b 2"]);
        assert_eq!(wrapped("", 5), [""; 0]);
    }
}
