/* What no program should do, or few do: the caller gets an error, or what Arm's text says, and no other thread is harmed. */
#include "cmsis_os2.h"

extern void program_ends(uint32_t found) __attribute__((noreturn));

uint32_t SystemCoreClock = 16000000;

/* Says the line of the check that does not hold, by semihosting (SYS_WRITEC), and ends the program. */
static void fails(uint32_t line) {
    for (uint32_t unit = 1000; unit != 0; unit /= 10) {
        char digit = '0' + line / unit % 10;
        __asm volatile("mov r0, #3\n mov r1, %0\n bkpt 0xab" ::"r"(&digit) : "r0", "r1", "memory");
    }
    program_ends(line);
}

#define CHECK(holds) \
    do { \
        if (!(holds)) { \
            fails(__LINE__); \
        } \
    } while (0)

static volatile uint32_t traced;
static osThreadId_t tester, joined;
static osMutexId_t mutex;

static const osThreadAttr_t below = {.name = "below", .priority = osPriorityBelowNormal, .stack_size = 512, .attr_bits = osThreadJoinable};
static const osThreadAttr_t above = {.name = "above", .priority = osPriorityAboveNormal, .stack_size = 512, .attr_bits = osThreadJoinable};

static void notes(void *argument) {
    (void)argument;
    traced++;
}

static void sleeps(void *argument) {
    (void)argument;
    osDelay(osWaitForever);
    traced++;
}

static void joins(void *argument) {
    (void)argument;
    traced += 10 * (osThreadJoin(joined) == osOK);
}

/* Several join the same thread, or it is detached while a thread waits for its end: its stack is given back once. */
static void test_joins(void) {
    for (uint32_t detaches = 0; detaches < 2; detaches++) {
        traced = 0;
        joined = osThreadNew(notes, NULL, &below);
        osThreadId_t first = osThreadNew(joins, NULL, &above), second = osThreadNew(joins, NULL, &above);
        CHECK(detaches == 0 || osThreadDetach(joined) == osOK);
        osDelay(2);
        CHECK(traced == 21 && osThreadGetState(joined) == osThreadError);
        CHECK(osThreadJoin(first) == osOK && osThreadJoin(second) == osOK);
        /* Two stacks that are one would be seen here. */
        osThreadId_t a = osThreadNew(sleeps, NULL, &above), b = osThreadNew(sleeps, NULL, &above);
        osThreadId_t c = osThreadNew(sleeps, NULL, &above), d = osThreadNew(sleeps, NULL, &above);
        CHECK(osThreadGetCount() == 5);
        CHECK(osThreadTerminate(a) == osOK && osThreadTerminate(b) == osOK && osThreadTerminate(c) == osOK);
        CHECK(osThreadTerminate(d) == osOK && osThreadJoin(a) == osOK && osThreadJoin(b) == osOK);
        CHECK(osThreadJoin(c) == osOK && osThreadJoin(d) == osOK && osThreadGetCount() == 1);
    }
    CHECK(osThreadJoin(tester) == osErrorResource && osThreadJoin(NULL) == osErrorParameter);
}

/* A thread that has locked the kernel cannot end or stop itself: no other thread could continue. */
static void test_locked(void) {
    CHECK(osKernelLock() == 0);
    CHECK(osThreadTerminate(tester) == osErrorResource && osThreadSuspend(tester) == osErrorResource);
    CHECK(osKernelUnlock() == 1 && osThreadGetState(tester) == osThreadRunning);
}

/* A stack needs a size. */
static void test_stacks(void) {
    static uint64_t stack[32], behind[1];
    behind[0] = 7;
    osThreadAttr_t attr = {.stack_mem = stack};
    CHECK(osThreadNew(notes, NULL, &attr) == NULL && behind[0] == 7);
    attr.stack_size = 8;
    CHECK(osThreadNew(notes, NULL, &attr) == NULL);
    attr.stack_size = sizeof stack;
    attr.stack_mem = (char *)stack + 4;
    CHECK(osThreadNew(notes, NULL, &attr) == NULL);
    attr.stack_mem = NULL;
    attr.stack_size = 0xfffffff8;
    CHECK(osThreadNew(notes, NULL, &attr) == NULL && osThreadGetCount() == 1);
}

static void adds(void *argument) {
    *(volatile uint32_t *)argument += 1;
}

/* Time that comes round, and times that are longer than half a turn. */
static void test_time(void) {
    static volatile uint32_t calls;
    osTimerId_t timer = osTimerNew(adds, osTimerOnce, (void *)&calls, NULL);
    CHECK(timer != NULL && osTimerStart(timer, 0xfffffff0) == osOK);
    osDelay(3);
    CHECK(calls == 0 && osTimerIsRunning(timer));
    CHECK(osTimerStart(timer, osWaitForever) == osOK);
    osDelay(3);
    CHECK(calls == 0 && osTimerIsRunning(timer) && osTimerStop(timer) == osOK);
    traced = 0;
    osThreadId_t sleeper = osThreadNew(sleeps, NULL, &above);
    /* Nearly a whole turn at once: half of it is more than any wait but one without an end. */
    CHECK(osTimerStart(timer, 0xfffff000) == osOK);
    CHECK(osKernelSuspend() != 0);
    uint32_t before = osKernelGetTickCount();
    osKernelResume(0xffffe000);
    CHECK(osKernelGetTickCount() - before - 0xffffe000 <= 1 && calls == 0);
    osDelay(1);
    CHECK(calls == 0 && traced == 0 && osTimerIsRunning(timer));
    osKernelSuspend();
    osKernelResume(0x1000);
    osDelay(2);
    CHECK(calls == 1 && traced == 0 && !osTimerIsRunning(timer) && osTimerDelete(timer) == osOK);
    CHECK(osThreadGetState(sleeper) == osThreadBlocked && osThreadTerminate(sleeper) == osOK && osThreadJoin(sleeper) == osOK);
    /* Across 0. */
    osKernelSuspend();
    osKernelResume(0u - osKernelGetTickCount() - 3);
    CHECK(osKernelGetTickCount() > 0xffffff00);
    CHECK(osDelay(6) == osOK && osKernelGetTickCount() < 10);
    CHECK(osDelayUntil(osKernelGetTickCount() + 2) == osOK && osDelayUntil(osKernelGetTickCount()) == osErrorParameter);
}

static void keeps(void *argument) {
    (void)argument;
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    osDelay(osWaitForever);
}

static void wants(void *argument) {
    traced += osMutexAcquire(mutex, osWaitForever) == (osStatus_t)(int32_t)argument;
}

/* The owner of a mutex is ended: the next one has it. It is deleted: whoever waits gets an error. */
static void test_owners(void) {
    mutex = osMutexNew(NULL);
    traced = 0;
    osThreadId_t owner = osThreadNew(keeps, NULL, &above), next = osThreadNew(keeps, NULL, &above);
    osThreadId_t waits = osThreadNew(wants, (void *)osErrorResource, &above), gives_up = osThreadNew(wants, NULL, &above);
    CHECK(osMutexGetOwner(mutex) == owner && osMutexRelease(mutex) == osErrorResource);
    CHECK(osThreadTerminate(gives_up) == osOK && osThreadJoin(gives_up) == osOK);
    CHECK(osThreadTerminate(owner) == osOK && osMutexGetOwner(mutex) == next && osThreadJoin(owner) == osOK);
    CHECK(osThreadSetPriority(next, osPriorityLow) == osOK && osMutexDelete(mutex) == osOK && traced == 1);
    CHECK(osThreadTerminate(next) == osOK && osThreadJoin(next) == osOK && osThreadJoin(waits) == osOK);
}

static void ends(void *argument) {
    (void)argument;
    for (uint32_t i = 0; i < 300; i++) {
        CHECK(osMutexAcquire(mutex, 0) == osOK || i >= 255);
    }
}

static void test_mutexes(void) {
    const osMutexAttr_t attr = {.attr_bits = osMutexRecursive};
    test_owners();
    mutex = osMutexNew(&attr);
    osThreadId_t thread = osThreadNew(ends, NULL, &above);
    CHECK(osMutexGetOwner(mutex) == NULL && osThreadJoin(thread) == osOK && osMutexDelete(mutex) == osOK);
}

/* A value that is no identity, or one of another kind, is refused. */
static void test_identities(void) {
    static uint32_t nothing[64];
    void *wrong[] = {NULL, nothing, (void *)1, (char *)tester + 4, (void *)0xfffffffcu, tester};
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        void *id = wrong[i];
        CHECK(osMutexAcquire(id, 0) == osErrorParameter && osMutexDelete(id) == osErrorParameter && osMutexGetOwner(id) == NULL);
        CHECK(osSemaphoreAcquire(id, 0) == osErrorParameter && osSemaphoreRelease(id) == osErrorParameter);
        CHECK(osEventFlagsSet(id, 1) == osFlagsErrorParameter && osEventFlagsWait(id, 1, 0, 0) == osFlagsErrorParameter);
        CHECK(osMessageQueuePut(id, nothing, 0, 0) == osErrorParameter && osMessageQueueReset(id) == osErrorParameter);
        CHECK(osMemoryPoolAlloc(id, 0) == NULL && osMemoryPoolFree(id, nothing) == osErrorParameter);
        CHECK(osTimerStart(id, 1) == osErrorParameter && osTimerGetName(id) == NULL && !osTimerIsRunning(id));
        if (id != tester) {
            CHECK(osThreadResume(id) == osErrorParameter && osThreadTerminate(id) == osErrorParameter);
            CHECK(osThreadFlagsSet(id, 1) == osFlagsErrorParameter && osThreadGetState(id) == osThreadError);
        }
    }
    CHECK(osEventFlagsSet(NULL, 0x80000000u) == osFlagsErrorParameter);
    CHECK(osThreadFlagsWait(0x80000000u, 0, osWaitForever) == osFlagsErrorParameter);
}

/* Every place is taken, and given back. */
static void test_full(void) {
    osSemaphoreId_t all[64];
    osThreadId_t threads[20];
    const osThreadAttr_t small = {.stack_size = 256, .priority = osPriorityLow};
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t count = 0, running = 0;
        while (count < 64 && (all[count] = osSemaphoreNew(1, 1, NULL)) != NULL) {
            count++;
        }
        CHECK(count > 40 && count <= 48);
        while (running < 20 && (threads[running] = osThreadNew(notes, NULL, &small)) != NULL) {
            running++;
        }
        CHECK(running > 10 && running < 15);
        while (count > 0) {
            CHECK(osSemaphoreDelete(all[--count]) == osOK);
        }
        while (running > 0) {
            CHECK(osThreadTerminate(threads[--running]) == osOK);
        }
        CHECK(osThreadGetCount() <= 2);
    }
}

/* As with interrupts held back by PRIMASK or BASEPRI. */
static void test_faultmask(void) {
#if __ARM_ARCH >= 7
    osSemaphoreId_t semaphore = osSemaphoreNew(1, 1, NULL);
    traced = 0;
    osThreadId_t thread = osThreadNew(notes, NULL, &below);
    __asm volatile("cpsid f" ::: "memory");
    CHECK(osThreadYield() == osErrorISR && osDelay(1) == osErrorISR && osMutexNew(NULL) == NULL);
    CHECK(osSemaphoreAcquire(semaphore, 0) == osOK && osSemaphoreAcquire(semaphore, 1) == osErrorParameter);
    CHECK(osSemaphoreRelease(semaphore) == osOK && osKernelLock() == osErrorISR && traced == 0);
    __asm volatile("cpsie f\n isb" ::: "memory");
    CHECK(osThreadJoin(thread) == osOK && traced == 1 && osSemaphoreDelete(semaphore) == osOK);
#endif
}

/* All threads that there are are ended but this one: timers go on. */
static void test_timers(void) {
    static volatile uint32_t calls;
    osThreadId_t all[16];
    osTimerId_t timer = osTimerNew(adds, osTimerPeriodic, (void *)&calls, NULL);
    CHECK(timer != NULL && osTimerStart(timer, 2) == osOK);
    uint32_t count = osThreadEnumerate(all, 16);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(all[i] == tester || osThreadTerminate(all[i]) == osErrorResource);
        CHECK(all[i] == tester || osThreadSuspend(all[i]) == osErrorResource);
    }
    osDelay(7);
    CHECK(count == 2 && calls >= 3 && osTimerDelete(timer) == osOK);
}

static void test(void *argument) {
    (void)argument;
    tester = osThreadGetId();
    test_stacks();
    test_identities();
    test_full();
    test_faultmask();
    test_locked();
    test_mutexes();
    test_joins();
    test_time();
    test_timers();
    program_ends(0);
}

int main(void) {
    const osThreadAttr_t normal = {.name = "tester", .stack_size = 1024};
    CHECK(osKernelInitialize() == osOK);
    CHECK(osMutexAcquire(osMutexNew(NULL), 0) == osError);
    CHECK(osThreadNew(test, NULL, &normal) != NULL);
    osKernelStart();
    program_ends(1);
}
