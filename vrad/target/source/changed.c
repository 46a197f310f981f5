#include <stdlib.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/luxels/colour.h"
#include "vrad/target/source/light_vbsp.h"

/* Minimum light, of 255, and minimum share of a face's light that count. */
#define MIN_LIGHT 0.1
#define MIN_SHARE 0.01

struct changed_light {
    const struct bsp_worldlight *light;
    unsigned char *row; /* clusters that may see it; NULL: all */
    int clusters;
};

/* Records have no padding. */
static int compare_records(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct bsp_worldlight));
}

static struct bsp_worldlight *sorted(struct bsp_worldlight *records)
{
    if (records)
        qsort(records, arrlenu(records), sizeof *records, compare_records);
    return records;
}

/* The records that are in only one of two sorted arrays. */
static struct bsp_worldlight *differences(const struct bsp_worldlight *a,
                                          const struct bsp_worldlight *b)
{
    struct bsp_worldlight *found = NULL;
    ptrdiff_t i = 0, j = 0;
    while (i < arrlen(a) || j < arrlen(b)) {
        int order = i == arrlen(a) ? 1 : j == arrlen(b) ? -1 : compare_records(&a[i], &b[j]);
        if (order < 0)
            arrput(found, a[i]);
        else if (order > 0)
            arrput(found, b[j]);
        i += order <= 0;
        j += order >= 0;
    }
    return found;
}

static unsigned char *row_of(const struct bsp *bsp, const struct bsp_worldlight *light)
{
    int clusters = bsp_vis_clusters(bsp);
    size_t bytes = ((size_t)clusters + 7) / 8;
    struct vec3 point = vec3_from_floats(light->origin);
    if (light->type == WORLDLIGHT_SURFACE)
        point = vec3_add(point, vec3_from_floats(light->normal));
    int *around = lights_clusters_around(bsp, point);
    unsigned char *row = NULL, *one = memory_zalloc(bytes + 1, 1);
    if (clusters > 0 && arrlen(around) > 0)
        row = memory_zalloc(bytes, 1);
    for (ptrdiff_t i = 0; i < arrlen(around) && row; i++) {
        bsp_vis_row(bsp, around[i], false, one);
        for (size_t k = 0; k < bytes; k++)
            row[k] |= one[k];
    }
    memory_free(one);
    arrfree(around);
    return row;
}

static double distance_to(const struct face_light *face, struct vec3 point)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->count; i++)
        bounds_add_point(&box, luxel_position(face, i));
    double half = 0, square = 0;
    if (!face->mesh)
        half = (vec3_length(face->axis[0]) + vec3_length(face->axis[1])) / 2;
    for (int k = 0; k < 3; k++) {
        double gap = portable_fmax(box.mins.e[k] - point.e[k], point.e[k] - box.maxs.e[k]) - half;
        square += gap > 0 ? gap * gap : 0;
    }
    return sqrt(square);
}

/* The typical colour of style 0, which precedes the face's maps. */
static double light_of(const struct bsp_face *face, const struct bytes *lighting)
{
    float rgb[3];
    if (face->light_offset < 4 || (size_t)face->light_offset > lighting->size)
        return 0;
    const unsigned char *p = lighting->data + face->light_offset - 4;
    colour_decode((struct bsp_colour){p[0], p[1], p[2], (int8_t)p[3]}, rgb);
    return ((double)rgb[0] + (double)rgb[1] + (double)rgb[2]) / 3;
}

static bool may_reach(const struct changed_light *changed, const struct face_light *face,
                      double has)
{
    const struct bsp_worldlight *light = changed->light;
    if (light->type == WORLDLIGHT_SKY || light->type == WORLDLIGHT_SKY_AMBIENT)
        return true;
    bool sees = !changed->row || arrlen(face->clusters) == 0;
    for (ptrdiff_t i = 0; i < arrlen(face->clusters) && !sees; i++) {
        int cluster = face->clusters[i];
        sees = cluster >= changed->clusters || changed->row[cluster >> 3] >> (cluster & 7) & 1;
    }
    if (!sees)
        return false;
    double d = portable_fmax(distance_to(face, vec3_from_floats(light->origin)), 1), max = 0;
    double quadratic = light->type == WORLDLIGHT_SURFACE ? 1 : (double)light->quadratic;
    double fall = (double)light->constant + (double)light->linear * d + quadratic * d * d;
    for (int k = 0; k < 3; k++)
        max = portable_fmax(max, 255 * (double)light->intensity[k]);
    return quadratic < 0 || fall <= 0 || max / fall > portable_fmax(MIN_LIGHT, MIN_SHARE * has);
}

unsigned char *changed_faces(const struct luxel_map *map, const struct light_set *lights,
                             const struct bsp_worldlight *before, const struct bsp_face *faces,
                             const struct bytes *lighting)
{
    struct bsp_worldlight *now = sorted(worldlights_make(lights)), *old = NULL;
    for (ptrdiff_t i = 0; i < arrlen(before); i++)
        arrput(old, before[i]);
    struct bsp_worldlight *changed_lights = differences(now, sorted(old));
    unsigned char *relight = memory_zalloc((size_t)map->face_count + 1, 1);
    for (ptrdiff_t i = 0; i < arrlen(changed_lights); i++) {
        const struct bsp *bsp = map->scene->bsp;
        struct changed_light light = {&changed_lights[i], row_of(bsp, &changed_lights[i]),
                                      bsp_vis_clusters(bsp)};
        for (int k = 0; k < map->face_count; k++)
            if (map->faces[k].count && !relight[k])
                relight[k] = may_reach(&light, &map->faces[k], light_of(&faces[k], lighting));
        memory_free(light.row);
    }
    arrfree(now);
    arrfree(old);
    arrfree(changed_lights);
    return relight;
}
