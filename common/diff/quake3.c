/* Compares the parts that only IBSP has: shaders, surfaces and their light, effects, the light
 * grid. */
#include <math.h>
#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diff/light.h"
#include "common/geom/texel_coverage.h"

enum { TEXEL = 3 };

static const char *describe_shader(struct comparison *c, int side, int index)
{
    return diff_material_name(c, side, index);
}

void diff_shaders(struct comparison *c)
{
    uint64_t *keys[2] = {NULL, NULL};
    struct diff_match match = {0};
    size_t changed = 0;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(c->bsp[side]->shaders); i++)
            arrput(keys[side], diff_material(c->bsp[side], i));
    diff_count(c, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_init(&match, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_keys(keys[0], keys[1], &match);
    for (int i = 0; i < arrlen(match.to[0]); i++) {
        if (match.to[0][i] < 0)
            continue;
        const struct bsp_shader *p = &c->bsp[0]->shaders[i];
        const struct bsp_shader *q = &c->bsp[1]->shaders[match.to[0][i]];
        if (p->surface_flags == q->surface_flags && p->contents == q->contents)
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s: flags 0x%x, contents 0x%x in A; 0x%x, 0x%x in B",
                     diff_material_name(c, 0, i), (unsigned)p->surface_flags, (unsigned)p->contents,
                     (unsigned)q->surface_flags, (unsigned)q->contents);
    }
    diff_differ(c, "changed", changed);
    diff_unmatched(c, &match, describe_shader);
    diff_match_free(&match);
    arrfree(keys[0]);
    arrfree(keys[1]);
}

static struct bounds surface_box(const struct bsp *bsp, int index)
{
    const struct bsp_surface *surface = &bsp->surfaces[index];
    struct bounds box = bounds_empty();
    for (int i = 0; i < surface->vertex_count; i++)
        bounds_add_point(&box, vec3_from_floats(bsp->draw_vertices[surface->first_vertex + i].p));
    if (bounds_is_empty(&box))
        bounds_add_point(&box, vec3_from_floats(surface->lightmap_origin));
    return box;
}

static bool same_outline(const struct comparison *c, int a, int b)
{
    struct bounds p = surface_box(c->bsp[0], a), q = surface_box(c->bsp[1], b);
    double tolerance = c->options->distance;
    return diff_near(p.mins, q.mins, tolerance) && diff_near(p.maxs, q.maxs, tolerance) &&
           diff_near(vec3_from_floats(c->bsp[0]->surfaces[a].normal),
                     vec3_from_floats(c->bsp[1]->surfaces[b].normal), 1e-3);
}

static bool same_vertices(const struct comparison *c, int a, int b)
{
    const struct bsp_surface *p = &c->bsp[0]->surfaces[a], *q = &c->bsp[1]->surfaces[b];
    if (p->vertex_count != q->vertex_count || p->index_count != q->index_count ||
        memcmp(p->patch_size, q->patch_size, sizeof p->patch_size) != 0)
        return false;
    for (int i = 0; i < p->vertex_count; i++) {
        const struct bsp_draw_vertex *x = &c->bsp[0]->draw_vertices[p->first_vertex + i];
        const struct bsp_draw_vertex *y = &c->bsp[1]->draw_vertices[q->first_vertex + i];
        if (!diff_near(vec3_from_floats(x->p), vec3_from_floats(y->p), c->options->distance) ||
            !diff_near(vec3_from_floats(x->normal), vec3_from_floats(y->normal), 1e-2) ||
            !diff_alike_all(x->texture, y->texture, 2))
            return false;
    }
    return !p->index_count || memcmp(c->bsp[0]->draw_indices + p->first_index,
                                     c->bsp[1]->draw_indices + q->first_index,
                                     (size_t)p->index_count * sizeof(int32_t)) == 0;
}

static double surface_cost(const void *context, int a, int b)
{
    const struct comparison *c = context;
    const struct bsp_surface *p = &c->bsp[0]->surfaces[a], *q = &c->bsp[1]->surfaces[b];
    if (!same_outline(c, a, b))
        return -1;
    bool shader = diff_material(c->bsp[0], p->shader) != diff_material(c->bsp[1], q->shader);
    return 2 * shader + !same_vertices(c, a, b);
}

void diff_need_surfaces(struct comparison *c)
{
    struct diff_point *points[2] = {NULL, NULL};
    if (c->done & DIFF_DONE_SURFACES)
        return;
    c->done |= DIFF_DONE_SURFACES;
    diff_need_models(c);
    for (int side = 0; side < 2; side++) {
        const struct bsp *bsp = c->bsp[side];
        for (int i = 0; i < arrlen(bsp->surfaces); i++) {
            struct bounds box = surface_box(bsp, i);
            arrput(points[side], ((struct diff_point){bounds_center(&box), 0}));
        }
        for (int i = 0; i < arrlen(bsp->models) && arrlen(bsp->surfaces); i++)
            for (int k = 0; k < bsp->models[i].face_count; k++) {
                int own = side ? c->models.to[1][i] : i;
                points[side][bsp->models[i].first_face + k].kind = 1 + (uint64_t)own;
            }
    }
    diff_match_init(&c->surfaces, arrlenu(points[0]), arrlenu(points[1]));
    diff_match_points(points[0], points[1], c->options->distance, surface_cost, c, &c->surfaces);
    arrfree(points[0]);
    arrfree(points[1]);
}

static const char *describe_surface(struct comparison *c, int side, int index)
{
    static const char *const types[] = {"unknown", "planar", "patch", "mesh", "flare", "foliage"};
    const struct bsp_surface *surface = &c->bsp[side]->surfaces[index];
    struct bounds box = surface_box(c->bsp[side], index);
    int type =
        surface->type >= SURFACE_PLANAR && surface->type <= SURFACE_FOLIAGE ? surface->type : 0;
    return arena_printf(&c->scratch, "surface %d (%s) from %s to %s, %d vertices, %s", index,
                        types[type], diff_point_text(c, box.mins), diff_point_text(c, box.maxs),
                        surface->vertex_count, diff_material_name(c, side, surface->shader));
}

void diff_surfaces(struct comparison *c)
{
    size_t shaders = 0, shapes = 0;
    diff_need_surfaces(c);
    diff_count(c, arrlenu(c->surfaces.to[0]), arrlenu(c->surfaces.to[1]));
    for (int i = 0; i < arrlen(c->surfaces.to[0]); i++) {
        int b = c->surfaces.to[0][i];
        double cost = b < 0 ? 0 : surface_cost(c, i, b);
        if (cost <= 0)
            continue;
        shaders += cost >= 2;
        shapes += cost < 2;
        DIFF_EXAMPLE(c, "%s in A, %s in B", describe_surface(c, 0, i), describe_surface(c, 1, b));
    }
    diff_differ(c, "different_material", shaders);
    diff_differ(c, "different_vertices", shapes);
    diff_unmatched(c, &c->surfaces, describe_surface);
}

static struct diff_rgb rgb_of(const unsigned char *p)
{
    return (struct diff_rgb){{p[0], p[1], p[2]}};
}

/* Where the luxels of a style are. */
struct luxel_place {
    int page, start[2];
};

static struct luxel_place place_of(const struct bsp_surface *surface, int slot)
{
    if (slot == 0)
        return (struct luxel_place){surface->lightmap,
                                    {surface->lightmap_start[0], surface->lightmap_start[1]}};
    return (struct luxel_place){
        surface->more_lightmap[slot - 1],
        {surface->more_start[0][slot - 1], surface->more_start[1][slot - 1]}};
}

/* Returns the texels of a page on which a surface has a style, or NULL when it has none on any. */
static const unsigned char *texels_at(const struct bsp *bsp, const struct bsp_surface *surface,
                                      const struct luxel_place *place)
{
    const struct bytes *pages = &bsp->ldr.lighting;
    if (place->page < 0 || (uint64_t)place->page >= (uint64_t)bsp_page_count(bsp))
        return NULL;
    const int side = bsp_page_side(bsp);
    for (int k = 0; k < 2; k++)
        if (place->start[k] < 0 || surface->lightmap_size[k] < 0 ||
            surface->lightmap_size[k] > side || place->start[k] > side - surface->lightmap_size[k])
            return NULL;
    return pages->data + (size_t)place->page * bsp_page_bytes(bsp);
}

static const unsigned char *texels_of(const struct bsp *bsp, const struct bsp_surface *surface)
{
    const struct luxel_place place = place_of(surface, 0);
    return texels_at(bsp, surface, &place);
}

/* Returns the bits of the texels that a surface is drawn with, on the heap; the others of its
 * rectangle may be another surface's. */
static uint64_t *drawn_texels(const struct bsp *bsp, const struct bsp_surface *surface)
{
    const int32_t *size = surface->lightmap_size;
    const double side = bsp_page_side(bsp);
    size_t words = (size_t)size[1] * (size_t)texel_words(size[0]);
    uint64_t *bits = memory_zalloc(words + 1, sizeof *bits);
    if (surface->type != SURFACE_PLANAR || size[0] < 2 || size[1] < 2)
        memset(bits, 0xff, words * sizeof *bits);
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        double corners[3][2];
        for (int k = 0; k < 3; k++) {
            int index = bsp->draw_indices[surface->first_index + i + k];
            const float *at = bsp->draw_vertices[surface->first_vertex + index].lightmap;
            for (int j = 0; j < 2; j++) {
                double texel = (double)at[j] * side - 0.5 - surface->lightmap_start[j];
                corners[k][j] = isfinite(texel) ? texel : 0;
            }
        }
        texel_coverage(corners, size[0], size[1], bits);
    }
    return bits;
}

/* Of a slot of A and one of B. */
static size_t compare_texels(const struct comparison *c, const struct bsp_surface *p, int p_slot,
                             const struct bsp_surface *q, int q_slot, struct diff_light *light)
{
    const struct luxel_place at[2] = {place_of(p, p_slot), place_of(q, q_slot)};
    const unsigned char *a = texels_at(c->bsp[0], p, &at[0]), *b = texels_at(c->bsp[1], q, &at[1]);
    size_t differing = 0;
    if (!a || !b)
        return !a != !b;
    if (memcmp(p->lightmap_size, q->lightmap_size, sizeof p->lightmap_size) != 0)
        return 1;
    const int sides[2] = {bsp_page_side(c->bsp[0]), bsp_page_side(c->bsp[1])};
    uint64_t *drawn = drawn_texels(c->bsp[0], p);
    for (int y = 0; y < p->lightmap_size[1]; y++)
        for (int x = 0; x < p->lightmap_size[0]; x++) {
            if (!texel_is_set(drawn, p->lightmap_size[0], x, y))
                continue;
            int from = (at[0].start[1] + y) * sides[0] + at[0].start[0] + x;
            int to = (at[1].start[1] + y) * sides[1] + at[1].start[0] + x;
            struct diff_rgb s = rgb_of(a + TEXEL * from), t = rgb_of(b + TEXEL * to);
            differing += diff_light_add(light, &s, &t, c->options->light);
        }
    memory_free(drawn);
    return differing;
}

static const uint8_t *colour_of(const struct bsp_draw_vertex *vertex, int slot)
{
    return slot ? vertex->more_colour[slot - 1] : vertex->colour;
}

static size_t compare_colours(const struct comparison *c, const struct bsp_surface *p, int p_slot,
                              const struct bsp_surface *q, int q_slot, struct diff_light *light)
{
    size_t differing = 0;
    for (int i = 0; i < p->vertex_count && p->vertex_count == q->vertex_count; i++) {
        struct diff_rgb a =
            rgb_of(colour_of(&c->bsp[0]->draw_vertices[p->first_vertex + i], p_slot));
        struct diff_rgb b =
            rgb_of(colour_of(&c->bsp[1]->draw_vertices[q->first_vertex + i], q_slot));
        differing += diff_light_add(light, &a, &b, c->options->light);
    }
    return differing;
}

/* Slots of styles beside style 0, where the maps have them. */
struct style_slots {
    const uint8_t *styles[2];
    int count[2];
};

static struct style_slots slots_of(const struct comparison *c, const uint8_t *a, const uint8_t *b)
{
    struct style_slots slots = {{a, b}, {1, 1}};
    for (int side = 0; side < 2; side++)
        if (c->bsp[side]->engine->light.has_styles)
            slots.count[side] = BSP_FACE_STYLES;
    return slots;
}

/* The slot of the other side with the style of this one; 0: none. */
static int other_slot(const struct style_slots *slots, int side, int slot)
{
    for (int k = 1; k < slots->count[!side]; k++)
        if (slots->styles[!side][k] == slots->styles[side][slot])
            return k;
    return 0;
}

typedef size_t compare_slot(const struct comparison *c, const struct bsp_surface *p, int p_slot,
                            const struct bsp_surface *q, int q_slot, struct diff_light *light);

/* Style 0, and the others by their numbers; one that one map alone has is one difference. */
static size_t compare_styles(const struct comparison *c, const struct bsp_surface *p,
                             const struct bsp_surface *q, const struct style_slots *slots,
                             compare_slot *compare, struct diff_light *light)
{
    size_t differing = compare(c, p, 0, q, 0, light);
    for (int side = 0; side < 2; side++)
        for (int k = 1; k < slots->count[side]; k++) {
            const int other = other_slot(slots, side, k);
            if (slots->styles[side][k] == BSP_STYLE_NONE)
                continue;
            if (!other)
                differing++;
            else if (side == 0)
                differing += compare(c, p, k, q, other, light);
        }
    return differing;
}

static size_t compare_maps(const struct comparison *c, const struct bsp_surface *p,
                           const struct bsp_surface *q, struct diff_light *light)
{
    const struct style_slots slots = slots_of(c, p->light_styles, q->light_styles);
    return compare_styles(c, p, q, &slots, compare_texels, light);
}

static size_t compare_vertices(const struct comparison *c, const struct bsp_surface *p,
                               const struct bsp_surface *q, struct diff_light *light)
{
    const struct style_slots slots = slots_of(c, p->vertex_styles, q->vertex_styles);
    return compare_styles(c, p, q, &slots, compare_colours, light);
}

/* Number of surfaces with texels that only one map has. */
static size_t lit_alone(const struct comparison *c, int side)
{
    size_t count = 0;
    for (int i = 0; i < arrlen(c->surfaces.to[side]); i++)
        count += c->surfaces.to[side][i] < 0 &&
                 texels_of(c->bsp[side], &c->bsp[side]->surfaces[i]) != NULL;
    return count;
}

/* By surface, because pages are packed in any order. */
void diff_pages(struct comparison *c)
{
    struct diff_light light = {0};
    size_t changed = 0, texels = 0, colours = 0;
    diff_need_surfaces(c);
    diff_count(c, bsp_page_count(c->bsp[0]), bsp_page_count(c->bsp[1]));
    for (int i = 0; i < arrlen(c->surfaces.to[0]); i++) {
        int k = c->surfaces.to[0][i];
        if (k < 0)
            continue;
        const struct bsp_surface *p = &c->bsp[0]->surfaces[i], *q = &c->bsp[1]->surfaces[k];
        size_t maps = compare_maps(c, p, q, &light), vertices = compare_vertices(c, p, q, &light);
        texels += maps;
        colours += vertices;
        changed += maps || vertices;
        if (maps || vertices)
            DIFF_EXAMPLE(c, "%s: %zu luxels and %zu vertex colours differ",
                         describe_surface(c, 0, i), maps, vertices);
    }
    diff_differ(c, "surfaces_changed", changed);
    diff_figure(c, "texels", (double)texels);
    diff_figure(c, "vertex_colours", (double)colours);
    diff_light_figures(c, &light, "colours_differing");
    diff_differ(c, "lit_surfaces_only_in_a", lit_alone(c, 0));
    diff_differ(c, "lit_surfaces_only_in_b", lit_alone(c, 1));
}

/* The light of styles above 0 at a point. */
static bool differs_in_styles(const struct comparison *c, const struct bsp_grid_point *a,
                              const struct bsp_grid_point *b, struct diff_light *light)
{
    const struct style_slots slots = slots_of(c, a->styles, b->styles);
    bool differs = false;
    for (int side = 0; side < 2; side++)
        for (int k = 1; k < slots.count[side]; k++) {
            const int other = other_slot(&slots, side, k);
            if (slots.styles[side][k] == BSP_STYLE_NONE)
                continue;
            differs |= !other;
            if (!other || side)
                continue;
            struct diff_rgb p[2] = {rgb_of(a->more_ambient[k - 1]),
                                    rgb_of(a->more_directed[k - 1])};
            struct diff_rgb q[2] = {rgb_of(b->more_ambient[other - 1]),
                                    rgb_of(b->more_directed[other - 1])};
            for (int i = 0; i < 2; i++)
                differs |= diff_light_add(light, &p[i], &q[i], c->options->light);
        }
    return differs;
}

void diff_grid(struct comparison *c)
{
    const struct bsp_grid_point *a = c->bsp[0]->light_grid, *b = c->bsp[1]->light_grid;
    struct diff_light light = {0};
    size_t changed = 0;
    diff_count(c, arrlenu(a), arrlenu(b));
    if (arrlen(a) != arrlen(b)) {
        diff_differ(c, "different_size", 1);
        return;
    }
    for (int i = 0; i < arrlen(a); i++) {
        struct diff_rgb p = rgb_of(a[i].ambient), q = rgb_of(b[i].ambient);
        struct diff_rgb s = rgb_of(a[i].directed), t = rgb_of(b[i].directed);
        bool differs = diff_light_add(&light, &p, &q, c->options->light);
        if (diff_light_add(&light, &s, &t, c->options->light))
            differs = true;
        if (differs_in_styles(c, &a[i], &b[i], &light))
            differs = true;
        differs = differs || memcmp(a[i].direction, b[i].direction, sizeof a[i].direction) != 0;
        changed += differs;
        if (differs)
            DIFF_EXAMPLE(c, "grid point %d: ambient %d %d %d in A, %d %d %d in B", i,
                         a[i].ambient[0], a[i].ambient[1], a[i].ambient[2], b[i].ambient[0],
                         b[i].ambient[1], b[i].ambient[2]);
    }
    diff_differ(c, "changed", changed);
    diff_light_figures(c, &light, "colours_differing");
}

static uint64_t effect_key(const struct comparison *c, int side, int index)
{
    const struct bsp_effect *effect = &c->bsp[side]->effects[index];
    char name[SHADER_NAME + 1] = {0};
    int brush = effect->brush;
    memcpy(name, effect->name, SHADER_NAME);
    if (!side && brush >= 0 && brush < arrlen(c->brushes.to[0]))
        brush = c->brushes.to[0][brush];
    return diff_hash_text((uint64_t)brush, name);
}

static const char *describe_effect(struct comparison *c, int side, int index)
{
    const struct bsp_effect *effect = &c->bsp[side]->effects[index];
    return arena_printf(&c->scratch, "effect %.64s of brush %d", effect->name, effect->brush);
}

void diff_effects(struct comparison *c)
{
    uint64_t *keys[2] = {NULL, NULL};
    struct diff_match match = {0};
    diff_need_brushes(c);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < arrlen(c->bsp[side]->effects); i++)
            arrput(keys[side], effect_key(c, side, i));
    diff_count(c, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_init(&match, arrlenu(keys[0]), arrlenu(keys[1]));
    diff_match_keys(keys[0], keys[1], &match);
    diff_unmatched(c, &match, describe_effect);
    diff_match_free(&match);
    arrfree(keys[0]);
    arrfree(keys[1]);
}
