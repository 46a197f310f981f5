#include "common/parallel/region.h"

#include <omp.h>
#include <stddef.h>

#include "common/core/memory.h"
#include "common/parallel/openmp_start.h"

#ifndef _OPENMP
#error Regions are those of OpenMP: compile this file with -fopenmp.
#endif

/* Functions of LLVM's runtime, which is linked with gcc's code too, but missing in gcc's omp.h: the
 * time that threads spin at the ends of regions. gcc's runtime reads it from the environment when
 * it is loaded. */
void kmp_set_blocktime(int milliseconds);
int kmp_get_blocktime(void);

/* Address space of a thread: its stack and its part of the heap. */
#define THREAD_MEMORY ((size_t)12 << 20)

void region_prepare(void)
{
    openmp_start();
}

/* Settings of the thread that starts a region, which may belong to a program that uses OpenMP
 * itself. */
struct settings {
    int levels, blocktime;
};

/* Nested regions have threads only when enabled. Threads do not spin at the ends of a region. */
static struct settings set_for_region(int threads)
{
    /* The runtime aborts when it cannot have them. */
    memory_require((size_t)threads * THREAD_MEMORY);
    openmp_start();
    struct settings before = {omp_get_max_active_levels(), kmp_get_blocktime()};
    int level = omp_get_active_level();
    if (before.levels <= level)
        omp_set_max_active_levels(level + 1);
    kmp_set_blocktime(0);
    return before;
}

static void restore_settings(struct settings before)
{
    omp_set_max_active_levels(before.levels);
    kmp_set_blocktime(before.blocktime);
}

/* A function of its own: clang's code calls the runtime where such a function begins, which must
 * not be before set_for_region. */
__attribute__((noinline)) static void run_in_threads(int threads, region_body *body, void *context)
{
#pragma omp parallel num_threads(threads)
    body(context, omp_get_thread_num(), omp_get_num_threads());
}

void region_run(int threads, region_body *body, void *context)
{
    struct settings before = set_for_region(threads);
    run_in_threads(threads, body, context);
    restore_settings(before);
}
