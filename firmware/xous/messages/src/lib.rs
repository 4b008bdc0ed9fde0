//! The protocol of the client and the server.

/// The server's address: that of Xous's own ticktimer, in whose place it is.
pub const SERVER: &[u8; 16] = b"ticktimer-server";

/// Beside the messages of the ticktimer: the version, written by hand into a page that is lent again and again.
pub const GET_VERSION_BY_HAND: usize = 100;

/// The text of the version, as long as the study's.
pub const VERSION: &str = "v0.9.11-152-g277d014f";
/// The second line of it.
pub const TIMESTAMP: &str = "Wed, 18 Jan 2023 19:19:24 +0800";
