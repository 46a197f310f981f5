#include "vrad/luxels/subluxels.h"

#include "common/core/memory.h"

void subluxels_free(struct subluxels *subluxels)
{
    if (!subluxels)
        return;
    luxel_set_free(&subluxels->split);
    memory_free(subluxels->luxels);
    memory_free(subluxels->open);
    memory_free(subluxels->direct);
    memory_free(subluxels->leaving);
    memory_free(subluxels);
}

const struct split_luxel *subluxels_luxel(const struct subluxels *subluxels, size_t subluxel)
{
    size_t low = 0, high = subluxels->luxel_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (subluxels->luxels[middle].first <= subluxel)
            low = middle;
        else
            high = middle;
    }
    return &subluxels->luxels[low];
}
