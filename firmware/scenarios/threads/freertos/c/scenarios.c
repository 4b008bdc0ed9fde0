/* The same as `threads-mainspring.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "event_groups.h"
#include "points.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

static SemaphoreHandle_t lock, count, start, event, go;
static QueueHandle_t questions, answers;
static EventGroupHandle_t flags;

static void second(void *unused) {
    for (;;) {
        MARK_OF_YIELD(11);
        taskYIELD();
        MARK(13);
    }
}

static void first(void *unused) {
    for (int i = 0; i < ROUNDS(3); i++) {
        MARK_OF_YIELD(10);
        taskYIELD();
        MARK(12);
    }
    xSemaphoreGive(start);
    vTaskSuspend(NULL);
}

static void works(void *unused) {
    xSemaphoreTake(start, portMAX_DELAY);
    for (int i = 0; i < ROUNDS(3); i++) {
        MARK(20);
        xSemaphoreTake(lock, portMAX_DELAY);
        xSemaphoreGive(lock);
        REACHED(21);
    }
    for (int i = 0; i < ROUNDS(3); i++) {
        MARK(30);
        xSemaphoreTake(count, portMAX_DELAY);
        xSemaphoreGive(count);
        REACHED(31);
    }
    for (uint32_t i = 0; i < ROUNDS(3); i++) {
        uint32_t answer;
        MARK(40);
        xQueueSend(questions, &i, portMAX_DELAY);
        xQueueReceive(answers, &answer, portMAX_DELAY);
        MARK(41);
        if (answer != i + 1) {
            scenario_fails();
        }
    }
    for (int i = 0; i < ROUNDS(3); i++) {
        MARK(50);
        xEventGroupSetBits(flags, 1);
        xEventGroupWaitBits(flags, 1, pdTRUE, pdTRUE, portMAX_DELAY);
        MARK(51);
    }
    for (int i = 0; i < ROUNDS(3); i++) {
        REQUEST(70, 1);
        MARK(73);
    }
    for (int i = 0; i < ROUNDS(3); i++) {
        xSemaphoreGive(go);
        TickType_t before = xTaskGetTickCount();
        while (xTaskGetTickCount() == before) {
        }
    }
    scenario_ends();
}

static void answering(void *unused) {
    for (;;) {
        uint32_t message;
        xQueueReceive(questions, &message, portMAX_DELAY);
        message++;
        xQueueSend(answers, &message, portMAX_DELAY);
    }
}

static void awaits(void *unused) {
    for (;;) {
        xSemaphoreTake(event, portMAX_DELAY);
        REACHED(72);
    }
}

static void sleeps(void *unused) {
    for (;;) {
        xSemaphoreTake(go, portMAX_DELAY);
        vTaskDelay(1);
        REACHED(61);
    }
}

HANDLER(1) {
    BaseType_t woken = pdFALSE;
    LOWER();
    xSemaphoreGiveFromISR(event, &woken);
    portYIELD_FROM_ISR(woken);
    REACHED(71);
}

void primitives(void) {
    lock = xSemaphoreCreateMutex();
    count = xSemaphoreCreateCounting(10, 1);
    start = xSemaphoreCreateCounting(10, 0);
    event = xSemaphoreCreateCounting(10, 0);
    go = xSemaphoreCreateCounting(10, 0);
    questions = xQueueCreate(4, sizeof(uint32_t));
    answers = xQueueCreate(4, sizeof(uint32_t));
    flags = xEventGroupCreate();
    xTaskCreate(first, "first", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(second, "second", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    xTaskCreate(works, "works", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(answering, "answers", configMINIMAL_STACK_SIZE, NULL, 3, NULL);
    xTaskCreate(awaits, "awaits", configMINIMAL_STACK_SIZE, NULL, 4, NULL);
    xTaskCreate(sleeps, "sleeps", configMINIMAL_STACK_SIZE, NULL, 5, NULL);
    ENABLE(1);
    vTaskStartScheduler();
    scenario_fails();
}
