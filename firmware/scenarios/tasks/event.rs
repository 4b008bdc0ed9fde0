// Something that an `async` task waits for, woken by a waker that it left.

use core::future::poll_fn;
use core::ptr::addr_of_mut;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use core::task::{Poll, Waker};

static HAPPENED: AtomicBool = AtomicBool::new(false);
static mut WAITS: Option<Waker> = None;

/// Waits until it happens.
pub async fn happened() {
    poll_fn(|cx| {
        if HAPPENED.load(Relaxed) {
            HAPPENED.store(false, Relaxed);
            return Poll::Ready(());
        }
        // SAFETY: one task of each program waits, and what it waits for happens when it does.
        unsafe { *addr_of_mut!(WAITS) = Some(cx.waker().clone()) };
        Poll::Pending
    })
    .await;
}

/// It happens.
#[inline(always)]
pub fn happen() {
    HAPPENED.store(true, Relaxed);
    // SAFETY: as above.
    if let Some(waker) = unsafe { &*addr_of_mut!(WAITS) } {
        waker.wake_by_ref();
    }
}
