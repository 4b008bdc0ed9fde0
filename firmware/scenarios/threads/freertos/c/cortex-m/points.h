/* The parts of a Cortex-M that the scenarios need: points, and an interrupt. */
#ifndef POINTS_H
#define POINTS_H

#include <stdint.h>

/* A point that a price list names: `bkpt:#N`. No access of memory moves across it. */
#define MARK(n) __asm volatile("bkpt #" #n ::: "memory")
/* The same where another core has to store, or has an instruction more. */
#define MARK_OF_YIELD(n) MARK(n)
#define REACHED(n) MARK(n)
/* A point, and the interrupt pending with the very next instruction, as a peripheral would. */
#define REQUEST(n, irq) \
    __asm volatile("bkpt #" #n "\n str %0, [%1]" ::"l"(1u << (irq)), "l"(0xe000e200u) : "memory")
/* So often something is done. */
#define ROUNDS(n) (n)

#define NVIC_ISER (*(volatile uint32_t *)0xe000e100u)
/* Lets an interrupt through, at a priority from which FreeRTOS may be called. ARMv6-M has two bits of it, and takes words alone. */
#ifdef __ARM_ARCH_6M__
#define NVIC_IPR(irq) (((volatile uint32_t *)0xe000e400u)[(irq) / 4])
#define ENABLE(irq) (NVIC_IPR(irq) |= 1u << (irq) % 4 * 8 + 6, NVIC_ISER = 1u << (irq))
#else
#define NVIC_IPR(irq) (((volatile uint8_t *)0xe000e400u)[irq])
#define ENABLE(irq) (NVIC_IPR(irq) = 2 << 4, NVIC_ISER = 1u << (irq))
#endif
/* The handler of an interrupt. */
#define HANDLER(irq) void IRQ##irq(void)
/* Where it came from asks no longer. */
#define LOWER()

#endif
