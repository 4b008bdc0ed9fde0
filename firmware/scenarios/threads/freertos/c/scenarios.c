/* The same as `threads-mainspring.rs`, as a user of FreeRTOS writes it. */
#include "FreeRTOS.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

/* A point that a price list names: `bkpt:#N`. No access of memory moves across it. */
#define MARK(n) __asm volatile("bkpt #" #n ::: "memory")
/* A point, and the interrupt pending with the very next instruction, as a peripheral would. */
#define REQUEST(n, irq) \
    __asm volatile("bkpt #" #n "\n str %0, [%1]" ::"r"(1u << (irq)), "r"(0xe000e200u) : "memory")

#define NVIC_ISER (*(volatile uint32_t *)0xe000e100u)
#define NVIC_IPR(irq) (((volatile uint8_t *)0xe000e400u)[irq])

extern void scenario_ends(void) __attribute__((noreturn));
extern void scenario_fails(void) __attribute__((noreturn));

/* SysTick's period in cycles. FreeRTOS would work it out from the clock of the board, of which there are several. */
uint32_t ticks_of = 4000;

void vPortSetupTimerInterrupt(void) {
    volatile uint32_t *systick = (volatile uint32_t *)0xe000e010u;
    systick[1] = ticks_of - 1;
    systick[2] = 0;
    systick[0] = 7;
}

static SemaphoreHandle_t lock, count, start, event, go;
static QueueHandle_t questions, answers;
static EventGroupHandle_t flags;

static void second(void *unused) {
    for (;;) {
        MARK(11);
        taskYIELD();
        MARK(13);
    }
}

static void first(void *unused) {
    for (int i = 0; i < 3; i++) {
        MARK(10);
        taskYIELD();
        MARK(12);
    }
    xSemaphoreGive(start);
    vTaskSuspend(NULL);
}

static void works(void *unused) {
    xSemaphoreTake(start, portMAX_DELAY);
    for (int i = 0; i < 3; i++) {
        MARK(20);
        xSemaphoreTake(lock, portMAX_DELAY);
        xSemaphoreGive(lock);
        MARK(21);
    }
    for (int i = 0; i < 3; i++) {
        MARK(30);
        xSemaphoreTake(count, portMAX_DELAY);
        xSemaphoreGive(count);
        MARK(31);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t answer;
        MARK(40);
        xQueueSend(questions, &i, portMAX_DELAY);
        xQueueReceive(answers, &answer, portMAX_DELAY);
        MARK(41);
        if (answer != i + 1) {
            scenario_fails();
        }
    }
    for (int i = 0; i < 3; i++) {
        MARK(50);
        xEventGroupSetBits(flags, 1);
        xEventGroupWaitBits(flags, 1, pdTRUE, pdTRUE, portMAX_DELAY);
        MARK(51);
    }
    for (int i = 0; i < 3; i++) {
        REQUEST(70, 1);
        MARK(73);
    }
    for (int i = 0; i < 3; i++) {
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
        MARK(72);
    }
}

static void sleeps(void *unused) {
    for (;;) {
        xSemaphoreTake(go, portMAX_DELAY);
        vTaskDelay(1);
        MARK(61);
    }
}

void IRQ1(void) {
    BaseType_t woken = pdFALSE;
    xSemaphoreGiveFromISR(event, &woken);
    portYIELD_FROM_ISR(woken);
    MARK(71);
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
    xTaskCreate(first, "first", 64, NULL, 1, NULL);
    xTaskCreate(second, "second", 64, NULL, 1, NULL);
    xTaskCreate(works, "works", 64, NULL, 2, NULL);
    xTaskCreate(answering, "answers", 64, NULL, 3, NULL);
    xTaskCreate(awaits, "awaits", 64, NULL, 4, NULL);
    xTaskCreate(sleeps, "sleeps", 64, NULL, 5, NULL);
    NVIC_IPR(1) = 2 << 4;
    NVIC_ISER = 1u << 1;
    vTaskStartScheduler();
    scenario_fails();
}
