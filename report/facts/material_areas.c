#include "report/facts/material_areas.h"

#include <stdlib.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/trace/trace.h"
#include "scene/scene.h"

const char *surface_material(const struct render *render, const struct surface *surface,
                             struct arena *arena)
{
    const struct bsp *bsp = render->scene.bsp;
    if (surface->face < 0)
        return NULL;
    if (bsp->engine->geometry.has_surfaces)
        return arena_strndup(arena, bsp->shaders[bsp->surfaces[surface->face].shader].name,
                             SHADER_NAME);
    return bsp_texinfo_name(bsp, bsp_faces_of(bsp, render->scene.light)[surface->face].texinfo);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct material_area *)a)->name, ((const struct material_area *)b)->name);
}

/* The largest first. */
static int compare_areas(const void *a, const void *b)
{
    const struct material_area *first = a, *second = b;
    if (first->area > second->area || first->area < second->area)
        return first->area < second->area ? 1 : -1;
    return strcmp(first->name, second->name);
}

double triangle_area(const float corners[9])
{
    struct vec3 first = vec3_from_floats(corners);
    struct vec3 cross = vec3_cross(vec3_sub(vec3_from_floats(corners + 3), first),
                                   vec3_sub(vec3_from_floats(corners + 6), first));
    return vec3_length(cross) / 2;
}

/* Returns the areas of the surfaces, an stb_ds array; those of props have no name. */
static struct material_area *areas_of_surfaces(const struct render *render, struct arena *arena)
{
    const struct mesh *mesh = &render->scene.mesh;
    struct material_area *areas = NULL;
    size_t count;
    const float *positions = trace_positions(mesh->trace, TRACE_FACE, &count);
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        arrput(areas,
               ((struct material_area){surface_material(render, &mesh->surfaces[i], arena), 0, 1}));
    for (size_t i = 0; i < count && i < arrlenu(mesh->triangles); i++)
        areas[mesh->triangles[i].surface].area += triangle_area(positions + 9 * i);
    return areas;
}

/* Joins those of one name, and drops those of none. */
static void join(struct material_area *areas)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < arrlenu(areas); i++)
        if (areas[i].name)
            areas[count++] = areas[i];
    arrsetlen(areas, count);
    if (!count)
        return;
    qsort(areas, count, sizeof *areas, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(areas[i].name, areas[last].name) == 0) {
            areas[last].area += areas[i].area;
            areas[last].surfaces += areas[i].surfaces;
        } else {
            areas[++last] = areas[i];
        }
    }
    arrsetlen(areas, last + 1);
    qsort(areas, last + 1, sizeof *areas, compare_areas);
}

struct material_area *material_areas_of(const struct render *render, struct arena *arena)
{
    struct material_area *areas = areas_of_surfaces(render, arena);
    join(areas);
    return areas;
}
