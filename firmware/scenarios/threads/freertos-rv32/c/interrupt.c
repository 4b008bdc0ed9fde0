/* The same as `threads-rv32-mainspring-interrupt.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "points.h"
#include "semphr.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

static SemaphoreHandle_t event;

static void works(void *unused) {
    for (int i = 0; i < ROUNDS(6); i++) {
        REQUEST(70, 1);
        MARK(73);
    }
    scenario_ends();
}

static void awaits(void *unused) {
    for (;;) {
        xSemaphoreTake(event, portMAX_DELAY);
        REACHED(72);
    }
}

HANDLER(1) {
    BaseType_t woken = pdFALSE;
    LOWER();
    xSemaphoreGiveFromISR(event, &woken);
    portYIELD_FROM_ISR(woken);
    REACHED(71);
}

void interrupt(void) {
    event = xSemaphoreCreateCounting(10, 0);
    xTaskCreate(works, "works", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(awaits, "awaits", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    ENABLE(1);
    vTaskStartScheduler();
    scenario_fails();
}
