#include "common/assets/textures/light_bytes.h"

#include "common/core/portable_math.h"

#define GAMMA 2.2

void light_bytes_fill(struct light_bytes *table)
{
    for (int i = 0; i < 256; i++) {
        table->light[i] = (float)portable_pow(i / 255.0, GAMMA);
        table->bounds[i] = i ? (float)portable_pow((i - 0.5) / 255, GAMMA) : 0;
    }
}

uint8_t light_bytes_of(const struct light_bytes *table, float light)
{
    int low = 0, high = 255;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (light >= table->bounds[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return (uint8_t)low;
}

uint8_t light_bytes_share(float share)
{
    return share > 0 ? share < 1 ? (uint8_t)floorf(share * 255 + 0.5F) : 255 : 0;
}
