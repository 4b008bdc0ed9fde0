/* The work of study 001. */
#include <stdint.h>

typedef struct {
    volatile uint32_t CTRL, CYCCNT;
} DWT_Type;
#define DWT ((DWT_Type *)0xe0001000u)

/* A hundredth of a second at 170 MHz: what is counted is the same in each. */
#define WINDOW (170000000u / 100u)
