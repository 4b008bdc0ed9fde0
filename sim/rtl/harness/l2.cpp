// LiteX's L2 cache alone: transfers come from standard input, as four words each: address, whether it writes, idle cycles before it,
// and what the memory takes, to read in the lower half and to write in the upper one. How long each waits for its acknowledgement goes
// to standard output.

#include <cstdint>
#include <cstdio>

#include "Vcache.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main() {
  VerilatedContext context;
  Vcache cache(&context);
  uint32_t waited = 0;
  // One cycle; whether the master is acknowledged in it.
  auto clock = [&](bool asks, uint32_t address, bool writes, uint32_t reads, uint32_t stores) {
    cache.m_cyc = cache.m_stb = asks;
    cache.m_we = writes;
    cache.m_adr = address >> 2;
    cache.m_sel = 15;
    cache.s_ack = 0;
    cache.sys_clk = 0, cache.eval();
    bool asked = cache.s_cyc && cache.s_stb;
    cache.s_ack = asked && waited >= (cache.s_we ? stores : reads);
    waited = asked && !cache.s_ack ? waited + 1 : 0;
    cache.eval();
    bool acknowledged = cache.m_ack;
    cache.sys_clk = 1, cache.eval();
    return acknowledged;
  };
  cache.sys_rst = 1;
  clock(false, 0, false, 0, 0);
  cache.sys_rst = 0;
  uint32_t transfer[4];
  while (fread(transfer, sizeof transfer, 1, stdin) == 1) {
    uint32_t reads = transfer[3] & 0xffff, stores = transfer[3] >> 16;
    for (uint32_t i = 0; i < transfer[2]; i++) clock(false, transfer[0], false, reads, stores);
    uint32_t wait = 0;
    while (!clock(true, transfer[0], transfer[1], reads, stores)) wait++;
    fwrite(&wait, sizeof wait, 1, stdout);
  }
  return 0;
}
