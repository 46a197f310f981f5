/* Verifies the surfaces of a Quake 3 map, its light and its visibility. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/diag/codes/verify_quake3.def"
#include "common/text/entities.h"

enum {
    DRAW_VERTICES = 1000, /* per surface: size of the engine's buffers */
    DRAW_INDICES = 6000,
    PLANAR_VERTICES = 64,
    PATCH_SIDE = 32,
    LIGHTMAP_MIN = -4, /* -1 none, -2 white, -3 by vertex, -4 as a picture */
    LIGHTMAP_FOREIGN = 0x1000,
};

static const float COORDINATE_REACH = 1e-3f;

/* Location for messages: the surface's first vertex. */
static struct vec3 position_of(const struct bsp *bsp, const struct bsp_surface *surface)
{
    const float *p = bsp->draw_vertices[surface->first_vertex].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

static void verify_foliage(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                           const struct vec3 *point)
{
    const int32_t *size = surface->patch_size;
    if (size[0] < 0 || size[1] < 0 || (int64_t)size[0] + size[1] != surface->vertex_count)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: foliage of %d vertices at %d places; it has %d vertices", i,
                     size[1], size[0], surface->vertex_count);
}

static void verify_drawn(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                         const struct vec3 *point)
{
    if (surface->type == SURFACE_PATCH) {
        if (surface->patch_size[0] > PATCH_SIDE || surface->patch_size[1] > PATCH_SIDE)
            verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                         "surface %zu: patch of %d x %d; the maximum is %d", i,
                         surface->patch_size[0], surface->patch_size[1], PATCH_SIDE);
        return;
    }
    if (surface->type == SURFACE_FLARE)
        return;
    if (surface->type == SURFACE_FOLIAGE)
        verify_foliage(verifier, i, surface, point);
    if (surface->index_count % 3)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: %d vertex indices, not a multiple of 3", i,
                     surface->index_count);
    if (surface->vertex_count >= DRAW_VERTICES || surface->index_count >= DRAW_INDICES)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: %d vertices and %d indices; must be less than %d and %d", i,
                     surface->vertex_count, surface->index_count, DRAW_VERTICES, DRAW_INDICES);
    if (surface->type == SURFACE_PLANAR && surface->vertex_count > PLANAR_VERTICES)
        verify_fault(verifier, DIAG_IBSP_SURFACE, point,
                     "surface %zu: planar with %d vertices; the maximum is %d", i,
                     surface->vertex_count, PLANAR_VERTICES);
}

/* A page of the surface, of any style. */
static void verify_page(struct verifier *verifier, size_t i, int32_t page, const struct vec3 *point)
{
    int pages = (int)bsp_page_count(verifier->bsp);
    if ((page >= pages && page < LIGHTMAP_FOREIGN) || page < LIGHTMAP_MIN)
        verify_fault(verifier, DIAG_IBSP_LIGHTMAP, point, "surface %zu: lightmap %d of %d", i, page,
                     pages);
}

static void verify_lightmap(struct verifier *verifier, size_t i, const struct bsp_surface *surface,
                            const struct vec3 *point)
{
    const struct bsp *bsp = verifier->bsp;
    verify_page(verifier, i, surface->lightmap, point);
    for (int k = 0; bsp->engine->light.has_styles && k < MORE_STYLES; k++)
        if (surface->light_styles[k + 1] != BSP_STYLE_NONE)
            verify_page(verifier, i, surface->more_lightmap[k], point);
    for (int k = 0; k < surface->vertex_count && surface->lightmap >= 0; k++) {
        const float *at = bsp->draw_vertices[surface->first_vertex + k].lightmap;
        for (int axis = 0; axis < 2; axis++)
            if (at[axis] < -COORDINATE_REACH || at[axis] > 1 + COORDINATE_REACH) {
                verify_fault(verifier, DIAG_IBSP_LIGHTMAP, point,
                             "surface %zu: lightmap coordinates %g %g", i, (double)at[0],
                             (double)at[1]);
                return;
            }
    }
}

static void verify_surface(struct verifier *verifier, size_t i)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_surface *surface = &bsp->surfaces[i];
    struct vec3 position = {0};
    const struct vec3 *point = NULL;
    if (surface->vertex_count) {
        position = position_of(bsp, surface);
        point = &position;
    }
    if (surface->effect < -1 || surface->effect >= arrlen(bsp->effects))
        verify_fault(verifier, DIAG_IBSP_EFFECT, point, "surface %zu: fog %d of %td", i,
                     surface->effect, arrlen(bsp->effects));
    const int last = bsp->engine->geometry.has_foliage ? SURFACE_FOLIAGE : SURFACE_FLARE;
    if (surface->type < SURFACE_PLANAR || surface->type > last) {
        verify_fault(verifier, DIAG_IBSP_SURFACE, point, "surface %zu: type %d", i, surface->type);
        return;
    }
    verify_drawn(verifier, i, surface, point);
    verify_lightmap(verifier, i, surface, point);
}

static bool are_finite(const float *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static void verify_vertices(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    size_t count[3] = {0};
    for (size_t i = 0; i < arrlenu(bsp->draw_vertices); i++) {
        const struct bsp_draw_vertex *vertex = &bsp->draw_vertices[i];
        count[0] += !are_finite(vertex->texture, 2);
        count[1] += !are_finite(vertex->lightmap, 2);
        count[2] += !are_finite(vertex->normal, 3);
    }
    static const char *const names[] = {"texture coordinates", "lightmap coordinates", "normal"};
    for (int k = 0; k < 3; k++)
        if (count[k])
            verify_fault(verifier, DIAG_IBSP_VERTEX, NULL, "%s of %zu %s", names[k], count[k],
                         count[k] == 1 ? "vertex" : "vertices");
}

void ibsp_verify_surfaces(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        verify_surface(verifier, i);
    verify_vertices(verifier);
    for (size_t i = 0; i < arrlenu(bsp->effects); i++)
        if (bsp->effects[i].brush < 0)
            verify_fault(verifier, DIAG_IBSP_EFFECT, NULL, "fog %zu: no brush", i);
}

/* Returns the spacing of the light grid as the engine takes it from the world. */
static struct vec3 grid_size(const struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct entity_list list = {0};
    struct vec3 size = vec3(64, 64, 128);
    if (arrlen(bsp->entities) &&
        entities_parse(bsp->entities, arrlenu(bsp->entities), "", quiet, &list) == STATUS_OK) {
        if (arrlen(list.entities))
            entity_vector(&list.entities[0], "gridsize", &size);
        entities_free(&list);
    }
    diag_free(quiet);
    return size;
}

/* In float, like the engine. */
static double grid_points(const struct bsp *bsp)
{
    const struct bsp_model *world = &bsp->models[0];
    struct vec3 size = grid_size(bsp);
    double points = 1;
    for (int k = 0; k < 3; k++) {
        float step = (float)size.e[k];
        float first = step * ceilf(world->mins[k] / step);
        float last = step * floorf(world->maxs[k] / step);
        points *= (double)truncf((last - first) / step + 1);
    }
    return points;
}

void ibsp_verify_light(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    const struct bsp_layout *layout = &bsp->layout;
    double have = (double)arrlenu(bsp->light_grid), due = grid_points(bsp);
    if (arrlen(bsp->light_grid) && !(have == due))
        verify_fault(verifier, DIAG_IBSP_GRID, NULL, "%.0f points, but the engine expects %.0f",
                     have, due);
    const int64_t page = (int64_t)bsp_page_bytes(bsp);
    int64_t end = layout->offset[IBSP_LIGHTMAPS] + layout->length[IBSP_LIGHTMAPS];
    if (layout->count && layout->length[IBSP_LIGHTMAPS] == page && layout->size - end < page)
        verify_fault(verifier, DIAG_IBSP_LIGHTMAP, NULL,
                     "the engine reads %lld bytes past a single page, but the file has only %lld",
                     (long long)page, (long long)(layout->size - end));
}

void ibsp_verify_visibility(struct verifier *verifier)
{
    const struct bsp *bsp = verifier->bsp;
    int clusters = bsp_vis_clusters(bsp);
    int64_t row = bsp->visibility_row, blind = 0;
    int64_t stored = bsp->layout.count ? bsp->layout.length[IBSP_VISIBILITY] : 0;
    int64_t due = 8 + clusters * row;
    if (stored && stored != due)
        verify_fault(verifier, DIAG_IBSP_VIS_ODD, NULL,
                     "lump of %lld bytes; %d rows of %lld bytes and two counts have %lld",
                     (long long)stored, clusters, (long long)row, (long long)due);
    if (row && row * 8 < clusters)
        verify_fault(verifier, DIAG_IBSP_VIS, NULL, "rows of %lld bytes, too short for %d clusters",
                     (long long)row, clusters);
    for (int i = 0; i < clusters; i++)
        blind += !bsp_vis_sees(bsp, i, i);
    if (blind)
        verify_fault(verifier, DIAG_IBSP_VIS_ODD, NULL, "clusters that do not see themselves: %lld",
                     (long long)blind);
}
