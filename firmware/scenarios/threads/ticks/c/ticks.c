/* Study 003: one task that takes and gives a mutex and enters and leaves critical sections, one that makes random numbers; both of
 * one priority, switched by the tick. Written after the study, which does not print its program. */
#include "FreeRTOS.h"
#include "semphr.h"
#include "task.h"

/* A point that a price list names: a label, no instruction. */
#define MARK(name) __asm volatile(".globl " #name "\n" #name ":" ::: "memory")
#ifndef FINISH_ADDRESS
#define FINISH_ADDRESS 0xfff00000u
#endif
/* Cycles by which the first tick comes later, where starting takes longer than a tick. */
#ifndef FIRST_TICK_LATER
#define FIRST_TICK_LATER 0u
#endif
#define FINISH (*(volatile uint32_t *)FINISH_ADDRESS)

/* The port's own, and what it steps by at each tick. */
extern uint64_t ullNextTime;
extern volatile uint64_t *pullMachineTimerCompareRegister;
size_t uxTimerIncrementsForOneTick;

void vPortSetupTimerInterrupt(void) {
    uint64_t now = *(volatile uint32_t *)configMTIME_BASE_ADDRESS;
    pullMachineTimerCompareRegister = (volatile uint64_t *)configMTIMECMP_BASE_ADDRESS;
    ullNextTime = now + uxTimerIncrementsForOneTick + FIRST_TICK_LATER;
    *pullMachineTimerCompareRegister = ullNextTime;
    ullNextTime += uxTimerIncrementsForOneTick;
}

static SemaphoreHandle_t mutex;
static volatile uint32_t shared, random_numbers;
/* When the last task has worked for that many ticks, the program ends. */
static TickType_t last_tick;

static void task1(void *unused) {
    while (xTaskGetTickCount() < last_tick) {
        xSemaphoreTake(mutex, portMAX_DELAY);
        shared++;
        xSemaphoreGive(mutex);
        MARK(enter_begins);
        taskENTER_CRITICAL();
        MARK(enter_ends);
        shared++;
        MARK(exit_begins);
        taskEXIT_CRITICAL();
        MARK(exit_ends);
        for (volatile int i = 0; i < 20; i++) {
        }
    }
    FINISH = 0;
    vTaskDelete(NULL);
}

static void task2(void *unused) {
    uint32_t state = 1;
    for (;;) {
        state = state * 1103515245u + 12345u;
        random_numbers = state >> 16;
        if ((state & 0xff0000) == 0) {
            xSemaphoreTake(mutex, portMAX_DELAY);
            shared++;
            xSemaphoreGive(mutex);
        }
    }
}

/* Older ports call it where an interrupt is not the timer's. */
void unexpected_interrupt(void) {
    FINISH = 2;
}

extern void freertos_risc_v_trap_handler(void);

void ticks(unsigned long rate, unsigned long count) {
    uxTimerIncrementsForOneTick = configCPU_CLOCK_HZ / rate;
    last_tick = count;
    __asm volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(task1, "task1", 256, NULL, 1, NULL);
    xTaskCreate(task2, "task2", 256, NULL, 1, NULL);
    vTaskStartScheduler();
    FINISH = 1;
}
