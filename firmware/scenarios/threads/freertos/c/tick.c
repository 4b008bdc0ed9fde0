/* The same as `threads-mainspring-tick.rs`, as a user of FreeRTOS writes it: three equals that are always busy, and a tick. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

#define BUSY(name) \
    static void name(void *unused) { \
        for (uint32_t i = 0; i < 40000; i++) { \
            REACHED(51); \
        } \
        scenario_ends(); \
    }

BUSY(one)
BUSY(two)
BUSY(three)

void tick(void) {
    xTaskCreate(one, "one", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(two, "two", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(three, "three", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    vTaskStartScheduler();
    scenario_fails();
}
