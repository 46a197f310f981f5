#include "scene/mesh/smooth_normals.h"

#include "common/core/array.h"
#include "common/geom/vec.h"

/* Cosine of the largest bend that is smooth. */
#define SMOOTH_COSINE 0.5

struct place_row {
    struct place {
        float at[3];
    } key;
    uint32_t value; /* the last corner there */
};

struct smoothing {
    const float *const *corners;
    struct vec3 *across;    /* of each triangle: its normal, as long as twice its area */
    struct place_row *last; /* stb_ds map */
    uint32_t *before;       /* of each corner: the one before it at its place, UINT32_MAX: none */
};

static struct vec3 across_of(const float *corners)
{
    struct vec3 a = vec3_from_floats(corners), b = vec3_from_floats(corners + 3),
                c = vec3_from_floats(corners + 6);
    return vec3_cross(vec3_sub(c, a), vec3_sub(b, a));
}

static void link_corner(struct smoothing *s, uint32_t corner)
{
    struct place_row row;
    for (int k = 0; k < 3; k++)
        row.key.at[k] = s->corners[corner / 3][3 * (corner % 3) + (uint32_t)k] + 0.0f;
    ptrdiff_t at = hmgeti(s->last, row.key);
    s->before[corner] = at >= 0 ? s->last[at].value : UINT32_MAX;
    row.value = corner;
    hmputs(s->last, row);
}

/* Triangles of damaged maps may all meet in one place: those after so many do not count. */
enum { MOST_AROUND = 64 };

static struct vec3 mean_at(struct smoothing *s, uint32_t corner)
{
    struct place_row row;
    struct vec3 own = s->across[corner / 3], sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        row.key.at[k] = s->corners[corner / 3][3 * (corner % 3) + (uint32_t)k] + 0.0f;
    uint32_t other = hmget(s->last, row.key);
    for (int i = 0; i < MOST_AROUND && other != UINT32_MAX; i++, other = s->before[other]) {
        struct vec3 across = s->across[other / 3];
        if (vec3_dot(across, own) >= SMOOTH_COSINE * vec3_length(across) * vec3_length(own))
            sum = vec3_add(sum, across);
    }
    return vec3_length(sum) > 0 ? sum : own;
}

void smooth_normals_of(const float *const *corners, size_t count, float (*normals)[3][3])
{
    struct smoothing s = {.corners = corners};
    s.across = memory_alloc((count + 1) * sizeof *s.across);
    s.before = memory_alloc((3 * count + 1) * sizeof *s.before);
    for (size_t i = 0; i < count; i++)
        s.across[i] = across_of(corners[i]);
    for (uint32_t i = 0; i < 3 * count; i++)
        link_corner(&s, i);
    for (uint32_t i = 0; i < 3 * count; i++)
        vec3_to_floats(vec3_normalize(mean_at(&s, i)), normals[i / 3][i % 3]);
    hmfree(s.last);
    memory_free(s.across);
    memory_free(s.before);
}
