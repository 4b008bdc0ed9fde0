//! A linked list in an array.

/// Nodes of the list.
const NODES: usize = 48;
/// The end of a list.
const NONE: u16 = u16::MAX;

/// An element of the list.
#[derive(Clone, Copy)]
pub(super) struct Node {
    next: u16,
    pub(super) key: u16,
    pub(super) tag: u16,
}

/// All nodes, in the order of their links.
pub(super) struct List {
    nodes: [Node; NODES],
    head: u16,
}

impl List {
    pub(super) const fn new() -> Self {
        let node = Node {
            next: NONE,
            key: 0,
            tag: 0,
        };
        Self {
            nodes: [node; NODES],
            head: NONE,
        }
    }

    /// Links all nodes and gives each a key and a tag.
    pub(super) fn fill(&mut self, seed: u16) {
        let mut state = seed;
        self.head = NONE;
        for (place, node) in (0u16..).zip(&mut self.nodes) {
            state = state.wrapping_mul(25_173).wrapping_add(13_849);
            *node = Node {
                next: self.head,
                key: (state >> 4) & 0x3f,
                tag: place ^ (state >> 11),
            };
            self.head = place;
        }
    }

    /// From the head on.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Node> {
        core::iter::successors(self.node(self.head), |node| self.node(node.next))
    }

    fn node(&self, place: u16) -> Option<&Node> {
        self.nodes.get(usize::from(place))
    }

    /// How far from the head the first node with this key is.
    pub(super) fn find(&self, key: u16) -> Option<u32> {
        let mut places = self.iter().zip(0u32..);
        places.find(|(node, _)| node.key == key).map(|(_, place)| place)
    }

    pub(super) fn reverse(&mut self) {
        let (mut behind, mut place) = (NONE, self.head);
        while let Some(node) = self.nodes.get_mut(usize::from(place)) {
            (behind, place, node.next) = (place, node.next, behind);
        }
        self.head = behind;
    }

    /// Merges runs of one, two, four … nodes, and keeps the order of equals.
    pub(super) fn sort(&mut self, in_order: impl Fn(&Node, &Node) -> bool) {
        let mut length = 1;
        while length < NODES {
            self.merge_runs(length, &in_order);
            length *= 2;
        }
    }

    fn merge_runs(&mut self, length: usize, in_order: &impl Fn(&Node, &Node) -> bool) {
        let mut left = self.head;
        let mut last = NONE;
        while left != NONE {
            let right = self.cut(left, length);
            let rest = self.cut(right, length);
            last = self.merge(left, right, last, in_order);
            left = rest;
        }
    }

    /// Ends the list after `length` nodes from `place` on; returns the rest of it.
    fn cut(&mut self, place: u16, length: usize) -> u16 {
        let mut at = place;
        for _ in 1..length {
            at = self.node(at).map_or(NONE, |node| node.next);
        }
        match self.nodes.get_mut(usize::from(at)) {
            Some(node) => core::mem::replace(&mut node.next, NONE),
            None => NONE,
        }
    }

    /// Links two lists after `last` in order; returns the new last.
    fn merge(
        &mut self,
        mut left: u16,
        mut right: u16,
        mut last: u16,
        in_order: &impl Fn(&Node, &Node) -> bool,
    ) -> u16 {
        loop {
            let take_left = match (self.node(left), self.node(right)) {
                (None, None) => return last,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(left), Some(right)) => in_order(left, right),
            };
            let source = if take_left { &mut left } else { &mut right };
            let place = *source;
            *source = self.nodes[usize::from(place)].next;
            match self.nodes.get_mut(usize::from(last)) {
                Some(node) => node.next = place,
                None => self.head = place,
            }
            last = place;
        }
    }
}
