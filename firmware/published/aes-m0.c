/* AES of cortexm-AES on a Cortex-M0: each call of a function stands between two breakpoints, its arguments in front of them. */
#include "common.h"

typedef void function(void);
function CM0_sBOX_AES128_keyschedule_enc, CM0_sBOX_AES256_keyschedule_enc, CM0_sBOX_AES_encrypt, CM0_sBOX_AES_decrypt;
function CM0_FASTMULsBOX_AES_encrypt, CM0_FASTMULsBOX_AES_decrypt;
function CM0_d4T_AES128_keyschedule_enc, CM0_d4T_AES256_keyschedule_enc, CM0_d4T_AES_keyschedule_dec;
function CM0_d4T_AES_encrypt, CM0_d4T_AES_decrypt, CM0_FASTMUL_AES_keyschedule_dec;
function CM0_d4T_FAST_AES_encrypt, CM0_d4T_FAST_AES_decrypt;

static u8 keys[240] __attribute__((aligned(4))), in[16] __attribute__((aligned(4))), out[16] __attribute__((aligned(4)));
static u8 key[32] __attribute__((aligned(4))) = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

/* Without a compiler's instructions between the breakpoints and the call. */
#define CALL(name, first, second, third, fourth)                                                                       \
    do {                                                                                                               \
        register u32 r0 __asm__("r0") = (u32)(first), r1 __asm__("r1") = (u32)(second);                                 \
        register u32 r2 __asm__("r2") = (u32)(third), r3 __asm__("r3") = (u32)(fourth);                                 \
        __asm__ volatile(".balign 4\n nop\n bkpt 1\n bl " #name "\n bkpt 2"                                            \
                         : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)                                                     \
                         :                                                                                             \
                         : "r12", "lr", "memory", "cc");                                                               \
    } while (0)

void start(void)
{
    CALL(CM0_sBOX_AES128_keyschedule_enc, keys, key, 0, 0);
    CALL(CM0_sBOX_AES256_keyschedule_enc, keys, key, 0, 0);
    CALL(CM0_sBOX_AES_encrypt, keys, in, out, 10);
    CALL(CM0_sBOX_AES_encrypt, keys, in, out, 14);
    CALL(CM0_sBOX_AES_decrypt, keys, in, out, 10);
    CALL(CM0_sBOX_AES_decrypt, keys, in, out, 14);
    CALL(CM0_FASTMULsBOX_AES_encrypt, keys, in, out, 10);
    CALL(CM0_FASTMULsBOX_AES_encrypt, keys, in, out, 14);
    CALL(CM0_FASTMULsBOX_AES_decrypt, keys, in, out, 10);
    CALL(CM0_FASTMULsBOX_AES_decrypt, keys, in, out, 14);
    CALL(CM0_d4T_AES128_keyschedule_enc, keys, key, 0, 0);
    CALL(CM0_d4T_AES256_keyschedule_enc, keys, key, 0, 0);
    CALL(CM0_d4T_AES_encrypt, keys, in, out, 10);
    CALL(CM0_d4T_AES_encrypt, keys, in, out, 14);
    CALL(CM0_d4T_AES_decrypt, keys, in, out, 10);
    CALL(CM0_d4T_AES_decrypt, keys, in, out, 14);
    CALL(CM0_d4T_AES_keyschedule_dec, keys, 10, 0, 0);
    CALL(CM0_d4T_AES_keyschedule_dec, keys, 14, 0, 0);
    CALL(CM0_FASTMUL_AES_keyschedule_dec, keys, 10, 0, 0);
    CALL(CM0_FASTMUL_AES_keyschedule_dec, keys, 14, 0, 0);
    CALL(CM0_d4T_FAST_AES_encrypt, keys, in, out, 10);
    CALL(CM0_d4T_FAST_AES_encrypt, keys, in, out, 14);
    CALL(CM0_d4T_FAST_AES_decrypt, keys, in, out, 10);
    CALL(CM0_d4T_FAST_AES_decrypt, keys, in, out, 14);
    leave();
}
