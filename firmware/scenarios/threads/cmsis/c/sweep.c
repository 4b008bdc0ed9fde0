/* Every cycle tried: threads that wait for what interrupts give, and share a mutex, in control blocks of the program's own. */
#include "cmsis_os2.h"

extern void program_ends(uint32_t found) __attribute__((noreturn));

/* A tick is 3,000 cycles. */
uint32_t SystemCoreClock = 3000000;

static uint32_t blocks[4][OS2_OBJECT_CB_SIZE / 4], thread_blocks[2][OS2_THREAD_CB_SIZE / 4];
static osSemaphoreId_t events;
static osMutexId_t mutex;
static osMessageQueueId_t queue;
static osEventFlagsId_t flags;
static volatile uint32_t given, taken, put, set, shared;

void IRQ1(void) {
    given++;
    osSemaphoreRelease(events);
}

void IRQ2(void) {
    uint32_t message = put;
    if (osMessageQueuePut(queue, &message, 0, 0) == osOK) {
        put++;
    }
    osEventFlagsSet(flags, 1);
    set++;
}

static void takes(void *argument) {
    (void)argument;
    for (;;) {
        osSemaphoreAcquire(events, osWaitForever);
        taken++;
    }
}

/* Loses a count if another thread has the mutex meanwhile. */
static void adds(void *argument) {
    for (int i = 0; i < 2; i++) {
        osMutexAcquire(mutex, osWaitForever);
        uint32_t before = shared;
        osDelay((uint32_t)argument);
        shared = before + 1;
        osMutexRelease(mutex);
        osThreadYield();
    }
}

static void judges(void *argument) {
    uint32_t message, got = 0;
    const osThreadAttr_t low = {.priority = osPriorityLow, .attr_bits = osThreadJoinable, .stack_size = 400};
    const osThreadAttr_t above = {.priority = osPriorityAboveNormal,
                                  .attr_bits = osThreadJoinable,
                                  .stack_size = 400,
                                  .cb_mem = thread_blocks[1],
                                  .cb_size = sizeof thread_blocks[1]};
    osThreadId_t slow = osThreadNew(adds, argument, &low), fast = osThreadNew(adds, (void *)1, &above);
    int right = osThreadJoin(fast) == osOK && osThreadJoin(slow) == osOK;
    while (osMessageQueueGet(queue, &message, NULL, 0) == osOK) {
        right &= message == got;
        got++;
    }
    __asm volatile("cpsid i");
    right &= shared == 4 && given == taken + osSemaphoreGetCount(events) && put == got + osMessageQueueGetCount(queue);
    right &= osEventFlagsGet(flags) == (set != 0);
    program_ends(!right);
}

int main(void) {
    osKernelInitialize();
    events = osSemaphoreNew(100, 0, &(osSemaphoreAttr_t){.cb_mem = blocks[0], .cb_size = sizeof blocks[0]});
    mutex = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexPrioInherit, .cb_mem = blocks[1], .cb_size = sizeof blocks[1]});
    queue = osMessageQueueNew(3, 4, &(osMessageQueueAttr_t){.cb_mem = blocks[2], .cb_size = sizeof blocks[2]});
    flags = osEventFlagsNew(&(osEventFlagsAttr_t){.cb_mem = blocks[3], .cb_size = sizeof blocks[3]});
    const osThreadAttr_t high = {
        .priority = osPriorityHigh, .stack_size = 400, .cb_mem = thread_blocks[0], .cb_size = sizeof thread_blocks[0]};
    osThreadNew(takes, NULL, &high);
    osThreadNew(judges, (void *)1, &(osThreadAttr_t){.stack_size = 512});
    *(volatile uint32_t *)0xe000e100u = 6; /* Lets IRQ1 and IRQ2 through. */
    osKernelStart();
    program_ends(1);
}
