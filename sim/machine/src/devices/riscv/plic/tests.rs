use super::*;

const SUPERVISOR: u32 = THRESHOLD_STEP;

fn plic() -> Plic {
    Plic::new(52, Contexts::MachineAndSupervisor)
}

/// Sources 3 and 40 of priority 1, enabled for machine mode.
fn ready() -> Plic {
    let mut plic = plic();
    plic.write(PRIORITY + 4 * 3, 4, 1, 0).unwrap();
    plic.write(PRIORITY + 4 * 40, 4, 1, 0).unwrap();
    plic.write(ENABLE, 4, 1 << 3, 0).unwrap();
    plic.write(ENABLE + 4, 4, 1 << 8, 0).unwrap();
    plic
}

fn told(plic: &mut Plic, now: u64) -> Vec<(Irq, bool)> {
    let mut told = Vec::new();
    plic.poll(now, &mut |irq, level| told.push((irq, level)));
    told
}

#[test]
fn a_claim_takes_the_request_and_the_output_falls() {
    let mut plic = ready();
    plic.hear_source(40, true, 5);
    assert_eq!(plic.next_event(), 5);
    assert_eq!(told(&mut plic, 5), [(Irq::MACHINE_EXTERNAL, true)]);
    assert_eq!(plic.read(PENDING + 4, 4, 6), Ok(1 << 8));
    assert_eq!(plic.read(CLAIM, 4, 6), Ok(40));
    assert_eq!(told(&mut plic, 6), [(Irq::MACHINE_EXTERNAL, false)]);
    assert_eq!(plic.read(PENDING + 4, 4, 7), Ok(0));
    assert_eq!(plic.read(CLAIM, 4, 7), Ok(0), "nothing more waits");
}

#[test]
fn a_source_that_is_still_high_at_completion_asks_again() {
    let mut plic = ready();
    plic.hear_source(3, true, 0);
    assert_eq!(plic.read(CLAIM, 4, 1), Ok(3));
    // Its gateway is closed meanwhile.
    plic.hear_source(3, true, 2);
    assert_eq!(plic.read(CLAIM, 4, 2), Ok(0));
    plic.write(CLAIM, 4, 3, 3).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 4), Ok(3));
    plic.hear_source(3, false, 5);
    plic.write(CLAIM, 4, 3, 6).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 7), Ok(0));
}

#[test]
fn a_pulse_asks_once_and_leaves_the_level_alone() {
    let mut plic = ready();
    plic.pulse_source(3, 4);
    assert_eq!(told(&mut plic, 4), [(Irq::MACHINE_EXTERNAL, true)]);
    assert_eq!(plic.read(CLAIM, 4, 5), Ok(3));
    // Its gateway is closed meanwhile.
    plic.pulse_source(3, 6);
    plic.write(CLAIM, 4, 3, 7).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 8), Ok(0));
    plic.hear_source(3, true, 9);
    assert_eq!(plic.read(CLAIM, 4, 10), Ok(3));
    plic.pulse_source(3, 11);
    plic.write(CLAIM, 4, 3, 12).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 13), Ok(3), "it is still high");
}

#[test]
fn a_request_stays_when_its_level_falls() {
    let mut plic = ready();
    plic.hear_source(3, true, 0);
    plic.hear_source(3, false, 1);
    assert_eq!(plic.read(CLAIM, 4, 2), Ok(3));
}

#[test]
fn priority_comes_first_then_the_lower_number() {
    let mut plic = ready();
    plic.hear_source(40, true, 0);
    plic.hear_source(3, true, 0);
    assert_eq!(plic.read(CLAIM, 4, 1), Ok(3));
    plic.write(CLAIM, 4, 3, 2).unwrap();
    plic.write(PRIORITY + 4 * 40, 4, 7, 2).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 3), Ok(40));
}

#[test]
fn the_threshold_holds_interrupts_off_but_no_claim() {
    let mut plic = ready();
    plic.write(THRESHOLD, 4, 1, 0).unwrap();
    plic.hear_source(3, true, 1);
    assert_eq!(plic.next_event(), u64::MAX);
    plic.write(PRIORITY + 4 * 3, 4, 2, 2).unwrap();
    assert_eq!(told(&mut plic, 2), [(Irq::MACHINE_EXTERNAL, true)]);
    plic.write(THRESHOLD, 4, 7, 3).unwrap();
    assert_eq!(told(&mut plic, 3), [(Irq::MACHINE_EXTERNAL, false)]);
    assert_eq!(plic.read(CLAIM, 4, 4), Ok(3));
}

#[test]
fn supervisor_mode_has_bits_and_an_output_of_its_own() {
    let mut plic = plic();
    plic.write(PRIORITY + 4 * 10, 4, 1, 0).unwrap();
    plic.write(ENABLE + 0x80, 4, 1 << 10, 0).unwrap();
    plic.hear_source(10, true, 0);
    assert_eq!(told(&mut plic, 0), [(Irq::SUPERVISOR_EXTERNAL, true)]);
    assert_eq!(plic.read(CLAIM, 4, 1), Ok(0), "it is not machine mode's");
    assert_eq!(plic.read(CLAIM + SUPERVISOR, 4, 1), Ok(10));
}

#[test]
fn a_completion_of_a_source_that_is_not_enabled_is_ignored() {
    let mut plic = ready();
    plic.hear_source(3, true, 0);
    assert_eq!(plic.read(CLAIM, 4, 1), Ok(3));
    plic.write(CLAIM + SUPERVISOR, 4, 3, 2).unwrap();
    assert_eq!(plic.read(CLAIM, 4, 3), Ok(0), "machine mode still serves it");
}

#[test]
fn source_0_and_those_beyond_the_last_do_not_exist() {
    let mut plic = plic();
    plic.write(PRIORITY, 4, 7, 0).unwrap();
    assert_eq!(plic.read(PRIORITY, 4, 0), Ok(0));
    plic.write(ENABLE, 4, u32::MAX, 0).unwrap();
    assert_eq!(plic.read(ENABLE, 4, 0), Ok(u32::MAX - 1));
    plic.write(ENABLE + 4, 4, u32::MAX, 0).unwrap();
    assert_eq!(plic.read(ENABLE + 4, 4, 0), Ok((1 << 21) - 1), "32 to 52");
    assert!(plic.read(PRIORITY + 4 * 53, 4, 0).is_err());
    assert!(plic.read(CLAIM + 2 * THRESHOLD_STEP, 4, 0).is_err());
}
