// A core in a shell of its user's: runs one job (machine.hpp).
//
// The shell is a Verilog module whose ports docs/rv32.md lists. Every cycle: interrupts first, then the buses answer what the shell asks
// for in that cycle, then what retires in it is recorded, then the clock rises.

#include <unistd.h>

#include "Vshell.h"
#include "machine.hpp"
#include "verilated.h"

namespace {

// A bus of the shell's: each word of a transfer is answered so many cycles after the one in which it is first asked for as the machine
// says when the transfer begins.
struct Bus {
  Waits waits{};
  uint32_t waited = 0, word = 0, words = 0;

  // Whether the word that is asked for is answered in this cycle.
  bool answers(Machine &machine, uint32_t port, Access access, bool asked, uint32_t address, uint32_t length, uint64_t cycle) {
    if (asked && words == 0) {
      words = length == 0 ? 1 : length > 8 ? 8 : length;
      waits = machine.begin(port, access, address, words, cycle);
    }
    return asked && waited >= waits.word[word];
  }

  void clock(bool asked, bool answered) {
    waited = asked && !answered ? waited + 1 : 0;
    word += answered;
    if (word == words) word = words = 0;
  }
};

// One more than the number of a trap: its cause, and 16 more of an interrupt.
uint32_t trap_of(uint32_t mcause) { return 1 + (mcause & 15) + (mcause >> 31 ? 16 : 0); }

} // namespace

double sc_time_stamp() { return 0; }

int main() {
  Machine machine;
  const Header &header = machine.header;
  // The answer goes to standard output; what the Verilog itself displays does not.
  const int answer = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);

  VerilatedContext context;
  Vshell core(&context);
  Bus instructions, data;
  core.reset_vector = header.reset_vector;
  core.reset = 1;
  for (int i = 0; i < 8; i++) {
    core.clk = 0, core.eval();
    core.clk = 1, core.eval();
  }
  core.reset = 0;

  // In this cycle, and in those before it: a record is of the one in which its instruction retired.
  uint32_t fetch_pcs[LATE + 1];
  for (uint32_t &pc : fetch_pcs) pc = header.reset_vector;
  uint64_t cycle = 0;
  for (; cycle < header.limit && !machine.finished; cycle++) {
    machine.advance(cycle);
    core.irq_timer = machine.timer();
    core.irq_software = machine.software();
    core.irq_external = machine.external();
    core.ibus_ready = core.dbus_ready = 0;
    core.clk = 0, core.eval();

    bool accesses = core.dbus_valid, fetches = core.ibus_valid;
    uint32_t at = core.dbus_addr, from = core.ibus_addr, lanes = core.dbus_wstrb;
    bool accessed = data.answers(machine, 1, lanes ? WRITE : READ, accesses, at, core.dbus_words, cycle);
    bool fetched = instructions.answers(machine, 0, FETCH, fetches, from, core.ibus_words, cycle);
    core.dbus_ready = accessed;
    core.dbus_rdata = accessed ? machine.read(at) : 0xdeadbeef;
    core.ibus_ready = fetched;
    core.ibus_rdata = fetched ? machine.read(from) : 0xdeadbeef;
    uint32_t written = core.dbus_wdata;
    core.eval();

    for (int i = LATE; i > 0; i--) fetch_pcs[i] = fetch_pcs[i - 1];
    fetch_pcs[0] = core.fetch_pc;
    machine.fetch(cycle, core.fetch_pc);
    if (machine.records_retired() && core.rvfi_valid && !core.rvfi_trap) {
      Record record{};
      record.cycle = cycle - LATE;
      record.fetch_pc = fetch_pcs[LATE];
      record.pc = core.rvfi_pc_rdata;
      record.insn = core.rvfi_insn ? core.rvfi_insn : machine.read(record.pc);
      record.value = core.rvfi_rd_wdata;
      record.rd = core.rvfi_rd_addr;
      record.writes = core.rvfi_rd_addr != 0;
      record.privilege = core.rvfi_mode;
      record.trap = core.rvfi_intr ? trap_of(core.rvfi_csr_mcause_rdata) : 0;
      machine.records.push_back(record);
    }
    if (accessed && lanes) machine.write(cycle, at, written, lanes);
    data.clock(accesses, accessed);
    instructions.clock(fetches, fetched);
    core.clk = 1, core.eval();
  }

  fflush(stdout);
  dup2(answer, STDOUT_FILENO);
  machine.answer(cycle);
  return 0;
}
