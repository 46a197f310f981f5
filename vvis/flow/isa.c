#include "vvis/flow/isa.h"

#include "common/simd/processor.h"

extern const struct isa isa_plain;

#ifdef VVIS_X86
extern const struct isa isa_avx2, isa_avx512;
#endif

int isa_list(const struct isa *out[ISAS_MOST])
{
    int count = 0;
    out[count++] = &isa_plain;
#ifdef VVIS_X86
    if (processor_has_avx2())
        out[count++] = &isa_avx2;
    if (processor_has_avx512())
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
