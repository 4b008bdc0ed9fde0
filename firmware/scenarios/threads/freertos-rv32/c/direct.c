/* The same as `threads-rv32-mainspring-direct.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

static void second(void *unused) {
    for (;;) {
        MARK_OF_YIELD(11);
        taskYIELD();
        MARK(13);
    }
}

static void first(void *unused) {
    for (int i = 0; i < ROUNDS(6); i++) {
        MARK_OF_YIELD(10);
        taskYIELD();
        MARK(12);
    }
    scenario_ends();
}

void direct(void) {
    xTaskCreate(first, "first", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(second, "second", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    vTaskStartScheduler();
    scenario_fails();
}
