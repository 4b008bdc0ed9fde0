//! Everything that has an identity and is no thread: one table, so that whoever renumbers threads finds all who wait.

use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::ptr;

use mainspring_core::threads::{Ownership, Set};

use crate::kernel;
use crate::memory;
use crate::thread::Tcb;
use crate::types::{Attributes, Function, Id, PARAMETER, Status};

/// Objects that there can be.
const OBJECTS: usize = 48;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Nothing,
    Timer,
    Flags,
    Mutex,
    Semaphore,
    Pool,
    Queue,
}

/// An object. What its fields are for depends on its kind.
pub(crate) struct Object {
    pub(crate) kind: Cell<Kind>,
    pub(crate) name: Cell<*const c_char>,
    /// Attribute bits.
    pub(crate) bits: Cell<u32>,
    /// Those who wait to take something, and those who wait to put something in.
    pub(crate) takers: Set,
    pub(crate) putters: Set,
    /// Of a mutex.
    pub(crate) ownership: Ownership,
    pub(crate) owner: Cell<Option<&'static Tcb>>,
    /// How many there are: tokens, blocks that are used, messages; locks of a mutex; the flags.
    pub(crate) count: Cell<u32>,
    /// How many there can be. Of a timer: its period.
    pub(crate) most: Cell<u32>,
    /// Bytes of a block or a message. Of a timer: when it is due.
    pub(crate) size: Cell<u32>,
    /// Where blocks or messages are; the first free block.
    pub(crate) data: Cell<*mut u8>,
    pub(crate) free: Cell<*mut u8>,
    /// Numbers messages in the order of their coming.
    pub(crate) order: Cell<u32>,
    /// Of a timer.
    pub(crate) function: Cell<Function>,
    pub(crate) argument: Cell<*mut c_void>,
    pub(crate) is_running: Cell<bool>,
}

struct Objects([Object; OBJECTS]);

// SAFETY: used with interrupts held back.
unsafe impl Sync for Objects {}

static ALL: Objects = Objects(
    [const {
        Object {
            kind: Cell::new(Kind::Nothing),
            name: Cell::new(ptr::null()),
            bits: Cell::new(0),
            takers: Set::new(),
            putters: Set::new(),
            ownership: Ownership::new(),
            owner: Cell::new(None),
            count: Cell::new(0),
            most: Cell::new(0),
            size: Cell::new(0),
            data: Cell::new(ptr::null_mut()),
            free: Cell::new(ptr::null_mut()),
            order: Cell::new(0),
            function: Cell::new(None),
            argument: Cell::new(ptr::null_mut()),
            is_running: Cell::new(false),
        }
    }; OBJECTS],
);

/// Every object that there is.
pub(crate) fn all() -> impl Iterator<Item = &'static Object> {
    ALL.0.iter().filter(|object| object.kind.get() != Kind::Nothing)
}

/// The object with this identity, if it is of this kind.
pub(crate) fn find(id: Id, kind: Kind) -> Option<&'static Object> {
    let offset = id.addr().wrapping_sub(ALL.0.as_ptr().addr());
    if !offset.is_multiple_of(size_of::<Object>()) {
        return None;
    }
    let object = ALL.0.get(offset / size_of::<Object>())?;
    (object.kind.get() == kind).then_some(object)
}

/// A new object of this kind, if there is room. In the kernel's section.
pub(crate) unsafe fn create(kind: Kind, attributes: *const Attributes) -> Option<&'static Object> {
    let object = ALL.0.iter().find(|object| object.kind.get() == Kind::Nothing)?;
    // SAFETY: attributes, or null.
    let (name, bits) = unsafe { attributes.as_ref() }.map_or((ptr::null(), 0), |with| (with.name, with.bits));
    object.name.set(name);
    object.bits.set(bits);
    object.count.set(0);
    object.order.set(0);
    object.is_running.set(false);
    object.owner.set(None);
    object.kind.set(kind);
    Some(object)
}

impl Object {
    /// Its identity.
    pub(crate) fn id(&'static self) -> Id {
        ptr::from_ref(self).cast_mut().cast()
    }

    /// Takes memory for `bytes`: that of the attributes, if they have some. Whether it is there, large enough and aligned to 4.
    pub(crate) fn take_memory(&self, given: *mut c_void, given_bytes: u32, bytes: u32) -> bool {
        let data = if !given.is_null() && given.addr().is_multiple_of(4) && given_bytes >= bytes {
            given.cast()
        } else if given.is_null() {
            memory::allocate(bytes as usize)
        } else {
            ptr::null_mut()
        };
        self.data.set(data);
        if data.is_null() {
            self.kind.set(Kind::Nothing);
        }
        !data.is_null()
    }

    /// There is no such object any more: whoever waits for it goes on with an error.
    pub(crate) fn delete(&'static self) {
        kernel::give_up_all(&self.takers);
        kernel::give_up_all(&self.putters);
        memory::free(self.data.replace(ptr::null_mut()));
        self.kind.set(Kind::Nothing);
        kernel::reschedule();
    }
}

/// What all kinds have in common: the name, and the end.
pub(crate) fn name(id: Id, kind: Kind) -> *const c_char {
    find(id, kind).map_or(ptr::null(), |object| object.name.get())
}

/// See [`Object::delete`].
pub(crate) fn delete(id: Id, kind: Kind) -> Status {
    kernel::in_thread(|| {
        find(id, kind).map_or(PARAMETER, |object| {
            object.delete();
            crate::types::OK
        })
    })
}
