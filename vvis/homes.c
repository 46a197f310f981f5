#include "vvis/homes.h"

#include "common/core/memory.h"

enum { WORD = 64 }; /* clusters: no two threads write to one word of a column */

static size_t words_of(size_t clusters)
{
    return (clusters + WORD - 1) / WORD;
}

/* Words before thread t's: words * t / threads. */
int home_of(int threads, size_t clusters, size_t cluster)
{
    return (int)(((cluster / WORD + 1) * (size_t)threads - 1) / words_of(clusters));
}

void homes_for(int threads, size_t clusters, size_t step, parallel_item *item, void *context)
{
    size_t *first = memory_alloc(((size_t)threads + 1) * sizeof *first);
    for (size_t t = 0; t < (size_t)threads; t++)
        first[t] = words_of(clusters) * t / (size_t)threads * (WORD / step);
    first[threads] = (clusters + step - 1) / step;
    parallel_parts(threads, first, item, context);
    memory_free(first);
}
