/* Entities by class, and materials by area. */
#include <stdlib.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/text/entity_classes.h"
#include "common/trace/trace.h"
#include "report/sections/sections.h"
#include "scene/scene.h"

enum { SHOWN = 12, LISTED = 500 };

/* --- entities --- */

/* The most frequent first. */
static int compare_classes(const void *a, const void *b)
{
    const struct entity_class *first = a, *second = b;
    if (first->count != second->count)
        return first->count < second->count ? 1 : -1;
    return strcmp(first->name, second->name);
}

void report_entities(const struct report_page *page)
{
    static const char *const columns[] = {"class", "", "#", NULL};
    const struct entity_list *entities = &page->source->map.render->scene.entities;
    struct entity_class *classes = entity_classes(entities);
    const size_t count = arrlenu(classes), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    if (!count)
        return;
    qsort(classes, count, sizeof *classes, compare_classes);
    html_section(page->out, "entities", "Entities", NULL);
    html_table(&table);
    for (size_t i = 0; i < listed; i++) {
        html_row(&table);
        html_cell_text(&table, *classes[i].name ? classes[i].name : "(no class)");
        html_cell_bar(&table, (double)classes[i].count / (double)classes[0].count);
        html_cell_count(&table, (int64_t)classes[i].count);
        html_row_end(&table);
    }
    html_table_end(&table);
    html_left_out(page->out, count - listed);
    html_section_end(page->out);
    arrfree(classes);
}

/* --- materials --- */

struct area {
    const char *name;
    double area;
    size_t surfaces;
};

/* The name of the material of a surface. */
static const char *material_of(const struct render *render, const struct surface *surface,
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
    return strcmp(((const struct area *)a)->name, ((const struct area *)b)->name);
}

/* The largest first. */
static int compare_areas(const void *a, const void *b)
{
    const struct area *first = a, *second = b;
    if (first->area > second->area || first->area < second->area)
        return first->area < second->area ? 1 : -1;
    return strcmp(first->name, second->name);
}

static struct vec3 corner(const float *positions, size_t triangle, size_t number)
{
    return vec3_from_floats(positions + 9 * triangle + 3 * number);
}

/* Returns the areas of the surfaces, an stb_ds array; those of props have no name. */
static struct area *areas_of_surfaces(const struct render *render, struct arena *arena)
{
    const struct mesh *mesh = &render->scene.mesh;
    struct area *areas = NULL;
    size_t count;
    const float *positions = trace_positions(mesh->trace, TRACE_FACE, &count);
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        arrput(areas, ((struct area){material_of(render, &mesh->surfaces[i], arena), 0, 1}));
    for (size_t i = 0; i < count && i < arrlenu(mesh->triangles); i++) {
        struct vec3 first = corner(positions, i, 0);
        struct vec3 cross = vec3_cross(vec3_sub(corner(positions, i, 1), first),
                                       vec3_sub(corner(positions, i, 2), first));
        areas[mesh->triangles[i].surface].area += vec3_length(cross) / 2;
    }
    return areas;
}

/* Joins those of one name, and drops those of none. */
static void join(struct area *areas)
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

static void put_areas(const struct report_page *page, const struct area *areas)
{
    static const char *const columns[] = {"material",      "",       "#of the area",
                                          "#square units", "#faces", NULL};
    const size_t count = arrlenu(areas), listed = count < LISTED ? count : LISTED;
    struct html_table table = {
        .out = page->out, .columns = columns, .shown = SHOWN, .total = listed};
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += areas[i].area;
    html_table(&table);
    for (size_t i = 0; i < listed; i++) {
        const double share = total > 0 ? areas[i].area / total : 0;
        html_row(&table);
        html_cell_text(&table, areas[i].name);
        html_cell_bar(&table, share);
        html_cell(&table);
        bytes_append_text(page->out, "%.1f %%", 100 * share);
        html_cell_end(&table);
        html_cell_count(&table, areas[i].area < 1e18 ? (int64_t)areas[i].area : 0);
        html_cell_count(&table, (int64_t)areas[i].surfaces);
        html_row_end(&table);
    }
    html_table_end(&table);
    html_left_out(page->out, count - listed);
}

void report_materials(const struct report_page *page)
{
    struct arena arena = {0};
    struct area *areas = areas_of_surfaces(page->source->map.render, &arena);
    join(areas);
    if (arrlen(areas)) {
        html_section(page->out, "materials", "Materials",
                     "By the area of the faces that are drawn, without props.");
        put_areas(page, areas);
        html_section_end(page->out);
    }
    arrfree(areas);
    arena_free(&arena);
}
