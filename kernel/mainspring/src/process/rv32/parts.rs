//! Fragments of the kernel's fast paths. `t0` is the context of the running process, `t1` that of the next one.

/// To the process of `t1`. What `t0` to `t4` keep is its own, or the kernel's and no secret; `t0` tells it who sends.
macro_rules! go {
    () => {
        "
        lw t3, {data}(t1)
        lw ra, {pc}(t1)
        .if {paged}
        lw t4, {data}+4(t1)
        lw t5, {place}(t1)
        lw sp, {sp}(t1)
        lw s0, {kept}(t1)
        sw t4, 0(t5)
        csrw satp, t3
        .if {remembers}
        sfence.vma
        .endif
        .else
        lw sp, {sp}(t1)
        lw s0, {kept}(t1)
        csrw pmpaddr0, t3
        .if {extra}
        lw t3, {more}(t1)
        csrw pmpaddr1, t3
        .endif
        .endif
        csrw mepc, ra
        csrw mscratch, t1
        lw s1, {kept}+4(t1)
        li t5, 0
        li t6, 0
        li s2, 0
        li s3, 0
        li s4, 0
        li s5, 0
        li s6, 0
        li s7, 0
        li s8, 0
        li s9, 0
        li s10, 0
        li s11, 0
        mret"
    };
}

/// The process of `t0` waits; `s0` is kept already.
macro_rules! asks {
    () => {
        "
        sw s1, {kept}+4(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)"
    };
}

/// It waits for a message.
macro_rules! answers {
    () => {
        "
        sw s1, {kept}+4(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)
        sw zero, {client}(t0)"
    };
}

/// The receiver waits, nothing is lent to the sender, and the memory that `a3` (and `a4`) names is within the sender's. By PMP it need not
/// be of a size that the core can tell from its neighbours: they are the sender's too. By Sv32 it is one page: of more, the
/// name's low bits say so.
macro_rules! lends {
    () => {
        "
        lw t5, {within}(t0)
        lw t6, {within}+4(t0)
        .if {paged}
        sw s1, {kept}+4(t0)
        .endif
        bnez t4, 80f
        bnez t2, 80f
        .if {paged}
        sub t5, a3, t5
        lw s2, {place}+4(t1)
        slli t3, a3, 20
        bgeu t5, t6, 80f
        bnez t3, 80f
        .else
        or t3, t6, a3
        bne t3, t5, 80f
        .if {doubles}
        and t3, t6, a3
        beq t3, t6, 80f
        .endif
        sw s1, {kept}+4(t0)
        .endif
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)"
    };
}

/// That memory becomes the receiver's to reach: its field, its entry by PMP, its rights by Sv32, and the client's bit. By Sv32 where its
/// entry is says all of it.
macro_rules! open {
    ($field:literal, $entry:literal, $rights:literal, $bit:literal) => {
        concat!(
            "
        addi t4, t0, ",
            $bit,
            "
        .if {paged}
        srli t5, a3, 10
        srli t6, a3, 2
        add t5, t5, s2
        ori t6, t6, ",
            $rights,
            "
        lui a4, 1
        sw t4, {client}(t1)
        sw t5, {entry}(t1)
        sw t6, 0(t5)
        .else
        csrw ",
            $entry,
            ", a3
        sw t4, {client}(t1)
        sw a3, ",
            $field,
            "(t1)
        .endif"
        )
    };
}

/// Revokes the memory lent to the process of `t0`, which then waits for a message.
macro_rules! close {
    ($entry:literal) => {
        concat!(
            "
        .if {paged}
        lw t5, {entry}(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)
        sw zero, 0(t5)
        .else
        li t4, {nowhere}
        csrw ",
            $entry,
            ", t4
        sw s1, {kept}+4(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)
        .endif
        sw zero, {client}(t0)"
        )
    };
}

/// The frame of `t0`, whose owner is in `t5`, becomes that of `t1`, which has `t3` in its place.
macro_rules! gives {
    () => {
        "
        li t4, {nowhere}
        lw s2, {more}(t0)
        beqz t5, 80f
        bne t3, t4, 80f
        .if {paged}
        lw s3, {more}+4(t0)
        lw s4, {place}+4(t0)
        lw s5, {place}+4(t1)
        srli s6, s3, 13
        srli t6, s2, 10
        bnez s6, 80f
        srli s6, s2, 2
        add s4, s4, t6
        add s5, s5, t6
        ori s6, s6, {write}
        sw zero, 0(s4)
        sw s6, 0(s5)
        mv a4, s3
        sw s3, {more}+4(t1)
        sw zero, {more}+4(t0)
        .else
        li a4, 0
        .endif
        mv a3, s2
        sb t5, {frame}(t1)
        sb zero, {frame}(t0)
        sw s2, {more}(t1)
        sw t4, {more}(t0)"
    };
}

/// Saves or loads what an operation keeps, and its message.
macro_rules! message {
    ($op:literal, $at:literal) => {
        concat!(
            $op,
            " sp, {sp}(",
            $at,
            ")\n",
            $op,
            " s0, {kept}(",
            $at,
            ")\n",
            $op,
            " s1, {kept}+4(",
            $at,
            ")\n",
            parts!($op, $at, "{message}", "a0" 0, "a1" 4, "a2" 8, "a3" 12, "a4" 16, "a5" 20, "a6" 24, "a7" 28)
        )
    };
}

/// Saves or loads all other registers but `t0`, which is the context's, and `gp` and `tp`, which are nobody's.
macro_rules! others {
    ($op:literal, $at:literal) => {
        parts!(
            $op, $at, "{others}", "ra" 0, "t1" 12, "t2" 16, "s2" 20, "s3" 24, "s4" 28, "s5" 32, "s6" 36, "s7" 40, "s8" 44,
            "s9" 48, "s10" 52, "s11" 56, "t3" 60, "t4" 64, "t5" 68, "t6" 72
        )
    };
}

/// One instruction for each register.
macro_rules! parts {
    ($op:literal, $at:literal, $field:literal, $($register:literal $offset:literal),+) => {
        concat!($($op, " ", $register, ", ", $field, "+", $offset, "(", $at, ")\n"),+)
    };
}
