#include "vvis/isa.h"

extern const struct isa isa_plain;

#ifdef VVIS_X86
extern const struct isa isa_avx2, isa_avx512;

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
#endif

int isa_list(const struct isa *out[ISAS_MOST])
{
    int count = 0;
    out[count++] = &isa_plain;
#ifdef VVIS_X86
    if (has_avx2())
        out[count++] = &isa_avx2;
    if (has_avx512())
        out[count++] = &isa_avx512;
#endif
    return count;
}

const struct isa *isa_best(void)
{
    const struct isa *list[ISAS_MOST] = {0};
    int count = isa_list(list);
    return list[count - 1];
}
