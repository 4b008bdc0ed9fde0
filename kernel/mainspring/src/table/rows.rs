//! What the rows of a table become: the parts of [`app!`](crate::app!).

/// Says which attribute a row does not take.
#[doc(hidden)]
#[macro_export]
macro_rules! __attributes {
    ([doc $($text:tt)*] $($rest:tt)*) => { $crate::__attributes!($($rest)*); };
    ([cfg $($condition:tt)*] $($rest:tt)*) => { $crate::__attributes!($($rest)*); };
    ([unsafe(link_section = $section:literal)] $($rest:tt)*) => { $crate::__attributes!($($rest)*); };
    ([$($other:tt)*] $($rest:tt)*) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "a row of the table takes no attribute but `///`, `#[cfg(…)]` and `#[unsafe(link_section = \"…\")]`: write `#[",
            $crate::__core::stringify!($($other)*),
            "]` where the type is declared, or before the `impl`"
        ));
    };
    () => {
        $crate::__core::compile_error!(
            "the attributes of a row have an order: `///`, then `#[cfg(…)]`, then one `#[unsafe(link_section = \"…\")]`"
        );
    };
}

/// A name and a static place: with a value, or for `init` to fill. Whoever calls this says `unsafe`: as for
/// [`Named`](crate::Named) and [`Stored`](crate::Stored).
#[doc(hidden)]
#[macro_export]
macro_rules! __stored {
    ($unsafe:tt $section:tt $owner:ident: $data:ty = $value:expr) => {
        $crate::__stored!(@ $unsafe $section $owner: $data, Fixed, $value);
    };
    ($unsafe:tt $section:tt $owner:ident: $data:ty) => {
        $crate::__stored!(@ $unsafe $section $owner: $data, Late,);
    };
    (@ $unsafe:tt [$($section:tt)*] $owner:ident: $data:ty, $place:ident, $($value:expr)?) => {
        // SAFETY: the names of one table are names of types in one module, so each is there once.
        $unsafe impl $crate::Named for $owner {
            const NAME: &'static str = $crate::__core::stringify!($owner);
        }

        // SAFETY: the static has no other name than this.
        $unsafe impl $crate::Stored for $owner {
            type Data = $data;
            type Place = $crate::$place<$owner, $data>;
            const PLACE: &'static Self::Place = {
                $($section)*
                static __PLACE: $crate::$place<$owner, $data> = $crate::$place::new($($value)?);
                &__PLACE
            };
        }
    };
}

/// The trigger of a task: messages, if there is an inbox for them.
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
    ($unsafe:tt [$($section:tt)*] $task:ident on $irq:ident) => {
        const _: () = {
            #[cfg_attr(all(target_os = "none", target_arch = "arm"), unsafe(no_mangle))]
            $($section)*
            #[allow(non_snake_case, dead_code)] // The vector's own name; on the host nothing calls it.
            extern "C" fn $irq() {
                // SAFETY: this is the vector of the task, in the application that lists it.
                $unsafe { $crate::handle::<$task>() }
            }
        };
    };
    ($unsafe:tt [] $task:ident $where:ident $first:ident) => {};
    ($unsafe:tt [$($section:tt)*] $task:ident $where:ident $first:ident) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "the vector is the row's of `", $crate::__core::stringify!($first), "`: its section stands there"
        ));
    };
}

/// The part `on INTERRUPT, priority N` or `behind TASK` of a row.
#[doc(hidden)]
#[macro_export]
macro_rules! __bound {
    (priority on $irq:ident [$priority:expr]) => { $priority };
    (priority on $irq:ident []) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "a task has a priority: `on ", $crate::__core::stringify!($irq), ", priority …`"
        ))
    };
    (priority behind $first:ident []) => { <$first as $crate::Actor>::PRIORITY };
    (priority behind $first:ident [$priority:expr]) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "the priority is that of `", $crate::__core::stringify!($first), "`, on whose interrupt it is: leave it out"
        ))
    };
    (vector on $irq:ident [$device:ty]) => { $crate::__vector!([$device] $irq) };
    (vector behind $first:ident [$device:ty]) => { <$first as $crate::Task>::VECTOR };
    (enabled on $irq:ident []) => { true };
    (enabled on $irq:ident [$enabled:expr]) => { $enabled };
    (enabled behind $first:ident []) => { <$first as $crate::Task>::ENABLED };
    (enabled behind $first:ident [$enabled:expr]) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "whether it starts enabled is said where `", $crate::__core::stringify!($first), "` is, on whose interrupt it is"
        ))
    };
    (behind on) => { false };
    (behind behind) => { true };
    (behind $other:ident) => {
        $crate::__core::compile_error!($crate::__core::concat!(
            "`", $crate::__core::stringify!($other), "`: expected `on INTERRUPT, priority N` or `behind TASK`"
        ))
    };
    (priority $other:ident $bound:ident $rest:tt) => { 1 };
    (vector $other:ident $bound:ident $rest:tt) => { $crate::Vector::SysTick };
    (enabled $other:ident $bound:ident $rest:tt) => { true };
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

/// The type of the uses of an actor: named, in order, or none.
#[doc(hidden)]
#[macro_export]
macro_rules! __uses {
    ([] []) => { () };
    ([] [$uses:ty]) => { $uses };
    ([{$($use:ty,)*}] []) => { $crate::Fields<__Naming, ($($use,)*)> };
    ([$fields:tt] [$uses:ty]) => { $crate::__core::compile_error!("one `uses` is enough") };
}

/// A struct with a handle for each of the fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __named {
    ($app:ident {$($field:ident: $use:ty,)*}) => {
        pub struct __Shared<'run> {
            $(pub $field: $crate::Handle<'run, $use>,)*
            #[allow(dead_code)] // For tables in which there is no other field.
            __run: $crate::__core::marker::PhantomData<&'run ()>,
        }
        pub struct __Naming;
        impl $crate::Naming<$app, ($($use,)*)> for __Naming {
            type Named<'run> = __Shared<'run>;
            #[inline(always)]
            fn named(($($field,)*): <($($use,)*) as $crate::Uses<$app>>::Handles<'_>) -> __Shared<'_> {
                __Shared { $($field,)* __run: $crate::__core::marker::PhantomData }
            }
        }
    };
}

/// Of the rows (of resources `r`, tasks `t` and threads `h`) those that have no value: the struct of their values, or the type that
/// `App::Late` is.
#[doc(hidden)]
#[macro_export]
macro_rules! __late {
    ($what:ident $r:tt $t:tt $h:tt [$kind:ident $cfgs:tt $name:ident = $value:expr] $($rest:tt)*) => {
        $crate::__late!($what $r $t $h $($rest)*)
    };
    ($what:ident [$($done:tt)*] $t:tt $h:tt [r $cfgs:tt $name:ident] $($rest:tt)*) => {
        $crate::__late!($what [$($done)* {$cfgs $name}] $t $h $($rest)*)
    };
    ($what:ident $r:tt [$($done:tt)*] $h:tt [t $cfgs:tt $name:ident] $($rest:tt)*) => {
        $crate::__late!($what $r [$($done)* {$cfgs $name}] $h $($rest)*)
    };
    ($what:ident $r:tt $t:tt [$($done:tt)*] [h $cfgs:tt $name:ident] $($rest:tt)*) => {
        $crate::__late!($what $r $t [$($done)* {$cfgs $name}] $($rest)*)
    };
    (struct [] [] []) => {};
    (type [] [] []) => { () };
    (
        struct [$({[$($rcfg:tt)*] $resource:ident})*] [$({[$($tcfg:tt)*] $task:ident})*] [$({[$($hcfg:tt)*] $thread:ident})*]
    ) => {
        #[allow(non_snake_case)] // The rows' own names.
        pub struct __Initials {
            $($($rcfg)* pub $resource: <$resource as $crate::Stored>::Data,)*
            $($($tcfg)* pub $task: <$task as $crate::Stored>::Data,)*
            $($($hcfg)* pub $thread: <$thread as $crate::Stored>::Data,)*
        }
        type __Tuples = (
            <fn($($($rcfg)* <$resource as $crate::Stored>::Data),*) as $crate::__List>::Tuple,
            <fn($($($tcfg)* <$task as $crate::Stored>::Data),*) as $crate::__List>::Tuple,
            <fn($($($hcfg)* <$thread as $crate::Stored>::Data),*) as $crate::__List>::Tuple,
        );
        impl $crate::Values<__Tuples> for __Initials {
            #[inline(always)]
            fn into_tuple(self) -> __Tuples {
                (($($($rcfg)* self.$resource,)*), ($($($tcfg)* self.$task,)*), ($($($hcfg)* self.$thread,)*))
            }
        }
    };
    (type [$({[$($rcfg:tt)*] $resource:ident})*] [$({[$($tcfg:tt)*] $task:ident})*] [$({[$($hcfg:tt)*] $thread:ident})*]) => {
        $crate::Handed<
            __Initials,
            <fn($($($rcfg)* $resource),*) as $crate::__List>::Tuple,
            <fn($($($tcfg)* $task),*) as $crate::__List>::Tuple,
            <fn($($($hcfg)* $thread),*) as $crate::__List>::Tuple,
        >
    };
}
