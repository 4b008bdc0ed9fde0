// Three equals that are always busy: the same text on every core. Included after the table.

macro_rules! busy {
    ($($thread:ident)*) => {$(
        struct $thread;
        impl Thread for $thread {
            fn run(&mut self, _: Context<Self>, (): Handles<Self>) {
                for _ in 0..40_000 {
                    reached::<51>();
                }
                exit()
            }
        }
    )*};
}

busy!(One Two Three);
