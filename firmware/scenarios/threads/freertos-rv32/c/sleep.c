/* The same as `threads-rv32-mainspring-sleep.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "points.h"
#include "semphr.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

static SemaphoreHandle_t go;

static void works(void *unused) {
    for (int i = 0; i < ROUNDS(6); i++) {
        xSemaphoreGive(go);
        TickType_t before = xTaskGetTickCount();
        while (xTaskGetTickCount() == before) {
        }
    }
    scenario_ends();
}

static void sleeps(void *unused) {
    for (;;) {
        xSemaphoreTake(go, portMAX_DELAY);
        vTaskDelay(1);
        REACHED(61);
    }
}

void sleep(void) {
    go = xSemaphoreCreateCounting(10, 0);
    xTaskCreate(works, "works", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(sleeps, "sleeps", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    vTaskStartScheduler();
    scenario_fails();
}
