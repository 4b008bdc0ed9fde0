//! The rules of ARMv7-M ARM B1.5, one by one.

mod armv6m;
mod changes;
mod entry_and_return;
mod extended;
mod faults;
mod interrupted;
mod lazy;
mod own_stores;
mod priorities;
mod restart;
mod running;
mod stacked;
