// PicoRV32 in a shell, as docs/rv32.md wants one: what its own harness does in C++, by ports.
module shell (
    input         clk,
    input         reset,
    input  [31:0] reset_vector,
    input         irq_timer,
    input         irq_software,
    input  [31:0] irq_external,
    output        ibus_valid,
    output [31:0] ibus_addr,
    output [3:0]  ibus_words,
    input         ibus_ready,
    input  [31:0] ibus_rdata,
    output        dbus_valid,
    output [31:0] dbus_addr,
    output [3:0]  dbus_words,
    output [3:0]  dbus_wstrb,
    output [31:0] dbus_wdata,
    input         dbus_ready,
    input  [31:0] dbus_rdata,
    output [31:0] fetch_pc,
    output        rvfi_valid,
    output [31:0] rvfi_pc_rdata,
    output [31:0] rvfi_insn,
    output [1:0]  rvfi_mode,
    output [4:0]  rvfi_rd_addr,
    output [31:0] rvfi_rd_wdata,
    output        rvfi_trap,
    output        rvfi_intr,
    output [31:0] rvfi_csr_mcause_rdata
);
  wire valid, instruction;
  wire [31:0] address;

  // One port for both: a transfer is of the one kind or the other.
  picorv32 #(.ENABLE_MUL(1), .ENABLE_DIV(1)) core (
      .clk(clk),
      .resetn(!reset),
      .mem_valid(valid),
      .mem_instr(instruction),
      .mem_addr(address),
      .mem_wdata(dbus_wdata),
      .mem_wstrb(dbus_wstrb),
      .mem_ready(instruction ? ibus_ready : dbus_ready),
      .mem_rdata(instruction ? ibus_rdata : dbus_rdata),
      .rvfi_valid(rvfi_valid),
      .rvfi_insn(rvfi_insn),
      .rvfi_trap(rvfi_trap),
      .rvfi_pc_rdata(rvfi_pc_rdata),
      .rvfi_rd_addr(rvfi_rd_addr),
      .rvfi_rd_wdata(rvfi_rd_wdata)
  );

  assign ibus_valid = valid && instruction;
  assign ibus_addr = address;
  assign ibus_words = 1;
  assign dbus_valid = valid && !instruction;
  assign dbus_addr = address;
  assign dbus_words = 1;
  assign fetch_pc = core.reg_next_pc;
  assign rvfi_mode = 3;
  assign rvfi_intr = 0;
  assign rvfi_csr_mcause_rdata = 0;

  initial $display("what Verilog displays is no part of the answer");
endmodule
