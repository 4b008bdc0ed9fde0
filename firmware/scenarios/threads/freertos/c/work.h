/* The work of study 001, and what it needs of a core. */
#include <stdint.h>

#ifdef __riscv
#define HERTZ 100000000u
#define CYCLES() \
    ({ \
        uint32_t cycles; \
        __asm volatile("csrr %0, mcycle" : "=r"(cycles)); \
        cycles; \
    })
#else
#define HERTZ 170000000u
typedef struct {
    volatile uint32_t CTRL, CYCCNT;
} DWT_Type;
#define DWT ((DWT_Type *)0xe0001000u)
#define CYCLES() (DWT->CYCCNT)
#endif

/* A hundredth of a second: what is counted is the same in each. */
#define WINDOW (HERTZ / 100u)
