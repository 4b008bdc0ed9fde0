/* FreeRTOS includes it, and needs nothing of it. */
#pragma once
#include <stddef.h>
