/* The part of FreeRTOS's port for RISC-V that is left to the program: the timer's step, as a variable, because programs here differ in it; where
 * traps go; the line of the scenarios. */
#include "FreeRTOS.h"
#include "points.h"
#include "task.h"

/* The port's own. */
extern uint64_t ullNextTime;
extern volatile uint64_t *pullMachineTimerCompareRegister;

size_t uxTimerIncrementsForOneTick;
uint32_t ticks_of = 20000;
volatile int times = 6;
volatile uint32_t reached_21, reached_31, reached_51, reached_61, reached_71, reached_72;

void vPortSetupTimerInterrupt(void) {
    uint64_t now = *(volatile uint32_t *)configMTIME_BASE_ADDRESS;
    uxTimerIncrementsForOneTick = ticks_of;
    pullMachineTimerCompareRegister = (volatile uint64_t *)configMTIMECMP_BASE_ADDRESS;
    ullNextTime = now + uxTimerIncrementsForOneTick;
    *pullMachineTimerCompareRegister = ullNextTime;
    ullNextTime += uxTimerIncrementsForOneTick;
}

/* An Ibex has only a table of handlers; a VexRiscv one handler, and a mask of its own for each line. */
#ifdef __riscv_compressed
__asm(".balign 256\n"
      "handlers:\n"
      ".option push\n.option norvc\n"
      "j freertos_risc_v_exception_handler\n"
      ".rept 6\nj freertos_risc_v_interrupt_handler\n.endr\n"
      "j freertos_risc_v_mtimer_interrupt_handler\n"
      ".rept 24\nj freertos_risc_v_interrupt_handler\n.endr\n"
      ".option pop\n");
extern void handlers(void);
#else
extern void freertos_risc_v_trap_handler(void);
#define handlers freertos_risc_v_trap_handler
#endif

void enable_line(void) {
#ifndef __riscv_compressed
    __asm volatile("csrw 0xbc0, %0" ::"r"(~0u));
#endif
    __asm volatile("csrs mie, %0" ::"r"(1u << 11));
}

void begin(void) {
    __asm volatile("csrw mtvec, %0" ::"r"(handlers));
}
