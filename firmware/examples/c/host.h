/* What a program asks of its host: `semihosting.c`, `ports.c` and `finisher.c` are three ways to get it. */

/* Prints a text. */
void put(const char *text);

/* Ends the run with this exit code. */
_Noreturn void end(int code);
