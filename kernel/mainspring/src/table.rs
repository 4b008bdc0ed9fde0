//! The table: the one place that says what runs, when, how urgently, and with what.

mod rows;

/// Describes an application. Every line becomes what you could have written yourself, and no more.
///
/// ```text
/// mainspring::app! {
///     /// What it is for.
///     struct Motor;                                  impl App for Motor
///     device = Chip;                                 priority bits and interrupts: your `impl Device`
///     guard = _stack_end;                            stacks are guarded; the linker's symbol for where the tasks' ends
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
///         Beep = Beep, behind Key, uses { gain: Read<Gain> };
///                                                    runs when `Key` has, on the same interrupt; `shared.gain` is the handle
///     }
///     idle uses Read<Speed>;
/// }
/// ```
///
/// The order in a row is: task and state, `on` and `priority` (or `behind`), `uses`, `inbox`, `enabled`; the last three may be left
/// out. `on SysTick` and `on PendSV` bind system exceptions. `behind` names a task whose interrupt this one shares: it is as
/// urgent, runs each time when that one has, and whoever asks for one of the two, or enables or disables it, does so with both.
///
/// `uses` names one [`Write`](crate::Write), [`Read`](crate::Read) or [`Post`](crate::Post), or a tuple of them, or, in braces, gives
/// each a name; the handles come as one, as a tuple, or as a struct with these names. What `init` returns is a struct that has a
/// field for each resource and task without a value, named as the row is: `Initials::<Self> { Port: uart, Log: log }`.
///
/// `guard` may be left out: see the guide. It takes a region of the MPU, or an entry of the PMP, for the tasks' stack, one for the
/// idle loop's and one for each thread's, and the handler of `HardFault`.
///
/// Before a row may stand its description (`///`), then conditions (`#[cfg(…)]`: without them there is no such row), then
/// `#[unsafe(link_section = "…")]`: for a resource's data, the function in a task's vector, the stack of a thread.
///
/// You write beside it: for each task `impl Run` (or `impl Receive`, if it has an inbox), and `impl Main` for the
/// application.
///
/// A mistake in the table is a compile error that names it: [`check`](crate::check).
#[macro_export]
macro_rules! app {
    (
        $(#[$doc:meta])*
        $vis:vis struct $app:ident;
        device = $device:ty;
        $(guard = $guard:ident;)?

        $(resources {
            $($(#[doc = $rdoc:expr])* $(#[cfg($($rcfg:tt)*)])* $(#[unsafe(link_section = $rsection:literal)])?
                $resource:ident: $data:ty $(= $value:expr)? $(, ceiling $ceiling:expr)?;)*
        })?
        tasks {
            $($(#[doc = $tdoc:expr])* $(#[cfg($($tcfg:tt)*)])* $(#[unsafe(link_section = $tsection:literal)])?
                $task:ident $(= $state:expr)?, $where:ident $bound:ident $(, priority $priority:expr)?
                $(, uses {$($field:ident: $use:ty),* $(,)?})?
                $(, uses $uses:ty)?
                $(, inbox [$message:ty; $capacity:expr])?
                $(, enabled $enabled:expr)?;)*
        }
        $(threads $(($($setting:ident $setting_value:tt),*))? {
            $($(#[doc = $thdoc:expr])* $(#[cfg($($thcfg:tt)*)])* $(#[unsafe(link_section = $thsection:literal)])?
                $thread:ident $(= $thstate:expr)?, priority $urgency:expr, stack $stack:expr
                $(, uses {$($thfield:ident: $thuse:ty),* $(,)?})?
                $(, uses $thuses:ty)?;)*
        })?
        $(idle uses {$($idle_field:ident: $idle_use:ty),* $(,)?};)?
        $(idle uses $idle_uses:ty;)?
    ) => {
        $(#[$doc])*
        $vis struct $app;

        // SAFETY: the names of one table are names of types in one module, so each is there once.
        unsafe impl $crate::Named for $app {
            const NAME: &'static str = $crate::__core::stringify!($app);
        }

        const _: () = {
            $crate::__late!(
                struct [] [] []
                $($([r [$(#[cfg($($rcfg)*)])*] $resource $(= $value)?])*)?
                $([t [$(#[cfg($($tcfg)*)])*] $task $(= $state)?])*
                $($([h [$(#[cfg($($thcfg)*)])*] $thread $(= $thstate)?])*)?
            );
            $($crate::__named!($app {$($idle_field: $idle_use,)*});)?

            // SAFETY: each task that this macro writes is in the list, and `main`, of which a program has one, starts it.
            unsafe impl $crate::App for $app {
                type Device = $device;
                type Tasks = <fn($($(#[cfg($($tcfg)*)])* $task),*) as $crate::__List>::Tuple;
                type Late = $crate::__late!(
                    type [] [] []
                    $($([r [$(#[cfg($($rcfg)*)])*] $resource $(= $value)?])*)?
                    $([t [$(#[cfg($($tcfg)*)])*] $task $(= $state)?])*
                    $($([h [$(#[cfg($($thcfg)*)])*] $thread $(= $thstate)?])*)?
                );
                type IdleUses = $crate::__uses!([$({$($idle_use,)*})?] [$($idle_uses)?]);
                type Threads = <fn($($($(#[cfg($($thcfg)*)])* $thread),*)?) as $crate::__List>::Tuple;
                $($($($crate::__setting!(value [$device] $setting $setting_value);)*)?)?
                $(const STACK_END: $crate::__core::option::Option<*const u8> = {
                    $crate::__symbol!(unsafe $guard);
                    $crate::__core::option::Option::Some(&raw const $guard)
                };)?
                const KERNEL: &'static $crate::threads::Kernel = &__KERNEL;
                const IDLE_STACK: &'static dyn $crate::threads::Stacked<$crate::Idle<$app>> = {
                    const __BYTES: usize = $crate::__idle_stack!($($($($setting $setting_value)*)?)?) $(+ $crate::__guard_bytes!($guard))?;
                    static __STACK: $crate::threads::Stack<$crate::Idle<$app>, __BYTES> = $crate::threads::Stack::new();
                    &__STACK
                };
            }
        };

        static __KERNEL: $crate::threads::Kernel<
            [$crate::threads::Slot; $crate::threads::slots::<$app>() + 1]
        > = $crate::threads::Kernel::with_nobody::<$app>();

        $($(
            $(#[doc = $rdoc])*
            $(#[cfg($($rcfg)*)])*
            $vis struct $resource($crate::__core::convert::Infallible);

            $(#[cfg($($rcfg)*)])*
            const _: () = {
                // SAFETY: the type is this macro's, and no task.
                unsafe impl $crate::Resource for $resource {
                    type App = $app;
                    $(const CEILING: $crate::__core::option::Option<u8> = $crate::__core::option::Option::Some($ceiling);)?
                }

                $crate::__stored!(unsafe [$(#[cfg_attr(target_os = "none", unsafe(link_section = $rsection))])?] $resource: $data $(= $value)?);
            };
        )*)?

        $(
            $(#[cfg($($tcfg)*)])*
            const _: () = {
                $($crate::__named!($app {$($field: $use,)*});)?

                // SAFETY: the vector below, which has this priority, is all that runs it.
                unsafe impl $crate::Actor for $task {
                    type App = $app;
                    const PRIORITY: u8 = $crate::__bound!(priority $where $bound [$($priority)?]);
                    type Uses = $crate::__uses!([$({$($use,)*})?] [$($uses)?]);
                }

                // SAFETY: the chip's own name for the vector and its own number, as `Device` promises, or those of the task that
                // it is behind; the resources of the table are types of this macro's.
                unsafe impl $crate::Task for $task {
                    const VECTOR: $crate::Vector = $crate::__bound!(vector $where $bound [$device]);
                    type Trigger = $crate::__trigger!($($message)?);
                    const ENABLED: bool = $crate::__bound!(enabled $where $bound [$($enabled)?]);
                    const BEHIND: bool = $crate::__bound!(behind $where);
                }

                $crate::__stored!(unsafe [] $task: $task $(= $state)?);
                $crate::__handler!(unsafe [$(#[cfg_attr(target_os = "none", unsafe(link_section = $tsection))])?] $task $where $bound);
                $(
                    // SAFETY: the static is this task's, and the vector above is all that takes messages out.
                    unsafe impl $crate::Mailbox for $task {
                        type Message = $message;
                        type Inbox = $crate::Inbox<$task, $message, { $capacity }>;
                        const INBOX: &'static Self::Inbox = {
                            // By itself: together with others, where it lies would be a sum, and whoever sends would wait for that.
                            #[cfg_attr(all(target_os = "none", target_arch = "arm"), unsafe(link_section = ".bss.inbox"))]
                            static __INBOX: $crate::Inbox<$task, $message, { $capacity }> = $crate::Inbox::new();
                            &__INBOX
                        };
                    }
                )?
            };
        )*

        $($(
            $(#[cfg($($thcfg)*)])*
            const _: () = {
                $($crate::__named!($app {$($thfield: $thuse,)*});)?

                // SAFETY: it runs as the thread of this row, where no task does.
                unsafe impl $crate::Actor for $thread {
                    type App = $app;
                    const PRIORITY: u8 = 0;
                    type Uses = $crate::__uses!([$({$($thuse,)*})?] [$($thuses)?]);
                    const GIVES_WAY: $crate::__core::option::Option<$crate::threads::GiveWay> =
                        $crate::__core::option::Option::Some($crate::threads::give_way_to::<$thread>);
                }

                // SAFETY: it is in the list, and the statics are this row's.
                unsafe impl $crate::threads::Threaded for $thread {
                    const URGENCY: u8 = $urgency;
                    const STACK: &'static dyn $crate::threads::Stacked<$thread> = {
                        $(#[cfg_attr(target_os = "none", unsafe(link_section = $thsection))])?
                        static __STACK: $crate::threads::Stack<$thread, { $stack }> = $crate::threads::Stack::new();
                        &__STACK
                    };
                    const JOINERS: &'static $crate::threads::Joiners = {
                        static __JOINERS: $crate::threads::Joiners = $crate::threads::Joiners::new();
                        &__JOINERS
                    };
                }

                $crate::__stored!(unsafe [] $thread: $thread $(= $thstate)?);
            };
        )*

            #[cfg(target_os = "none")]
            const _: () = {
                $crate::__switch!(unsafe $app __KERNEL);
                $($($crate::__setting!(handler $app $setting unsafe);)*)?
            };
        )?

        $(
            #[cfg(target_os = "none")]
            const _: () = {
                $crate::__guard!(unsafe $app $guard);
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

    // The same, with attributes that a row does not take, or not in this order.
    (
        $(#[$doc:meta])*
        $vis:vis struct $app:ident;
        device = $device:ty;
        $(guard = $guard:ident;)?

        $(resources {
            $($(#[$($rattribute:tt)*])* $resource:ident: $data:ty $(= $value:expr)? $(, ceiling $ceiling:expr)?;)*
        })?
        tasks {
            $($(#[$($tattribute:tt)*])* $task:ident $(= $state:expr)?, $where:ident $bound:ident $(, priority $priority:expr)?
                $(, uses {$($field:ident: $use:ty),* $(,)?})?
                $(, uses $uses:ty)?
                $(, inbox [$message:ty; $capacity:expr])?
                $(, enabled $enabled:expr)?;)*
        }
        $(threads $(($($setting:ident $setting_value:tt),*))? {
            $($(#[$($thattribute:tt)*])* $thread:ident $(= $thstate:expr)?, priority $urgency:expr, stack $stack:expr
                $(, uses {$($thfield:ident: $thuse:ty),* $(,)?})?
                $(, uses $thuses:ty)?;)*
        })?
        $(idle uses {$($idle_field:ident: $idle_use:ty),* $(,)?};)?
        $(idle uses $idle_uses:ty;)?
    ) => {
        $crate::__attributes!(
            $($($([$($rattribute)*])*)*)? $($([$($tattribute)*])*)* $($($([$($thattribute)*])*)*)?
        );
        $crate::app! {
            $vis struct $app;
            device = $device;
            $(guard = $guard;)?
            $(resources {
                $($resource: $data $(= $value)? $(, ceiling $ceiling)?;)*
            })?
            tasks {
                $($task $(= $state)?, $where $bound $(, priority $priority)?
                    $(, uses {$($field: $use),*})?
                    $(, uses $uses)?
                    $(, inbox [$message; $capacity])?
                    $(, enabled $enabled)?;)*
            }
            $(threads $(($($setting $setting_value),*))? {
                $($thread $(= $thstate)?, priority $urgency, stack $stack
                    $(, uses {$($thfield: $thuse),*})?
                    $(, uses $thuses)?;)*
            })?
            $(idle uses {$($idle_field: $idle_use),*};)?
            $(idle uses $idle_uses;)?
        }
    };
}

/// The parentheses after `threads`: a constant of the application, and what comes with it.
#[doc(hidden)]
#[macro_export]
macro_rules! __setting {
    (value $device:tt waking $value:expr) => { const WAKING: u8 = $value; };
    (value $device:tt tick $value:expr) => { const TICK: u32 = $value; };
    (value $device:tt ticked $task:ident) => {
        const TICKED: $crate::__core::option::Option<&'static str> =
            $crate::__core::option::Option::Some($crate::__core::stringify!($task));
    };
    (value $device:tt clock ($clock:ty = $value:expr, tick $tick:expr)) => {
        const CLOCK: $crate::__core::option::Option<$crate::threads::Clocked> = {
            static __CLOCK: $crate::threads::ClockPlace<$clock> = $crate::threads::ClockPlace::new($value);
            $crate::__core::option::Option::Some($crate::threads::Clocked::new(&__CLOCK, $tick))
        };
    };
    (value $device:tt clock $value:tt) => {
        $crate::__core::compile_error!(
            "`clock`: expected the clock's type, itself, and how many of its counts are a tick: `clock (TYPE = VALUE, tick COUNTS)`"
        );
    };
    (value $device:tt switch $irq:ident) => {
        const SWITCH: $crate::__core::option::Option<$crate::Vector> =
            $crate::__core::option::Option::Some($crate::__vector!($device $irq));
    };
    (value $device:tt idle $value:expr) => {};
    (value $device:tt $other:ident $value:expr) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "`", $crate::__core::stringify!($other),
            "`: expected `waking PRIORITY`, `tick CYCLES`, `ticked TASK`, `clock (TYPE = VALUE, tick COUNTS)`, `switch INTERRUPT` or `idle BYTES`"
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

/// The handler that finds an overflow, where that is not the program's own vector.
#[cfg(not(all(target_os = "none", target_arch = "arm")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __guard {
    ($unsafe:tt $app:ident $end:ident) => {};
}

/// The most bytes of a stack that a guard takes.
#[doc(hidden)]
#[macro_export]
macro_rules! __guard_bytes {
    ($end:ident) => {
        64
    };
}

/// A symbol of the linker's.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol {
    ($unsafe:tt $symbol:ident) => {
        $unsafe extern "C" {
            static $symbol: u8;
        }
    };
}

/// Bytes of the idle loop's stack.
#[doc(hidden)]
#[macro_export]
macro_rules! __idle_stack {
    () => { 256 };
    (idle $value:tt $($rest:tt)*) => { $value };
    ($other:ident $value:tt $($rest:tt)*) => { $crate::__idle_stack!($($rest)*) };
}
