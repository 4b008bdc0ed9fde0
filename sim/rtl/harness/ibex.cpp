// Ibex: runs one job (machine.hpp).
//
// Each of the two ports grants a request in the cycle that makes it, unless it still owes an answer, and answers
// as many cycles after the next cycle as the machine says. All external lines are one input; the fast interrupts are not driven. An
// instruction retires in the cycle in which it leaves the last stage, one before the core's RVFI says so.

#include "Vibex_top.h"
#include "Vibex_top___024root.h"
#include "machine.hpp"
#include "verilated.h"

namespace {

// A port with one transfer at a time.
struct Port {
  bool owes = false;
  uint32_t waited = 0, wait = 0;
  uint32_t data = 0;
  bool error = false;

  bool answers() const { return owes && waited >= wait; }

  void clock(bool answered, bool granted, uint32_t word, bool failed) {
    waited = owes && !answered ? waited + 1 : 0;
    owes = granted || (owes && !answered);
    if (granted) data = word, error = failed, waited = 0;
  }
};

} // namespace

// A signal of the control and status registers.
#define REGISTERS(signal) core.rootp->ibex_top__DOT__u_ibex_core__DOT__cs_registers_i__DOT__##signal

double sc_time_stamp() { return 0; }

int main() {
  Machine machine;
  const Header &header = machine.header;

  VerilatedContext context;
  Vibex_top core(&context);
  Port instructions, data;
  core.boot_addr_i = header.reset_vector & ~0xffu;
  core.fetch_enable_i = 5; // IbexMuBiOn
  core.scan_rst_ni = 1;
  // The registers look for a falling edge.
  core.rst_ni = 1;
  core.clk_i = 0, core.eval();
  core.rst_ni = 0;
  for (int i = 0; i < 4; i++) {
    core.clk_i = 0, core.eval();
    core.clk_i = 1, core.eval();
  }
  core.clk_i = 0, core.eval();
  core.rst_ni = 1;

  uint32_t fetch_pc = header.reset_vector;
  // Two more cycles than the store that ends the run: what was before it retires.
  uint64_t cycle = 0, over = 0;
  for (; cycle < header.limit && over < 3; cycle++, over += machine.finished) {
    machine.advance(cycle);
    core.irq_timer_i = machine.timer();
    core.irq_software_i = machine.software();
    core.irq_external_i = machine.external() != 0;
    bool fetched = instructions.answers(), accessed = data.answers();
    core.instr_rvalid_i = fetched;
    core.instr_rdata_i = fetched ? instructions.data : 0xdeadbeef;
    core.instr_err_i = fetched && instructions.error;
    core.data_rvalid_i = accessed;
    core.data_rdata_i = accessed ? data.data : 0xdeadbeef;
    core.data_err_i = accessed && data.error;
    core.instr_gnt_i = core.data_gnt_i = 0;
    core.clk_i = 0, core.eval();

    bool fetches = core.instr_req_o && (fetched || !instructions.owes);
    bool accesses = core.data_req_o && (accessed || !data.owes);
    core.instr_gnt_i = fetches;
    core.data_gnt_i = accesses;
    core.eval();

    if (machine.records_retired() && core.rvfi_valid && !core.rvfi_trap) {
      Record record{};
      record.cycle = cycle - 1;
      record.fetch_pc = fetch_pc;
      record.pc = core.rvfi_pc_rdata;
      record.insn = core.rvfi_insn;
      record.value = core.rvfi_rd_wdata;
      record.rd = core.rvfi_rd_addr;
      record.writes = core.rvfi_rd_addr != 0;
      record.privilege = core.rvfi_mode;
      machine.records.push_back(record);
    }
    if (machine.records_retired() && REGISTERS(csr_save_cause_i)) {
      // Two bits that tell an interrupt, and five of the code.
      uint32_t cause = REGISTERS(csr_mcause_i);
      cause = (cause >> 5 ? 1u << 31 : 0) | (cause & 31);
      machine.traps.push_back({cycle, cause, REGISTERS(exception_pc), REGISTERS(csr_mtval_i), 3});
    }
    fetch_pc = core.instr_addr_o;
    // Each word that is asked for is kept: after a jump it can be the same again.
    if (fetches && (header.records & FETCHED)) machine.fetches.push_back({cycle, fetch_pc, 0});
    uint32_t from = core.instr_addr_o, at = core.data_addr_o;
    if (accesses) data.wait = machine.begin(1, core.data_we_o ? WRITE : READ, at, 1, cycle + 1).word[0];
    if (fetches) instructions.wait = machine.begin(0, FETCH, from, 1, cycle + 1).word[0];
    instructions.clock(fetched, fetches, machine.read(from), !machine.inside(from));
    data.clock(accessed, accesses, machine.read(at), !machine.known(at));
    if (accesses && core.data_we_o) machine.write(cycle, at, core.data_wdata_o, core.data_be_o);
    core.clk_i = 1, core.eval();
  }

  machine.answer(cycle);
  return 0;
}
