//! A device on the bus, and the copy of it that snapshots share until it is touched again.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::Device;

/// A device. Whoever borrows it mutably may change it; its next snapshot is then another one.
#[derive(Clone)]
pub(crate) struct Held {
    device: Box<dyn Device>,
    /// Its state, if a snapshot has that and the device was not touched since.
    saved: Option<Arc<dyn Device>>,
}

impl Held {
    pub(crate) fn new(device: Box<dyn Device>) -> Held {
        Held { device, saved: None }
    }

    /// A device like this one.
    pub(crate) fn copy(&self) -> Box<dyn Device> {
        self.device.clone()
    }

    /// Its state, which is copied only if it was touched since it was saved or put back.
    pub(crate) fn save(&mut self) -> Arc<dyn Device> {
        let device = &self.device;
        let saved = self.saved.get_or_insert_with(|| Arc::from(device.clone()));
        Arc::clone(saved)
    }

    /// Gives it a state that was saved.
    pub(crate) fn put_back(&mut self, saved: &Arc<dyn Device>) {
        if !self.saved.as_ref().is_some_and(|own| Arc::ptr_eq(own, saved)) {
            self.device = dyn_clone::clone_box(&**saved);
            self.saved = Some(Arc::clone(saved));
        }
    }

    /// Takes something from it. It counts as touched only if there was something.
    pub(crate) fn take<T>(&mut self, take: impl FnOnce(&mut dyn Device) -> Option<T>) -> Option<T> {
        let taken = take(&mut *self.device);
        if taken.is_some() {
            self.saved = None;
        }
        taken
    }
}

impl Deref for Held {
    type Target = dyn Device;

    fn deref(&self) -> &Self::Target {
        &*self.device
    }
}

impl DerefMut for Held {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        if self.saved.is_some() {
            self.saved = None;
        }
        &mut *self.device
    }
}
