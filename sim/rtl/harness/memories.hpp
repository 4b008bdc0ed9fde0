// The memories around a core, how long they take, and caches that its ports share. What a cache does is told in
// sim/bus/src/cache.rs; this is the same in other words, so that one can be held against the other.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

enum Access { FETCH, READ, WRITE };

// Cycles that a memory takes before it acknowledges.
struct Speed {
  uint32_t fetch, read, write, beat, write_beat;

  uint32_t first(Access access) const { return access == FETCH ? fetch : access == READ ? read : write; }
  uint32_t further(Access access) const { return access == WRITE ? write_beat : beat; }
};

// Of each word of a transfer, from the cycle in which it is asked for.
struct Waits {
  uint32_t word[8];
};

struct Cache {
  struct Shape {
    uint32_t size, ways, line, width, fifo, through, allocates, hit, beat, miss, change;
  } shape;

  struct Line {
    uint32_t address;
    bool dirty;
  };

  // The line that makes room next comes first.
  std::vector<std::vector<Line>> sets;
  uint64_t free = 0;
  uint32_t port = 0;

  void reset() { sets.resize(shape.size / shape.line / shape.ways); }

  uint32_t whole(uint32_t first, uint32_t further) const {
    uint32_t cycles = first + 1;
    for (uint32_t at = shape.width; at < shape.line; at += shape.width) cycles += further + 1;
    return cycles;
  }

  // Cycles that a word takes beyond those of a hit.
  uint32_t beyond(uint32_t address, bool writes, const Speed &memory) {
    uint32_t cycles = 0, start = address / shape.line * shape.line;
    auto &set = sets[start / shape.line % sets.size()];
    auto found = std::find_if(set.begin(), set.end(), [=](const Line &line) { return line.address == start; });
    if (found == set.end()) {
      if (writes && !shape.allocates) return memory.write + 1;
      if (set.size() == shape.ways) {
        if (set.front().dirty) cycles += whole(memory.write, memory.write_beat);
        set.erase(set.begin());
      }
      cycles += shape.miss + whole(memory.read, memory.beat);
      set.push_back({start, false});
      found = set.end() - 1;
    } else if (!shape.fifo) {
      std::rotate(found, found + 1, set.end());
      found = set.end() - 1;
    }
    if (writes && shape.through) return cycles + memory.write + 1;
    if (writes) found->dirty = true;
    return cycles;
  }

  Waits transfer(uint32_t by, Access access, uint32_t address, uint32_t words, uint64_t cycle, const Speed &memory) {
    Waits waits{};
    uint64_t begins = std::max(cycle, free) + (by != port ? shape.change : 0);
    port = by;
    for (uint32_t i = 0; i < words; i++) {
      uint64_t acknowledged = begins + (i ? shape.beat : shape.hit);
      acknowledged += beyond(address + 4 * i, access == WRITE, memory);
      waits.word[i] = acknowledged - cycle;
      cycle = begins = acknowledged + 1;
    }
    free = begins;
    return waits;
  }
};

struct Memory {
  // As the job has it; of the bytes some are given, the others are 0. The cache's number is one more than its place.
  struct Place {
    uint32_t base, size, given, cache;
    Speed speed;
  } place;
  std::vector<uint8_t> bytes;

  bool holds(uint32_t address) const { return address - place.base < place.size; }
};

} // namespace
