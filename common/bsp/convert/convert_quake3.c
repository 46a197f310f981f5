#include <string.h>

#include "common/bsp/convert/conversion.h"
#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/text/entities.h"

/* Flags in the way of the target. Bits that only one of the games knows are lost, and so are
 * meanings that the target does not store. */
static void convert_flags(struct conversion *conversion)
{
    const struct dialect *from = conversion->from->engine->dialect;
    const struct dialect *to = conversion->to->engine->dialect;
    size_t lost = 0;
    if (from == to)
        return;
    for (size_t i = 0; i < arrlenu(conversion->bsp->shaders); i++) {
        struct bsp_shader *shader = &conversion->bsp->shaders[i];
        struct dialect_flags surface = dialect_surface(from, shader->surface_flags);
        struct dialect_flags contents = dialect_contents(from, shader->contents);
        const int32_t plain = from ? from->plain_contents : 0;
        bool has_own = surface.own || contents.own & ~plain;
        surface.own = 0;
        contents.own = to && contents.meaning ? to->plain_contents : 0;
        shader->surface_flags = dialect_store_surface(to, surface);
        shader->contents = dialect_store_contents(to, contents);
        lost += has_own || dialect_surface(to, shader->surface_flags).meaning != surface.meaning ||
                dialect_contents(to, shader->contents).meaning != contents.meaning;
    }
    conversion_lose(conversion, "shaders with flags that the game does not have", lost);
}

static size_t drop_styles_of_surfaces(struct bsp *bsp)
{
    size_t lost = 0;
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        struct bsp_surface *surface = &bsp->surfaces[i];
        lost += surface->light_styles[1] != BSP_STYLE_NONE ||
                surface->vertex_styles[1] != BSP_STYLE_NONE;
        memset(surface->light_styles, 0, sizeof surface->light_styles);
        memset(surface->vertex_styles, 0, sizeof surface->vertex_styles);
        memset(surface->more_lightmap, 0, sizeof surface->more_lightmap);
        memset(surface->more_start, 0, sizeof surface->more_start);
    }
    for (size_t i = 0; i < arrlenu(bsp->draw_vertices); i++) {
        struct bsp_draw_vertex *vertex = &bsp->draw_vertices[i];
        memset(vertex->more_lightmap, 0, sizeof vertex->more_lightmap);
        memset(vertex->more_colour, 0, sizeof vertex->more_colour);
    }
    return lost;
}

static size_t drop_styles_of_grid(struct bsp *bsp)
{
    size_t lost = 0;
    for (size_t i = 0; i < arrlenu(bsp->light_grid); i++) {
        struct bsp_grid_point *point = &bsp->light_grid[i];
        lost += point->styles[0] != BSP_STYLE_NONE && point->styles[1] != BSP_STYLE_NONE;
        memset(point->more_ambient, 0, sizeof point->more_ambient);
        memset(point->more_directed, 0, sizeof point->more_directed);
        memset(point->styles, 0, sizeof point->styles);
    }
    return lost;
}

static void convert_styles(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    const bool had = conversion->from->engine->light.has_styles;
    const bool has = conversion->to->engine->light.has_styles;
    if (had == has)
        return;
    for (size_t i = 0; has && i < arrlenu(bsp->brush_sides); i++)
        bsp->brush_sides[i].surface = -1;
    if (has) {
        bsp_plain_surfaces(bsp);
        bsp_plain_grid(bsp);
        return;
    }
    conversion_lose(conversion, "surfaces with light of several styles",
                    drop_styles_of_surfaces(bsp));
    conversion_lose(conversion, "points of the light grid with light of several styles",
                    drop_styles_of_grid(bsp));
}

/* The target has the pages of its container. */
static void forget_page_side(struct bsp *bsp)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct entity_list list = {0};
    struct bytes text = {0};
    if (bsp->page_side &&
        entities_parse(bsp->entities, arrlenu(bsp->entities), "", quiet, &list) == STATUS_OK) {
        entity_remove(&list.entities[0], PAGE_SIDE_KEY);
        entities_format(&list, &text);
        arrfree(bsp->entities);
        memcpy(arraddnptr(bsp->entities, text.size), text.data, text.size);
        bytes_free(&text);
    }
    bsp->page_side = 0;
    entities_free(&list);
    diag_free(quiet);
}

/* Pages of another size are left out: the map is to be lit again. */
static void convert_pages(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    if (bsp_page_side(bsp) == conversion->to->engine->light.page_side)
        return;
    conversion_lose(conversion, "lightmap pages of another size", bsp_page_count(bsp));
    bytes_free(&bsp->ldr.lighting);
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        struct bsp_surface *surface = &bsp->surfaces[i];
        if (surface->lightmap >= 0)
            surface->lightmap = -3;
        for (int k = 0; k < MORE_STYLES; k++)
            if (surface->more_lightmap[k] >= 0)
                surface->more_lightmap[k] = conversion->to->engine->light.has_styles ? -3 : 0;
    }
}

enum status convert_quake3(struct conversion *conversion)
{
    struct bsp *bsp = conversion->bsp;
    convert_flags(conversion);
    convert_pages(conversion);
    forget_page_side(bsp);
    convert_styles(conversion);
    bsp->engine = conversion->to->engine;
    conversion_forget_file(bsp);
    return STATUS_OK;
}
