//! A profile as JSON: `cyclescope-profile/1`.

use serde_json::{Map, Value, json};

use super::{Masked, MaskedPlace, Profile, Tally};

impl Profile {
    /// The profile's sums as JSON. `tool` is the version written into the file.
    pub fn to_json(&self, tool: &str) -> String {
        let contexts: Vec<Value> = self
            .contexts
            .iter()
            .zip(self.by_context())
            .map(|(context, tally)| {
                json!({ "name": context.name, "entry": context.entry, "runs": context.runs, "cycles": tally.total(), "causes": self.classes_json(&tally) })
            })
            .collect();
        let functions: Vec<Value> = self
            .by_function()
            .iter()
            .map(|sum| self.function_json(sum))
            .collect();
        let lines: Vec<Value> = self
            .by_line()
            .into_iter()
            .filter_map(|(place, line)| {
                let (file, number) = place?;
                Some(json!({ "file": file, "line": number, "count": line.count, "cycles": line.tally.total(), "causes": self.classes_json(&line.tally),
                    "inclusive": line.inclusive.total(), "inclusive_causes": self.classes_json(&line.inclusive) }))
            })
            .collect();
        let below = self.by_instruction_inclusive();
        let instructions: Vec<Value> = self
            .by_instruction()
            .into_iter()
            .map(|(pc, tally)| {
                let code = self.code.get(&pc);
                let inclusive = below.get(&pc).unwrap_or(&tally);
                json!({
                    "pc": format!("{pc:#010x}"), "text": code.map(|code| code.text.as_str()),
                    "function": code.map(|code| self.functions[code.function].name.as_str()),
                    "count": tally.count, "cycles": tally.total(), "rules": self.rules_json(&tally),
                    "inclusive": inclusive.total(), "inclusive_causes": self.classes_json(inclusive),
                })
            })
            .collect();
        let stacks: Vec<Value> = self.stacks.iter().map(|stack| self.stack_json(stack)).collect();
        let (hit, all) = self.coverage();
        let total = self.total();
        let all = json!({
            "format": "cyclescope-profile/1", "tool": tool, "elf": self.elf, "board": self.board, "core": self.core,
            "outcome": self.outcome, "clock_hz": self.clock_hz, "nanoseconds": self.nanoseconds,
            "cycles": self.cycles, "instructions": self.instructions,
            "causes": self.classes_json(&total), "rules": self.rules_json(&total),
            "contexts": contexts, "functions": functions, "lines": lines, "instructions_by_address": instructions,
            "stacks": stacks, "masked": masked_json(&self.masked), "kernels": self.kernels_json(), "latencies": self.latencies_json(), "lines_executed": hit, "lines_with_code": all,
        });
        format!("{all:#}\n")
    }

    fn function_json(&self, sum: &super::ByFunction) -> Value {
        let function = &self.functions[sum.function];
        json!({
            "name": function.name,
            "address": function.address.map(|address| format!("{address:#010x}")),
            "file": function.place.as_ref().map(|(file, _)| file.as_str()),
            "line": function.place.as_ref().map(|(_, line)| *line),
            "calls": sum.calls, "exclusive": sum.exclusive.total(), "inclusive": sum.inclusive,
            "causes": self.classes_json(&sum.exclusive), "inclusive_causes": self.classes_json(&sum.inclusive_causes),
        })
    }

    fn stack_json(&self, stack: &super::Stack) -> Value {
        let path: Vec<&str> = stack
            .path
            .iter()
            .map(|&node| self.functions[self.nodes[node].function].name.as_str())
            .collect();
        json!({
            "context": self.contexts[stack.context].name, "bytes": stack.top - stack.lowest,
            "top": format!("{:#010x}", stack.top), "lowest": format!("{:#010x}", stack.lowest), "path": path,
            "variable": stack.variable.as_ref().map(|(name, size)| json!({ "name": name, "bytes": size })), "runs_into": stack.runs_into,
        })
    }

    fn classes_json(&self, tally: &Tally) -> Value {
        let sums = self
            .by_class(tally)
            .into_iter()
            .zip(&self.classes)
            .filter(|(cycles, _)| *cycles > 0);
        Value::Object(
            sums.map(|(cycles, name)| (name.clone(), cycles.into()))
                .collect::<Map<_, _>>(),
        )
    }

    fn rules_json(&self, tally: &Tally) -> Value {
        let sums = self.by_rule(tally).into_iter();
        Value::Object(
            sums.map(|(rule, cycles)| (rule.to_owned(), cycles.into()))
                .collect::<Map<_, _>>(),
        )
    }
}

fn masked_json(masked: &Masked) -> Value {
    let window = |place: &MaskedPlace| {
        json!({ "cycles": place.longest, "from": format!("{:#010x}", place.from), "to": format!("{:#010x}", place.to),
            "count": place.count, "sum": place.cycles })
    };
    let first = masked.longest.first().cloned().unwrap_or_default();
    json!({ "cycles": masked.cycles, "count": masked.count, "longest": first.longest,
        "from": format!("{:#010x}", first.from), "to": format!("{:#010x}", first.to),
        "windows": masked.longest.iter().map(window).collect::<Vec<_>>() })
}
