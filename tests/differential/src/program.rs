//! Random programs.

use fastrand::Rng;
use isa_thumb::table::Row;
use isa_thumb::{Insn, ItRule, ItState, Op, Width, decode};

use crate::encode::{comparable, sample, with_offset};
use crate::patch::{Fresh, Patch};
use crate::stimulus::Stimulus;
use crate::{FIRST, Target, known};

/// One instruction, an IT block, or a few instructions that belong together. No jump leads into its middle.
pub struct Group {
    /// Address of its first instruction.
    pub start: u32,
    /// The instructions.
    pub insns: Vec<Insn>,
    pub(crate) patch: Patch,
    /// The state to load if execution starts here.
    pub(crate) fresh: Fresh,
}

impl Group {
    /// The address after its last instruction.
    pub fn end(&self) -> u32 {
        self.start + length(&self.insns)
    }

    /// Its instructions and their addresses.
    pub fn listing(&self) -> impl Iterator<Item = (u32, &Insn)> {
        self.insns.iter().scan(self.start, |next, insn| {
            let address = *next;
            *next += u32::from(insn.size);
            Some((address, insn))
        })
    }
}

/// Where an instruction is in a program.
#[derive(Clone, Copy)]
struct Place {
    group: u16,
    index: u16,
}

/// A sequence of groups, starting at [`FIRST`].
pub struct Program {
    /// The groups in address order.
    pub groups: Vec<Group>,
    /// The instruction that starts at each halfword of code, if any.
    places: Vec<Option<Place>>,
}

/// Number of following groups that a branch may target.
const REACH: usize = 6;

impl Program {
    /// A random program of about `groups` groups.
    pub fn random(target: Target, groups: usize, rng: &mut Rng) -> Self {
        let mut bodies: Vec<Vec<Insn>> = (0..groups).map(|_| random_group(target, rng)).collect();
        bodies.extend(std::iter::repeat_n(vec![nop()], REACH + 2));
        let starts = layout(&bodies);
        for (index, body) in bodies.iter_mut().take(groups).enumerate() {
            aim_branches(body, starts[index], &starts[index + 1..], rng);
        }
        let groups = bodies.into_iter().enumerate().map(|(index, insns)| {
            let (patch, fresh) = stimuli(target, &insns, index, &starts, rng);
            Group {
                start: starts[index],
                insns,
                patch,
                fresh,
            }
        });
        Program::new(groups.collect())
    }

    /// The same instructions with other values in each patch.
    #[must_use]
    pub fn again(&self, target: Target, rng: &mut Rng) -> Self {
        let starts: Vec<u32> = self.groups.iter().map(|group| group.start).collect();
        let groups = self.groups.iter().enumerate().map(|(index, group)| {
            let (patch, fresh) = stimuli(target, &group.insns, index, &starts, rng);
            Group {
                start: group.start,
                insns: group.insns.clone(),
                patch,
                fresh,
            }
        });
        Program {
            groups: begun_alike(groups.collect()),
            places: self.places.clone(),
        }
    }

    fn new(groups: Vec<Group>) -> Self {
        let mut places = Vec::new();
        for (group, body) in (0u16..).zip(&groups) {
            for (index, insn) in (0u16..).zip(&body.insns) {
                places.push(Some(Place { group, index }));
                places.resize(places.len() + usize::from(insn.size) / 2 - 1, None);
            }
        }
        Program {
            groups: begun_alike(groups),
            places,
        }
    }

    fn place(&self, address: u32) -> Option<Place> {
        let halfword = address.checked_sub(FIRST)? as usize / 2;
        self.places.get(halfword).copied().flatten()
    }

    /// The group that starts at `address`.
    pub fn group_at(&self, address: u32) -> Option<usize> {
        self.place(address)
            .filter(|place| place.index == 0)
            .map(|place| usize::from(place.group))
    }

    /// The instruction that starts at `address`.
    pub fn insn_at(&self, address: u32) -> Option<&Insn> {
        let place = self.place(address)?;
        self.groups[usize::from(place.group)]
            .insns
            .get(usize::from(place.index))
    }

    /// The last group that starts at or before `address`.
    pub fn group_around(&self, address: u32) -> Option<usize> {
        self.groups
            .partition_point(|group| group.start <= address)
            .checked_sub(1)
    }

    /// The program's bytes, to be loaded at [`FIRST`].
    pub fn bytes(&self) -> Vec<u8> {
        self.groups
            .iter()
            .flat_map(|group| &group.insns)
            .flat_map(bytes)
            .collect()
    }

    /// The address after the last instruction.
    pub fn end(&self) -> u32 {
        self.groups.last().map_or(FIRST, Group::end)
    }
}

/// Gives all groups the same CONTROL, since Unicorn retranslates when it changes.
fn begun_alike(mut groups: Vec<Group>) -> Vec<Group> {
    let control = groups.first().map_or(0, |group| group.fresh.control);
    for group in &mut groups {
        group.fresh.control = control;
    }
    groups
}

/// A group's patch, and its fresh state.
fn stimuli(target: Target, insns: &[Insn], index: usize, starts: &[u32], rng: &mut Rng) -> (Patch, Fresh) {
    let targets = &starts[(index + 1).min(starts.len() - 1)..];
    let patch = Stimulus::new(target, rng).patch(insns, starts[index], targets);
    (patch, Stimulus::new(target, rng).fresh())
}

pub(crate) fn bytes(insn: &Insn) -> Vec<u8> {
    let (high, low) = ((insn.raw >> 16) as u16, insn.raw as u16);
    let halfwords = if insn.size == 4 {
        vec![high, low]
    } else {
        vec![low]
    };
    halfwords.into_iter().flat_map(u16::to_le_bytes).collect()
}

pub(crate) fn length(insns: &[Insn]) -> u32 {
    insns.iter().map(|insn| u32::from(insn.size)).sum()
}

pub(crate) fn layout(bodies: &[Vec<Insn>]) -> Vec<u32> {
    let ends = bodies.iter().scan(FIRST, |end, body| {
        let start = *end;
        *end += length(body);
        Some(start)
    });
    ends.collect()
}

fn nop() -> Insn {
    decode(0xbf00).expect("NOP is an instruction")
}

pub(crate) fn random_group(target: Target, rng: &mut Rng) -> Vec<Insn> {
    let v7 = target.isa().is_v7();
    let insn = match rng.u8(..100) {
        0..=12 if !v7 => random_of(target, rng, |_| true),
        0 => return exclusive_pair(target, rng),
        1..=12 => random_of(target, rng, |row| row.op == Some(Op::It)),
        _ => random_of(target, rng, |_| true),
    };
    let mut group = vec![insn];
    let mut state = ItState::OUTSIDE.after(&insn);
    while state.in_block() {
        let last = state.is_last();
        let fits = |insn: &Insn| may_stand(insn.it, last) && known::left_out_of_it_blocks(insn).is_none();
        group.push(random_insn(target, rng, fits));
        state = state.advance();
    }
    group
}

fn may_stand(rule: ItRule, last: bool) -> bool {
    match rule {
        ItRule::Any => true,
        ItRule::OutsideOrLast => last,
        ItRule::Outside => false,
    }
}

/// A random instruction from the wanted rows; all rows are equally likely.
fn random_of(target: Target, rng: &mut Rng, wanted: impl Fn(&Row) -> bool) -> Insn {
    loop {
        let rows = comparable(target);
        let row = rows[rng.usize(..rows.len())];
        if wanted(row)
            && let Some(insn) = sample(target, row, rng)
        {
            return insn;
        }
    }
}

fn random_insn(target: Target, rng: &mut Rng, wanted: impl Fn(&Insn) -> bool) -> Insn {
    loop {
        let insn = random_of(target, rng, |_| true);
        if wanted(&insn) {
            return insn;
        }
    }
}

/// LDREX, sometimes CLREX, and the matching STREX of the same size and address.
fn exclusive_pair(target: Target, rng: &mut Rng) -> Vec<Insn> {
    let load = random_of(target, rng, |row| row.op == Some(Op::Ldrex));
    let (value, status) = (rng.u32(..8), 8 + rng.u32(..5));
    let base = u32::from(load.rn.0);
    let raw = match load.width {
        Width::Word => 0xe840_0000 | base << 16 | value << 12 | status << 8 | load.imm >> 2,
        Width::Half => 0xe8c0_0f50 | base << 16 | value << 12 | status,
        Width::Byte => 0xe8c0_0f40 | base << 16 | value << 12 | status,
    };
    let clear = decode(0xf3bf_8f2f).into_iter().filter(|_| rng.u8(..4) == 0);
    let Ok(store) = decode(raw) else { return vec![load] };
    let keeps_base = load.rd != load.rn;
    std::iter::once(load)
        .chain(clear)
        .chain(keeps_base.then_some(store))
        .collect()
}

/// Gives every direct branch a target among the following groups.
pub(crate) fn aim_branches(body: &mut [Insn], start: u32, targets: &[u32], rng: &mut Rng) {
    let mut address = start;
    for insn in body {
        if matches!(insn.op, Op::B | Op::Bl | Op::Cbz | Op::Cbnz) {
            let reachable: Vec<Insn> = targets
                .iter()
                .take(REACH)
                .filter_map(|&target| with_offset(insn, target.wrapping_sub(address + 4) as i32))
                .collect();
            *insn = rng.choice(reachable).unwrap_or_else(nop);
        }
        address += u32::from(insn.size);
    }
}
