/* The work of study 001, by the cycle counter; compiled without optimisation, as its IDE does unless it is told otherwise, and the
 * same for every kernel. */
#pragma GCC optimize("O0")
#include "work.h"

uint32_t SystemCoreClock = HERTZ;
volatile uint32_t function_call_count, functions_per_second;

void burn_1us(void) {
    uint32_t start = CYCLES();
    while (CYCLES() - start < SystemCoreClock / 1000000u) {
    }
}

void run_function_call_test(void) {
    uint32_t start = CYCLES();
    while (CYCLES() - start < WINDOW) {
        burn_1us();
        function_call_count++;
        burn_1us();
        function_call_count++;
    }
    functions_per_second = function_call_count * 100;
}
