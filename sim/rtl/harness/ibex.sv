// The two cells that a technology library has to bring for Ibex.

module prim_buf #(
  parameter int Width = 1
) (
  input  logic [Width-1:0] in_i,
  output logic [Width-1:0] out_o
);
  assign out_o = in_i;
endmodule

// The clock passes while the enable that was sampled in its low phase is set.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);
  logic enabled /* verilator clock_enable */;
  always_latch if (!clk_i) enabled = en_i | test_en_i;
  assign clk_o = clk_i & enabled;
endmodule
