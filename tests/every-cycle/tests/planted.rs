//! Plants typical kernel bugs in a copy of the kernel and checks that the sweep finds each.

mod built;

use every_cycle::{Findings, sweep, sweep_exceptions, sweep_lines};

fn is_found(bug: &str, program: &str, file: &str, old: &str, new: &str) {
    is_found_on(built::V7, bug, program, file, old, new);
}

fn is_found_on(set: built::Set, bug: &str, program: &str, file: &str, old: &str, new: &str) {
    let image = set.with_bug(bug, program, file, old, new);
    finds(sweep(&set.board(), &image, &[1, 2, 3]));
}

fn is_found_on_lines(set: built::Set, bug: &str, program: &str, file: &str, old: &str, new: &str) {
    let image = set.with_bug(bug, program, file, old, new);
    finds(sweep_lines(&set.board(), &image, &set.lines()));
}

fn is_found_behind_a_plic(bug: &str, old: &str, new: &str) {
    let file = "kernel/mainspring/src/arch/rv32/plic.rs";
    let (image, board) = (
        built::PLIC.with_bug(bug, "plic", file, old, new),
        built::PLIC.board(),
    );
    let sources = ["PLIC:1", "PLIC:2", "UART"].map(|name| board.input(name).expect("a source of the board"));
    finds(sweep_exceptions(&board, &image, &sources, 11));
}

fn finds(findings: anyhow::Result<Findings>) {
    match findings {
        Ok(findings) => assert!(
            !findings.broken.is_empty(),
            "{} runs found nothing",
            findings.runs
        ),
        Err(alone) => panic!("found without an interrupt, which proves nothing: {alone}"),
    }
}

/// Handlers do not stack BASEPRI: a task that ends its section with a constant threshold cancels the section that it pre-empted.
#[test]
fn restoring_a_constant() {
    is_found(
        "constant",
        "lock",
        "kernel/core/src/section.rs",
        "            Restore::Read\n        };",
        "            Restore::Known(0)\n        };",
    );
}

/// Without a fence the compiler may move the data's accesses out of the section.
#[test]
fn no_fence() {
    is_found(
        "fence",
        "lock",
        "kernel/mainspring/src/arch/cortex_m/basepri.rs",
        "options(nostack, preserves_flags)",
        "options(nomem, nostack, preserves_flags)",
    );
}

/// A ceiling that ignores the most urgent user holds back one task too few.
#[test]
fn a_ceiling_too_low() {
    is_found(
        "ceiling",
        "two",
        "kernel/mainspring/src/uses.rs",
        "if ceilings[i] > highest",
        "if highest == 0",
    );
}

/// An inner section that returns to no section at all leaves the outer one open.
#[test]
fn an_inner_section_that_ends_the_outer_one() {
    is_found(
        "nested",
        "nested",
        "kernel/core/src/section.rs",
        "threshold: plan.known(raised),",
        "threshold: plan.known(0),",
    );
}

/// An unconditional store hands out a block that another task already has.
#[test]
fn a_store_without_a_condition() {
    is_found(
        "condition",
        "pool",
        "kernel/mainspring/src/arch/cortex_m/exclusives.rs",
        "\"strex r3, {}, [{}, #{}]\",",
        "\"str {}, [{}, #{}]\", \"movs r3, #0\",",
    );
}

/// A box dropped without the key goes to a list of its own: the key's list is protected by its ceiling only.
#[test]
fn one_list_for_the_key_and_for_everybody() {
    is_found(
        "one-list",
        "pool-key",
        "kernel/mainspring/src/pool/store.rs",
        "push::<P, Shared, W, 1>",
        "push::<P, Shared, W, 0>",
    );
}

/// Deciding outside of the kernel's section misses changes in between.
#[test]
fn a_kernel_section_that_holds_nobody_back() {
    is_found(
        "kernel-section",
        "threads",
        "kernel/mainspring/src/arch/cortex_m/section.rs",
        "PlanOf::<A>::PLAN.kernel_ceiling() % PlanOf",
        "1 % PlanOf",
    );
}

/// A switch that ends the kernel's section before the next stack is in place; only the tick finds it.
#[test]
fn a_section_that_ends_too_early() {
    let image = built::V7.with_bug(
        "early-end",
        "mutex",
        "kernel/mainspring/src/arch/cortex_m/switch.rs",
        "\"mov sp, r1\", \"msr BASEPRI, r2\", \"mov",
        "\"msr BASEPRI, r2\", \"mov sp, r1\", \"mov",
    );
    let alone = sweep(&built::board(), &image, &[]);
    assert!(alone.is_err(), "{alone:?}");
}

/// A switch that ignores another section's interrupt mask. It is found without an interrupt.
#[test]
fn a_switch_inside_of_a_critical_section() {
    let image = built::V7.with_bug(
        "held",
        "held",
        "kernel/mainspring/src/arch/cortex_m/switch.rs",
        "((primask | no) << LEFT_BIT)",
        "(no << LEFT_BIT)",
    );
    let alone = sweep(&built::board(), &image, &[]);
    assert!(alone.is_err(), "{alone:?}");
}

/// A message for a less urgent thread is delivered, but the thread is not woken. It is found without an interrupt.
#[test]
fn a_message_that_wakes_nobody() {
    let image = built::V7.with_bug(
        "handed",
        "queue",
        "kernel/mainspring/src/threads/queue.rs",
        "if first.is_plain() {\n                first.release(kernel, &self.receivers);",
        "if first.is_plain() {",
    );
    let alone = sweep(&built::board(), &image, &[]);
    assert!(alone.is_err(), "{alone:?}");
}

/// A switch that saves too few registers of a pre-empted thread.
#[test]
fn a_register_that_the_switch_forgets() {
    is_found(
        "register",
        "mutex",
        "kernel/mainspring/src/arch/cortex_m/pendsv.rs",
        "[\"ldmia r0!, {{r4-r11}}\"]",
        "[\"adds r0, #4\" \"ldmia r0!, {{r5-r11}}\"]",
    );
}

/// A thread that answers and continues with its asker, although a more urgent thread was woken meanwhile.
#[test]
fn an_answer_that_looks_at_nobody_else() {
    is_found(
        "answer",
        "queue",
        "kernel/mainspring/src/threads/port.rs",
        "client, others | special & client)",
        "client, special & client)",
    );
}

/// A question that arrives while another is being answered, and that the answering thread never learns of.
#[test]
fn a_question_that_is_forgotten() {
    is_found(
        "question",
        "queue",
        "kernel/mainspring/src/threads/port.rs",
        "            self.served.answered.set(exchange.client.replace(0));",
        "            self.served.answered.set(exchange.client.get());",
    );
}

/// A section that does not mask the most urgent of its tasks.
#[test]
fn on_armv6m_a_mask_too_small() {
    let file = "kernel/mainspring/src/arch/cortex_m/enable_bits.rs";
    is_found_on(
        built::V6,
        "v6-mask",
        "two",
        file,
        "W::CEILING, 0",
        "W::CEILING - 1, 0",
    );
}

/// Without LDREX and STREX a pool relies on masked interrupts.
#[test]
fn on_armv6m_a_pool_that_holds_nobody_back() {
    let file = "kernel/mainspring/src/arch/cortex_m/held.rs";
    is_found_on(built::V6, "v6-pool", "pool", file, "before: hold()", "before: 0");
}

/// SysTick has no enable bit: a section that clears bits does not hold its task back.
#[test]
fn on_armv6m_a_section_that_forgets_systick() {
    let file = "kernel/mainspring/src/arch/cortex_m/enable_bits.rs";
    is_found_on(
        built::V6,
        "v6-systick",
        "systick",
        file,
        "PlanOf::<W::App>::PLAN.has_system(W::FROM.priority, W::CEILING)",
        "false",
    );
}

#[test]
fn on_rv32_a_mask_too_small() {
    let file = "kernel/mainspring/src/arch/rv32/start.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-mask",
        "messages",
        file,
        "W::CEILING) };",
        "W::CEILING - 1) };",
    );
}

#[test]
fn on_rv32_a_pool_that_holds_nobody_back() {
    let file = "kernel/mainspring/src/arch/rv32.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-pool",
        "pool",
        file,
        "SharedSection { before: hold() }",
        "SharedSection { before: 0 }",
    );
}

/// A trap inside a trap-started task returns to where the second trap came from.
#[test]
fn on_rv32_a_trap_that_forgets_where_it_came_from() {
    let file = "kernel/mainspring/src/arch/rv32/trap.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-mepc",
        "sections",
        file,
        "\"   csrw mepc, t0\",",
        "",
    );
}

/// An interrupt return leaves the least-privileged mode in MPP, so that the interrupted return would go there.
#[test]
fn on_rv32_a_trap_that_returns_to_user_mode() {
    let file = "kernel/mainspring/src/arch/rv32/trap.rs";
    is_found_on_lines(
        built::IBEX,
        "rv32-mpp",
        "sections",
        file,
        "\"   csrs mstatus, t0\",",
        "",
    );
}

/// An interrupt between load and store of the word of task bits requests a task, and the request is lost.
#[test]
fn on_rv32_asking_with_interrupts_on() {
    let file = "kernel/mainspring/src/arch/rv32.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-asking",
        "sections",
        file,
        "    ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);\n    // SAFETY: this is what `hold` found.\n    unsafe { release(before) };",
        "    unsafe { release(before) };\n    ASKED.store(ASKED.load(Relaxed) | bit, Relaxed);",
    );
}

/// A trap that uses a register for the thread's stack without saving it.
#[test]
fn on_rv32_a_trap_that_forgets_a_register() {
    let file = "kernel/mainspring/src/arch/rv32/threads/interrupt.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-register",
        "queue",
        file,
        "\"   sw s0, 68(sp)\\n\",",
        "",
    );
}

/// Deciding outside of the kernel's section misses changes in between.
#[test]
fn on_rv32_a_kernel_section_that_holds_nobody_back() {
    let file = "kernel/mainspring/src/arch/rv32/threads.rs";
    is_found_on_lines(
        built::VEXRISCV,
        "rv32-kernel-section",
        "threads",
        file,
        "let before = hold() & MIE;",
        "let before = MIE;",
    );
}

/// Another trap records a line a second time before its task has lowered it.
#[test]
fn behind_a_plic_a_line_that_is_noted_again() {
    is_found_behind_a_plic(
        "plic-again",
        "let wants = lines & may;",
        "let wants = lines | may & 0;",
    );
}

/// A recorded interrupt is lost when another arrives, and never enabled again. The program's own timer and UART find it.
#[test]
fn behind_a_plic_a_line_that_is_forgotten() {
    let old = "CAME.store(CAME.load(Relaxed) | came, Relaxed);";
    let image = built::PLIC.with_bug(
        "plic-forgotten",
        "plic",
        "kernel/mainspring/src/arch/rv32/plic.rs",
        old,
        "CAME.store(came, Relaxed);",
    );
    let alone = sweep_exceptions(&built::PLIC.board(), &image, &[], 1);
    assert!(alone.is_err(), "{alone:?}");
}
