/* A program that stands still in one thread of a kernel, and has the kernel's state as constants: what a debugger shows of the other
 * threads is what is written here. */
typedef unsigned char u8;
typedef unsigned word;
#define ADDRESS(of) ((word)(of))

/* Where threads are, told apart by their names. */
__attribute__((noinline)) void asks(void) { __asm volatile("nop"); }
/* Where it goes on; a pointer to the function would say by its bit 0 that it is Thumb code. */
extern const char going_on[];
__attribute__((noinline, used)) void answers(void) { __asm volatile(".global going_on\ngoing_on: nop"); }

#ifdef STARTS
/* The kernel's state is one from here on. */
void starts(void);
#else
static void starts(void) {}
#endif

void reset(void) {
    starts();
    asks();
    for (;;) {
        __asm volatile("nop");
    }
}

#ifdef __riscv
__attribute__((naked, used, section(".vectors"))) void begin(void) {
    __asm volatile("li sp, 0x80100000\nj reset");
}
#else
extern word stack_end;
__attribute__((section(".vectors"), used)) const word vectors[] = {ADDRESS(&stack_end), ADDRESS(reset)};

/* What the hardware saves at the entry of an exception, and R4 to R11 as kernels save them before it. Bit 9 of xPSR: the frame is
 * padded. */
#define PADDED (1 << 9)
#define FRAME(xpsr) 100, 101, 102, 103, 112, ADDRESS(asks), ADDRESS(going_on), 1 << 24 | (xpsr)
#define LOW 104, 105, 106, 107
#define UPPER 108, 109, 110, 111
#define THEN_S0 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 0x300, 0
#define S16 216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, 229, 230, 231
#endif
