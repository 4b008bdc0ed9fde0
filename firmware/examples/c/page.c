/* Clears a page, writes a short text to it and reads that back, as an operating system does that lends pages to messages: bound by the
 * memory, so that a cache in front of it shows.
 *
 *     riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32 -Og -g -nostdlib -T link.ld -Wl,--defsym=RAM=0x40000000 \
 *         start.S page.c ports.c -lgcc -o page.elf
 *     cyclescope run page.elf --board litex-sram
 */
#include "host.h"

enum { WORDS = 1024, PAGES = 4, ROUNDS = 4 };

static unsigned pages[PAGES][WORDS];
static const char text[] = "a message of a few words";

static void clear(unsigned *page) {
    for (int i = 0; i < WORDS; i++)
        page[i] = 0;
}

static unsigned send(unsigned *page) {
    unsigned char *bytes = (unsigned char *)page;
    clear(page);
    for (unsigned i = 0; i < sizeof text; i++)
        bytes[i] = text[i];
    unsigned sum = 0;
    for (int i = 0; i < WORDS; i++)
        sum = sum * 31 + page[i];
    return sum;
}

int main(void) {
    unsigned first = send(pages[0]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < PAGES; i++)
            if (send(pages[i]) != first)
                return 1;
    put("sixteen pages\n");
    return 0;
}
