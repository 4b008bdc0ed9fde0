//! `cyclescope run`.

use report::Results;

use crate::Desk;
use crate::firmware::{EXIT, FLASH, Firmware, RAM, STACK};

/// `SYS_WRITE0` of a text, then `SYS_EXIT_EXTENDED` with 7.
fn hello() -> Firmware {
    // movs r0, #4; adr r1, text; bkpt 0xab
    let print = [0x2004, 0xa104, 0xbeab];
    // movs r0, #0x20; adr r1, block; bkpt 0xab; b .
    let exit = [0x2020, 0xa103, 0xbeab, 0xe7fe, 0xbf00];
    // "hi\n" and the block: 0x20026, 7.
    let text = [0xbf00, 0xbf00, 0x6968, 0x000a];
    let block = [0x0026, 0x0002, 0x0007, 0x0000];
    Firmware::new(&[&print, &exit, &text, &block])
}

#[test]
fn output_and_exit_code_pass_through() {
    let desk = Desk::new().with("app.elf", hello().elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(7)
        .stdout_eq("")
        .stderr_eq("hi\n");
}

#[test]
fn files_are_those_of_a_directory() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).elf());
    let run = desk
        .run("run app.elf --board stm32f100rb --files elsewhere")
        .code(2);
    run.stderr_eq("error: `--files` takes a directory that exists\n--> elsewhere\n");
    desk.run("run app.elf --board stm32f100rb --date tomorrow")
        .code(2);
    desk.run("run app.elf --board stm32f100rb --date now").code(0);
}

#[test]
fn a_good_end_is_zero() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).elf());
    desk.run("run app.elf --board stm32f100rb")
        .code(0)
        .stdout_eq("")
        .stderr_eq("");
}

/// Enables and takes an interrupt that it makes pending itself, and writes a word.
fn busy() -> Firmware {
    let enable_and_pend = [
        // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
        0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001,
        // movw r0, #0xe200; movt r0, #0xe000; str r1, [r0]: NVIC_ISPR0
        0xf24e, 0x2000, 0xf2ce, 0x0000, 0x6001, // movw r0, #0; movt r0, #0x2000; str r1, [r0]
        0xf240, 0x0000, 0xf2c2, 0x0000, 0x6001,
    ];
    Firmware::new(&[&enable_and_pend, EXIT])
        .handler(22, "IRQ6", &[&[0xbf00, 0x4770]])
        .object("word", RAM)
}

#[test]
fn two_traces_are_the_same_bytes() {
    let desk = Desk::new().with("app.elf", busy().elf());
    for format in ["txt", "jsonl"] {
        for name in ["one", "two"] {
            desk.run(&format!(
                "run app.elf --board stm32f100rb --trace {name}.{format}"
            ))
            .code(0);
        }
        let trace = desk.read(&format!("one.{format}"));
        assert_eq!(trace, desk.read(&format!("two.{format}")));
        for event in ["retire", "enter", "exit", "write", "semihost", "IRQ6"] {
            assert!(trace.contains(event), "no {event} in {trace}");
        }
    }
}

#[test]
fn a_trace_of_json_lines_is_json() {
    let desk = Desk::new().with("app.elf", busy().elf());
    desk.run("run app.elf --board stm32f100rb --trace trace.jsonl")
        .code(0);
    let mut cycle = 0;
    for line in desk.read("trace.jsonl").lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect(line);
        let end = event["end"].as_u64().unwrap_or_default();
        cycle = cycle.max(end);
        assert!(
            event["event"].is_string() && event["cycle"].as_u64().is_some(),
            "{line}"
        );
    }
    assert!(cycle > 0);
}

/// Listening must change nothing.
#[test]
fn a_run_takes_as_long_whether_watched_or_not() {
    let desk = Desk::new().with("app.elf", busy().elf());
    let cycles = |options: &str| {
        desk.run(&format!(
            "run app.elf --board stm32f100rb --json run.json {options}"
        ))
        .code(0);
        Results::from_json(&desk.read("run.json")).unwrap().results[0].max
    };
    let plain = cycles("");
    assert!(plain > 0);
    assert_eq!(plain, cycles("--trace trace.txt"));
    let limit = |cycles: i64| desk.run(&format!("run app.elf --board stm32f100rb --limit {cycles}"));
    // Nobody listens here: the run ends in just the same cycle.
    limit(plain + 1).code(0);
    limit(plain - 1).code(3);
}

#[test]
fn statistics_count_instructions() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0xbf00, 0xbf00], EXIT]).elf());
    let run = desk.run("run app.elf --board stm32f100rb --stats").code(0);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    // Two NOPs and three instructions that prepare the exit; the BKPT itself ends the run.
    assert!(text.starts_with("instructions: 5\ncycles: "), "{text}");
    assert!(text.contains("\nclock: 8000000 Hz\ntime: "), "{text}");
    desk.run("run app.elf --board stm32f100rb --json run.json")
        .code(0);
    let results = Results::from_json(&desk.read("run.json")).unwrap().results;
    assert_eq!(results[0].clock_hz, Some(8_000_000));
}

#[test]
fn the_plain_core_takes_its_memory_from_the_elf() {
    let desk = Desk::new().with("app.elf", Firmware::new(&[EXIT]).stack(STACK).elf());
    desk.run("run app.elf").code(0).stderr_eq("");
}

#[test]
fn an_interrupt_can_be_raised_from_outside() {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    let app = Firmware::new(&[&enable, &[0xbf00; 40], EXIT]).handler(22, "IRQ6", &[&[0xbf00, 0x4770]]);
    let desk = Desk::new().with("app.elf", app.elf());
    desk.run("run app.elf --board stm32f100rb --raise IRQ6@30 --trace trace.txt")
        .code(0)
        .stderr_eq("");
    assert!(desk.read("trace.txt").contains("name=EXTI0 by=preempt"));
    let run = desk
        .run("run app.elf --board stm32f100rb --raise IRQ7@30")
        .code(0);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        text.contains("EXTI1 was raised in cycle 30, and never taken"),
        "{text}"
    );
    desk.run("run app.elf --board stm32f100rb --raise IRQ99@30")
        .code(2);
}

#[test]
fn whoever_raises_an_interrupt_is_told_that_it_was_not_taken() {
    let app = Firmware::new(&[&[0xbf00; 40], EXIT]).handler(22, "IRQ6", &[&[0xbf00, 0x4770]]);
    let desk = Desk::new().with("app.elf", app.elf());
    let told = |command: &str| {
        let run = desk.run(command).code(0);
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let text = told("profile app.elf --board stm32f100rb --raise IRQ6@10");
    assert!(
        text.contains("EXTI0 was raised in cycle 10, and never taken"),
        "{text}"
    );
    let text = told("why app.elf main+0x30 --board stm32f100rb --raise IRQ6@10 --raise IRQ6@9000");
    assert!(
        text.contains("EXTI0 was raised in cycle 10, and not taken by cycle"),
        "{text}"
    );
    assert!(
        !text.contains("9000"),
        "it comes later than what is shown: {text}"
    );
}

/// As under `cyclescope run … | head`.
#[test]
fn a_run_ends_when_nobody_reads_its_output() {
    // movw r0, #0xc000; movt r0, #0x4000; movs r1, #'h'; again: str r1, [r0]; b again
    let print = [0xf24c, 0x0000, 0xf2c4, 0x0000, 0x2168, 0x6001, 0xe7fd];
    left_by_its_reader(&Firmware::at(0, &[&print]), &[], *b"hhh");
    let trace = ["--trace", "/dev/stdout", "--trace-format", "csv"];
    left_by_its_reader(&Firmware::at(0, &[&[0x3001, 0xe7fd]]), &trace, *b"cyc");
}

/// Runs a program without an end, and reads so much of what comes to standard output.
fn left_by_its_reader(app: &Firmware, words: &[&str], beginning: [u8; 3]) {
    let desk = Desk::new().with("app.elf", app.elf());
    let mut run = std::process::Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
        .args(["run", "app.elf", "--board", "lm3s6965evb"])
        .args(words)
        .current_dir(desk.path("."))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut some = [0; 3];
    let mut output = run.stdout.take().expect("a pipe");
    std::io::Read::read_exact(&mut output, &mut some).expect("it prints");
    assert_eq!(some, beginning);
    drop(output);
    let ended = run.wait_with_output().expect("it ends");
    let told = crate::without_boards(&ended.stderr);
    assert_eq!((ended.status.code(), &told[..]), (Some(141), &b""[..]));
}

#[test]
fn a_program_that_spins_has_taken_the_cycles_of_its_trace() {
    // movs r0, #1; b .
    let desk = Desk::new().with("app.elf", Firmware::new(&[&[0x2001, 0xe7fe]]).elf());
    let run = desk
        .run("run app.elf --board stm32f100rb --stats --trace t.txt")
        .code(3);
    let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    let trace = desk.read("t.txt");
    let end = trace
        .lines()
        .last()
        .and_then(|line| line.split("end=").nth(1)?.split(' ').next());
    assert!(
        text.contains(&format!("\ncycles: {}\n", end.unwrap())),
        "{text}{trace}"
    );
}

/// The bytes of a program as objcopy would give them.
fn binary(firmware: &Firmware) -> Vec<u8> {
    let elf = firmware.elf();
    // Its one segment lies at 0x1000 of the file; what follows it is not part of it, and harms nobody.
    elf[0x1000..0x1000 + 256].to_vec()
}

/// A file with bytes where the program has some is refused by whoever looks at it.
#[test]
fn every_command_that_runs_a_program_takes_further_files() {
    let program = Firmware::new(&[EXIT]).function("work", &[&[0x4770]]);
    let spec = "elf = \"app.elf\"\n[[span]]\nid = \"t/a\"\nfrom = \"main\"\nto = \"work\"\n";
    let desk = Desk::new()
        .with("app.bin", binary(&program))
        .with("app.elf", program.elf())
        .with("spec.toml", spec);
    for command in [
        "run app.elf",
        "gdb app.elf",
        "cost app.elf work",
        "why app.elf work",
        "profile app.elf",
        "measure app.elf",
        "test app.elf",
        "measure spec.toml",
        "diff app.elf app.elf --spec spec.toml",
        "report spec.toml",
    ] {
        let run = desk.run(&format!("{command} --with app.bin@0x08000040")).code(2);
        let text = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            text.contains("it has bytes for 0x08000040, and so has app.elf"),
            "{command}: {text}"
        );
    }
    desk.run("compare spec.toml --with app.bin@0x08000040").code(2);
}

#[test]
fn a_program_comes_in_other_files_than_elf() {
    let program = Firmware::new(&[EXIT]);
    let desk = Desk::new()
        .with("app.bin", binary(&program))
        .with("app.elf", program.elf());
    desk.run("run app.bin --base 0x08000000 --board stm32f100rb")
        .code(0);
    desk.run("run app.elf --with app.bin@0x08010000 --board stm32f100rb")
        .code(0);
    let twice = desk
        .run("run app.elf --with app.bin@0x08000040 --board stm32f100rb")
        .code(2);
    let message = "error: it has bytes for 0x08000040, and so has app.elf\n--> app.bin\n = help: link the two for different parts of the \
                   flash; are they two versions of the same program?\n";
    twice.stderr_eq(message);
    // It is not the first file that does not fit.
    let outside = desk
        .run("run app.elf --with app.bin@0x50000000 --board stm32f100rb")
        .code(2);
    let told = String::from_utf8_lossy(&outside.get_output().stderr).into_owned();
    assert!(
        told.starts_with("error: app.bin: ") && told.contains("at 0x50000000 are outside"),
        "{told}"
    );
    let base = desk
        .run("run app.elf --base 0x08000000 --board stm32f100rb")
        .code(2);
    base.stderr_eq("error: an ELF file, which has its own addresses\n--> app.elf\n = help: an address is for a binary file\n");
    desk.run("run app.bin --base none").code(2);
}

/// Sends what it receives on UART0 of `mps2-an385` back, and exits behind a full stop.
fn echo() -> Firmware {
    Firmware::at(0, &[ECHO, EXIT])
}

const ECHO: &[u16] = &[
    // movw r0, #0x4000; movt r0, #0x4000; movs r1, #3; str r1, [r0, #8]
    0xf244, 0x0000, 0xf2c4, 0x0000, 0x2103, 0x6081,
    // wait: ldr r1, [r0, #4]; lsls r1, r1, #30; bpl wait; ldr r1, [r0]; str r1, [r0]; cmp r1, #'.'; bne wait
    0x6841, 0x0789, 0xd5fc, 0x6801, 0x6001, 0x292e, 0xd1f8,
];

/// The same by a function, which is behind `main`.
fn echo_by_call() -> Firmware {
    let behind = (2 + EXIT.len()).next_multiple_of(2) as u16;
    let call: &[u16] = &[0xf000, 0xf800 | (behind - 2)];
    Firmware::at(0, &[call, EXIT]).function("serve", &[ECHO, &[0x4770]])
}

#[test]
fn a_uart_receives_a_file_and_bytes_at_a_time() {
    let desk = Desk::new().with("app.elf", echo().elf()).with("in.txt", "hello.");
    let run = "run app.elf --board mps2-an385";
    desk.run(&format!("{run} --input UART0=in.txt"))
        .code(0)
        .stdout_eq("hello.");
    let later = format!("{run} --stimulus UART0@100,when-read=hi --stimulus uart0@5000,when-read=\\x21.");
    desk.run(&later).code(0).stdout_eq("hi!.");
    desk.run(&format!("{later} --output UART0=out.txt"))
        .code(0)
        .stdout_eq("");
    assert_eq!(desk.read("out.txt"), "hi!.");
    desk.run(&format!("{later} --output uart0=lower.txt"))
        .code(0)
        .stdout_eq("");
    assert_eq!(desk.read("lower.txt"), "hi!.");
    let wrong = desk.run(&format!("{run} --output UART9=out.txt")).code(2);
    let message = "error: --output UART9: the board has no peripheral `UART9`\n[..]|\n[..]= help: did you mean `UART0` or `UART1`?\n";
    wrong.stderr_eq(message);
    let wrong = desk.run(&format!("{run} --stimulus UART9@1=x")).code(2);
    let message = "error: bytes for UART9: the board has no peripheral `UART9`\n[..]|\n[..]= help: did you mean `UART0` or `UART1`?\n";
    wrong.stderr_eq(message);
    let wrong = desk.run(&format!("{run} --stimulus UART0.1@1=high")).code(2);
    wrong.stderr_eq("error: a level on pin 1 of UART0: it receives only bytes\n");
    let wrong = desk.run(&format!("{run} --stimulus GPIO0.16@1=high")).code(2);
    wrong.stderr_eq("error: a level on pin 16 of GPIO0: it has pins 0 to 15\n");
    let wrong = desk
        .run(&format!("{run} --input UART0=- --input UART1=-"))
        .code(2);
    wrong.stderr_eq("error: --input: there is one standard input, and two or more receivers want it\n[..]|\n[..]= help: write the bytes for each of them to a file of its own\n");
    desk.run(&format!("{run} --stimulus UART0=x")).code(2);
    // Without a rate both bytes come at once, and the second one takes the place of the first.
    let lost = desk.run(&format!("{run} --stimulus UART0@100=hi --stimulus UART0@5000=."));
    let lost = lost.code(0).stdout_eq("i.");
    lost.stderr_eq("warning: 1 byte for UART0 was not received: its receiver was full (overrun)\n");
    let late = desk.run(&format!(
        "{run} --stimulus UART0@100,when-read=hi!. --stimulus UART0@99999999=x"
    ));
    let told = String::from_utf8_lossy(&late.get_output().stderr).into_owned();
    assert!(
        told.contains("a stimulus for UART0 should have come in cycle 99999999, and never did"),
        "{told}"
    );
    desk.run(&format!("{run} --output rtt:x=out.txt")).code(2);
}

/// Nobody hears what comes to a receiver that is off, nor reads what a bus would answer that nobody asks.
#[test]
fn what_nobody_received_is_said() {
    let told = |board: &str, options: &str| {
        let base = if board == "mps2-an385" { 0 } else { FLASH };
        let desk = Desk::new().with("app.elf", Firmware::at(base, &[EXIT]).elf());
        let run = desk
            .run(&format!("run app.elf --board {board} {options}"))
            .code(0);
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    let uart = told("mps2-an385", "--stimulus UART0@0=hello");
    assert_eq!(
        uart,
        "warning: 5 bytes for UART0 were not received: its receiver was off when they came\n"
    );
    let uart = told("mps2-an385", "--stimulus UART0@when-read=hello");
    assert_eq!(
        uart,
        "warning: 5 bytes for UART0 were not received: its receiver was never on\n"
    );
    let spi = told("stm32f407", "--stimulus SPI1@0=x");
    assert_eq!(
        spi,
        "warning: 1 byte for SPI1 was not received: no frame was ever exchanged\n"
    );
    let i2c = told("stm32f407", "--stimulus I2C1@0=xy");
    assert!(
        i2c.starts_with("warning: 2 bytes for I2C1 were not received: no"),
        "{i2c}"
    );
}

/// What is measured may wait for what comes in, too: without it, the end is never met.
#[test]
fn what_comes_in_is_there_for_each_command_that_measures_a_program() {
    let desk = Desk::new()
        .with("app.elf", echo_by_call().elf())
        .with("in.txt", "hello.");
    for command in [
        "profile app.elf",
        "why app.elf main+0x4",
        "cost app.elf serve --count 1",
    ] {
        let command = format!("{command} --board mps2-an385 --limit 20000");
        desk.run(&format!("{command} --input UART0=in.txt")).code(0);
        desk.run(&format!("{command} --stimulus UART0@100,when-read=hi!."))
            .code(0);
        let waits = desk.run(&command);
        assert_ne!(waits.get_output().status.code(), Some(0), "{command}");
        let wrong = desk.run(&format!("{command} --stimulus UART9@1=x")).code(2);
        let told = String::from_utf8_lossy(&wrong.get_output().stderr).into_owned();
        assert!(told.contains("the board has no peripheral `UART9`"), "{told}");
    }
}

#[test]
fn a_register_that_is_not_modelled_can_be_allowed() {
    // movw r0, #0x0318; movt r0, #0xe004; ldr r1, [r0] (no register of the TPIU); movw/movt r0, #0x40004ffc...
    let code: &[u16] = &[0xf240, 0x3018, 0xf2ce, 0x0004, 0x6801];
    let desk = Desk::new().with("app.elf", Firmware::new(&[code, EXIT]).elf());
    let run = desk.run("run app.elf --board stm32f100rb").code(3);
    let text = String::from_utf8(run.get_output().stderr.clone()).expect("text");
    assert!(text.contains("--allow 0xe0040318..0xe004031c"), "{text}");
    desk.run("run app.elf --board stm32f100rb --allow 0xe0040318..0xe004031c")
        .code(0);
}
