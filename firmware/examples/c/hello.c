/* Sorts some numbers, prints them, and ends with the exit code 3.
 *
 *     riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32 -Og -g -nostdlib -T link.ld start.S hello.c semihosting.c -lgcc -o hello.elf
 *     cyclescope run hello.elf --board vexriscv-lite
 */
#include "host.h"

static int numbers[] = {1234, 7, 0, 56789, 42};
static int swaps; /* in .bss: start-up sets it to 0 */

enum { COUNT = sizeof numbers / sizeof *numbers };

static void sort(void) {
    for (int end = COUNT - 1; end > 0; end--)
        for (int i = 0; i < end; i++)
            if (numbers[i] > numbers[i + 1]) {
                int greater = numbers[i];
                numbers[i] = numbers[i + 1];
                numbers[i + 1] = greater;
                swaps++;
            }
}

static void put_number(unsigned number) {
    char digits[12], *first = digits + sizeof digits - 1;
    *first = 0;
    do
        *--first = '0' + number % 10;
    while (number /= 10);
    put(first);
}

int main(void) {
    sort();
    for (int i = 0; i < COUNT; i++) {
        put_number(numbers[i]);
        put(i < COUNT - 1 ? " " : "\n");
    }
    put_number(swaps);
    put(" swaps\n");
    return 3;
}
