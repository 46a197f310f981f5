/* Any bytes as the texture of a cubemap: one that is read has light in all directions. */
#include <math.h>

#include "scene/reflections/cube.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct bytes file = {.data = (unsigned char *)data, .size = size};
    struct cube cube;
    if (!cube_read(&file, &cube))
        return 0;
    for (int i = 0; i < 27; i++) {
        struct vec3 direction = vec3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        float light[3];
        if (i == 13)
            continue;
        cube_at(&cube, direction, light);
        for (int k = 0; k < 3; k++)
            if (!(light[k] >= 0) || isinf(light[k]))
                __builtin_trap();
    }
    cube_free(&cube);
    return 0;
}
