/* Instruction sets, and dispatch to the best one.
 *
 * Files in folders called `lanes` are compiled once for each level (brushwork_lanes in
 * CMakeLists.txt), and so is a table of their functions. All levels do the same operations in the
 * same order: the choice only affects the time. BRUSHWORK_SIMD in the environment names the highest
 * level to use (plain, avx2 or avx512), for tests. */
#ifndef SIMD_CPU_FEATURES_H
#define SIMD_CPU_FEATURES_H

#include <stdbool.h>

/* Plain is what each processor of the architecture has: SSE2 on x86-64. */
enum simd_level { SIMD_PLAIN, SIMD_AVX2, SIMD_AVX512, SIMD_LEVELS };

/* Returns the best level of this CPU, up to the cap. */
enum simd_level simd_best(void);

/* Caps the level from now on, on all threads, whatever the environment says: for tests. */
void simd_cap(enum simd_level max);

/* Returns true when the cap is below what the CPU has. */
bool simd_is_capped(void);

const char *simd_name(enum simd_level level);

/* Defines `const struct name *name_of(enum simd_level level)`, which returns the table that the
 * files for this level have defined as ISA(name): see lanes.h. */
#ifdef __x86_64__
#define SIMD_TABLES(name)                                                                          \
    extern const struct name name##_plain, name##_avx2, name##_avx512;                             \
    const struct name *name##_of(enum simd_level level)                                            \
    {                                                                                              \
        static const struct name *const tables[SIMD_LEVELS] = {&name##_plain, &name##_avx2,        \
                                                               &name##_avx512};                    \
        return tables[level];                                                                      \
    }
#else
#define SIMD_TABLES(name)                                                                          \
    extern const struct name name##_plain;                                                         \
    const struct name *name##_of(enum simd_level level)                                            \
    {                                                                                              \
        (void)level;                                                                               \
        return &name##_plain;                                                                      \
    }
#endif

#endif
