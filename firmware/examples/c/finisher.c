/* By the UART and the test finisher of QEMU's machine `virt`. */
#include "host.h"

#define FINISHER (*(volatile unsigned *)0x00100000)
#define UART ((volatile unsigned char *)0x10000000)

enum { LINE_STATUS = 5, EMPTY = 0x20, PASS = 0x5555, FAIL = 0x3333 };

void put(const char *text) {
    while (*text) {
        while (!(UART[LINE_STATUS] & EMPTY))
            ;
        *UART = *text++;
    }
}

_Noreturn void end(int code) {
    for (;;)
        FINISHER = code ? (unsigned)code << 16 | FAIL : PASS;
}
