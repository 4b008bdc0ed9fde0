// What every harness is made of: a job is read from standard input, memories and interrupt lines stand around the core,
// and the stream of what retires goes to standard output. Both are described in src/job.rs.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "memories.hpp"

namespace {

constexpr uint32_t FINISH = 0xfff00000;   // a store ends the run
constexpr uint32_t TIMER = 0xfff00004;    // a store sets the level of the timer interrupt
constexpr uint32_t SOFTWARE = 0xfff00008; // of the software interrupt
constexpr uint32_t EXTERNAL = 0xfff0000c; // of all 32 external ones
constexpr uint32_t CONSOLE = 0xfff00010;  // a store prints a byte

// What is recorded: nothing, what retires, and also what is fetched.
constexpr uint32_t RETIRED = 1, FETCHED = 2;

struct Header {
  uint32_t magic, reset_vector, memories, caches, latency, beat, schedule, records, jitter, most;
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
  uint32_t trap; // one more than the number of the trap that was taken since the record before
};

struct Fetch {
  uint64_t cycle;
  uint32_t pc, reserved;
};

// A trap that was taken: what it left in the registers of the mode that handles it, and that mode.
struct Trap {
  uint64_t cycle;
  uint32_t cause, epc, value, privilege;
};

// A word that was written at the bus: which bytes of it, the others being 0.
struct Written {
  uint64_t cycle;
  uint32_t address, lanes, value, reserved;
};

inline void take(void *into, size_t bytes) {
  if (fread(into, 1, bytes, stdin) != bytes) exit(2);
}

struct Machine {
  Header header;
  std::vector<Memory> memories;
  std::vector<Cache> caches;
  std::vector<Change> changes;
  size_t next_change = 0;
  // The levels that the job drives, and those that the program does; a line has the higher one.
  struct Levels {
    bool timer = false, software = false;
    uint32_t external = 0;
  } scheduled, driven;
  bool finished = false;
  uint32_t finish = 0;
  std::string console;
  std::vector<Record> records;
  std::vector<Fetch> fetches;
  std::vector<Trap> traps;
  std::vector<Written> writes;

  // Reads the job.
  Machine() {
    take(&header, sizeof header);
    if (header.magic != 0x4a54524c) exit(2);
    changes.resize(header.schedule);
    if (header.schedule) take(changes.data(), header.schedule * sizeof(Change));
    caches.resize(header.caches);
    for (Cache &cache : caches) take(&cache.shape, sizeof cache.shape), cache.reset();
    memories.resize(header.memories);
    for (Memory &memory : memories) {
      take(&memory.place, sizeof memory.place);
      memory.bytes.resize(memory.place.size);
      if (memory.place.given) take(memory.bytes.data(), memory.place.given);
    }
  }

  // Writes what became of it after so many cycles.
  void answer(uint64_t cycles) const {
    uint64_t exit = finished ? 1ull << 32 | finish : 0;
    uint64_t lengths[7] = {cycles,        exit,          records.size(), fetches.size(),
                           traps.size(), writes.size(), console.size()};
    fwrite(lengths, sizeof lengths, 1, stdout);
    fwrite(records.data(), sizeof(Record), records.size(), stdout);
    fwrite(fetches.data(), sizeof(Fetch), fetches.size(), stdout);
    fwrite(traps.data(), sizeof(Trap), traps.size(), stdout);
    fwrite(writes.data(), sizeof(Written), writes.size(), stdout);
    fwrite(console.data(), 1, console.size(), stdout);
  }

  // Whether the job asks for what retires.
  bool records_retired() const { return header.records & RETIRED; }

  // The address that is fetched in a cycle; it is kept, if the job asks, when it is another than in the one before.
  void fetch(uint64_t cycle, uint32_t pc) {
    bool same = !fetches.empty() && fetches.back().pc == pc;
    if ((header.records & FETCHED) && !same) fetches.push_back({cycle, pc, 0});
  }

  Memory *memory(uint32_t address) {
    for (Memory &memory : memories)
      if (memory.holds(address)) return &memory;
    return nullptr;
  }

  bool inside(uint32_t address) { return memory(address); }

  bool timer() const { return scheduled.timer || driven.timer; }
  bool software() const { return scheduled.software || driven.software; }
  uint32_t external() const { return scheduled.external | driven.external; }

  // Cycles that a word takes longer, by when its transfer begins (sim/bus/src/jitter.rs).
  uint32_t jitter(uint32_t port, uint64_t cycle, uint32_t word) const {
    uint32_t mixed = (header.jitter ^ port << 31 ^ word << 27) + uint32_t(cycle);
    mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
    mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
    return header.most ? (mixed >> 16) % (header.most + 1) : 0;
  }

  // A port begins a transfer of so many words, which it asks for from this cycle on: how long they take. In a cycle, data
  // come before instructions. What is no memory has the latencies of the header.
  Waits begin(uint32_t port, Access access, uint32_t address, uint32_t words, uint64_t cycle) {
    Waits waits = undisturbed(port, access, address, words, cycle);
    for (uint32_t i = 0; i < words; i++) waits.word[i] += jitter(port, cycle, i);
    return waits;
  }

  Waits undisturbed(uint32_t port, Access access, uint32_t address, uint32_t words, uint64_t cycle) {
    Speed speed{header.latency, header.latency, header.latency, header.beat, 0};
    if (const Memory *asked = memory(address)) {
      speed = asked->place.speed;
      if (asked->place.cache) return caches[asked->place.cache - 1].transfer(port, access, address, words, cycle, speed);
    }
    Waits waits;
    std::fill(waits.word, waits.word + 8, speed.further(access));
    waits.word[0] = speed.first(access);
    return waits;
  }

  uint32_t read(uint32_t address) {
    uint32_t word = 0;
    if (const Memory *asked = memory(address)) memcpy(&word, &asked->bytes[address - asked->place.base], 4);
    if (address == TIMER) word = driven.timer;
    if (address == SOFTWARE) word = driven.software;
    if (address == EXTERNAL) word = driven.external;
    return word;
  }

  void write(uint64_t cycle, uint32_t address, uint32_t value, uint32_t lanes) {
    if (records_retired()) {
      uint32_t mask = (lanes & 1 ? 0xff : 0) | (lanes & 2 ? 0xff00 : 0) | (lanes & 4 ? 0xff0000 : 0) | (lanes & 8 ? 0xff000000 : 0);
      writes.push_back({cycle, address & ~3u, lanes, value & mask, 0});
    }
    if (Memory *asked = memory(address)) {
      for (int i = 0; i < 4; i++)
        if (lanes >> i & 1) asked->bytes[address - asked->place.base + i] = value >> 8 * i;
    } else if (address == FINISH) {
      finished = true;
      finish = value;
    } else if (address == TIMER) {
      driven.timer = value & 1;
    } else if (address == SOFTWARE) {
      driven.software = value & 1;
    } else if (address == EXTERNAL) {
      driven.external = value;
    } else if (address == CONSOLE) {
      console.push_back(char(value));
    }
  }

  bool known(uint32_t address) { return inside(address) || (address >= FINISH && address <= CONSOLE); }

  void advance(uint64_t cycle) {
    for (; next_change < changes.size() && changes[next_change].cycle <= cycle; next_change++) {
      const Change &change = changes[next_change];
      if (change.line == 32) scheduled.timer = change.level;
      else if (change.line == 33) scheduled.software = change.level;
      else scheduled.external = (scheduled.external & ~(1u << change.line)) | change.level << change.line;
    }
  }
};

} // namespace
