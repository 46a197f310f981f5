#include "view/pack/geometry.h"

#include <math.h>
#include <stdlib.h>

#include "common/bsp/engine.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/core/portable_math.h"
#include "scene/mesh/mesh.h"
#include "scene/mesh/smooth_normals.h"
#include "view/pack/overlays.h"
#include "view/pack/page_light.h"
#include "vrad/luxels/colour.h"

/* Normals of vertices, for shaders that reflect and vertices that move. */

#define LONGEST 127.0

/* Sets the smooth normals of some triangles, which are one surface. `positions` has 9 numbers of
 * each triangle of the mesh, `normals` an entry for each; `list` names those of the surface. */
static void view_normals_of(const float *positions, const uint32_t *list, size_t count,
                            float (*normals)[3][3])
{
    const float **corners = memory_alloc((count + 1) * sizeof *corners);
    float(*smooth)[3][3] = memory_alloc((count + 1) * sizeof *smooth);
    for (size_t i = 0; i < count; i++)
        corners[i] = positions + 9 * (size_t)list[i];
    smooth_normals_of(corners, count, smooth);
    for (size_t i = 0; i < count; i++)
        memcpy(normals[list[i]], smooth[i], sizeof *smooth);
    memory_free(smooth);
    memory_free(corners);
}

static double turned(double share, double other)
{
    return (1 - fabs(other)) * (share < 0 ? -1 : 1);
}

/* Appends a normal as two bytes with sign, places on an octahedron that is folded to a square: 127
 * is 1. None, of length 0, is up. */
static void view_normal_put(const float normal[3], struct bytes *out)
{
    double n[3] = {(double)normal[0], (double)normal[1], (double)normal[2]};
    double sum = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    bool valid = isfinite(sum) && sum > 0;
    double u = valid ? n[0] / sum : 0, v = valid ? n[1] / sum : 0;
    bool below = valid && n[2] < 0;
    bytes_u8(out, (uint8_t)(int8_t)lround(LONGEST * (below ? turned(u, v) : u)));
    bytes_u8(out, (uint8_t)(int8_t)lround(LONGEST * (below ? turned(v, u) : v)));
}

/* A vertex, little-endian: position 3 floats, texture 2, place on the light page 2 (in luxels),
 * page and rows per style 16 bits each (page 65535: its own light), 4 styles, its own light as
 * colour_bytes, then share of the second texture and opacity of the surface (255: whole), two bytes
 * of the normal where stages of a shader may ask for it, and the surface's number.
 * view/page/scene.js names the same places. */
enum { VERTEX_SIZE = 48, NO_PAGE = 65535, MIN_EXPONENT = -24, MAX_EXPONENT = 7 };

enum { OVERLAY_ORDERS = 4 };

#define INSIDE 0.1 /* share of the way to the middle at which the light of corners is looked up */

struct packed_vertex {
    unsigned char data[VERTEX_SIZE];
};

struct vertex_row {
    struct packed_vertex key;
    uint32_t value;
};

/* A surface that is drawn, in the order of drawing. */
struct drawn {
    enum draw_kind kind;
    int material;
    bool two_sided;
    uint32_t surface;
    size_t first, count; /* in the order of triangles */
};

struct builder {
    const struct map_scene *scene;
    const struct light_atlas *atlas;
    const struct computed_light *computed;
    const float *positions; /* 9 of each triangle of the mesh */
    float (*normals)[3][3]; /* of each; 0 where nothing asks for them */
    struct surface_order order;
    struct drawn *drawn;      /* stb_ds array */
    struct vertex_row *known; /* stb_ds map */
    struct bytes vertices, indices;
    json_t *draws;
};

/* --- vertices --- */

/* Interpolates a pair of numbers of the corners. */
static void pair_at(const struct spot *spot, const float (*corners)[2], float out[2])
{
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += spot->weights[i] * (double)corners[i][k];
        out[k] = isfinite(sum) ? (float)sum : 0;
    }
}

static void put_light(const float rgb[3], struct bytes *out)
{
    struct bsp_colour colour = colour_encode(rgb);
    int exponent = colour.exponent < MAX_EXPONENT ? colour.exponent : MAX_EXPONENT;
    bool dark = exponent < MIN_EXPONENT;
    bytes_u8(out, dark ? 0 : colour.r);
    bytes_u8(out, dark ? 0 : colour.g);
    bytes_u8(out, dark ? 0 : colour.b);
    bytes_u8(out, dark ? 0 : (uint8_t)(exponent - MIN_EXPONENT));
}

static uint8_t share_of(float value)
{
    return (uint8_t)(portable_fminf(portable_fmaxf(value, 0), 1) * 255 + 0.5f);
}

static void put_luxel_place(const struct light_block *block, const float st[2], struct bytes *out)
{
    float max[2] = {(float)(block->width - 1), (float)(block->height - 1)};
    bytes_f32(out, (float)block->x + portable_fminf(portable_fmaxf(st[0], 0), max[0]));
    bytes_f32(out, (float)block->y + portable_fminf(portable_fmaxf(st[1], 0), max[1]));
    bytes_u16(out, (uint16_t)block->page);
    bytes_u16(out, (uint16_t)block->height);
    bytes_append(out, block->styles, sizeof block->styles);
    bytes_u32(out, 0);
}

/* Returns the block of the light of a spot, and the place on it; NULL: none. */
static const struct light_block *block_of(const struct builder *b, const struct spot *spot,
                                          float st[2])
{
    const struct triangle *triangle = &b->scene->mesh.triangles[spot->triangle];
    int own = b->computed->block_of[spot->triangle][spot->back];
    int block = own >= 0 ? own : b->atlas->block_of[triangle->surface];
    if (own >= 0)
        for (int k = 0; k < 2; k++)
            st[k] = (float)(spot->weights[1 + k] * (b->atlas->blocks[own].width - 1));
    else
        pair_at(spot, (const float(*)[2])triangle->st, st);
    return block >= 0 ? &b->atlas->blocks[block] : NULL;
}

static void put_place_and_light(const struct builder *b, const struct spot *spot, struct bytes *out)
{
    float light[3], st[2];
    const struct light_block *block = block_of(b, spot, st);
    if (block) {
        put_luxel_place(block, st, out);
        return;
    }
    spot_light(b->scene, spot, INSIDE, light);
    bytes_fill(out, 0, 8);
    bytes_u16(out, NO_PAGE);
    bytes_u16(out, 0);
    bytes_u32(out, UINT32_MAX); /* no styles */
    put_light(light, out);
}

/* The paint of a spot. */
struct paint {
    float uv[2], blend, opacity;
};

static struct paint paint_of(const struct builder *b, const struct spot *spot)
{
    const struct mesh *mesh = &b->scene->mesh;
    const struct triangle *triangle = &mesh->triangles[spot->triangle];
    const struct surface *surface = &mesh->surfaces[triangle->surface];
    struct paint paint = {.opacity = surface->opacity * mesh->materials[surface->material].opacity};
    double blend = 0;
    pair_at(spot, (const float(*)[2])triangle->uv, paint.uv);
    for (int k = 0; k < 3; k++)
        blend += spot->weights[k] * (double)triangle->blend[k];
    paint.blend = (float)blend;
    return paint;
}

static void put_normal(const struct builder *b, const struct spot *spot, struct bytes *out)
{
    float normal[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            normal[k] += (float)spot->weights[i] * b->normals[spot->triangle][i][k];
    view_normal_put(normal, out);
}

static struct packed_vertex vertex_of(const struct builder *b, const struct spot *spot,
                                      const struct paint *paint)
{
    struct vec3 position = spot_position(b->scene, spot->triangle, spot->weights);
    struct packed_vertex vertex;
    struct bytes out = {0};
    for (int k = 0; k < 3; k++)
        bytes_f32(&out, (float)position.e[k]);
    for (int k = 0; k < 2; k++)
        bytes_f32(&out, paint->uv[k]);
    put_place_and_light(b, spot, &out);
    bytes_u8(&out, share_of(paint->blend));
    bytes_u8(&out, share_of(paint->opacity));
    put_normal(b, spot, &out);
    bytes_u32(&out, b->scene->mesh.triangles[spot->triangle].surface);
    memcpy(vertex.data, out.data, sizeof vertex.data);
    bytes_free(&out);
    return vertex;
}

static void add_vertex(struct builder *b, const struct spot *spot, const struct paint *paint)
{
    struct vertex_row row = {.key = vertex_of(b, spot, paint)};
    ptrdiff_t at = hmgeti(b->known, row.key);
    row.value = at >= 0 ? b->known[at].value : (uint32_t)(b->vertices.size / VERTEX_SIZE);
    if (at < 0) {
        hmputs(b->known, row);
        bytes_append(&b->vertices, row.key.data, VERTEX_SIZE);
    }
    bytes_u32(&b->indices, row.value);
}

static void add_side(struct builder *b, uint32_t triangle, bool back)
{
    for (int i = 0; i < 3; i++) {
        struct spot spot = {.triangle = triangle, .back = back};
        spot.weights[back ? 2 - i : i] = 1;
        struct paint paint = paint_of(b, &spot);
        add_vertex(b, &spot, &paint);
    }
}

/* Where the light differs on both sides, these are two triangles. */
static void add_triangle(struct builder *b, uint32_t triangle)
{
    const struct mesh *mesh = &b->scene->mesh;
    add_side(b, triangle, false);
    if (computed_light_has_back(&mesh->surfaces[mesh->triangles[triangle].surface]))
        add_side(b, triangle, true);
}

/* --- order --- */

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *first = a, *second = b;
    if (first->kind != second->kind)
        return first->kind < second->kind ? -1 : 1;
    if (first->material != second->material)
        return first->material - second->material;
    if (first->two_sided != second->two_sided)
        return first->two_sided - second->two_sided;
    return (first->surface > second->surface) - (first->surface < second->surface);
}

/* The shader of a surface of Quake 3, or NULL. */
static const char *shader_of(const struct builder *b, const struct surface *surface,
                             char name[SHADER_NAME + 1])
{
    const struct bsp *bsp = b->scene->bsp;
    if (surface->face < 0 || !bsp->engine->geometry.has_surfaces)
        return NULL;
    memcpy(name, bsp->shaders[bsp->surfaces[surface->face].shader].name, SHADER_NAME);
    name[SHADER_NAME] = 0;
    return name;
}

static void list_surfaces(struct builder *b, struct view_materials *materials)
{
    const struct mesh *mesh = &b->scene->mesh;
    size_t count = arrlenu(mesh->surfaces);
    for (size_t i = 0; i < count; i++) {
        const struct surface *surface = &mesh->surfaces[i];
        const struct scene_material *material = &mesh->materials[surface->material];
        struct drawn drawn = {.kind = scene_material_draw_kind(material, surface->opacity),
                              .two_sided = surface->two_sided && !surface->paired &&
                                           surface->lit_by != LIT_BY_AMBIENT,
                              .surface = (uint32_t)i,
                              .first = b->order.first[i],
                              .count = surface_order_count(&b->order, i)};
        if (drawn.count == 0 || surface->opacity * material->opacity <= 0)
            continue;
        char name[SHADER_NAME + 1];
        drawn.material = view_materials_add(materials, material, shader_of(b, surface, name));
        if (materials->list[drawn.material].stages >= 0)
            view_normals_of(b->positions, b->order.triangles + drawn.first, drawn.count,
                            b->normals);
        arrput(b->drawn, drawn);
    }
    if (arrlen(b->drawn) > 1)
        qsort(b->drawn, arrlenu(b->drawn), sizeof *b->drawn, compare_drawn);
}

/* --- draws --- */

static bool same_draw(const struct drawn *a, const struct drawn *b)
{
    return a->kind == b->kind && a->kind != DRAW_BLENDED && a->material == b->material &&
           a->two_sided == b->two_sided;
}

static json_t *centre_of(const struct builder *b, const struct drawn *drawn)
{
    struct vec3 sum = vec3(0, 0, 0);
    for (size_t i = 0; i < drawn->count; i++)
        for (size_t k = 0; k < 3; k++)
            sum = vec3_add(sum, vec3_from_floats(b->positions +
                                                 9 * (size_t)b->order.triangles[drawn->first + i] +
                                                 3 * k));
    struct vec3 centre = vec3_scale(sum, 1.0 / (3 * (double)drawn->count));
    return view_numbers(centre.e, 3);
}

static void close_draw(struct builder *b, const struct drawn *drawn, size_t first)
{
    json_t *row = json_array();
    size_t count = b->indices.size / sizeof(uint32_t) - first;
    json_array_append_new(row, json_integer(drawn->kind));
    json_array_append_new(row, json_integer(drawn->material));
    json_array_append_new(row, json_integer(drawn->two_sided));
    json_array_append_new(row, json_integer((json_int_t)first));
    json_array_append_new(row, json_integer((json_int_t)count));
    if (drawn->kind == DRAW_BLENDED)
        json_array_append_new(row, centre_of(b, drawn));
    json_array_append_new(b->draws, row);
}

static void add_draws(struct builder *b)
{
    size_t first = 0;
    for (size_t i = 0; i < arrlenu(b->drawn); i++) {
        const struct drawn *drawn = &b->drawn[i];
        for (size_t k = 0; k < drawn->count; k++)
            add_triangle(b, b->order.triangles[drawn->first + k]);
        if (i + 1 == arrlenu(b->drawn) || !same_draw(drawn, drawn + 1)) {
            close_draw(b, drawn, first);
            first = b->indices.size / sizeof(uint32_t);
        }
    }
}

/* --- overlays --- */

/* The polygon is a fan about its first corner. */
static void add_piece(struct builder *b, const struct overlay_piece *piece, uint32_t triangle,
                      float opacity)
{
    for (int i = 2; i < piece->count; i++) {
        const int corners[3] = {0, i - 1, i};
        for (int k = 0; k < 3; k++) {
            const struct overlay_corner *corner = &piece->corners[corners[k]];
            const struct paint paint = {.uv = {(float)corner->uv[0], (float)corner->uv[1]},
                                        .opacity = opacity};
            struct spot spot = {.triangle = triangle};
            memcpy(spot.weights, corner->weights, sizeof spot.weights);
            add_vertex(b, &spot, &paint);
        }
    }
}

static bool lists_face(const struct bsp_overlay *overlay, int face)
{
    for (int i = 0; i < overlay->face_count && i < OVERLAY_FACES; i++)
        if (overlay->faces[i] == face)
            return true;
    return false;
}

static void add_overlay_part(struct builder *b, const struct bsp_overlay *overlay, size_t surface,
                             float opacity)
{
    for (size_t i = b->order.first[surface]; i < b->order.first[surface + 1]; i++)
        for (int half = 0; half < OVERLAY_HALVES; half++) {
            uint32_t triangle = b->order.triangles[i];
            struct overlay_piece piece;
            if (overlay_piece_cut(b->scene, overlay, half, triangle, &piece))
                add_piece(b, &piece, triangle, opacity);
        }
}

static void add_overlay(struct builder *b, size_t number, struct view_materials *materials)
{
    const struct mesh *mesh = &b->scene->mesh;
    const struct bsp_overlay *overlay = &b->scene->bsp->overlays[number];
    int material = mesh->overlay_materials[number];
    size_t first = b->indices.size / sizeof(uint32_t);
    if (material < 0)
        return;
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        if (mesh->surfaces[i].face >= 0 && lists_face(overlay, mesh->surfaces[i].face))
            add_overlay_part(b, overlay, i, mesh->materials[material].opacity);
    const struct drawn drawn = {
        .kind = DRAW_OVERLAY,
        .material = view_materials_add(materials, &mesh->materials[material], NULL)};
    if (b->indices.size / sizeof(uint32_t) > first)
        close_draw(b, &drawn, first);
}

/* Those of a higher order lie over those of a lower one. */
static void add_overlays(struct builder *b, struct view_materials *materials)
{
    const struct bsp *bsp = b->scene->bsp;
    for (int order = 0; order < OVERLAY_ORDERS; order++)
        for (size_t i = 0; i < arrlenu(b->scene->mesh.overlay_materials); i++)
            if ((bsp->overlays[i].render_order & (OVERLAY_ORDERS - 1)) == order)
                add_overlay(b, i, materials);
}

/* --- packing --- */

/* Displacements and curves, which no brush stands for, collide by their triangles. */
static bool is_curved(const struct bsp *bsp, const struct surface *surface)
{
    if (surface->face < 0)
        return false;
    if (!bsp->engine->geometry.has_surfaces)
        return bsp->faces[surface->face].dispinfo >= 0;
    return bsp->surfaces[surface->face].type == SURFACE_PATCH;
}

static void pack_surfaces(const struct map_scene *scene, struct view_data *data)
{
    const struct mesh *mesh = &scene->mesh;
    struct bytes out = {0};
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++) {
        bytes_i32(&out, mesh->surfaces[i].face);
        bytes_i32(&out, mesh->surfaces[i].entity);
        bytes_i32(&out, mesh->surfaces[i].prop);
        bytes_i32(&out, is_curved(scene->bsp, &mesh->surfaces[i]));
    }
    view_data_stream(data, "surfaces", &out, 4 * sizeof(int32_t));
    bytes_free(&out);
}

static void pack_sky(const struct mesh *mesh, struct view_data *data)
{
    struct bytes out = {0};
    size_t count;
    const float *positions = trace_positions(mesh->trace, TRACE_SKY, &count);
    for (size_t i = 0; i < 9 * count; i++)
        bytes_f32(&out, positions[i]);
    view_data_stream(data, "sky", &out, 3 * sizeof(float));
    bytes_free(&out);
}

void view_geometry_pack(const struct map_scene *scene, const struct view_light *light,
                        struct view_materials *materials, struct view_data *data)
{
    const struct mesh *mesh = &scene->mesh;
    struct builder b = {
        .scene = scene, .atlas = light->atlas, .computed = light->computed, .draws = json_array()};
    size_t count;
    b.positions = trace_positions(mesh->trace, TRACE_FACE, &count);
    surface_order_make(mesh, &b.order);
    b.normals = memory_zalloc(count + 1, sizeof *b.normals);
    json_object_set_new(data->head, "draws", b.draws);
    list_surfaces(&b, materials);
    add_draws(&b);
    add_overlays(&b, materials);
    view_data_stream(data, "vertices", &b.vertices, VERTEX_SIZE);
    view_data_stream(data, "indices", &b.indices, sizeof(uint32_t));
    pack_surfaces(scene, data);
    pack_sky(mesh, data);
    surface_order_free(&b.order);
    memory_free(b.normals);
    arrfree(b.drawn);
    hmfree(b.known);
    bytes_free(&b.vertices);
    bytes_free(&b.indices);
}
