/* Study 001, as its document describes it: work of one microsecond by the cycle counter, done by functions in turn, or by two
 * threads of one priority that yield after each piece. The work is in `work.c`. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

#include "work.h"

#define DEMCR (*(volatile uint32_t *)0xe000edfcu)

extern void scenario_ends(void) __attribute__((noreturn));

volatile uint32_t rtos_call_count, threads_per_second;
static volatile uint32_t start_of_threads, finished;

void burn_1us(void);
void run_function_call_test(void);

/* The work of CMSIS-RTOS2's osThreadYield here: not in an interrupt, then the kernel's yield. That is for Cortex-M; elsewhere the yield
 * alone. */
static void thread_yield(void) {
#ifdef __riscv
    taskYIELD();
#else
    uint32_t ipsr;
    __asm volatile("mrs %0, ipsr" : "=r"(ipsr));
    if (ipsr == 0) {
        taskYIELD();
    }
#endif
}

#define WORKER(name, before, after) \
    static void name(void *unused) { \
        uint32_t start = start_of_threads; \
        while (CYCLES() - start < WINDOW) { \
            burn_1us(); \
            rtos_call_count++; \
            MARK_OF_YIELD(before); \
            thread_yield(); \
            MARK(after); \
        } \
        if (++finished == 2) { \
            threads_per_second = rtos_call_count * 100; \
            scenario_ends(); \
        } \
        vTaskSuspend(NULL); \
    }

WORKER(first, 1, 3)
WORKER(second, 2, 4)

/* A tick of 1,000 Hz, as on the study's board. */
extern uint32_t ticks_of;

void yield_study(void) {
    ticks_of = HERTZ / 1000;
#ifndef __riscv
    DEMCR |= 1u << 24;
    DWT->CTRL |= 1;
#endif
    run_function_call_test();
    xTaskCreate(first, "first", 96, NULL, 1, NULL);
    xTaskCreate(second, "second", 96, NULL, 1, NULL);
    start_of_threads = CYCLES();
    vTaskStartScheduler();
}
