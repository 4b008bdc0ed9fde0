/* FreeRTOS as study 003 describes it: pre-emption, mutexes with priority inheritance, the tick by mtime. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

/* A system with other addresses and another clock says so when it compiles this. */
#ifndef configMTIME_BASE_ADDRESS
#define configMTIME_BASE_ADDRESS    0xf001bff8UL
#define configMTIMECMP_BASE_ADDRESS 0xf0014000UL
#define configCPU_CLOCK_HZ          100000000UL
#endif
/* The scenario sets the timer itself, at each of the study's rates. */
#define configTICK_RATE_HZ          1000
#define configISR_STACK_SIZE_WORDS  256
#define configMAX_PRIORITIES        5
#define configMINIMAL_STACK_SIZE    128
#define configTOTAL_HEAP_SIZE       16384
#define configUSE_PREEMPTION        1
#define configUSE_TIME_SLICING      1
#define configUSE_IDLE_HOOK         0
#define configUSE_TICK_HOOK         0
#define configUSE_16_BIT_TICKS      0
#define configUSE_MUTEXES           1
#define configSUPPORT_STATIC_ALLOCATION 0
#define INCLUDE_vTaskDelete         1
#define INCLUDE_vTaskSuspend        1

#endif
