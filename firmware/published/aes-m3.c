/* AES of cortexm-AES on a Cortex-M3 or M4, timed as its authors do: a reading of DWT.CYCCNT before and behind the call, less 1,
   when everything has been run before. */
#include "common.h"

#define DEMCR (*(volatile u32 *)0xe000edfc)
#define DWT_CTRL (*(volatile u32 *)0xe0001000)
#define CYCCNT (*(volatile u32 *)0xe0001004)

void CM3_1T_AES128_keyschedule_enc(u8 *rk, const u8 *key);
void CM3_1T_AES256_keyschedule_enc(u8 *rk, const u8 *key);
void CM3_1T_AES_keyschedule_dec(u8 *rk, u32 rounds);
void CM3_1T_AES_encrypt(const u8 *rk, const u8 *in, u8 *out, u32 rounds);
void CM3_1T_AES_decrypt(const u8 *rk, const u8 *in, u8 *out, u32 rounds);
void CM3_1T_AES128_encrypt_unrolled(const u8 *rk, const u8 *in, u8 *out);
void CM3_1T_AES128_decrypt_unrolled(const u8 *rk, const u8 *in, u8 *out);
void CM3_1T_AES256_encrypt_unrolled(const u8 *rk, const u8 *in, u8 *out);
void CM3_1T_AES256_decrypt_unrolled(const u8 *rk, const u8 *in, u8 *out);

static u8 keys[240] __attribute__((aligned(4))), in[16] __attribute__((aligned(4))), out[16] __attribute__((aligned(4)));
static u8 key[32] __attribute__((aligned(4))) = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

#define MEASURE(name, call)                                                                                            \
    volatile u32 name;                                                                                                 \
    static void measure_##name(void)                                                                                   \
    {                                                                                                                  \
        for (int turn = 0; turn < 3; turn++) {                                                                         \
            u32 before = CYCCNT;                                                                                       \
            call;                                                                                                      \
            name = CYCCNT - before - 1;                                                                                \
        }                                                                                                              \
    }

MEASURE(set_enc_key_128, CM3_1T_AES128_keyschedule_enc(keys, key))
MEASURE(encrypt_128, CM3_1T_AES_encrypt(keys, in, out, 10))
MEASURE(encrypt_unrolled_128, CM3_1T_AES128_encrypt_unrolled(keys, in, out))
MEASURE(set_dec_key_128, CM3_1T_AES_keyschedule_dec(keys, 10))
MEASURE(decrypt_128, CM3_1T_AES_decrypt(keys, in, out, 10))
MEASURE(decrypt_unrolled_128, CM3_1T_AES128_decrypt_unrolled(keys, in, out))
MEASURE(set_enc_key_256, CM3_1T_AES256_keyschedule_enc(keys, key))
MEASURE(encrypt_256, CM3_1T_AES_encrypt(keys, in, out, 14))
MEASURE(encrypt_unrolled_256, CM3_1T_AES256_encrypt_unrolled(keys, in, out))
MEASURE(set_dec_key_256, CM3_1T_AES_keyschedule_dec(keys, 14))
MEASURE(decrypt_256, CM3_1T_AES_decrypt(keys, in, out, 14))
MEASURE(decrypt_unrolled_256, CM3_1T_AES256_decrypt_unrolled(keys, in, out))

void start(void)
{
    DEMCR = 1 << 24;
    CYCCNT = 0;
    DWT_CTRL = 1;
    measure_set_enc_key_128();
    measure_encrypt_128();
    measure_encrypt_unrolled_128();
    measure_set_dec_key_128();
    measure_decrypt_128();
    measure_decrypt_unrolled_128();
    measure_set_enc_key_256();
    measure_encrypt_256();
    measure_encrypt_unrolled_256();
    measure_set_dec_key_256();
    measure_decrypt_256();
    measure_decrypt_unrolled_256();
    leave();
}
