/* Study 001 as its document describes it, written after the document, which prints no code: work of one microsecond by the cycle
 * counter, done by functions in turn, and by two threads of one priority that yield after each piece; a monitor gives them a window
 * of time, ends them, and leaves the counts where a debugger sees them. The window is a hundredth of the study's second. */
#include "cmsis_os2.h"
#include "core.h"

/* Where the simulator's run ends; on a board the monitor would stay in its loop. */
extern void program_ends(uint32_t found) __attribute__((noreturn));

uint32_t SystemCoreClock = 170000000;
volatile uint32_t function_call_count, rtos_call_count;
volatile uint32_t functions_per_second, threads_per_second;
static volatile uint32_t start_cycles, window_cycles, is_running;
static osThreadId_t workers[2];

static void DWT_Init(void) {
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
    DWT->CYCCNT = 0;
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}

void Burn_1us(void) {
    uint32_t start = DWT->CYCCNT;
    while (DWT->CYCCNT - start < SystemCoreClock / 1000000u) {
    }
}

static void run_function_call_test(void) {
    uint32_t start = DWT->CYCCNT;
    while (DWT->CYCCNT - start < window_cycles) {
        Burn_1us();
        function_call_count++;
        Burn_1us();
        function_call_count++;
    }
}

static void StartTask(void *argument) {
    (void)argument;
    while (!is_running) {
        osThreadYield();
    }
    while (DWT->CYCCNT - start_cycles < window_cycles) {
        Burn_1us();
        rtos_call_count++;
        osThreadYield();
    }
    osThreadExit();
}

static void MonitorTask(void *argument) {
    (void)argument;
    start_cycles = DWT->CYCCNT;
    is_running = 1;
    osDelay(osKernelGetTickFreq() / 100 + 2);
    is_running = 0;
    for (int i = 0; i < 2; i++) {
        osThreadTerminate(workers[i]);
    }
    functions_per_second = function_call_count * 100;
    threads_per_second = rtos_call_count * 100;
    program_ends(rtos_call_count == 0 || rtos_call_count >= function_call_count);
}

int main(void) {
    const osThreadAttr_t worker = {.name = "worker", .priority = osPriorityNormal, .stack_size = 512};
    const osThreadAttr_t monitor = {.name = "monitor", .priority = osPriorityAboveNormal, .stack_size = 512};
    DWT_Init();
    window_cycles = SystemCoreClock / 100u;
    run_function_call_test();
    osKernelInitialize();
    workers[0] = osThreadNew(StartTask, NULL, &worker);
    workers[1] = osThreadNew(StartTask, NULL, &worker);
    osThreadNew(MonitorTask, NULL, &monitor);
    osKernelStart();
    for (;;) {
    }
}
