/* The part that FreeRTOS needs; the functions are those of Rust's compiler_builtins. */
#pragma once
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *a, const void *b, size_t count);
size_t strlen(const char *text);
