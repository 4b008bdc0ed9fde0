/* ThreadX's list of threads (common/inc/tx_api.h); as it is configured if nobody says otherwise, or with more before what is asked. */
#include "program.h"

/* What a thread begins with. */
#ifndef ID
#define ID 0x54485244
#endif

struct TX_THREAD_STRUCT {
    word id, runs;
    const void *tx_thread_stack_ptr;
    word stack[3], slice[2], queue[2];
    MORE
    const char *tx_thread_name;
    word tx_thread_priority, tx_thread_state, waits[21];
    const struct TX_THREAD_STRUCT *tx_thread_created_next;
};

#ifdef __ARM_ARCH_6M__
static const word waiting[] = {0xfffffffd, UPPER, LOW, FRAME(0), 0xbad};
#else
static const word waiting[] = {0xffffffed, S16, LOW, UPPER, FRAME(PADDED), THEN_S0, 0, 0xbad};
#endif

extern const struct TX_THREAD_STRUCT first, second, third;
const struct TX_THREAD_STRUCT first = {.id = ID, .tx_thread_name = "first", .tx_thread_priority = 1, .tx_thread_created_next = &second};
const struct TX_THREAD_STRUCT second = {
    .id = ID,
    .tx_thread_stack_ptr = waiting,
    .tx_thread_name = "second",
    .tx_thread_priority = 2,
    .tx_thread_state = 6,
    .tx_thread_created_next = &third,
};
const struct TX_THREAD_STRUCT third = {
    .id = ID,
    .tx_thread_stack_ptr = waiting,
    .tx_thread_priority = 3,
    .tx_thread_state = 3,
    .tx_thread_created_next = &first,
};
const struct TX_THREAD_STRUCT *const _tx_thread_created_ptr = &second, *const _tx_thread_current_ptr = CURRENT;
#ifdef STARTS
__attribute__((section(".noinit"))) word _tx_thread_created_count;
void starts(void) { _tx_thread_created_count = 3; }
#else
const word _tx_thread_created_count = 3;
#endif
