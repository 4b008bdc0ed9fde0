//! The pages that an image takes in its own address space.

use std::collections::BTreeMap;

use crate::{PAGE, ram};
use machine::image::Image;

/// A page's contents and what may be done with it.
#[derive(Clone, Debug)]
struct Page {
    rights: u32,
    bytes: Vec<u8>,
}

/// All pages of an image, by address.
#[derive(Debug)]
pub(super) struct Pages {
    pages: BTreeMap<u32, Page>,
    /// The first byte, and the one behind the last.
    extent: (u32, u64),
}

/// Pages that follow each other and have the same rights.
#[derive(Debug)]
pub(super) struct Run {
    /// The address of the first.
    pub(super) at: u32,
    pub(super) rights: u32,
    pub(super) bytes: Vec<u8>,
}

impl Run {
    /// How many they are.
    pub(super) fn pages(&self) -> u32 {
        self.bytes.len() as u32 / PAGE
    }
}

impl Pages {
    /// The pages of this image. What shares a page has the rights of all of it. `None` if they are more than any board has memory for.
    pub(super) fn of(image: &Image) -> Option<Pages> {
        let mut all = Pages {
            pages: BTreeMap::new(),
            extent: (u32::MAX, 0),
        };
        let segments = image.segments().iter().filter(|segment| segment.runs_size > 0);
        let total: u64 = segments.clone().map(|segment| u64::from(segment.runs_size)).sum();
        if total > MOST {
            return None;
        }
        for segment in segments {
            let end = u64::from(segment.runs_at) + u64::from(segment.runs_size);
            all.extent = (all.extent.0.min(segment.runs_at), all.extent.1.max(end));
            let may = |allowed, right| if allowed { right } else { 0 };
            let rights =
                ram::READ | may(segment.writable, ram::WRITE) | may(segment.executable, ram::EXECUTE);
            all.add(segment.runs_at, segment.runs_size, rights, &segment.bytes);
        }
        Some(all)
    }

    fn add(&mut self, at: u32, size: u32, rights: u32, bytes: &[u8]) {
        let last = at + (size - 1);
        for number in at / PAGE..=last / PAGE {
            let page = self.pages.entry(number * PAGE).or_insert_with(|| Page {
                rights: 0,
                bytes: vec![0; PAGE as usize],
            });
            page.rights |= rights;
            // The part of the segment's bytes that lies in this page.
            let from = (number * PAGE).max(at);
            let stored = bytes.get((from - at) as usize..).unwrap_or_default();
            let place = (from % PAGE) as usize;
            let count = stored.len().min(PAGE as usize - place);
            page.bytes[place..place + count].copy_from_slice(&stored[..count]);
        }
    }

    /// Its first byte, and how many from there to its last one.
    pub(super) fn extent(&self) -> (u32, u32) {
        let (begins, end) = self.extent;
        (begins, end.saturating_sub(begins.into()) as u32)
    }

    /// The pages in runs, ascending.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (&at, page) in &self.pages {
            match runs.last_mut() {
                Some(run) if run.rights == page.rights && at - run.at == run.bytes.len() as u32 => {
                    run.bytes.extend_from_slice(&page.bytes);
                }
                _ => runs.push(Run {
                    at,
                    rights: page.rights,
                    bytes: page.bytes.clone(),
                }),
            }
        }
        runs
    }
}

/// Bytes that an image may take: as much memory as any board may have.
const MOST: u64 = 256 << 20;
