use super::*;
use proptest::prelude::*;

const LATENCY: u8 = 5;
const LINE: u32 = 16;

fn flash(settings: FlashSettings) -> Flash {
    let cache = |lines| {
        Some(CacheShape {
            lines,
            ways: lines,
            line: LINE,
            replacement: Replacement::Lru,
        })
    };
    let shape = FlashShape {
        line: LINE,
        prefetches: true,
        instruction_cache: cache(4),
        data_cache: cache(2),
        data_buffer: true,
        shared: false,
        shared_cache: None,
    };
    set(
        Flash::new(vec![(0x800_0000, 0x1000), (0, 0x1000)], shape),
        settings,
    )
}

fn set(mut flash: Flash, settings: FlashSettings) -> Flash {
    flash.set(settings, 0);
    flash
}

fn plain() -> FlashSettings {
    FlashSettings {
        latency: LATENCY,
        ..FlashSettings::default()
    }
}

fn cached() -> FlashSettings {
    FlashSettings {
        instruction_cache: true,
        data_cache: true,
        ..plain()
    }
}

#[test]
fn without_wait_states_nothing_is_asked() {
    let mut flash = flash(FlashSettings {
        latency: 0,
        prefetch: true,
        ..cached()
    });
    assert_eq!(
        flash.fetch(0x800_0000, 0),
        FlashResponse::at_once(Source::Elsewhere)
    );
    assert_eq!(
        flash.read(0x800_0000, 0),
        FlashResponse::at_once(Source::Elsewhere)
    );
    assert!(!flash.is_timed());
}

#[test]
fn a_line_serves_all_of_its_words_and_shows_at_both_addresses() {
    let mut flash = flash(plain());
    assert_eq!(flash.fetch(0x800_0000, 10).wait, 5);
    for (word, address) in [(1, 0x800_0004), (2, 0x8), (3, 0x800_000c)] {
        assert_eq!(flash.fetch(address, 15 + word).by, Source::Line);
    }
    assert_eq!(flash.fetch(0x800_0010, 20).wait, 5);
    assert_eq!(flash.fetch(0x800_0000, 30).by, Source::Array);
}

#[test]
fn the_next_line_is_read_while_one_is_consumed() {
    let mut flash = flash(FlashSettings {
        prefetch: true,
        ..plain()
    });
    // Read in 0..6, given in cycle 6; the next in 6..12: asked for in 9, its data would be due in 10.
    assert_eq!(flash.fetch(0x800_0000, 0).wait, 5);
    let served = flash.fetch(0x800_0010, 9);
    assert_eq!((served.by, served.wait), (Source::Prefetch, 2));
    // The next line is read in 12..18; the line after it from 30 on, when this one was requested.
    assert_eq!(flash.fetch(0x800_0020, 30).wait, 0);
    assert_eq!(flash.fetch(0x800_0030, 31).wait, 4);
}

#[test]
fn a_jump_waits_for_what_is_read_ahead_but_not_for_what_would_be() {
    let settings = FlashSettings {
        prefetch: true,
        ..plain()
    };
    let mut under_way = flash(settings);
    under_way.fetch(0x800_0000, 0);
    let served = under_way.fetch(0x800_0100, 8);
    assert_eq!((served.queued, served.wait), (4, 9));
    let mut to_come = flash(settings);
    to_come.fetch(0x800_0000, 0);
    let served = to_come.fetch(0x800_0100, 5);
    assert_eq!((served.queued, served.wait), (1, 6));
}

#[test]
fn data_goes_before_what_is_not_yet_read_ahead() {
    let mut flash = flash(FlashSettings {
        prefetch: true,
        ..plain()
    });
    flash.fetch(0x800_0000, 0);
    assert_eq!(flash.read(0x800_0100, 5).wait, 6);
    // The data is read in 6..12, the line ahead in 12..18.
    assert_eq!(flash.fetch(0x800_0010, 11).wait, 6);
}

/// A prefetch while the cache is off does not check the cache.
#[test]
fn what_is_read_ahead_may_be_in_a_cache_that_was_off() {
    let on = FlashSettings {
        prefetch: true,
        ..cached()
    };
    let mut flash = flash(on);
    flash.fetch(0x10, 0);
    flash.set(
        FlashSettings {
            instruction_cache: false,
            ..on
        },
        20,
    );
    flash.fetch(0, 20);
    flash.set(on, 40);
    assert_eq!(flash.fetch(0x10, 40), FlashResponse::at_once(Source::Cache));
}

#[test]
fn the_least_recently_used_line_makes_room() {
    let mut flash = flash(cached());
    for line in 0..4 {
        assert_eq!(flash.fetch(line * LINE, 0).by, Source::Array);
    }
    assert_eq!(flash.fetch(0, 100).by, Source::Cache);
    flash.fetch(4 * LINE, 100);
    assert_eq!(flash.fetch(0, 200).by, Source::Cache, "used since");
    assert_eq!(flash.fetch(LINE, 200).by, Source::Array, "used least recently");
}

#[test]
fn a_fill_leaves_known_what_it_does_not_replace() {
    let mut flash = flash(cached());
    for line in 0..4 {
        flash.fetch(line * LINE, i64::from(line) * 100);
    }
    let (epoch, mut places) = (flash.epoch(), [Vec::new(), Vec::new()]);
    flash.cached(0, 0, &mut places[0]);
    flash.cached(LINE, LINE, &mut places[1]);
    assert!(flash.holds(0, 4));
    assert!(!flash.holds(0, 4 * LINE / 4 + 1), "the last word is not there");
    flash.touch_words(0, 4);
    flash.fetch(4 * LINE, 500);
    assert_ne!(flash.epoch(), epoch);
    let holds = places.each_ref().map(|places| flash.holds_since(epoch, places));
    assert_eq!(holds, [true, false]);
    flash.reset_caches(true, false);
    assert!(!flash.holds_since(epoch, &places[0]));
}

#[test]
fn a_reset_empties_a_cache_and_an_epoch_ends() {
    let mut flash = flash(cached());
    flash.fetch(0, 0);
    flash.read(0, 10);
    flash.fetch(0x100, 20);
    flash.read(0x100, 30);
    let epoch = flash.epoch();
    flash.reset_caches(true, false);
    assert_ne!(flash.epoch(), epoch);
    assert_eq!(flash.fetch(0, 40).by, Source::Array);
    assert_eq!(flash.read(0, 50).by, Source::Cache);
}

#[test]
fn what_is_cached_is_told_up_to_the_first_gap() {
    let mut flash = flash(cached());
    let mut places = Vec::new();
    for line in [1, 2, 4] {
        flash.fetch(line * LINE, 0);
    }
    assert_eq!(flash.cached(LINE + 4, 5 * LINE, &mut places), 3 * LINE);
    assert_eq!(places.len(), 2);
    assert_eq!(flash.cached(0, 4, &mut places), 0);
    assert_eq!(flash.cached(4 * LINE, 4 * LINE + 8, &mut places), 5 * LINE);
}

#[test]
fn sectors_of_a_line_are_filled_one_by_one() {
    let shape = FlashShape {
        line: 8,
        prefetches: false,
        instruction_cache: Some(CacheShape {
            lines: 2,
            ways: 1,
            line: 32,
            replacement: Replacement::Fifo,
        }),
        data_cache: None,
        data_buffer: false,
        shared: false,
        shared_cache: None,
    };
    let mut flash = set(Flash::new(vec![(0, 0x1000)], shape), cached());
    flash.fetch(0, 0);
    assert_eq!(flash.fetch(8, 10).by, Source::Array);
    assert_eq!(flash.fetch(0, 20).by, Source::Cache);
    // Two sets of one line: 0x40 takes the place of 0.
    flash.fetch(0x40, 30);
    assert_eq!(flash.fetch(0, 40).by, Source::Array);
    assert_eq!(flash.fetch(8, 50).by, Source::Array, "its other sectors went too");
}

/// A cache as one would draw it: for each set its lines, the one that makes room first.
struct Drawn {
    sets: Vec<Vec<u32>>,
    ways: usize,
    lru: bool,
}

impl Drawn {
    fn hit(&mut self, line: u32) -> bool {
        let sets = self.sets.len();
        let set = &mut self.sets[line as usize % sets];
        let Some(place) = set.iter().position(|&held| held == line) else {
            return false;
        };
        if self.lru {
            let held = set.remove(place);
            set.push(held);
        }
        true
    }

    fn fill(&mut self, line: u32) {
        let sets = self.sets.len();
        let set = &mut self.sets[line as usize % sets];
        if set.len() == self.ways {
            set.remove(0);
        }
        set.push(line);
    }
}

proptest::proptest! {
    #[test]
    fn a_cache_holds_what_a_drawn_one_holds(
        (sets, ways, lru) in (1u32..5, 1u32..6, proptest::bool::ANY),
        lines in proptest::collection::vec(0u32..40, 1..300),
    ) {
        let replacement = if lru { Replacement::Lru } else { Replacement::Fifo };
        let shape = CacheShape { lines: sets * ways, ways, line: LINE, replacement };
        let mut cache = Cache::new(shape, LINE);
        let mut drawn = Drawn { sets: vec![vec![]; sets as usize], ways: ways as usize, lru };
        for line in lines {
            let hit = cache.hit(line);
            proptest::prop_assert_eq!(hit, drawn.hit(line));
            if !hit {
                cache.fill(line, 0);
                drawn.fill(line);
            }
            proptest::prop_assert!(cache.place(line).is_some());
        }
    }

    /// More wait states never serve a sequence of requests, each made when the one before was served, sooner.
    #[test]
    fn the_array_takes_longer_with_more_wait_states(
        requests in proptest::collection::vec((0u32..64, proptest::bool::ANY, 0i64..6), 1..200),
        (prefetch, cache) in (proptest::bool::ANY, proptest::bool::ANY),
    ) {
        let ends = (0..8).map(|latency| {
            let settings = FlashSettings {
                latency, prefetch: false, instruction_cache: cache, data_cache: cache,
                ..FlashSettings::default()
            };
            let mut flash = flash(FlashSettings { prefetch: prefetch && !cache, ..settings });
            requests.iter().fold(0, |now, &(word, fetch, pause)| {
                let served = if fetch { flash.fetch(4 * word, now) } else { flash.read(4 * word, now) };
                now + 1 + served.wait + pause
            })
        });
        let ends: Vec<i64> = ends.collect();
        proptest::prop_assert!(ends.is_sorted(), "{:?}", ends);
    }
}

/// A flash whose fetches and reads of data come over one bus, with two wait states.
fn shared(unbuffered: bool) -> Flash {
    let shape = FlashShape {
        line: 8,
        prefetches: false,
        instruction_cache: None,
        data_cache: None,
        data_buffer: false,
        shared: true,
        shared_cache: None,
    };
    let settings = FlashSettings {
        latency: 2,
        unbuffered,
        ..FlashSettings::default()
    };
    set(Flash::new(vec![(0, 0x1000)], shape), settings)
}

#[test]
fn one_line_serves_fetches_and_data_that_share_a_bus() {
    let mut flash = shared(false);
    assert_eq!(
        (flash.fetch(0, 0).by, flash.fetch(4, 3).by),
        (Source::Array, Source::Line)
    );
    assert_eq!(flash.read(4, 4), FlashResponse::at_once(Source::Line));
    assert_eq!(flash.read(0x20, 5).wait, 2);
    // The line of the fetches is gone, and the bus is busy until cycle 8.
    let again = flash.fetch(0, 6);
    assert_eq!((again.by, again.wait, again.queued), (Source::Array, 4, 2));
}

#[test]
fn without_its_buffer_each_word_is_read_from_the_array() {
    let mut flash = shared(true);
    assert_eq!((flash.fetch(0, 0).wait, flash.fetch(4, 3).wait), (2, 2));
    assert_eq!(flash.read(4, 6).by, Source::Array);
}

proptest! {
    /// A read of one or two words is served as predicted.
    #[test]
    fn a_read_is_served_as_foreseen(
        (prefetch, data_cache, data_buffer, shared) in any::<(bool, bool, bool, bool)>(),
        requests in prop::collection::vec((any::<bool>(), 0_u32..64, 1_u32..3, 0_i64..9), 1..80),
    ) {
        let mut shape = flash(plain()).shape().clone();
        shape.data_buffer = data_buffer;
        if shared {
            (shape.prefetches, shape.instruction_cache, shape.data_cache) = (false, None, None);
            (shape.shared, shape.data_buffer) = (true, false);
        }
        let settings = FlashSettings { prefetch, data_cache, ..cached() };
        let mut flash = set(Flash::new(vec![(0, 0x1000)], shape), settings);
        let mut now = 0;
        for (fetches, word, words, later) in requests {
            now += later;
            if fetches {
                now += flash.fetch(4 * word, now).wait;
                continue;
            }
            let foreseen = flash.predict_read(4 * word, 4 * words, now);
            prop_assert!(foreseen.is_some() || shared || words > 1);
            let first = flash.read(4 * word, now);
            let mut others = (1..words).map(|next| flash.read(4 * (word + next), now + 1 + first.wait));
            let at_once = others.all(|served| served.wait == 0 && served.by != Source::Array);
            if let Some(foreseen) = foreseen {
                prop_assert!(foreseen.served == first && at_once);
            }
            now += first.wait;
        }
    }

    /// Whether a read is served at once can be asked before, and what was not there is not looked for again: it is served as it
    /// would have been.
    #[test]
    fn a_read_that_was_asked_for_before_is_served_as_any(
        (prefetch, data_buffer) in any::<(bool, bool)>(),
        requests in prop::collection::vec((0..4_u8, 0_u32..64, 0_i64..9), 1..120),
    ) {
        let mut shape = flash(plain()).shape().clone();
        shape.data_buffer = data_buffer;
        let settings = FlashSettings { prefetch, ..cached() };
        let mut asked = set(Flash::new(vec![(0, 0x1000)], shape), settings);
        let mut plain = asked.clone();
        let mut now = 0;
        for (kind, word, later) in requests {
            now += later;
            let address = 4 * word;
            let wait = match kind {
                0 => {
                    let served = [&mut asked, &mut plain].map(|flash| flash.fetch(address, now));
                    prop_assert_eq!(served[0], served[1]);
                    served[0].wait
                }
                // Nothing follows: as where an instruction is then executed by itself.
                1 => {
                    if asked.read_at_once(address) == Some(true) {
                        plain.read(address, now);
                    }
                    0
                }
                _ => {
                    let at_once = asked.read_at_once(address) == Some(true);
                    let served = plain.read(address, now);
                    if at_once {
                        prop_assert_eq!(served.by, Source::Cache);
                    } else {
                        let foreseen = asked.predict_read(address, 4, now);
                        prop_assert_eq!(foreseen.map(|foreseen| foreseen.served), Some(served));
                        match foreseen {
                            Some(foreseen) if kind == 2 => asked.make_predicted_read(foreseen, now),
                            _ => prop_assert_eq!(asked.read(address, now), served),
                        }
                    }
                    served.wait
                }
            };
            now += wait;
            if kind == 3 {
                for flash in [&mut asked, &mut plain] {
                    flash.reset_caches(false, word & 8 != 0);
                }
            }
            prop_assert_eq!(asked.free, plain.free);
        }
    }
}
