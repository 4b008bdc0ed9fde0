/* Zephyr's threads (kernel/include/kernel_structs.h, arch/{arm,riscv}/thread.h), with a list of them or without. */
#include "program.h"

struct node {
    const void *next, *previous;
};
struct k_thread {
    struct {
        struct node queue;
        const void *pended;
        u8 user, thread_state;
        union {
            struct {
                signed char prio;
                u8 locked;
            };
            unsigned short preempt;
        };
        struct {
            struct node node;
            word ticks[2];
        } timeout;
    } base;
#ifdef __arm__
    struct {
        word v1, v2, v3, v4, v5, v6, v7, v8, psp;
    } callee_saved;
#else
    struct {
        word sp, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11;
    } callee_saved;
#endif
    const void *init_data;
#ifdef LIST
    const struct k_thread *next_thread;
    char name[12];
#endif
#ifdef __arm__
    struct {
        word basepri;
        struct {
            word s16[16];
        } preempt_float;
        union {
            word mode;
            struct {
                u8 mode_bits, mode_exc_return;
            };
        };
    } arch;
#endif
};
struct z_kernel {
    struct {
        word nested;
        const void *stack;
        const struct k_thread *current;
    } cpus[1];
#ifdef LIST
    const struct k_thread *threads;
#endif
};

#ifdef __arm__
static const word padded[] = {FRAME(PADDED), THEN_S0, 0, 0xbad};
static const word plain[] = {FRAME(0), 0xbad};
#define SAVED(frame) .callee_saved = {LOW, UPPER, ADDRESS(frame)}
#define FLOATS .arch = {.preempt_float = {{S16}}, .mode_exc_return = 0xed}
#define NO_FLOATS .arch = {.mode_exc_return = 0xfd}
#else
#define SAVED(frame) .callee_saved = {0x80001000, ADDRESS(going_on), 300, 301}
#define FLOATS .init_data = 0
#define NO_FLOATS .init_data = 0
#endif
/* Behind the last one. */
#ifndef LAST
#define LAST 0
#endif
#ifdef LIST
#define NEXT(thread, text) .next_thread = thread, .name = text
#else
#define NEXT(thread, text) .init_data = 0
#endif

const struct k_thread z_main_thread, z_idle_threads[1], _k_thread_obj_third;
const struct k_thread z_main_thread = {.base = {.prio = -1, .timeout = {{0}}}, NEXT(&z_idle_threads[0], "")};
const struct k_thread z_idle_threads[1] = {{.base = {.prio = 15}, SAVED(plain), NO_FLOATS, NEXT(&_k_thread_obj_third, "idle 00")}};
const struct k_thread _k_thread_obj_third = {.base = {.prio = 5, .thread_state = STATE, .timeout = {{&z_main_thread, 0}}}, SAVED(padded), FLOATS, NEXT(LAST, "")};
const struct z_kernel _kernel = {
    .cpus = {{.current = &z_main_thread}},
#ifdef LIST
    .threads = &z_main_thread,
#endif
};
