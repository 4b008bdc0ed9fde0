/* FreeRTOS as it is fastest: nothing is checked, traced or counted. All other options are FreeRTOS' defaults. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

/* The names of the vectors in cortex-m-rt. */
#define vPortSVCHandler     SVCall
#define xPortPendSVHandler  PendSV
#define xPortSysTickHandler SysTick

#define configCPU_CLOCK_HZ                      8000000
#define configTICK_RATE_HZ                      2000
#define configUSE_PREEMPTION                    1
#define configMAX_PRIORITIES                    8
#define configMINIMAL_STACK_SIZE                64
#ifdef __ARM_ARCH_6M__
/* The port has no other selection, names the vectors as CMSIS does, and asks whether there is an MPU. */
#define SVC_Handler                             SVCall
#define PendSV_Handler                          PendSV
#define SysTick_Handler                         SysTick
#define configENABLE_MPU                        0
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#else
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 1
/* The least urgent interrupt there is, and the most urgent that may call FreeRTOS. */
#define configKERNEL_INTERRUPT_PRIORITY         240
#define configMAX_SYSCALL_INTERRUPT_PRIORITY    16
#endif
#define configUSE_TIME_SLICING                  1
#define configUSE_IDLE_HOOK                     0
#define configUSE_TICK_HOOK                     0
#define configTICK_TYPE_WIDTH_IN_BITS           TICK_TYPE_WIDTH_32_BITS
#define configUSE_MUTEXES                       1
#define configUSE_COUNTING_SEMAPHORES           1
#define configQUEUE_REGISTRY_SIZE               0
#define configCHECK_HANDLER_INSTALLATION        0
#define configCHECK_FOR_STACK_OVERFLOW          0
#define configSUPPORT_DYNAMIC_ALLOCATION        1
#define configSUPPORT_STATIC_ALLOCATION         0
#define INCLUDE_vTaskDelay                      1
#define INCLUDE_vTaskSuspend                    1

#endif
