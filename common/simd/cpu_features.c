#include "common/simd/cpu_features.h"

#include <stdlib.h>
#include <string.h>

/* The value of `cap` until the environment has been read. */
#define CAP_UNREAD SIMD_LEVELS

static enum simd_level cap = CAP_UNREAD;

#ifdef __x86_64__

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

static enum simd_level find_best(void)
{
    return has_avx512() ? SIMD_AVX512 : has_avx2() ? SIMD_AVX2 : SIMD_PLAIN;
}

#else

static enum simd_level find_best(void)
{
    return SIMD_PLAIN;
}

#endif

static enum simd_level cap_of_environment(void)
{
    const char *named = getenv("BRUSHWORK_SIMD");
    for (int level = 0; named && level < SIMD_LEVELS; level++)
        if (strcmp(named, simd_name((enum simd_level)level)) == 0)
            return (enum simd_level)level;
    return SIMD_LEVELS - 1;
}

/* Several threads may read the environment at once, and find the same. */
static enum simd_level current_cap(void)
{
    enum simd_level max = __atomic_load_n(&cap, __ATOMIC_RELAXED);
    if (max == CAP_UNREAD) {
        max = cap_of_environment();
        simd_cap(max);
    }
    return max;
}

enum simd_level simd_best(void)
{
    enum simd_level best = find_best(), max = current_cap();
    return best < max ? best : max;
}

bool simd_is_capped(void)
{
    return current_cap() < find_best();
}

void simd_cap(enum simd_level max)
{
    __atomic_store_n(&cap, max, __ATOMIC_RELAXED);
}

const char *simd_name(enum simd_level level)
{
    static const char *const names[SIMD_LEVELS] = {"plain", "avx2", "avx512"};
    return names[level];
}
