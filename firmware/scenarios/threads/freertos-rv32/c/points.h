/* The parts of an RV32 that the scenarios need: points, and an interrupt. */
#ifndef POINTS_H
#define POINTS_H

#include <stdint.h>

#define EXTERNAL (*(volatile uint32_t *)0xfff0000cu)
/* The line that the scenarios raise. */
#define LINE (1u << 8)

/* A point that a price list names: the label `mark_N`, no instruction. No access of memory moves across it. Where the compiler
 * doubles the code around it, the first is meant. */
#define MARK(n) \
    __asm volatile(".ifndef mark_" #n "\n.globl mark_" #n "\nmark_" #n ":\n.endif" ::: "memory")
/* The same in front of an ECALL, which does not retire, and would be no point: a NOP more. */
#define MARK_OF_YIELD(n) __asm volatile(".globl mark_" #n "\nmark_" #n ": nop" ::: "memory")
/* A point in a place that the compiler may double: a store, `write:reached_N`. */
extern volatile uint32_t reached_21, reached_31, reached_51, reached_61, reached_71, reached_72;
#define REACHED(n) (reached_##n = 0)
/* A point, and the line raised by the very next instruction; the store is on its way for some cycles. */
#define REQUEST(n, irq) \
    __asm volatile(".globl mark_" #n "\nmark_" #n ":\n sw %0, 0(%1)\n .rept 16\n nop\n .endr" ::"r"(LINE), "r"(&EXTERNAL) \
                   : "memory")
/* So often something is done that caches are warm: the compiler does not see the number, so that each mark is there once. */
extern volatile int times;
#define ROUNDS(n) times

void enable_line(void);
#define ENABLE(irq) enable_line()
/* FreeRTOS's port calls this for every interrupt that is not its own. */
#define HANDLER(irq) void freertos_risc_v_application_interrupt_handler(void)
#define LOWER() (EXTERNAL = 0)

#endif
