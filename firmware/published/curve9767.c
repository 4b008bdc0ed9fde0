/* Field and curve operations of Curve9767; operands are on the stack, as in its authors' benchmark. A function is measured from
   its first instruction to the one it returns to. */
#include "curve9767.h"
#include "inner.h"

#include "common.h"

volatile u32 sink;

void *memcpy(void *to, const void *from, size_t size)
{
    char *writes = to;
    for (const char *reads = from; size--;)
        *writes++ = *reads++;
    return to;
}

void *memset(void *to, int value, size_t size)
{
    for (char *writes = to; size--;)
        *writes++ = value;
    return to;
}

void start(void)
{
    curve9767_point point;
    u32 places[3][10];
    uint16_t *a = (uint16_t *)places[0], *b = (uint16_t *)places[1], *c = (uint16_t *)places[2];

    memcpy(&point, &curve9767_generator, sizeof point);
    memcpy(a, point.x, sizeof places[0]);
    memcpy(b, point.y, sizeof places[1]);
    curve9767_inner_gf_mul(c, a, b);
    curve9767_inner_gf_sqr(c, a);
    curve9767_inner_gf_inv(c, a);
    curve9767_inner_gf_sqr(c, a);
    sink = curve9767_inner_gf_sqrt(b, c);
    sink = curve9767_inner_gf_sqrt(0, c);
    curve9767_inner_gf_cubert(c, a);
    curve9767_point_add(&point, &point, &point);
    for (u32 doublings = 1; doublings <= 4; doublings++)
        curve9767_point_mul2k(&point, &point, doublings);
    curve9767_inner_window_lookup(&point, &curve9767_inner_window_G64, 3);
    leave();
}
