// Runs one job on one core: memory, interrupts and a stream of what retires. The job comes on standard input, the
// stream goes to standard output; both are described in src/job.rs.
//
// Every cycle: interrupts and resets first, then the buses answer what the core asks for in that cycle, then what the
// core does in it is recorded, then the clock rises.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "VVexRiscv.h"
#include "VVexRiscv_VexRiscv.h"
#include "verilated.h"

namespace {

constexpr uint32_t FINISH = 0xfff00000;   // a store ends the run
constexpr uint32_t TIMER = 0xfff00004;    // a store sets the level of the timer interrupt
constexpr uint32_t SOFTWARE = 0xfff00008; // of the software interrupt
constexpr uint32_t EXTERNAL = 0xfff0000c; // of all 32 external ones
constexpr uint32_t CONSOLE = 0xfff00010;  // a store prints a byte

struct Header {
  uint32_t magic, reset_vector, base, size, latency, beat, schedule, reserved;
  uint64_t limit;
};

struct Change {
  uint64_t cycle;
  uint32_t line, level;
};

struct Record {
  uint64_t cycle;
  uint32_t fetch_pc, pc, insn, value;
  uint8_t rd, writes, privilege, kind;
  uint32_t reserved;
};

struct Machine {
  Header header;
  std::vector<uint8_t> memory;
  std::vector<Change> changes;
  size_t next_change = 0;
  bool timer = false, software = false;
  uint32_t external = 0;
  bool finished = false;
  uint32_t finish = 0;
  std::string console;

  bool inside(uint32_t address) const { return address - header.base < header.size; }

  uint32_t read(uint32_t address) const {
    uint32_t word = 0;
    if (inside(address)) memcpy(&word, &memory[address - header.base], 4);
    if (address == TIMER) word = timer;
    if (address == SOFTWARE) word = software;
    if (address == EXTERNAL) word = external;
    return word;
  }

  void write(uint32_t address, uint32_t value, uint32_t lanes) {
    if (inside(address)) {
      for (int i = 0; i < 4; i++)
        if (lanes >> i & 1) memory[address - header.base + i] = value >> 8 * i;
    } else if (address == FINISH) {
      finished = true;
      finish = value;
    } else if (address == TIMER) {
      timer = value & 1;
    } else if (address == SOFTWARE) {
      software = value & 1;
    } else if (address == EXTERNAL) {
      external = value;
    } else if (address == CONSOLE) {
      console.push_back(char(value));
    }
  }

  bool known(uint32_t address) const { return inside(address) || (address >= FINISH && address <= CONSOLE); }

  void advance(uint64_t cycle) {
    for (; next_change < changes.size() && changes[next_change].cycle <= cycle; next_change++) {
      const Change &change = changes[next_change];
      if (change.line == 32) timer = change.level;
      else if (change.line == 33) software = change.level;
      else external = (external & ~(1u << change.line)) | change.level << change.line;
    }
  }
};

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

void take(void *into, size_t bytes) {
  if (fread(into, 1, bytes, stdin) != bytes) exit(2);
}

} // namespace

double sc_time_stamp() { return 0; }

int main() {
  Machine machine;
  Header &header = machine.header;
  take(&header, sizeof header);
  if (header.magic != 0x4a54524c) return 2;
  machine.changes.resize(header.schedule);
  if (header.schedule) take(machine.changes.data(), header.schedule * sizeof(Change));
  machine.memory.resize(header.size);
  take(machine.memory.data(), header.size);

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

  std::vector<Record> records;
  uint64_t cycle = 0;
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
    if (inside.lastStageIsFiring) {
      Record record{};
      record.cycle = cycle;
      record.fetch_pc = inside.FETCH_PC;
      record.pc = inside.lastStagePc;
      record.insn = inside.lastStageInstruction;
      record.value = inside.lastStageRegFileWrite_payload_data;
      record.rd = inside.lastStageRegFileWrite_payload_address;
      record.writes = inside.lastStageRegFileWrite_valid;
      record.privilege = inside.PRIVILEGE;
      records.push_back(record);
    }
    instructions.clock(fetches, fetched, core.iBusWishbone_CTI);
    data.clock(accesses, accessed, core.dBusWishbone_CTI);
    core.clk = 1, core.eval();
  }

  uint64_t lengths[4] = {cycle, machine.finished ? 1ull << 32 | machine.finish : 0, records.size(), machine.console.size()};
  fwrite(lengths, sizeof lengths, 1, stdout);
  fwrite(records.data(), sizeof(Record), records.size(), stdout);
  fwrite(machine.console.data(), 1, machine.console.size(), stdout);
  return 0;
}
