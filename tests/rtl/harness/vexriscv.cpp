// VexRiscv: runs one job (machine.hpp).
//
// Every cycle: interrupts and resets first, then the buses answer what the core asks for in that cycle, then what the
// core does in it is recorded, then the clock rises.

#include "VVexRiscv.h"
#include "VVexRiscv_VexRiscv.h"
#include "machine.hpp"
#include "verilated.h"

namespace {

// One Wishbone master: a transfer is acknowledged `latency` cycles after the cycle in which it is first asked for, a
// later one of the same burst `beat` cycles after the one before it.
struct Port {
  uint32_t waited = 0;
  bool in_burst = false;

  bool acknowledges(bool asked, const Header &header) const {
    return asked && waited >= (in_burst ? header.beat : header.latency);
  }

  void clock(bool asked, bool acknowledged, uint32_t cti) {
    if (acknowledged) {
      in_burst = cti == 2;
      waited = 0;
    } else if (asked) {
      waited++;
    }
    if (!asked) {
      waited = 0;
      in_burst = false;
    }
  }
};

} // namespace

double sc_time_stamp() { return 0; }

int main() {
  Machine machine;
  const Header &header = machine.header;

  VerilatedContext context;
  VVexRiscv core(&context);
  auto &inside = *core.VexRiscv;
  Port instructions, data;
  core.externalResetVector = header.reset_vector;
  core.reset = 1;
  for (int i = 0; i < 4; i++) {
    core.clk = 0, core.eval();
    core.clk = 1, core.eval();
  }
  core.reset = 0;

  uint64_t cycle = 0;
  uint32_t trap = 0;
  for (; cycle < header.limit && !machine.finished; cycle++) {
    machine.advance(cycle);
    core.timerInterrupt = machine.timer;
    core.softwareInterrupt = machine.software;
    core.externalInterruptArray = machine.external;
    core.iBusWishbone_ACK = core.dBusWishbone_ACK = 0;
    core.iBusWishbone_ERR = core.dBusWishbone_ERR = 0;
    core.clk = 0, core.eval();

    bool fetches = core.iBusWishbone_CYC && core.iBusWishbone_STB;
    bool fetched = instructions.acknowledges(fetches, header);
    uint32_t from = uint32_t(core.iBusWishbone_ADR) << 2;
    core.iBusWishbone_ACK = fetched;
    core.iBusWishbone_ERR = fetched && !machine.inside(from);
    core.iBusWishbone_DAT_MISO = fetched ? machine.read(from) : 0xdeadbeef;

    bool accesses = core.dBusWishbone_CYC && core.dBusWishbone_STB;
    bool accessed = data.acknowledges(accesses, header);
    uint32_t at = uint32_t(core.dBusWishbone_ADR) << 2;
    core.dBusWishbone_ACK = accessed;
    core.dBusWishbone_ERR = accessed && !machine.known(at);
    core.dBusWishbone_DAT_MISO = accessed ? machine.read(at) : 0xdeadbeef;
    core.eval();

    if (accessed && core.dBusWishbone_WE) machine.write(at, core.dBusWishbone_DAT_MOSI, core.dBusWishbone_SEL);
    machine.fetch(cycle, inside.FETCH_PC);
    if (inside.CsrPlugin_hadException) trap = 1 + inside.CsrPlugin_trapCause;
    else if (inside.CsrPlugin_interruptJump) trap = 1 + 16 + inside.CsrPlugin_trapCause;
    if (machine.records_retired() && inside.lastStageIsFiring) {
      Record record{};
      record.cycle = cycle;
      record.fetch_pc = inside.FETCH_PC;
      record.pc = inside.lastStagePc;
      record.insn = inside.lastStageInstruction;
      record.value = inside.lastStageRegFileWrite_payload_data;
      record.rd = inside.lastStageRegFileWrite_payload_address;
      record.writes = inside.lastStageRegFileWrite_valid;
      record.privilege = inside.PRIVILEGE;
      record.trap = trap;
      trap = 0;
      machine.records.push_back(record);
    }
    instructions.clock(fetches, fetched, core.iBusWishbone_CTI);
    data.clock(accesses, accessed, core.dBusWishbone_CTI);
    core.clk = 1, core.eval();
  }

  machine.answer(cycle);
  return 0;
}
