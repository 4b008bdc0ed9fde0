/* The permutation of ChaCha, timed as its authors do: a reading of DWT.CYCCNT before and behind the call, operands on the stack. */
#include "common.h"

#define DEMCR (*(volatile u32 *)0xe000edfc)
#define DWT_CTRL (*(volatile u32 *)0xe0001000)
#define CYCCNT (*(volatile u32 *)0xe0001004)

void chacha8_perm_asm(u8 *out, const u8 *in);
void chacha12_perm_asm(u8 *out, const u8 *in);
void chacha20_perm_asm(u8 *out, const u8 *in);

volatile u32 rounds_8, rounds_12, rounds_20;

static u32 measure(void (*permutation)(u8 *out, const u8 *in))
{
    u8 data[64] __attribute__((aligned(4))), digest[64] __attribute__((aligned(4)));

    for (int i = 0; i < 64; i++)
        data[i] = i;
    u32 before = CYCCNT;
    permutation(digest, data);
    return CYCCNT - before;
}

void start(void)
{
    DEMCR = 1 << 24;
    CYCCNT = 0;
    DWT_CTRL = 1;
    rounds_8 = measure(chacha8_perm_asm);
    rounds_12 = measure(chacha12_perm_asm);
    rounds_20 = measure(chacha20_perm_asm);
    leave();
}
