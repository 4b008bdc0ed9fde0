/* RIOT's table of threads (core/include/thread.h), with members that another configuration would not have. */
#include "program.h"

struct _thread {
    const char *sp;
    u8 status, priority;
    short pid;
    word flags, queued, waits[3];
#ifdef NAMES
    const char *name;
#endif
};
#ifdef NAMES
#define NAMED(text) , .name = text
#else
#define NAMED(text)
#endif

#ifdef __arm__
#ifdef __ARM_ARCH_6M__
static const word waiting[] = {UPPER, LOW, 0xfffffffd, FRAME(0), 0xbad};
#else
static const word waiting[] = {LOW, UPPER, 0xffffffed, S16, FRAME(PADDED), THEN_S0, 0, 0xbad};
#endif
#else
struct context_switch_frame {
    word pc, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, ra, t0, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7, padding[3];
};
static const struct context_switch_frame waiting = {.pc = ADDRESS(going_on), .ra = ADDRESS(asks), .s0 = 300, .s1 = 301};
#define waiting &waiting
#endif

static const struct _thread first = {.status = 11, .priority = 7 NAMED("first")};
static const struct _thread second = {.sp = (const char *)waiting, .status = 3, .priority = 8 NAMED("second")};
static const struct _thread third = {.sp = (const char *)waiting, .status = 11, .priority = 9 NAMED("third")};
static const struct _thread fourth = {.sp = (const char *)waiting, .status = 2, .priority = 10 NAMED("fourth")};
const struct _thread *const sched_active_thread = &first;
const struct _thread *const sched_threads[6] = {0, &second, &first, 0, &third, &fourth};
