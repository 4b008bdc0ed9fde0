//! Mainspring's tasks, locks, messages, start, pool and threads, with every competing interrupt at every cycle.

mod built;

use every_cycle::sweep;

/// GPIOB, GPIOC and GPIOD, on which the programs have their competing tasks.
const COMPETING: [u16; 3] = [1, 2, 3];

fn holds(program: &str, interrupts: &[u16]) {
    let programs = built::programs();
    let findings = sweep(&built::board(), &programs.image(program), interrupts).expect("ends well by itself");
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
