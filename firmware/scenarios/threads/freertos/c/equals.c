/* The same as `threads-mainspring-equals.rs`, as a user of FreeRTOS writes it: pairs of equals, one pair after the other. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

/* No tick. */
extern uint32_t ticks_of;

/* Each thread asks for the interrupt that ends its turn. */
static void interrupted(void *unused) {
    for (int i = 0; i < ROUNDS(4); i++) {
        REQUEST(40, 1);
        MARK(41);
    }
    vTaskSuspend(NULL);
}

static void interrupted_too(void *unused) {
    for (int i = 0; i < ROUNDS(4); i++) {
        REQUEST(42, 1);
        MARK(43);
    }
    vTaskSuspend(NULL);
}

/* One asks for the interrupt that ends its turn, the other one yields. */
static void preempted(void *unused) {
    for (int i = 0; i < ROUNDS(4); i++) {
        REQUEST(20, 1);
        MARK(31);
    }
    vTaskSuspend(NULL);
}

static void yields(void *unused) {
    for (int i = 0; i < ROUNDS(4); i++) {
        MARK_OF_YIELD(30);
        taskYIELD();
        MARK(21);
    }
    vTaskSuspend(NULL);
}

/* So many values are in registers while a thread yields. */
#define SIX IN_USE(a, b) IN_USE(c, d) IN_USE(e, f)
#define EIGHT IN_USE(a, b) IN_USE(c, d) IN_USE(e, f) IN_USE(g, h)
#define IN_USE(x, y) __asm volatile("" : "+r"(x), "+r"(y));

#define YIELDS_WITH(name, values, before, after, ends) \
    static void name(void *unused) { \
        int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8; \
        for (int i = 0; i < ROUNDS(4); i++) { \
            MARK_OF_YIELD(before); \
            values taskYIELD(); \
            values MARK(after); \
        } \
        ends; \
    }

YIELDS_WITH(six, SIX, 60, 62, vTaskSuspend(NULL))
YIELDS_WITH(six_too, SIX, 61, 63, vTaskSuspend(NULL))
YIELDS_WITH(eight, EIGHT, 80, 82, scenario_ends())
YIELDS_WITH(eight_too, EIGHT, 81, 83, scenario_ends())

HANDLER(1) {
    LOWER();
    portYIELD_FROM_ISR(pdTRUE);
}

void equals(void) {
    ticks_of = 1 << 24;
    xTaskCreate(interrupted, "interrupted", configMINIMAL_STACK_SIZE, NULL, 4, NULL);
    xTaskCreate(interrupted_too, "too", configMINIMAL_STACK_SIZE, NULL, 4, NULL);
    xTaskCreate(preempted, "preempted", configMINIMAL_STACK_SIZE, NULL, 3, NULL);
    xTaskCreate(yields, "yields", configMINIMAL_STACK_SIZE, NULL, 3, NULL);
    xTaskCreate(six, "six", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(six_too, "six too", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(eight, "eight", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(eight_too, "eight too", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    ENABLE(1);
    vTaskStartScheduler();
    scenario_fails();
}
