// PicoRV32: runs one job (machine.hpp).
//
// One port for instructions and data: a transfer is answered so many cycles after the cycle in which it is first asked for
// as the machine says. An instruction retires in the cycle in which the next one is launched, one before the core's RVFI says so.

#include "Vpicorv32.h"
#include "Vpicorv32___024root.h"
#include "machine.hpp"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main() {
  Machine machine;
  const Header &header = machine.header;

  VerilatedContext context;
  Vpicorv32 core(&context);
  auto &inside = *core.rootp;
  core.resetn = 0;
  for (int i = 0; i < 4; i++) {
    core.clk = 0, core.eval();
    core.clk = 1, core.eval();
  }
  core.resetn = 1;
  // The parameter PROGADDR_RESET, as the job has it.
  inside.picorv32__DOT__reg_pc = inside.picorv32__DOT__reg_next_pc = header.reset_vector;

  uint32_t waited = 0, wait = 0, fetch_pc = header.reset_vector;
  uint64_t cycle = 0;
  for (; cycle < header.limit && !machine.finished && !core.trap; cycle++) {
    machine.advance(cycle);
    core.mem_ready = 0;
    core.clk = 0, core.eval();
    if (machine.records_retired() && core.rvfi_valid && !core.rvfi_trap) {
      Record record{};
      record.cycle = cycle - 1;
      record.fetch_pc = fetch_pc;
      record.pc = core.rvfi_pc_rdata;
      record.insn = core.rvfi_insn;
      record.value = core.rvfi_rd_wdata;
      record.rd = core.rvfi_rd_addr;
      record.writes = core.rvfi_rd_addr != 0;
      record.privilege = 3;
      machine.records.push_back(record);
    }
    fetch_pc = inside.picorv32__DOT__reg_next_pc;
    machine.fetch(cycle, fetch_pc);

    bool asked = core.mem_valid;
    if (asked && waited == 0) {
      Access access = core.mem_instr ? FETCH : core.mem_wstrb ? WRITE : READ;
      wait = machine.begin(0, access, core.mem_addr, 1, cycle).word[0];
    }
    bool answered = asked && waited >= wait;
    core.mem_ready = answered;
    core.mem_rdata = answered ? machine.read(core.mem_addr) : 0xdeadbeef;
    core.eval();
    if (answered && core.mem_wstrb) machine.write(cycle, core.mem_addr, core.mem_wdata, core.mem_wstrb);
    waited = asked && !answered ? waited + 1 : 0;
    core.clk = 1, core.eval();
  }

  machine.answer(cycle);
  return 0;
}
