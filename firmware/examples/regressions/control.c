/* A control step, and four ways in which it becomes slower by accident: each is built by its define, and
 * `cyclescope gate` says by how much, where and why (docs/gate.md). Builds with any GCC or Clang for a Cortex-M4; see link.ld. */

typedef unsigned int u32;
typedef int i32;

#define FLASH_ACR (*(volatile u32 *)0x40023c00u)
#define SAMPLES 8

#ifdef PLANT_WAIT_STATE
#define WAIT_STATES 3
#else
#define WAIT_STATES 2
#endif

static i32 samples[SAMPLES];
volatile i32 output;

#ifdef PLANT_CALL
__attribute__((noinline)) static i32 gain(i32 sample, i32 by)
#else
__attribute__((always_inline)) static inline i32 gain(i32 sample, i32 by)
#endif
{
    return sample * by + 3;
}

static inline void lock(void)
{
    __asm volatile("cpsid i" ::: "memory");
#ifdef PLANT_ISB
    __asm volatile("isb" ::: "memory");
#endif
}

static inline void unlock(void)
{
    __asm volatile("cpsie i" ::: "memory");
}

/* A halfword before it: then its loop begins after a word boundary, and is fetched in fewer words. */
#ifndef PLANT_ALIGNMENT
__asm(".section .text.step, \"ax\"\n nop\n .text");
#endif

__attribute__((noinline, section(".text.step"))) void step(i32 by)
{
    i32 sum = 0;
    for (int i = 0; i < SAMPLES; i++)
        sum += gain(samples[i], by);
    lock();
    output = sum;
    unlock();
}

int main(void)
{
    FLASH_ACR = WAIT_STATES;
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = i;
    for (int i = 1; i <= 4; i++)
        step(i);
    return 0;
}

void reset(void)
{
    main();
    /* The request of the host that ends a run. */
    register u32 operation __asm("r0") = 0x18;
    register u32 reason __asm("r1") = 0x20026;
    __asm volatile("bkpt 0xab" ::"r"(operation), "r"(reason));
    for (;;)
        ;
}

__attribute__((used, section(".vectors"))) static const void *const vectors[2] = {
    (void *)0x20002000,
    (void *)reset,
};
