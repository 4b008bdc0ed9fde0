/* Reads through a pointer that points nowhere sensible, three calls deep: what the simulator says of a crash.
 *
 *     -DADDRESS=0x3            no word begins there: an exception, whose handler never ends
 *     -DADDRESS=0xa0000000     nothing is there: the run stops
 */
#include "host.h"

struct sensor {
    volatile int *value;
};

__attribute__((noinline)) static int read_sensor(const struct sensor *sensor) {
    return *sensor->value + 1;
}

__attribute__((noinline)) static int average(const struct sensor *sensor, int samples) {
    int sum = 0;
    for (int i = 0; i < samples; i++)
        sum += read_sensor(sensor);
    return sum / samples;
}

int main(void) {
    const struct sensor broken = {(volatile int *)ADDRESS};
    put("before\n");
    return average(&broken, 4);
}
