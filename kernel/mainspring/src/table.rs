//! The table: the one place that says what runs, when, how urgently, and with what.

/// Describes an application. Every line becomes what you could have written yourself, and no more.
///
/// ```text
/// mainspring::app! {
///     /// What it is for.
///     struct Motor;                                  impl App for Motor
///     device = Chip;                                 priority bits and interrupts: your `impl Device`
///
///     resources {
///         Speed: u32 = 0;                            a type `Speed`, impl Resource, a static that starts at 0
///         Port: Uart;                                the same, but `init` returns the first value
///         Gain: i32 = 1, ceiling 3;                  stated, and compared with what the table implies
///     }
///     tasks {
///         Control = Control::new(), on TIM2, priority 3, uses (Write<Speed>, Read<Gain>);
///                                                    impl Task for your type `Control`, a static for its state,
///                                                    and `extern "C" fn TIM2` that calls `run`
///         Log, on USART1, priority 1, uses Write<Port>, inbox [Line; 8];
///                                                    state from `init`; runs once per message
///         Key = Key, on EXTI0, priority 2, enabled false;
///     }
///     idle uses Read<Speed>;
/// }
/// ```
///
/// The order in a row is: task and state, `on`, `priority`, `uses`, `inbox`, `enabled`; the last three may be left
/// out. `on SysTick` and `on PendSV` bind system exceptions. `uses` names one [`Write`](crate::Write),
/// [`Read`](crate::Read) or [`Post`](crate::Post), or a tuple of them. What `init` returns is a tuple: the resources
/// without a value, then the tasks without one, in the order of the table.
///
/// What you write beside it: for each task `impl Run` (or `impl Receive`, if it has an inbox), and `impl Main` for the
/// application.
///
/// A mistake in the table is a compile error that names it: [`check`](crate::check).
#[macro_export]
macro_rules! app {
    (
        $(#[$doc:meta])*
        $vis:vis struct $app:ident;
        device = $device:ty;

        $(resources {
            $($(#[$($rdoc:tt)*])* $resource:ident: $data:ty $(= $value:expr)? $(, ceiling $ceiling:expr)?;)*
        })?
        tasks {
            $($(#[$($tdoc:tt)*])* $task:ident $(= $state:expr)?, on $irq:ident, priority $priority:expr
                $(, uses $uses:ty)?
                $(, inbox [$message:ty; $capacity:expr])?
                $(, enabled $enabled:expr)?;)*
        }
        $(threads $(($($setting:ident $setting_value:tt),*))? {
            $($(#[$($thdoc:tt)*])* $thread:ident $(= $thstate:expr)?, priority $urgency:expr, stack $stack:expr
                $(, uses $thuses:ty)?;)*
        })?
        $(idle uses $idle_uses:ty;)?
    ) => {
        $(#[$doc])*
        $vis struct $app;

        // SAFETY: the names of one table are names of types in one module, so each is there once.
        unsafe impl $crate::Named for $app {
            const NAME: &'static str = $crate::__core::stringify!($app);
        }

        // SAFETY: each task that this macro writes is in the list, and `main`, of which a program has one, starts it.
        unsafe impl $crate::App for $app {
            type Device = $device;
            type Tasks = ($($task,)*);
            type Late = $crate::__late!(
                [] $($([$resource $(= $value)?])*)? $([$task $(= $state)?])* $($([$thread $(= $thstate)?])*)?
            );
            type IdleUses = $crate::__or_nothing!($($idle_uses)?);
            type Threads = ($($($thread,)*)?);
            $($($($crate::__setting!(value [$device] $setting $setting_value);)*)?)?
            const KERNEL: &'static $crate::threads::Kernel = &__KERNEL;
            const IDLE_STACK: &'static dyn $crate::threads::Stacked<$crate::Idle<$app>> = {
                const BYTES: usize = $crate::__idle_stack!($($($($setting $setting_value)*)?)?);
                static STACK: $crate::threads::Stack<$crate::Idle<$app>, BYTES> = $crate::threads::Stack::new();
                &STACK
            };
        }

        static __KERNEL: $crate::threads::Kernel<
            [$crate::threads::Slot; $crate::__count!($($($thread)*)?) + 1]
        > = $crate::threads::Kernel::with_nobody::<$app>();

        $($(
            $($crate::__row_takes!($($rdoc)*);)*
            $(#[$($rdoc)*])*
            $vis struct $resource($crate::__core::convert::Infallible);

            // SAFETY: the type is this macro's, and no task.
            unsafe impl $crate::Resource for $resource {
                type App = $app;
                $(const CEILING: $crate::__core::option::Option<u8> = $crate::__core::option::Option::Some($ceiling);)?
            }

            $crate::__stored!(unsafe $resource: $data $(= $value)?);
        )*)?

        $(
            $($crate::__row_takes!($($tdoc)*);)*

            // SAFETY: the vector below, which has this priority, is all that runs it.
            unsafe impl $crate::Actor for $task {
                type App = $app;
                const PRIORITY: u8 = $priority;
                type Uses = $crate::__or_nothing!($($uses)?);
            }

            // SAFETY: the chip's own name for the vector and its own number, as `Device` promises; the resources of the table
            // are types of this macro's.
            unsafe impl $crate::Task for $task {
                const VECTOR: $crate::Vector = $crate::__vector!([$device] $irq);
                type Trigger = $crate::__trigger!($($message)?);
                $(const ENABLED: bool = $enabled;)?
            }

            $crate::__stored!(unsafe $task: $task $(= $state)?);
            $crate::__handler!(unsafe $task $irq);
            $(
                // SAFETY: the static is this task's, and the vector above is all that takes messages out.
                unsafe impl $crate::Mailbox for $task {
                    type Message = $message;
                    type Inbox = $crate::Inbox<$task, $message, { $capacity }>;
                    const INBOX: &'static Self::Inbox = {
                        static INBOX: $crate::Inbox<$task, $message, { $capacity }> = $crate::Inbox::new();
                        &INBOX
                    };
                }
            )?
        )*

        $($(
            $($crate::__row_takes!($($thdoc)*);)*

            // SAFETY: it runs as the thread of this row, where no task does.
            unsafe impl $crate::Actor for $thread {
                type App = $app;
                const PRIORITY: u8 = 0;
                type Uses = $crate::__or_nothing!($($thuses)?);
                const GIVES_WAY: $crate::__core::option::Option<$crate::threads::GiveWay> =
                    $crate::__core::option::Option::Some($crate::threads::give_way_to::<$thread>);
            }

            // SAFETY: it is in the list, and the statics are this row's.
            unsafe impl $crate::threads::Threaded for $thread {
                const URGENCY: u8 = $urgency;
                const STACK: &'static dyn $crate::threads::Stacked<$thread> = {
                    static STACK: $crate::threads::Stack<$thread, { $stack }> = $crate::threads::Stack::new();
                    &STACK
                };
                const JOINERS: &'static $crate::threads::Joiners = {
                    static JOINERS: $crate::threads::Joiners = $crate::threads::Joiners::new();
                    &JOINERS
                };
            }

            $crate::__stored!(unsafe $thread: $thread $(= $thstate)?);
        )*

            #[cfg(target_os = "none")]
            const _: () = {
                $crate::__switch!(unsafe $app __KERNEL);
                $($($crate::__setting!(handler $app $setting unsafe);)*)?
            };
        )?

        const _: () = $crate::check::<$app>();

        // The name that `cortex-m-rt` calls after it has set up memory; nothing else can.
        #[cfg(target_os = "none")]
        const _: () = {
            #[unsafe(export_name = "main")]
            extern "C" fn __main() -> ! {
                // SAFETY: this is what the reset calls, once.
                unsafe { $crate::start::<$app>() }
            }
        };
    };
}

/// What stands in the parentheses behind `threads`: a constant of the application, and what comes with it.
#[doc(hidden)]
#[macro_export]
macro_rules! __setting {
    (value $device:tt waking $value:expr) => { const WAKING: u8 = $value; };
    (value $device:tt tick $value:expr) => { const TICK: u32 = $value; };
    (value $device:tt ticked $task:ident) => {
        const TICKED: $crate::__core::option::Option<&'static str> =
            $crate::__core::option::Option::Some($crate::__core::stringify!($task));
    };
    (value $device:tt switch $irq:ident) => {
        const SWITCH: $crate::__core::option::Option<$crate::Vector> =
            $crate::__core::option::Option::Some($crate::__vector!($device $irq));
    };
    (value $device:tt idle $value:expr) => {};
    (value $device:tt $other:ident $value:expr) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "`", $crate::__core::stringify!($other),
            "`: expected `waking PRIORITY`, `tick CYCLES`, `ticked TASK`, `switch INTERRUPT` or `idle BYTES`"
        ));
    };
    (handler $app:ident tick $unsafe:tt) => {
        #[$unsafe(no_mangle)]
        #[allow(non_snake_case)] // The vector's own name.
        extern "C" fn SysTick() {
            // SAFETY: this is SysTick, in the application.
            $unsafe { $crate::threads::tick::<$app>() }
        }
    };
    (handler $app:ident $other:ident $unsafe:tt) => {};
}

/// The switch between threads, where it is no exception.
#[cfg(not(all(target_os = "none", target_arch = "arm")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __switch {
    ($unsafe:tt $app:ident $kernel:ident) => {};
}

/// Bytes of the idle loop's stack.
#[doc(hidden)]
#[macro_export]
macro_rules! __idle_stack {
    () => { 256 };
    (idle $value:tt $($rest:tt)*) => { $value };
    ($other:ident $value:tt $($rest:tt)*) => { $crate::__idle_stack!($($rest)*) };
}

/// How many there are, and one.
#[doc(hidden)]
#[macro_export]
macro_rules! __count {
    () => { 1 };
    ($one:ident $($rest:ident)*) => { 1 + $crate::__count!($($rest)*) };
}

/// What may stand before a row: a description.
#[doc(hidden)]
#[macro_export]
macro_rules! __row_takes {
    (doc $($text:tt)*) => {};
    ($($other:tt)*) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "a row of the table takes no attribute but its description, `///`: write `#[",
            $crate::__core::stringify!($($other)*),
            "]` where the type is declared, or before the `impl`"
        ));
    };
}

/// A name and a static place: with a value, or for `init` to fill. Whoever calls this says `unsafe`: as for
/// [`Named`](crate::Named) and [`Stored`](crate::Stored).
#[doc(hidden)]
#[macro_export]
macro_rules! __stored {
    ($unsafe:tt $owner:ident: $data:ty = $value:expr) => {
        $crate::__stored!(@ $unsafe $owner: $data, Fixed, $value);
    };
    ($unsafe:tt $owner:ident: $data:ty) => {
        $crate::__stored!(@ $unsafe $owner: $data, Late,);
    };
    (@ $unsafe:tt $owner:ident: $data:ty, $place:ident, $($value:expr)?) => {
        // SAFETY: the names of one table are names of types in one module, so each is there once.
        $unsafe impl $crate::Named for $owner {
            const NAME: &'static str = $crate::__core::stringify!($owner);
        }

        // SAFETY: the static has no other name than this.
        $unsafe impl $crate::Stored for $owner {
            type Data = $data;
            type Place = $crate::$place<$owner, $data>;
            const PLACE: &'static Self::Place = {
                static PLACE: $crate::$place<$owner, $data> = $crate::$place::new($($value)?);
                &PLACE
            };
        }
    };
}

/// What makes a task run: messages, if there is an inbox for them.
#[doc(hidden)]
#[macro_export]
macro_rules! __trigger {
    () => {
        $crate::Event
    };
    ($message:ty) => {
        $crate::Messages
    };
}

/// The function that the vector of `$task` names. The compiler finds it by its name, so it is the vector's own. Whoever
/// calls this says `unsafe`: as for [`handle`](crate::handle()).
#[doc(hidden)]
#[macro_export]
macro_rules! __handler {
    ($unsafe:tt $task:ident $irq:ident) => {
        const _: () = {
            #[cfg_attr(all(target_os = "none", target_arch = "arm"), unsafe(no_mangle))]
            #[allow(non_snake_case, dead_code)] // The vector's own name; on the host nothing calls it.
            extern "C" fn $irq() {
                // SAFETY: this is the vector of the task, in the application that lists it.
                $unsafe { $crate::handle::<$task>() }
            }
        };
    };
}

/// A vector by its name. Once in braces, because only a variant of the enumeration can be written so: a constant of that
/// name, which anybody could add by a trait, cannot.
#[doc(hidden)]
#[macro_export]
macro_rules! __vector {
    ([$device:ty] SysTick) => {
        $crate::Vector::SysTick
    };
    ([$device:ty] PendSV) => {
        $crate::Vector::PendSv
    };
    ([$device:ty] $irq:ident) => {{
        type __Interrupt = <$device as $crate::Device>::Interrupt;
        let number = __Interrupt::$irq as u16;
        let _ = __Interrupt::$irq {}; // What stands behind `on` must be a variant of the chip's `Interrupt`.
        $crate::Vector::Interrupt(number)
    }};
}

/// A type, or the empty tuple.
#[doc(hidden)]
#[macro_export]
macro_rules! __or_nothing {
    () => {
        ()
    };
    ($type:ty) => {
        $type
    };
}

/// A tuple of those that have no value.
#[doc(hidden)]
#[macro_export]
macro_rules! __late {
    ([$($late:ident)*]) => { ($($late,)*) };
    ([$($late:ident)*] [$name:ident = $value:expr] $($rest:tt)*) => { $crate::__late!([$($late)*] $($rest)*) };
    ([$($late:ident)*] [$name:ident] $($rest:tt)*) => { $crate::__late!([$($late)* $name] $($rest)*) };
}
