//! The speedscope format (<https://www.speedscope.app/file-format-schema.json>): one profile per context.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::Profile;

impl Profile {
    /// A speedscope file with one profile per context; weights are cycles.
    pub fn speedscope(&self, tool: &str) -> String {
        let mut frames: Vec<Value> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut samples = vec![Vec::new(); self.contexts.len()];
        let mut weights = vec![Vec::new(); self.contexts.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for (names, tally) in self.leaves(index) {
                let stack: Vec<usize> = names
                    .into_iter()
                    .map(|name| {
                        *numbers.entry(name).or_insert_with_key(|name| {
                            frames.push(self.frame(name));
                            frames.len() - 1
                        })
                    })
                    .collect();
                samples[node.context].push(stack);
                weights[node.context].push(tally.total());
            }
        }
        let profiles: Vec<Value> = (0..self.contexts.len())
            .filter(|&context| !weights[context].is_empty())
            .map(|context| {
                json!({
                    "type": "sampled",
                    "name": self.contexts[context].name,
                    "unit": "none",
                    "startValue": 0,
                    "endValue": weights[context].iter().sum::<u64>(),
                    "samples": samples[context],
                    "weights": weights[context],
                })
            })
            .collect();
        let all = json!({
            "$schema": "https://www.speedscope.app/file-format-schema.json",
            "exporter": tool,
            "name": self.elf,
            "activeProfileIndex": 0,
            "shared": { "frames": frames },
            "profiles": profiles,
        });
        format!("{all}\n")
    }

    fn frame(&self, name: &str) -> Value {
        let known = self.functions.iter().find(|function| function.name == name);
        match known.and_then(|function| function.place.as_ref()) {
            Some((file, line)) => json!({ "name": name, "file": file, "line": line }),
            None => json!({ "name": name }),
        }
    }
}
