/* One thread that uses its stack, and another stack, in every way that is none of a switch: it starts by moving to another one, has arrays
 * of a length that is not known before, leaps, and calls a function on a stack of that one's own. A kernel whose threads switch by a call
 * is known by the last function. */
#include <stdint.h>

static volatile int sink;
static uint32_t other[512] __attribute__((aligned(8)));
static void *leap[5];

__attribute__((noinline)) static int array(int length) {
    volatile char *all = __builtin_alloca(length);
    all[0] = 1;
    all[length - 1] = 2;
    return all[0];
}

__attribute__((noinline)) static void work(void) {
    for (int i = 0; i < 20; i++) {
        sink += array(100 + i * 40);
    }
}

__attribute__((noinline)) static void leaps(int depth) {
    if (depth == 0) {
        __builtin_longjmp(leap, 1);
    }
    leaps(depth - 1);
    sink++;
}

__attribute__((naked, noinline)) static void on_stack(void (*function)(void), void *stack) {
    __asm volatile("push {r4, lr}\n mov r4, sp\n mov sp, r1\n blx r0\n mov sp, r4\n pop {r4, pc}");
}

int main(void) {
    work();
    if (!__builtin_setjmp(leap)) {
        leaps(5);
    }
    on_stack(work, other + 512);
    on_stack(work, other + 512);
    __asm volatile("mov r0, #0x18\n ldr r1, =0x20026\n bkpt 0xab");
    return 0;
}

__attribute__((naked, noreturn)) void starts(void) {
    __asm volatile("ldr r0, =0x20001000\n mov sp, r0\n ldr r1, =main\n bx r1\n .ltorg");
}

void chSchDoPreemption(void) { sink++; }

__attribute__((section(".vectors"), used)) static const void *const vectors[2] = {(void *)0x20002000, (void *)starts};
