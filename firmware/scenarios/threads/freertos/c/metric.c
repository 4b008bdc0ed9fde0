/* The same as `metric-mainspring.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "points.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

/* Thread-Metric has no ticks where it measures. */
extern uint32_t ticks_of;

static SemaphoreHandle_t interrupted, unit;
static QueueHandle_t messages;
static TaskHandle_t upper_task;
static volatile uint32_t counts[5];
/* Which of the interrupts' two tests runs. */
volatile uint32_t metric_resumes;

#define COOPERATIVE(name, number, before, after) \
    static void name(void *unused) { \
        for (int i = 0; i < ROUNDS(4); i++) { \
            counts[number]++; \
            MARK_OF_YIELD(before); \
            taskYIELD(); \
            MARK(after); \
        } \
        if (number == 2) { \
            scenario_ends(); \
        } \
        vTaskSuspend(NULL); \
    }

COOPERATIVE(one, 0, 1, 5)
COOPERATIVE(two, 1, 2, 6)
COOPERATIVE(three, 2, 3, 7)

static void works(void *unused) {
    volatile uint32_t numbers[32] = {0};
    for (uint32_t round = 0; round < ROUNDS(4); round++) {
        MARK(10);
        for (uint32_t i = 0; i < 32; i++) {
            numbers[i] = (numbers[i] + i) ^ round;
        }
        MARK(11);
    }
    for (int i = 0; i < ROUNDS(4); i++) {
        MARK(20);
        vTaskResume(upper_task);
        MARK(21);
    }
    for (int i = 0; i < ROUNDS(4); i++) {
        REQUEST(30, 2);
        xSemaphoreTake(interrupted, portMAX_DELAY);
        REACHED(31);
    }
    metric_resumes = 1;
    for (int i = 0; i < ROUNDS(4); i++) {
        REQUEST(40, 2);
        MARK(41);
    }
    for (uint32_t round = 0; round < ROUNDS(4); round++) {
        uint32_t message[4] = {round, 1, 2, 3};
        MARK(50);
        xQueueSend(messages, message, portMAX_DELAY);
        xQueueReceive(messages, message, portMAX_DELAY);
        REACHED(51);
        if (message[0] != round) {
            scenario_fails();
        }
    }
    for (int i = 0; i < ROUNDS(4); i++) {
        MARK(60);
        xSemaphoreTake(unit, portMAX_DELAY);
        xSemaphoreGive(unit);
        REACHED(61);
    }
    for (int i = 0; i < ROUNDS(4); i++) {
        MARK(70);
        vPortFree(pvPortMalloc(128));
        MARK(71);
    }
    vTaskSuspend(NULL);
}

static void upper(void *unused) {
    for (;;) {
        vTaskSuspend(NULL);
        counts[3]++;
    }
}

HANDLER(2) {
    BaseType_t woken = pdFALSE;
    LOWER();
    counts[4]++;
    if (metric_resumes) {
        woken = xTaskResumeFromISR(upper_task);
    } else {
        xSemaphoreGiveFromISR(interrupted, &woken);
    }
    portYIELD_FROM_ISR(woken);
}

void metric(void) {
    ticks_of = 1 << 24;
    interrupted = xSemaphoreCreateBinary();
    unit = xSemaphoreCreateCounting(1, 1);
    messages = xQueueCreate(8, 16);
    xTaskCreate(one, "one", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(two, "two", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(three, "three", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(works, "works", 2 * configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(upper, "upper", configMINIMAL_STACK_SIZE, NULL, 3, &upper_task);
    ENABLE(2);
    vTaskStartScheduler();
    scenario_fails();
}
