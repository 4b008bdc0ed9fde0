/* A thread needs more stack than it has, and goes on: the next tick tells. */
#include "cmsis_os2.h"

extern void program_ends(uint32_t found) __attribute__((noreturn));

uint32_t SystemCoreClock = 16000000;

/* More than its stack, and every word of it. */
static void fill(void) {
    volatile uint32_t own[96];
    for (uint32_t i = 0; i < 96; i++) {
        own[i] = i;
    }
    (void)own[0];
}

static void deep(void *argument) {
    (void)argument;
    for (volatile uint32_t i = 0; i < 100000; i++) {
        fill();
    }
    program_ends(0);
}

int main(void) {
    /* The memory below it is unused. */
    static uint64_t stack[192];
    const osThreadAttr_t attr = {.name = "deep", .stack_mem = stack + 160, .stack_size = 256};
    osKernelInitialize();
    osThreadNew(deep, NULL, &attr);
    osKernelStart();
    program_ends(1);
}
