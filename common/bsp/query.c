#include "common/bsp/query.h"

#include <string.h>

#include "common/bsp/dialect.h"
#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/bsp/vis.h"
#include "common/core/array.h"
#include "common/geom/plane.h"

static double distance_to(const struct bsp *bsp, int plane, struct vec3 point)
{
    const struct bsp_plane *p = &bsp->planes[plane];
    return vec3_dot(vec3_from_floats(p->normal), point) - (double)p->dist;
}

int bsp_leaf_at(const struct bsp *bsp, int model, struct vec3 point)
{
    int at = bsp->models[model].head_node;
    while (at >= 0) {
        const struct bsp_node *node = &bsp->nodes[at];
        at = node->children[distance_to(bsp, node->plane, point) < 0];
    }
    return -1 - at;
}

struct plane bsp_plane_at(const struct bsp *bsp, int plane)
{
    const struct bsp_plane *record = &bsp->planes[plane];
    return (struct plane){vec3_from_floats(record->normal), (double)record->dist};
}

int bsp_face_vertex(const struct bsp *bsp, const struct bsp_face *face, int index)
{
    int32_t surfedge = bsp->surfedges[face->first_edge + index];
    return surfedge >= 0 ? bsp->edges[surfedge].v[0] : bsp->edges[-surfedge].v[1];
}

struct vec3 bsp_vertex_at(const struct bsp *bsp, int vertex)
{
    return vec3_from_floats(bsp->vertices[vertex].p);
}

static bool brush_holds(const struct bsp *bsp, const struct bsp_brush *brush, struct vec3 point)
{
    for (int i = 0; i < brush->side_count; i++)
        if (distance_to(bsp, bsp->brush_sides[brush->first_side + i].plane, point) > 0)
            return false;
    return brush->side_count > 0;
}

int bsp_brush_contents_at(const struct bsp *bsp, int leaf, struct vec3 point)
{
    const struct bsp_leaf *at = &bsp->leaves[leaf];
    int contents = 0;
    for (int i = 0; i < at->brush_count; i++) {
        const struct bsp_brush *brush = &bsp->brushes[bsp->leaf_brushes[at->first_brush + i]];
        if (brush_holds(bsp, brush, point))
            contents |= brush->contents;
    }
    return contents;
}

const char *bsp_texinfo_name(const struct bsp *bsp, int texinfo)
{
    if (texinfo < 0 || texinfo >= arrlen(bsp->texinfo) || bsp->texinfo[texinfo].texdata < 0)
        return "";
    return bsp->texture_names[bsp->texdata[bsp->texinfo[texinfo].texdata].name];
}

bool bsp_vis_is_valid(const struct bsp *bsp)
{
    if (!bsp->visibility_row)
        return vis_table_is_valid(&bsp->visibility);
    return bsp->visibility_row > 0 && bsp->visibility_clusters >= 0 &&
           (int64_t)bsp->visibility_row * bsp->visibility_clusters == (int64_t)bsp->visibility.size;
}

const struct bsp_light_set *bsp_lighting(const struct bsp *bsp, bool hdr)
{
    bool has_hdr = bsp->hdr.lighting.size > 0, has_ldr = bsp->ldr.lighting.size > 0;
    return has_hdr && (hdr || !has_ldr) ? &bsp->hdr : &bsp->ldr;
}

const struct bsp_face *bsp_faces_of(const struct bsp *bsp, const struct bsp_light_set *light)
{
    bool own = light == &bsp->hdr && arrlen(bsp->faces_hdr) == arrlen(bsp->faces);
    return own ? bsp->faces_hdr : bsp->faces;
}

struct bsp_game_lump *bsp_game_lump(const struct bsp *bsp, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(bsp->game_lumps); i++)
        if (bsp->game_lumps[i].id == id)
            return &bsp->game_lumps[i];
    return NULL;
}

int32_t bsp_shader_surface(const struct bsp *bsp, int shader)
{
    return dialect_surface(bsp->engine->dialect, bsp->shaders[shader].surface_flags).meaning;
}

int32_t bsp_shader_contents(const struct bsp *bsp, int shader)
{
    return dialect_contents(bsp->engine->dialect, bsp->shaders[shader].contents).meaning;
}

bool bsp_can_be_page_side(int64_t side)
{
    return side == 128 || side == 256 || side == 512 || side == 1024;
}

int bsp_page_side(const struct bsp *bsp)
{
    return bsp->page_side ? bsp->page_side : bsp->engine->light.page_side;
}

size_t bsp_page_bytes(const struct bsp *bsp)
{
    return 3 * (size_t)bsp_page_side(bsp) * (size_t)bsp_page_side(bsp);
}

size_t bsp_page_count(const struct bsp *bsp)
{
    const size_t bytes = bsp_page_bytes(bsp);
    return bytes ? bsp->ldr.lighting.size / bytes : 0;
}

static void set_plain(uint8_t styles[BSP_FACE_STYLES])
{
    memset(styles, BSP_STYLE_NONE, BSP_FACE_STYLES);
    styles[0] = 0;
}

void bsp_plain_surfaces(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++) {
        struct bsp_surface *surface = &bsp->surfaces[i];
        set_plain(surface->light_styles);
        set_plain(surface->vertex_styles);
        for (int k = 0; k < MORE_STYLES; k++) {
            surface->more_lightmap[k] = -3;
            surface->more_start[0][k] = surface->more_start[1][k] = 0;
        }
    }
}

void bsp_plain_grid(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->light_grid); i++)
        set_plain(bsp->light_grid[i].styles);
}
