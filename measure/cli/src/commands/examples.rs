//! The examples at the end of each command's help. A test runs each of these lines.

pub(super) const RUN: &str = "Examples:\n\
\x20 cyclescope run app.elf --board stm32f100rb\n\
\x20 cyclescope run app.elf --board stm32f100rb --for 10ms --stats\n\
\x20 cyclescope run app.elf --board stm32f100rb --trace trace.vcd --trace-from main";

pub(super) const TEST: &str = "Examples:\n\
\x20 cyclescope test tests.elf --board stm32f100rb\n\
\x20 cyclescope test tests.elf --board stm32f100rb passes --exact --nocapture";

pub(super) const COST: &str = "Examples:\n\
\x20 cyclescope cost app.elf work --board stm32f100rb\n\
\x20 cyclescope cost app.elf work --board stm32f100rb --count 100 --stack --json -";

pub(super) const WHY: &str = "Examples:\n\
\x20 cyclescope why app.elf work --board stm32f100rb\n\
\x20 cyclescope why app.elf exception:IRQ6 --raise IRQ6@20 --board stm32f100rb";

pub(super) const PROFILE: &str = "Examples:\n\
\x20 cyclescope profile app.elf --board stm32f100rb\n\
\x20 cyclescope profile app.elf --board stm32f100rb --flamegraph cycles.svg";

pub(super) const MEASURE: &str = "Examples:\n\
\x20 cyclescope measure spec.toml --json new.json\n\
\x20 cyclescope measure spec.toml --board stm32f407 --timeout 5min";

pub(super) const BENCH: &str = "Examples:\n\
\x20 cyclescope bench benches.elf --board stm32f100rb\n\
\x20 cyclescope bench benches.elf sort --board stm32f100rb --json bench.json --timeline";

pub(super) const GATE: &str = "Examples:\n\
\x20 cyclescope gate spec.toml --limits limits.toml\n\
\x20 cyclescope gate spec.toml --limits limits.toml --save\n\
\x20 cyclescope gate new.json --limits limits.toml --junit cycles.xml --annotate";

pub(super) const DISASM: &str = "Examples:\n\
\x20 cyclescope disasm app.elf\n\
\x20 cyclescope disasm app.elf work";

pub(super) const BOARDS: &str = "Examples:\n\
\x20 cyclescope boards";

pub(super) const BOARD: &str = "Examples:\n\
\x20 cyclescope board new --svd chip.svd\n\
\x20 cyclescope board new --svd chip.svd --rom 0x08000000:512K --ram 0x20000000:64K -o mine.toml";

pub(super) const CORES: &str = "Examples:\n\
\x20 cyclescope cores --json -";

pub(super) const RULES: &str = "Examples:\n\
\x20 cyclescope rules --core cortex-m4\n\
\x20 cyclescope rules branch-taken";

pub(super) const COMPLETIONS: &str = "Examples:\n\
\x20 cyclescope completions bash";

pub(super) const MAN: &str = "Examples:\n\
\x20 cyclescope man --dir man";

pub(super) const REPORT: &str = "Examples:\n\
\x20 cyclescope report new.json -o page.html";

pub(super) const DIFF: &str = "Examples:\n\
\x20 cyclescope diff new.json new.json";

pub(super) const PRICES: &str = "Examples:\n\
\x20 cyclescope prices\n\
\x20 cyclescope prices --json prices.json";

pub(super) const GDB: &str = "Examples:\n\
\x20 cyclescope gdb app.elf --board stm32f100rb\n\
\x20 gdb-multiarch app.elf -ex 'target remote :3333'";

pub(super) const COMPARE: &str = "Examples:\n\
\x20 cyclescope compare spec.toml --backend gdb:localhost:3333 --within 2";
