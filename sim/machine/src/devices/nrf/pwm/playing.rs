//! The progress of a PWM's sequences: the sequence, its value, and the periods left.

/// SEQ[n]: PTR, CNT, REFRESH and ENDDELAY.
#[derive(Clone, Copy)]
pub(super) struct Sequence([u32; 4]);

impl Default for Sequence {
    fn default() -> Sequence {
        Sequence([0, 0, 1, 0])
    }
}

impl Sequence {
    pub(super) fn read(&self, place: usize) -> u32 {
        self.0[place]
    }

    pub(super) fn write(&mut self, place: usize, value: u32) {
        self.0[place] = value & [u32::MAX, 0x7fff, 0xff_ffff, 0xff_ffff][place];
    }

    /// The address of a half word of it, if it has as many.
    pub(super) fn at(&self, index: u32) -> Option<u32> {
        (index < self.0[1]).then(|| self.0[0].wrapping_add(2 * index))
    }
}

/// What to do after a period.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// Nothing new, or the next value.
    Same,
    /// The other sequence.
    Other(usize),
    /// All loops are played.
    Done,
}

/// The sequence being played.
#[derive(Clone, Copy, Default)]
pub(super) struct Playing {
    pub(super) sequence: usize,
    /// The next half word.
    pub(super) index: u32,
    /// Sequences that are still to come after this one; `None` if it is alone.
    after: Option<u32>,
    state: State,
    /// A step was asked for.
    stepped: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// The wave goes on as it is.
    #[default]
    Idle,
    /// The next value is loaded now.
    Loads,
    /// A value holds for so many periods more.
    Holds(u32),
    /// The last value does.
    Ends(u32),
}

impl Playing {
    /// From the start of a sequence, with LOOP.CNT as it is now. The first loop may be the second sequence alone.
    pub(super) fn of(sequence: usize, loops: u32) -> Playing {
        Playing {
            sequence,
            index: 0,
            after: (loops > 0).then(|| 2 * loops - 1 - sequence as u32),
            state: State::Loads,
            stepped: false,
        }
    }

    /// The task NEXTSTEP.
    pub(super) fn step(&mut self) {
        self.stepped = true;
    }

    /// Whether the period that begins has values of its own.
    pub(super) fn wants(&mut self, by_task: bool) -> bool {
        if by_task && matches!(self.state, State::Holds(_)) && std::mem::take(&mut self.stepped) {
            self.state = State::Loads;
        }
        self.state == State::Loads
    }

    /// Records `count` loaded half words; returns whether they were the last.
    pub(super) fn took(&mut self, count: u32, sequence: &Sequence, by_task: bool) -> bool {
        self.index += count;
        let refresh = if by_task { 0 } else { sequence.0[2] };
        let is_last = sequence.at(self.index).is_none();
        self.state = if is_last {
            State::Ends(refresh + sequence.0[3])
        } else if by_task {
            State::Holds(u32::MAX)
        } else {
            State::Holds(refresh)
        };
        is_last
    }

    /// A period is over.
    pub(super) fn period(&mut self) -> Then {
        match self.state {
            State::Holds(u32::MAX) | State::Idle | State::Loads => Then::Same,
            State::Holds(0) => {
                self.state = State::Loads;
                Then::Same
            }
            State::Holds(more) => {
                self.state = State::Holds(more - 1);
                Then::Same
            }
            State::Ends(0) => {
                self.state = State::Idle;
                match self.after {
                    None => Then::Same,
                    Some(0) => Then::Done,
                    Some(_) => Then::Other(1 - self.sequence),
                }
            }
            State::Ends(more) => {
                self.state = State::Ends(more - 1);
                Then::Same
            }
        }
    }

    /// The other sequence of a loop begins.
    pub(super) fn turn(&mut self, sequence: usize) {
        (self.sequence, self.index, self.state) = (sequence, 0, State::Loads);
        self.after = self.after.map(|after| after.saturating_sub(1));
    }
}
