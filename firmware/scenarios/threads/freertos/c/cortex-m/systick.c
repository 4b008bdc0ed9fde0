/* FreeRTOS's tick by SysTick. */
#include <stdint.h>

/* SysTick's period in cycles. FreeRTOS would work it out from the clock of the board, of which there are several. */
uint32_t ticks_of = 4000;

void vPortSetupTimerInterrupt(void) {
    volatile uint32_t *systick = (volatile uint32_t *)0xe000e010u;
    systick[1] = ticks_of - 1;
    systick[2] = 0;
    systick[0] = 7;
}
