// VexRiscv: runs one job (machine.hpp).
//
// Every cycle: interrupts and resets first, then the buses answer what the core asks for in that cycle, then what the
// core does in it is recorded, then the clock rises.

#include "VVexRiscv.h"
#include "VVexRiscv_VexRiscv.h"
#include "machine.hpp"
#include "verilated.h"

namespace {

// One Wishbone master: a word is acknowledged so many cycles after the cycle in which it is first asked for as the machine
// says when its transfer begins.
struct Port {
  Waits waits{};
  uint32_t waited = 0, word = 0;
  bool under_way = false;

  // Whether a transfer begins.
  bool begins(bool asked) const { return asked && !under_way; }

  bool acknowledges(bool asked) const { return asked && waited >= waits.word[word]; }

  void clock(bool asked, bool acknowledged, uint32_t cti) {
    under_way = asked && !(acknowledged && cti != 2);
    word = !under_way ? 0 : (word + acknowledged) % 8;
    waited = asked && !acknowledged ? waited + 1 : 0;
  }
};

// The registers of a trap: as it left them, in the cycle behind it.
Trap registers(const VVexRiscv_VexRiscv &inside, uint64_t cycle) {
#ifdef SUPERVISOR
  if (inside.PRIVILEGE == 1) {
    uint32_t cause = uint32_t(inside.CsrPlugin_scause_interrupt) << 31 | inside.CsrPlugin_scause_exceptionCode;
    return {cycle, cause, inside.CsrPlugin_sepc, inside.CsrPlugin_stval, 1};
  }
#endif
  uint32_t cause = uint32_t(inside.CsrPlugin_mcause_interrupt) << 31 | inside.CsrPlugin_mcause_exceptionCode;
  return {cycle, cause, inside.CsrPlugin_mepc, inside.CsrPlugin_mtval, inside.PRIVILEGE};
}

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
  // What reset leaves alone begins with the first cycle.
  inside.CsrPlugin_mcycle = inside.CsrPlugin_minstret = 0;

  uint64_t cycle = 0;
  uint32_t trap = 0;
  bool trapped = false;
  for (; cycle < header.limit && !machine.finished; cycle++) {
    machine.advance(cycle);
    core.timerInterrupt = machine.timer();
    core.softwareInterrupt = machine.software();
    core.externalInterruptArray = machine.external();
    core.iBusWishbone_ACK = core.dBusWishbone_ACK = 0;
    core.iBusWishbone_ERR = core.dBusWishbone_ERR = 0;
    core.clk = 0, core.eval();

    bool accesses = core.dBusWishbone_CYC && core.dBusWishbone_STB;
    uint32_t at = uint32_t(core.dBusWishbone_ADR) << 2;
    if (data.begins(accesses)) {
      uint32_t words = core.dBusWishbone_CTI == 2 ? 8 : 1;
      data.waits = machine.begin(1, core.dBusWishbone_WE ? WRITE : READ, at, words, cycle);
    }
    bool accessed = data.acknowledges(accesses);
    core.dBusWishbone_ACK = accessed;
    core.dBusWishbone_ERR = accessed && !machine.known(at);
    core.dBusWishbone_DAT_MISO = accessed ? machine.read(at) : 0xdeadbeef;

    bool fetches = core.iBusWishbone_CYC && core.iBusWishbone_STB;
    uint32_t from = uint32_t(core.iBusWishbone_ADR) << 2;
    if (instructions.begins(fetches))
      instructions.waits = machine.begin(0, FETCH, from, core.iBusWishbone_CTI == 2 ? 8 : 1, cycle);
    bool fetched = instructions.acknowledges(fetches);
    core.iBusWishbone_ACK = fetched;
    core.iBusWishbone_ERR = fetched && !machine.inside(from);
    core.iBusWishbone_DAT_MISO = fetched ? machine.read(from) : 0xdeadbeef;
    core.eval();

    if (accessed && core.dBusWishbone_WE) machine.write(cycle, at, core.dBusWishbone_DAT_MOSI, core.dBusWishbone_SEL);
    machine.fetch(cycle, inside.FETCH_PC);
    if (trapped) machine.traps.push_back(registers(inside, cycle - 1));
    trapped = machine.records_retired() && (inside.CsrPlugin_hadException || inside.CsrPlugin_interruptJump);
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
