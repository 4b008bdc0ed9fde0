/* The requests of a program to its host: `semihosting.c`, `ports.c`, `finisher.c` and `htif.c` are four ways to get it. */

/* Prints a text. */
void put(const char *text);

/* Ends the run with this exit code. */
_Noreturn void end(int code);
