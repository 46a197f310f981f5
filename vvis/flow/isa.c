#include "vvis/flow/flow_kernels.h"

#include "common/simd/cpu_features.h"

extern const struct isa isa_plain;

#ifdef __x86_64__
extern const struct isa isa_avx2, isa_avx512;
#endif

int isa_list(const struct isa *out[ISAS_MOST])
{
    int count = 0;
    out[count++] = &isa_plain;
#ifdef __x86_64__
    if (simd_best() >= SIMD_AVX2)
        out[count++] = &isa_avx2;
    if (simd_best() >= SIMD_AVX512)
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
