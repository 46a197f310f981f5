/* Which luxels of a rectangle a renderer looks at when it draws the surfaces in it. The others, in
 * hollows and beside slopes, need neither light nor room. */
#include <string.h>

#include "common/core/array.h"
#include "common/geom/texel_reach.h"
#include "vrad/target/quake3/parts.h"

void quake3_find_needed(struct quake3_light *q, struct receiver *receiver)
{
    int width = receiver->light.width, height = receiver->light.height;
    size_t words = (size_t)height * (size_t)texel_words(width);
    receiver->needed = ARENA_ARRAY(&q->arena, uint64_t, words + 1);
    if (receiver->axis < 0) { /* curves fill theirs */
        memset(receiver->needed, 0xff, words * sizeof *receiver->needed);
        return;
    }
    for (ptrdiff_t n = 0; n < arrlen(receiver->surfaces); n++) {
        const struct bsp_surface *surface = &q->bsp->surfaces[receiver->surfaces[n]];
        for (int i = 0; i + 2 < surface->index_count; i += 3) {
            double corners[3][2];
            for (int k = 0; k < 3; k++)
                quake3_luxel_at(q, receiver->surfaces[n],
                                q->bsp->draw_indices[surface->first_index + i + k], corners[k]);
            texel_reach(corners, width, height, receiver->needed);
        }
    }
}

bool quake3_is_needed(const struct receiver *receiver, int luxel)
{
    int width = receiver->light.width;
    return texel_is_set(receiver->needed, width, luxel % width, luxel / width);
}

void quake3_skip_unneeded(const struct quake3_light *q, struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++)
        for (int k = 0; k < map->faces[i].count; k++)
            if (!quake3_is_needed(&q->receivers[i], k)) {
                map->faces[i].luxels[k].hidden = true;
                map->faces[i].luxels[k].area = 0;
            }
}
