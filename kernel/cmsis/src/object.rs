//! Every object with an identity except threads, in one table, so that code that renumbers threads finds all that wait.

use core::cell::Cell;
use core::ffi::{c_char, c_void};
use core::ptr;

use mainspring_core::threads::{Ownership, Set};

use crate::kernel;
use crate::memory;
use crate::tcb::Tcb;
use crate::types::{Attributes, Function, Id, PARAMETER, Status};

/// Objects that there can be.
const OBJECTS: usize = 48;

/// The kind of an object.
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

/// An object. The use of its fields depends on its kind.
pub(crate) struct Object {
    pub(crate) kind: Cell<Kind>,
    pub(crate) name: Cell<*const c_char>,
    /// Attribute bits.
    pub(crate) bits: Cell<u32>,
    /// The threads that wait to take something, and those that wait to put something in.
    pub(crate) takers: Set,
    pub(crate) putters: Set,
    /// Of a mutex.
    pub(crate) ownership: Ownership,
    pub(crate) owner: Cell<Option<&'static Tcb>>,
    /// How many there are: tokens, blocks that are used, messages; locks of a mutex; the flags.
    pub(crate) count: Cell<u32>,
    /// How many there can be. Of a timer: its period.
    pub(crate) most: Cell<u32>,
    /// Bytes of a block or a message. Of a timer: when its period began.
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
    /// The one whose control block was given before this one's, if this one's was given.
    next: Cell<Option<&'static Object>>,
}

impl Object {
    /// Nothing.
    const fn new() -> Self {
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
            next: Cell::new(None),
        }
    }
}

/// The size of an object's control block, as the header states it.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Object>() <= 96, "OS2_OBJECT_CB_SIZE");

struct Objects {
    own: [Object; OBJECTS],
    /// The last of those whose control block is the program's; each leads to the one before it.
    given: Cell<Option<&'static Object>>,
}

// SAFETY: used with interrupts held back.
unsafe impl Sync for Objects {}

static ALL: Objects = Objects {
    own: [const { Object::new() }; OBJECTS],
    given: Cell::new(None),
};

/// Those whose control block is the program's.
fn given() -> impl Iterator<Item = &'static Object> {
    core::iter::successors(ALL.given.get(), |object| object.next.get())
}

/// Every object that there is.
pub(crate) fn all() -> impl Iterator<Item = &'static Object> {
    let own = ALL.own.iter().filter(|object| object.kind.get() != Kind::Nothing);
    own.chain(given())
}

/// The object with this identity, if it is of this kind. One whose control block is the program's is looked for among those.
pub(crate) fn find(id: Id, kind: Kind) -> Option<&'static Object> {
    let offset = id.addr().wrapping_sub(ALL.own.as_ptr().addr());
    let object = if offset < size_of_val(&ALL.own) {
        let is_one = offset.is_multiple_of(size_of::<Object>());
        is_one.then(|| &ALL.own[offset / size_of::<Object>()])
    } else {
        given().find(|object| object.id() == id)
    };
    object.filter(|object| object.kind.get() == kind)
}

/// A new object of this kind, if there is room, or in the control block that the attributes bring. In the kernel's section.
pub(crate) unsafe fn create(kind: Kind, attributes: *const Attributes) -> Option<&'static Object> {
    // SAFETY: attributes, or null.
    let with = unsafe { attributes.as_ref() };
    let block = with.map_or(Ok(None), |with| {
        memory::control_block::<Object>(with.block, with.block_size)
    });
    let object = match block.ok()? {
        None => ALL.own.iter().find(|object| object.kind.get() == Kind::Nothing)?,
        Some(block) => {
            if given().any(|object| ptr::eq(object, block.cast_const())) {
                return None;
            }
            // SAFETY: memory of that size and alignment, the program's for as long as the object is there.
            let object: &'static Object = unsafe {
                block.write(Object::new());
                &*block
            };
            object.next.set(ALL.given.replace(Some(object)));
            object
        }
    };
    object.name.set(with.map_or(ptr::null(), |with| with.name));
    object.bits.set(with.map_or(0, |with| with.bits));
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
    pub(crate) fn take_memory(&'static self, given: *mut c_void, given_bytes: u32, bytes: u32) -> bool {
        let data = if !given.is_null() && given.addr().is_multiple_of(4) && given_bytes >= bytes {
            given.cast()
        } else if given.is_null() {
            memory::allocate(bytes as usize)
        } else {
            ptr::null_mut()
        };
        self.data.set(data);
        if data.is_null() {
            self.forget();
        }
        !data.is_null()
    }

    /// The object no longer exists: threads that wait for it continue with an error.
    pub(crate) fn delete(&'static self) {
        kernel::give_up_all(&self.takers);
        kernel::give_up_all(&self.putters);
        memory::free(self.data.replace(ptr::null_mut()));
        self.forget();
        kernel::reschedule();
    }

    /// There is no such object, and its control block is the program's again.
    fn forget(&'static self) {
        self.kind.set(Kind::Nothing);
        let is_this =
            |link: &Cell<Option<&'static Object>>| link.get().is_some_and(|next| ptr::eq(next, self));
        let behind = given().map(|object| &object.next).find(|link| is_this(link));
        let link = if is_this(&ALL.given) {
            Some(&ALL.given)
        } else {
            behind
        };
        if let Some(link) = link {
            link.set(self.next.take());
        }
    }
}

/// The operations that all kinds have: the name, and the end.
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
