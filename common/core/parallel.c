#include "common/core/parallel.h"

#include <omp.h>
#include <stdint.h>

int parallel_threads(int asked)
{
    return asked > 0 ? asked : omp_get_num_procs();
}

void parallel_for(int threads, size_t count, parallel_item *item, void *context)
{
    int64_t items = (int64_t)count;
    if (threads <= 1 || items <= 1) {
        for (int64_t i = 0; i < items; i++)
            item(context, (size_t)i, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t i = 0; i < items; i++)
        item(context, (size_t)i, omp_get_thread_num());
}
