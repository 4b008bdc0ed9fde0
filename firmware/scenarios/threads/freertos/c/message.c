/* A word to a more urgent thread, and its reply: as FreeRTOS is quickest at it, by notifications that carry a value. A program of its own,
 * so that it and the others each fit into small caches. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

static TaskHandle_t asking, serving;

static void serves(void *unused) {
    for (;;) {
        uint32_t message;
        xTaskNotifyWait(0, 0, &message, portMAX_DELAY);
        xTaskNotify(asking, message + 1, eSetValueWithOverwrite);
    }
}

static void asks(void *unused) {
    for (uint32_t i = 0; i < ROUNDS(3); i++) {
        uint32_t answer;
        MARK(42);
        xTaskNotify(serving, i, eSetValueWithOverwrite);
        xTaskNotifyWait(0, 0, &answer, portMAX_DELAY);
        MARK(43);
        if (answer != i + 1) {
            scenario_fails();
        }
    }
    scenario_ends();
}

void message(void) {
    xTaskCreate(asks, "asks", configMINIMAL_STACK_SIZE, NULL, 2, &asking);
    xTaskCreate(serves, "serves", configMINIMAL_STACK_SIZE, NULL, 6, &serving);
    vTaskStartScheduler();
    scenario_fails();
}
