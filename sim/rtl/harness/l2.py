"""Writes the Verilog of LiteX's L2 cache: `l2.py WORDS WIDTH FILE`, of so many words, in front of a memory so many bits wide."""

import sys

from litex.soc.interconnect import wishbone
from migen import Module, log2_int
from migen.fhdl import verilog


class Top(Module):
    def __init__(self, words, width):
        self.m = wishbone.Interface(data_width=32, adr_width=30)
        self.s = wishbone.Interface(data_width=width, adr_width=30 - log2_int(width // 32))
        self.submodules.cache = wishbone.Cache(words, self.m, self.s)


words, width, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
top = Top(words, width)
signals = set()
for side, prefix in ((top.m, "m"), (top.s, "s")):
    for name, *_ in wishbone._layout:
        signal = getattr(side, name)
        signal.name_override = f"{prefix}_{name}"
        signals.add(signal)
verilog.convert(top, signals, name="cache").write(file)
