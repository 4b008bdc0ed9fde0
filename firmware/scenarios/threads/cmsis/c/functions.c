/* Every function of CMSIS-RTOS2 does what Arm's text says: the program ends well if each CHECK holds. */
#include "cmsis_os2.h"

extern void program_ends(uint32_t found) __attribute__((noreturn));

/* So that a tick is long enough for several threads to be made between two, on a core without CLZ too. */
uint32_t SystemCoreClock = 64000000;

/* The line of the first check that does not hold. */
volatile uint32_t failed_line;
#define CHECK(holds) \
    do { \
        if (!(holds)) { \
            failed_line = __LINE__; \
            program_ends(failed_line); \
        } \
    } while (0)

static volatile uint32_t trace[16], traced;
static osThreadId_t tester;
static osMutexId_t mutex;
static osSemaphoreId_t semaphore;
static osEventFlagsId_t flags;
static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;
static volatile uint32_t timer_calls;

static void note(uint32_t what) {
    trace[traced++ % 16] = what;
}

static const osThreadAttr_t below = {.name = "below", .priority = osPriorityBelowNormal, .stack_size = 512, .attr_bits = osThreadJoinable};
static const osThreadAttr_t equal = {.name = "equal", .priority = osPriorityNormal, .stack_size = 512, .attr_bits = osThreadJoinable};
static const osThreadAttr_t above = {.name = "above", .priority = osPriorityAboveNormal, .stack_size = 512, .attr_bits = osThreadJoinable};

static void notes(void *argument) {
    note((uint32_t)argument);
}

static volatile uint32_t spins;

static void spin(void *argument) {
    (void)argument;
    for (;;) {
        spins++;
    }
}

static void notes_twice(void *argument) {
    note((uint32_t)argument);
    osThreadYield();
    note((uint32_t)argument + 1);
}

static void test_threads(void) {
    osThreadId_t thread, ids[4];
    CHECK(osThreadGetId() == tester && osThreadGetCount() == 1);
    CHECK(osThreadEnumerate(ids, 4) == 1 && ids[0] == tester);
    CHECK(osThreadNew(NULL, NULL, NULL) == NULL);
    /* A more urgent one runs at once, a less urgent one when it is waited for. */
    thread = osThreadNew(notes, (void *)1, &above);
    CHECK(traced == 1 && trace[0] == 1);
    CHECK(osThreadGetState(thread) == osThreadTerminated && osThreadTerminate(thread) == osErrorResource);
    CHECK(osThreadJoin(thread) == osOK && osThreadJoin(thread) == osErrorParameter);
    thread = osThreadNew(notes, (void *)2, &below);
    CHECK(traced == 1 && osThreadGetState(thread) == osThreadReady && osThreadGetCount() == 2);
    CHECK(osThreadGetName(thread)[0] == 'b' && osThreadGetPriority(thread) == osPriorityBelowNormal);
    CHECK(osThreadGetStackSize(thread) == 512 && osThreadGetStackSpace(thread) > 300);
    CHECK(osThreadJoin(thread) == osOK && traced == 2 && trace[1] == 2);
    /* Its priority changes. */
    thread = osThreadNew(notes, (void *)3, &below);
    CHECK(osThreadSetPriority(thread, (osPriority_t)99) == osErrorParameter);
    CHECK(osThreadSetPriority(thread, osPriorityHigh) == osOK && traced == 3);
    CHECK(osThreadJoin(thread) == osOK);
    /* Equals take turns. Right after a tick, so that none ends a turn in the middle of it. */
    CHECK(osDelay(1) == osOK);
    traced = 0;
    osThreadId_t first = osThreadNew(notes_twice, (void *)10, &equal);
    osThreadId_t second = osThreadNew(notes_twice, (void *)20, &equal);
    CHECK(traced == 0);
    CHECK(osThreadYield() == osOK);
    CHECK(traced == 2 && trace[0] == 10 && trace[1] == 20);
    CHECK(osThreadJoin(first) == osOK && osThreadJoin(second) == osOK);
    CHECK(traced == 4 && trace[2] == 11 && trace[3] == 21);
    /* One whose turn a tick has ended is given another one. */
    spins = 0;
    thread = osThreadNew(spin, NULL, &equal);
    CHECK(osThreadYield() == osOK && spins != 0);
    uint32_t before = spins;
    CHECK(osThreadYield() == osOK && spins != before);
    CHECK(osThreadTerminate(thread) == osOK && osThreadJoin(thread) == osOK);
    /* Suspended, resumed, ended. */
    traced = 0;
    thread = osThreadNew(notes, (void *)4, &below);
    CHECK(osThreadSuspend(thread) == osOK && osThreadGetState(thread) == osThreadBlocked);
    CHECK(osDelay(2) == osOK && traced == 0);
    CHECK(osThreadResume(thread) == osOK && osThreadResume(thread) == osErrorResource);
    CHECK(osDelay(2) == osOK && traced == 1);
    CHECK(osThreadDetach(thread) == osOK && osThreadDetach(thread) == osErrorParameter);
    thread = osThreadNew(notes, (void *)5, &below);
    CHECK(osThreadTerminate(thread) == osOK && osThreadJoin(thread) == osOK && traced == 1);
    CHECK(osThreadGetCount() == 1);
}

static void sets_thread_flags(void *argument) {
    (void)argument;
    osThreadFlagsSet(tester, 4);
    osThreadFlagsSet(tester, 2);
}

static void test_thread_flags(void) {
    CHECK(osThreadFlagsSet(tester, 1) == 1 && osThreadFlagsGet() == 1);
    CHECK(osThreadFlagsClear(1) == 1 && osThreadFlagsGet() == 0);
    CHECK(osThreadFlagsWait(1, osFlagsWaitAny, 0) == osFlagsErrorResource);
    CHECK(osThreadFlagsWait(1, osFlagsWaitAny, 2) == osFlagsErrorTimeout);
    CHECK(osThreadFlagsSet(tester, 0x80000000u) == osFlagsErrorParameter);
    osThreadId_t thread = osThreadNew(sets_thread_flags, NULL, &below);
    CHECK(osThreadFlagsWait(6, osFlagsWaitAll, osWaitForever) == 6 && osThreadFlagsGet() == 0);
    CHECK(osThreadJoin(thread) == osOK);
    CHECK(osThreadFlagsSet(tester, 8) == 8);
    CHECK(osThreadFlagsWait(8, osFlagsNoClear, 0) == 8 && osThreadFlagsClear(8) == 8);
}

static void sets_flags(void *argument) {
    (void)argument;
    osEventFlagsSet(flags, 1);
    osEventFlagsSet(flags, 2);
}

static void test_flags(void) {
    const osEventFlagsAttr_t attr = {.name = "flags"};
    flags = osEventFlagsNew(&attr);
    CHECK(flags != NULL && osEventFlagsGetName(flags)[0] == 'f');
    CHECK(osEventFlagsSet(flags, 5) == 5 && osEventFlagsClear(flags, 1) == 5 && osEventFlagsGet(flags) == 4);
    CHECK(osEventFlagsWait(flags, 4, osFlagsWaitAny, 0) == 4 && osEventFlagsGet(flags) == 0);
    CHECK(osEventFlagsWait(flags, 4, osFlagsWaitAny, 1) == osFlagsErrorTimeout);
    osThreadId_t thread = osThreadNew(sets_flags, NULL, &below);
    CHECK(osEventFlagsWait(flags, 3, osFlagsWaitAll, osWaitForever) == 3);
    CHECK(osThreadJoin(thread) == osOK);
    CHECK(osEventFlagsDelete(flags) == osOK && osEventFlagsDelete(flags) == osErrorParameter);
    CHECK(osEventFlagsSet(flags, 1) == osFlagsErrorParameter);
}

static void wants_mutex(void *argument) {
    CHECK(osMutexAcquire(mutex, 0) == osErrorResource);
    CHECK(osMutexAcquire(mutex, 2) == osErrorTimeout);
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    note((uint32_t)argument);
    CHECK(osMutexRelease(mutex) == osOK);
}

static void keeps_mutex(void *argument) {
    (void)argument;
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    osThreadExit();
}

static void test_mutexes(void) {
    const osMutexAttr_t attr = {.name = "mutex", .attr_bits = osMutexRecursive | osMutexPrioInherit | osMutexRobust};
    mutex = osMutexNew(&attr);
    CHECK(mutex != NULL && osMutexGetName(mutex)[0] == 'm' && osMutexGetOwner(mutex) == NULL);
    CHECK(osMutexRelease(mutex) == osErrorResource);
    CHECK(osMutexAcquire(mutex, 0) == osOK && osMutexAcquire(mutex, 0) == osOK);
    CHECK(osMutexGetOwner(mutex) == tester);
    traced = 0;
    osThreadId_t thread = osThreadNew(wants_mutex, (void *)1, &above);
    osDelay(5);
    CHECK(traced == 0 && osThreadGetState(thread) == osThreadBlocked);
    CHECK(osMutexRelease(mutex) == osOK && traced == 0);
    CHECK(osMutexRelease(mutex) == osOK && traced == 1);
    CHECK(osThreadJoin(thread) == osOK && osMutexGetOwner(mutex) == NULL);
    /* Its owner ends. */
    thread = osThreadNew(keeps_mutex, NULL, &above);
    CHECK(osMutexAcquire(mutex, 0) == osOK && osMutexRelease(mutex) == osOK && osThreadJoin(thread) == osOK);
    CHECK(osMutexDelete(mutex) == osOK && osMutexAcquire(mutex, 0) == osErrorParameter);
    mutex = osMutexNew(NULL);
    CHECK(osMutexAcquire(mutex, 0) == osOK && osMutexAcquire(mutex, 0) == osErrorResource);
    CHECK(osMutexDelete(mutex) == osOK);
}

static void takes_semaphore(void *argument) {
    CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == (osStatus_t)(int32_t)argument);
    note(1);
}

/* As with interrupts held back, where BASEPRI holds back some: the exception that switches is always among them. */
static void test_threshold(void) {
#if __ARM_ARCH >= 7
    uint32_t before = traced;
    osThreadId_t thread = osThreadNew(takes_semaphore, (void *)osOK, &above);
    osMutexId_t mutex = osMutexNew(NULL);
    __asm volatile("msr basepri, %0" ::"r"(0x40) : "memory");
    CHECK(osSemaphoreRelease(semaphore) == osOK && traced == before);
    CHECK(osSemaphoreAcquire(semaphore, 1) == osErrorParameter && osSemaphoreAcquire(semaphore, 0) == osErrorResource);
    CHECK(osDelay(1) == osErrorISR && osThreadYield() == osErrorISR && osMutexAcquire(mutex, 0) == osErrorISR);
    CHECK(osThreadNew(takes_semaphore, NULL, &above) == NULL && osKernelLock() == osErrorISR);
    CHECK(traced == before);
    __asm volatile("msr basepri, %0\n isb" ::"r"(0) : "memory");
    CHECK(traced == before + 1 && osThreadJoin(thread) == osOK && osMutexDelete(mutex) == osOK);
#endif
}

static void test_semaphores(void) {
    const osSemaphoreAttr_t attr = {.name = "semaphore"};
    CHECK(osSemaphoreNew(0, 0, NULL) == NULL && osSemaphoreNew(1, 2, NULL) == NULL);
    semaphore = osSemaphoreNew(2, 1, &attr);
    CHECK(osSemaphoreGetName(semaphore)[0] == 's' && osSemaphoreGetCount(semaphore) == 1);
    CHECK(osSemaphoreAcquire(semaphore, 0) == osOK && osSemaphoreAcquire(semaphore, 0) == osErrorResource);
    CHECK(osSemaphoreAcquire(semaphore, 2) == osErrorTimeout);
    traced = 0;
    osThreadId_t thread = osThreadNew(takes_semaphore, (void *)osOK, &above);
    CHECK(traced == 0 && osSemaphoreRelease(semaphore) == osOK && traced == 1 && osThreadJoin(thread) == osOK);
    CHECK(osSemaphoreRelease(semaphore) == osOK && osSemaphoreRelease(semaphore) == osOK);
    CHECK(osSemaphoreRelease(semaphore) == osErrorResource);
    osSemaphoreAcquire(semaphore, 0), osSemaphoreAcquire(semaphore, 0);
    /* With interrupts held back, no other thread runs, and none waits. */
    thread = osThreadNew(takes_semaphore, (void *)osOK, &above);
    __asm volatile("cpsid i" ::: "memory");
    CHECK(osSemaphoreRelease(semaphore) == osOK && traced == 1);
    CHECK(osSemaphoreAcquire(semaphore, 1) == osErrorParameter && osDelay(1) == osErrorISR && osThreadYield() == osErrorISR);
    CHECK(traced == 1);
    __asm volatile("cpsie i\n isb" ::: "memory");
    CHECK(traced == 2 && osThreadJoin(thread) == osOK);
    test_threshold();
    /* Whoever waits for what is deleted goes on. */
    uint32_t before = traced;
    thread = osThreadNew(takes_semaphore, (void *)osErrorResource, &above);
    CHECK(osSemaphoreDelete(semaphore) == osOK && osThreadJoin(thread) == osOK && traced == before + 1);
    CHECK(osSemaphoreRelease(semaphore) == osErrorParameter);
}

static void receives(void *argument) {
    uint32_t message;
    uint8_t priority;
    (void)argument;
    CHECK(osMessageQueueGet(queue, &message, &priority, osWaitForever) == osOK);
    note(message + priority);
}

static void sends(void *argument) {
    uint32_t message = (uint32_t)argument;
    CHECK(osMessageQueuePut(queue, &message, 0, osWaitForever) == osOK);
    note(message);
}

static void test_queues(void) {
    static uint32_t place[2 * 3];
    const osMessageQueueAttr_t attr = {.name = "queue", .mq_mem = place, .mq_size = sizeof place};
    const osMessageQueueAttr_t small = {.mq_mem = place, .mq_size = 4};
    uint32_t message;
    uint8_t priority;
    const osMessageQueueAttr_t odd = {.mq_mem = (char *)place + 1, .mq_size = sizeof place - 1};
    CHECK(osMessageQueueNew(2, 4, &small) == NULL && osMessageQueueNew(1, 4, &odd) == NULL);
    queue = osMessageQueueNew(2, 4, &attr);
    CHECK(queue != NULL && osMessageQueueGetName(queue)[0] == 'q');
    CHECK(osMessageQueueGetCapacity(queue) == 2 && osMessageQueueGetMsgSize(queue) == 4);
    CHECK(osMessageQueueGet(queue, &message, NULL, 0) == osErrorResource);
    CHECK(osMessageQueueGet(queue, &message, NULL, 1) == osErrorTimeout);
    message = 7;
    CHECK(osMessageQueuePut(queue, &message, 1, 0) == osOK);
    message = 8;
    CHECK(osMessageQueuePut(queue, &message, 2, 0) == osOK);
    CHECK(osMessageQueuePut(queue, &message, 2, 0) == osErrorResource);
    CHECK(osMessageQueueGetCount(queue) == 2 && osMessageQueueGetSpace(queue) == 0);
    /* A thread that waits to put comes after. */
    traced = 0;
    osThreadId_t thread = osThreadNew(sends, (void *)9, &above);
    CHECK(traced == 0);
    CHECK(osMessageQueueGet(queue, &message, &priority, 0) == osOK && message == 8 && priority == 2 && traced == 1);
    CHECK(osThreadJoin(thread) == osOK && osMessageQueueGetCount(queue) == 2);
    CHECK(osMessageQueueGet(queue, &message, &priority, 0) == osOK && message == 7 && priority == 1);
    CHECK(osMessageQueueGet(queue, &message, &priority, 0) == osOK && message == 9 && priority == 0);
    thread = osThreadNew(receives, NULL, &above);
    message = 30;
    CHECK(osMessageQueuePut(queue, &message, 3, 0) == osOK && traced == 2 && trace[1] == 33);
    CHECK(osThreadJoin(thread) == osOK);
    CHECK(osMessageQueuePut(queue, &message, 3, 0) == osOK && osMessageQueueReset(queue) == osOK);
    CHECK(osMessageQueueGetCount(queue) == 0 && osMessageQueueDelete(queue) == osOK);
    queue = osMessageQueueNew(3, 5, NULL);
    CHECK(queue != NULL && osMessageQueueDelete(queue) == osOK);
}

static void wants_block(void *argument) {
    void *block = osMemoryPoolAlloc(pool, osWaitForever);
    CHECK(block == argument);
    CHECK(osMemoryPoolFree(pool, block) == osOK);
    note(1);
}

static void test_pools(void) {
    const osMemoryPoolAttr_t attr = {.name = "pool"};
    pool = osMemoryPoolNew(2, 10, &attr);
    CHECK(pool != NULL && osMemoryPoolGetName(pool)[0] == 'p');
    CHECK(osMemoryPoolGetCapacity(pool) == 2 && osMemoryPoolGetBlockSize(pool) == 12);
    char *a = osMemoryPoolAlloc(pool, 0), *b = osMemoryPoolAlloc(pool, 0);
    CHECK(a != NULL && b != NULL && a != b && osMemoryPoolAlloc(pool, 0) == NULL && osMemoryPoolAlloc(pool, 1) == NULL);
    CHECK(osMemoryPoolGetCount(pool) == 2 && osMemoryPoolGetSpace(pool) == 0);
    CHECK(osMemoryPoolFree(pool, a + 1) == osErrorParameter && osMemoryPoolFree(pool, NULL) == osErrorParameter);
    traced = 0;
    osThreadId_t thread = osThreadNew(wants_block, b, &above);
    CHECK(osMemoryPoolFree(pool, b) == osOK && traced == 1 && osThreadJoin(thread) == osOK);
    CHECK(osMemoryPoolFree(pool, a) == osOK && osMemoryPoolGetSpace(pool) == 2);
    CHECK(osMemoryPoolFree(pool, a) == osErrorResource);
    CHECK(osMemoryPoolDelete(pool) == osOK && osMemoryPoolAlloc(pool, 0) == NULL);
}

static void called(void *argument) {
    timer_calls += (uint32_t)argument;
}

static void test_timers(void) {
    const osTimerAttr_t attr = {.name = "timer"};
    osTimerId_t once = osTimerNew(called, osTimerOnce, (void *)1, &attr);
    osTimerId_t again = osTimerNew(called, osTimerPeriodic, (void *)100, NULL);
    CHECK(once != NULL && osTimerGetName(once)[0] == 't' && !osTimerIsRunning(once));
    CHECK(osTimerStop(once) == osErrorResource && osTimerStart(once, 0) == osErrorParameter);
    CHECK(osTimerStart(once, 3) == osOK && osTimerStart(again, 2) == osOK && osTimerIsRunning(once));
    osDelay(7);
    CHECK(timer_calls == 301 && !osTimerIsRunning(once) && osTimerIsRunning(again));
    CHECK(osTimerStop(again) == osOK);
    osDelay(3);
    CHECK(timer_calls == 301);
    CHECK(osTimerDelete(once) == osOK && osTimerDelete(again) == osOK && osTimerStart(once, 1) == osErrorParameter);
}

static void test_kernel(void) {
    osVersion_t version;
    char text[12];
    CHECK(osKernelGetInfo(&version, text, sizeof text) == osOK && version.api > 20000000 && text[0] == 'M' && text[11] == 0);
    CHECK(osKernelGetState() == osKernelRunning && osKernelInitialize() == osError && osKernelStart() == osError);
    osDelay(1); /* A tick has just been. */
    uint32_t before = osKernelGetTickCount(), count = osKernelGetSysTimerCount();
    CHECK(osKernelGetTickFreq() == 1000 && osKernelGetSysTimerFreq() == SystemCoreClock);
    CHECK(osDelay(3) == osOK && osKernelGetTickCount() == before + 3);
    CHECK(osDelayUntil(before + 5) == osOK && osKernelGetTickCount() == before + 5);
    CHECK(osDelayUntil(before) == osErrorParameter);
    CHECK(osKernelGetSysTimerCount() - count >= 4 * 64000 && osKernelGetSysTimerCount() - count <= 6 * 64000);
    /* Locked, a more urgent thread waits. */
    traced = 0;
    CHECK(osKernelLock() == 0 && osKernelLock() == 1 && osKernelGetState() == osKernelLocked);
    osThreadId_t thread = osThreadNew(notes, (void *)1, &above);
    CHECK(traced == 0 && osDelay(1) == osError);
    CHECK(osKernelUnlock() == 1 && traced == 1 && osKernelRestoreLock(1) == 1 && osKernelRestoreLock(0) == 0);
    CHECK(osThreadJoin(thread) == osOK);
    /* Suspended, time stands still until it is told. */
    osDelay(1);
    before = osKernelGetTickCount();
    CHECK(osKernelSuspend() == osWaitForever && osKernelGetState() == osKernelSuspended);
    osKernelResume(10);
    CHECK(osKernelGetTickCount() - before <= 11 && osKernelGetTickCount() - before >= 10);
}

static uint32_t thread_block[OS2_THREAD_CB_SIZE / 4], block[OS2_OBJECT_CB_SIZE / 4], other_block[OS2_OBJECT_CB_SIZE / 4];

/* The program's own control blocks are the objects, until they are deleted. */
static void test_control_blocks(void) {
    osSemaphoreAttr_t attr = {.name = "given", .cb_mem = block, .cb_size = sizeof block};
    osSemaphoreId_t given = osSemaphoreNew(2, 1, &attr);
    CHECK(given == block && osSemaphoreGetCount(given) == 1 && osSemaphoreGetName(given)[0] == 'g');
    CHECK(osSemaphoreNew(1, 0, &attr) == NULL);
    attr.cb_mem = other_block;
    osSemaphoreId_t other = osSemaphoreNew(2, 2, &attr);
    CHECK(other == other_block && osSemaphoreAcquire(other, 0) == osOK && osSemaphoreAcquire(given, 0) == osOK);
    CHECK(osSemaphoreAcquire(given, 1) == osErrorTimeout && osMutexAcquire(given, 0) == osErrorParameter);
    CHECK(osSemaphoreDelete(given) == osOK && osSemaphoreGetCount(given) == 0 && osSemaphoreGetCount(other) == 1);
    /* Too small, not aligned, bytes without a place; and no memory for what it needs beside it. */
    attr.cb_mem = block;
    attr.cb_size = 40;
    CHECK(osSemaphoreNew(1, 0, &attr) == NULL);
    attr.cb_size = sizeof block;
    attr.cb_mem = (char *)block + 1;
    CHECK(osSemaphoreNew(1, 0, &attr) == NULL);
    attr.cb_mem = NULL;
    CHECK(osSemaphoreNew(1, 0, &attr) == NULL);
    const osMessageQueueAttr_t queue_attr = {.cb_mem = block, .cb_size = sizeof block};
    CHECK(osMessageQueueNew(1000, 1000, &queue_attr) == NULL);
    osMessageQueueId_t queue = osMessageQueueNew(1, 4, &queue_attr);
    CHECK(queue == block && osMessageQueueDelete(queue) == osOK && osSemaphoreDelete(other) == osOK);
    /* A thread's, twice; whoever ends by itself gives it back, too. */
    const osThreadAttr_t above_given = {
        .priority = osPriorityAboveNormal, .stack_size = 512, .cb_mem = thread_block, .cb_size = sizeof thread_block};
    traced = 0;
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(osThreadNew(notes, (void *)i, &above_given) == thread_block && traced == i + 1);
        CHECK(osThreadGetState(thread_block) == osThreadError && osThreadGetCount() == 1);
    }
    const osThreadAttr_t below_given = {
        .priority = osPriorityLow, .stack_size = 512, .attr_bits = osThreadJoinable, .cb_mem = thread_block, .cb_size = sizeof thread_block};
    osThreadId_t thread = osThreadNew(notes, NULL, &below_given);
    CHECK(thread == thread_block && osThreadNew(notes, NULL, &below_given) == NULL && osThreadGetCount() == 2);
    CHECK(osThreadSetPriority(thread, osPriorityHigh) == osOK && traced == 21 && osThreadJoin(thread) == osOK);
    CHECK(osThreadJoin(thread) == osErrorParameter);
}

static void test(void *argument) {
    (void)argument;
    tester = osThreadGetId();
    test_threads();
    test_thread_flags();
    test_flags();
    test_mutexes();
    test_semaphores();
    test_queues();
    test_pools();
    test_control_blocks();
    test_kernel();
    test_timers();
    program_ends(0);
}

int main(void) {
    const osThreadAttr_t normal = {.name = "tester", .stack_size = 768};
    CHECK(osKernelGetState() == osKernelInactive && osThreadNew(test, NULL, NULL) == NULL);
    CHECK(osKernelInitialize() == osOK && osKernelGetState() == osKernelReady);
    CHECK(osThreadNew(test, NULL, &normal) != NULL);
    osKernelStart();
    program_ends(1);
}
