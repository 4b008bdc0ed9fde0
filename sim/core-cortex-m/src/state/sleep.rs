//! Kinds of sleep.

/// The kind of sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sleep {
    /// WFI, or sleep on exit.
    ForInterrupt,
    /// WFE.
    ForEvent,
}
