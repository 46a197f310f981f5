/* What the processor can do beyond what all of its kind can. What these name is what folders called
 * `lanes` are compiled for. */
#ifndef SIMD_PROCESSOR_H
#define SIMD_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) || defined(_M_X64)

static inline bool processor_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static inline bool processor_has_avx512(void)
{
    return processor_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
}

#endif

#endif
