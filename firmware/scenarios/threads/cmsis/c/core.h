/* The vendor's header of the core, as far as study 001 uses it. */
#ifndef CORE_H
#define CORE_H
#include <stdint.h>

typedef struct {
    volatile uint32_t CTRL;
    volatile uint32_t CYCCNT;
} DWT_Type;

typedef struct {
    volatile uint32_t DHCSR, DCRSR, DCRDR, DEMCR;
} CoreDebug_Type;

#define DWT ((DWT_Type *)0xe0001000u)
#define CoreDebug ((CoreDebug_Type *)0xe000edf0u)
#define CoreDebug_DEMCR_TRCENA_Msk (1u << 24)
#define DWT_CTRL_CYCCNTENA_Msk 1u

extern uint32_t SystemCoreClock;

#endif
