//! Mainspring's tasks, locks, messages, start, pool and threads, with every competing interrupt at every cycle.

mod built;
mod messages;

use every_cycle::{Findings, sweep, sweep_lines};

/// GPIOB, GPIOC and GPIOD, on which the programs have their competing tasks.
const COMPETING: [u16; 3] = [1, 2, 3];

fn holds(program: &str, interrupts: &[u16]) {
    holds_on(built::V7, program, interrupts);
}

fn holds_on(set: built::Set, program: &str, interrupts: &[u16]) {
    let image = set.programs().image(program);
    nothing_broken(program, sweep(&set.board(), &image, interrupts));
}

fn holds_on_lines(set: built::Set, program: &str) {
    let image = set.programs().image(program);
    nothing_broken(program, sweep_lines(&set.board(), &image, &set.lines()));
}

fn nothing_broken(program: &str, findings: anyhow::Result<Findings>) {
    let findings = findings.expect("ends well by itself");
    println!("{program}: {} runs", findings.runs);
    assert!(
        findings.runs > 500,
        "too few cycles to mean anything: {}",
        findings.runs
    );
    assert!(
        findings.broken.is_empty(),
        "{} of {} runs: {:#?}",
        findings.broken.len(),
        findings.runs,
        findings.broken
    );
}

#[test]
fn a_lock_loses_no_update() {
    holds("lock", &COMPETING);
}

#[test]
fn nested_locks_lose_no_update() {
    holds("nested", &COMPETING);
}

#[test]
fn two_resources_in_one_lock_lose_no_update() {
    holds("two", &COMPETING);
}

#[test]
fn a_task_of_systick_may_share() {
    holds("systick", &COMPETING);
}

#[test]
fn every_message_arrives_once_and_in_order() {
    holds("spawn", &[2]);
}

#[test]
fn no_task_runs_before_its_state_is_there() {
    holds("setup", &[0, 1, 2]);
}

#[test]
fn no_block_is_lost_or_has_two_owners() {
    holds("pool", &COMPETING);
}

#[test]
fn nor_where_allocations_fail() {
    holds("pool-dry", &COMPETING);
}

#[test]
fn nor_where_boxes_are_dropped_beside_the_key() {
    holds("pool-key", &COMPETING);
}

#[test]
fn threads_lose_nothing_that_tasks_give() {
    holds("threads", &[1, 2]);
}

#[test]
fn a_mutex_has_one_owner_whoever_waits_for_it() {
    holds("mutex", &[1, 2]);
}

#[test]
fn messages_and_questions_arrive_once_and_in_order() {
    holds("queue", &[1, 2]);
}

/// Where sections clear enable bits, and a pool holds interrupts back.
#[test]
fn nothing_breaks_on_armv6m() {
    for program in ["lock", "nested", "two", "pool", "systick"] {
        holds_on(built::V6, program, &COMPETING);
    }
    holds_on(built::V6, "spawn", &[2]);
    holds_on(built::V6, "setup", &[0, 1, 2]);
}

/// Where levels are bits of a mask, and tasks are called.
#[test]
fn nothing_breaks_on_rv32() {
    for program in ["sections", "messages"] {
        holds_on_lines(built::VEXRISCV, program);
    }
    for program in ["sections", "pool"] {
        holds_on_lines(built::IBEX, program);
    }
}
