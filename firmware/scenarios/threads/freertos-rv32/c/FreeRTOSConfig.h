/* FreeRTOS on RV32 as it is fastest: nothing is checked, traced or counted. All other options are FreeRTOS' defaults. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configMTIME_BASE_ADDRESS    0xf001bff8UL
#define configMTIMECMP_BASE_ADDRESS 0xf0014000UL
#define configCPU_CLOCK_HZ          100000000UL
/* The scenarios set the timer themselves. */
#define configTICK_RATE_HZ          1000
#define configISR_STACK_SIZE_WORDS  256
#define configMAX_PRIORITIES        8
#define configMINIMAL_STACK_SIZE    128
#define configTOTAL_HEAP_SIZE       12288
#define configUSE_PREEMPTION        1
#define configUSE_TIME_SLICING      1
#define configUSE_IDLE_HOOK         0
#define configUSE_TICK_HOOK         0
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
#define configUSE_MUTEXES           1
#define configUSE_COUNTING_SEMAPHORES 1
#define configQUEUE_REGISTRY_SIZE   0
#define configSUPPORT_STATIC_ALLOCATION 0
#define INCLUDE_vTaskDelay          1
#define INCLUDE_vTaskSuspend        1
#define INCLUDE_xTaskResumeFromISR  1

#endif
