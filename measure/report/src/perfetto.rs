//! The subset of Perfetto's trace packets (`protos/perfetto/trace` of <https://github.com/google/perfetto>) that a run needs: tracks,
//! slices, instants, counters, and flows between them.
//!
//! Perfetto's timestamps are nanoseconds; here one nanosecond stands for one cycle.

use std::collections::HashMap;

use prost::Message;

/// The packet sequence; interned names are numbered per sequence.
const SEQUENCE: u32 = 1;

/// `SEQ_INCREMENTAL_STATE_CLEARED`, `SEQ_NEEDS_INCREMENTAL_STATE`.
const CLEARED: u32 = 1;
const NEEDED: u32 = 2;

/// Number of interned names after which numbering restarts.
const MOST_NAMES: usize = 1 << 14;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    interned_data: Option<Interned>,
    #[prost(uint32, tag = "13")]
    sequence_flags: u32,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct Interned {
    #[prost(message, repeated, tag = "2")]
    event_names: Vec<EventName>,
}

#[derive(Clone, PartialEq, Message)]
struct EventName {
    #[prost(uint64, tag = "1")]
    iid: u64,
    #[prost(string, tag = "2")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    counter: Option<Counter>,
}

#[derive(Clone, PartialEq, Message)]
struct Counter {
    #[prost(string, tag = "6")]
    unit_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(int32, tag = "9")]
    kind: i32,
    #[prost(uint64, optional, tag = "10")]
    name_iid: Option<u64>,
    #[prost(uint64, tag = "11")]
    track_uuid: u64,
    #[prost(int64, optional, tag = "30")]
    counter_value: Option<i64>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

/// A track event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark<'a> {
    /// A slice begins.
    Begin(&'a str),
    /// The slice begun last on this track ends.
    End,
    /// An instant event.
    Instant(&'a str),
    /// The counter's value from this cycle.
    Value(i64),
}

/// Whether a flow begins or ends at an event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arrow {
    /// No flow.
    #[default]
    None,
    /// The flow with this number begins.
    From(u64),
    /// The flow with this number ends.
    To(u64),
}

/// Writes a sequence of packets.
#[derive(Default, Debug)]
pub struct Packets {
    names: HashMap<String, u64>,
}

impl Packets {
    /// Declares track `uuid` below `parent`; with a unit it is a counter.
    pub fn track(&self, uuid: u64, name: &str, parent: Option<u64>, unit: Option<&str>, out: &mut Vec<u8>) {
        let counter = unit.map(|unit| Counter {
            unit_name: unit.to_owned(),
        });
        let descriptor = TrackDescriptor {
            uuid,
            name: name.to_owned(),
            parent_uuid: parent,
            counter,
        };
        let packet = Packet {
            trusted_packet_sequence_id: SEQUENCE,
            track_descriptor: Some(descriptor),
            ..Packet::default()
        };
        append(packet, out);
    }

    /// Writes an event on a track.
    pub fn mark(&mut self, cycle: u64, track: u64, mark: Mark<'_>, arrow: Arrow, out: &mut Vec<u8>) {
        let (kind, name, value) = match mark {
            Mark::Begin(name) => (1, Some(name), None),
            Mark::End => (2, None, None),
            Mark::Instant(name) => (3, Some(name), None),
            Mark::Value(value) => (4, None, Some(value)),
        };
        let mut packet = Packet {
            timestamp: Some(cycle),
            trusted_packet_sequence_id: SEQUENCE,
            sequence_flags: NEEDED,
            ..Packet::default()
        };
        if self.names.is_empty() || self.names.len() >= MOST_NAMES {
            self.names.clear();
            // Number 0 is never given to a name, so this entry only records that numbering has started.
            self.names.insert(String::new(), 1);
            packet.sequence_flags |= CLEARED;
        }
        let name_iid = name.map(|name| self.number(name, &mut packet));
        let (from, to) = match arrow {
            Arrow::None => (Vec::new(), Vec::new()),
            Arrow::From(number) => (vec![number], Vec::new()),
            Arrow::To(number) => (Vec::new(), vec![number]),
        };
        packet.track_event = Some(TrackEvent {
            kind,
            name_iid,
            track_uuid: track,
            counter_value: value,
            flow_ids: from,
            terminating_flow_ids: to,
        });
        append(packet, out);
    }

    fn number(&mut self, name: &str, packet: &mut Packet) -> u64 {
        if let Some(&iid) = self.names.get(name) {
            return iid;
        }
        let iid = self.names.len() as u64 + 1;
        self.names.insert(name.to_owned(), iid);
        let name = name.to_owned();
        packet.interned_data = Some(Interned {
            event_names: vec![EventName { iid, name }],
        });
        iid
    }
}

fn append(packet: Packet, out: &mut Vec<u8>) {
    // Trace files can be concatenated.
    let trace = Trace { packet: vec![packet] };
    out.extend(trace.encode_to_vec());
}
