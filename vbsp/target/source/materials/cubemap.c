#include "vbsp/target/source/materials/cubemap.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/sky_sides.h"
#include "common/assets/textures/vtf_cube.h"
#include "common/assets/textures/vtf_write.h"
#include "common/core/array.h"
#include "common/diag/codes/overlays.def"
#include "vbsp/level/entity_class.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/source/materials/material_patch.h"

/* Default textures of cubemaps: the sky alone. The format is that of the SDK's default files, as
 * found in compiled maps. */

enum {
    FACES = VTF_CUBE_FACES,
    FLAGS = VTF_CLAMP_S | VTF_CLAMP_T | VTF_NO_MIP | VTF_NO_LOD,
    MAX_SAMPLES = 16, /* along each side of a pixel */
    MAX_IMAGE = 512,  /* width of the sky's images as they are sampled */
};

/* Samples as many of its pixels as the sky's images have, up to a limit. */
static void draw_pixel(const struct sky_sides *sky, const struct vtf_cube_axes *axes, int side,
                       int index, float out[4])
{
    int wide = sky->sides[0].width / side;
    int samples = wide < 1 ? 1 : wide > MAX_SAMPLES ? MAX_SAMPLES : wide;
    float sum[3] = {0};
    for (int i = 0; i < samples * samples; i++) {
        double x = index % side + (i % samples + 0.5) / samples;
        double y = index / side + (i / samples + 0.5) / samples;
        struct vec3 direction = vec3_mad(axes->ahead, axes->right, 2 * x / side - 1);
        float light[3];
        sky_sides_at(sky, vec3_mad(direction, axes->down, 2 * y / side - 1), light);
        for (int k = 0; k < 3; k++)
            sum[k] += light[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] = sum[k] / (float)(samples * samples);
    out[3] = 1;
}

static void draw_face(const struct sky_sides *sky, int face, int side, float (*out)[4])
{
    struct vtf_cube_axes axes = vtf_cube_axes(face);
    for (int i = 0; i < side * side; i++)
        draw_pixel(sky, &axes, side, i, out[i]);
}

/* Of the form that the SDK's default files have. */
static struct bytes make_texture(const struct sky_sides *sky, int side, enum vtf_format format)
{
    const float *pictures[FACES];
    const struct vtf_source source = {side, side, 1, FACES, NULL, pictures};
    const struct vtf_write_options options = {
        .format = format, .minor = 4, .flags = FLAGS, .mips = true, .bump_scale = 1};
    struct bytes out = {0};
    size_t count = (size_t)side * (size_t)side;
    float(*faces)[4] = memory_alloc(FACES * count * sizeof *faces);
    for (int i = 0; i < FACES; i++) {
        draw_face(sky, i, side, faces + (size_t)i * count);
        pictures[i] = faces[(size_t)i * count];
    }
    (void)vtf_write(&source, &options, 1, &out); /* has no faults */
    memory_free(faces);
    return out;
}

/* An existing one has precedence: built by the game or by the mapper. */
static void pack_picture(struct compile *compile, const char *name, const struct bytes *texture)
{
    if (!pakfile_find(&compile->pakfile, name))
        pakfile_put(&compile->pakfile, name, texture->data, texture->size);
}

static void pack_all(struct compile *compile, const struct bytes *texture, const char *ending)
{
    struct arena arena = {0};
    const char *folder =
        arena_printf(&arena, "materials/maps/%s", level_name(&arena, compile->level->file));
    pack_picture(compile, arena_printf(&arena, "%s/cubemapdefault%s", folder, ending), texture);
    for (size_t i = 0; i < arrlenu(compile->bsp->cubemaps); i++) {
        const int32_t *at = compile->bsp->cubemaps[i].origin;
        pack_picture(compile,
                     arena_printf(&arena, "%s/c%d_%d_%d%s", folder, (int)at[0], (int)at[1],
                                  (int)at[2], ending),
                     texture);
    }
    arena_free(&arena);
}

static bool is_found(const struct sky_sides *sky)
{
    for (int i = 0; i < SKY_SIDES; i++)
        if (sky->sides[i].light)
            return true;
    return false;
}

/* Returns false without the sky's textures. */
static bool pack_light(struct compile *compile, bool hdr)
{
    const char *name = entity_value(&compile->entities[0].map_entity->keys, "skyname");
    struct sky_sides sky;
    int side = compile->options->default_cubemap_side;
    int max = side * MAX_SAMPLES < MAX_IMAGE ? side * MAX_SAMPLES : MAX_IMAGE;
    sky_sides_read(compile->assets, name, hdr, max, &sky);
    bool found = is_found(&sky);
    if (found && (!hdr || sky.names_hdr)) {
        struct bytes texture = make_texture(&sky, side, hdr ? VTF_RGBA16F : VTF_BGR888);
        pack_all(compile, &texture, hdr ? ".hdr.vtf" : ".vtf");
        bytes_free(&texture);
    }
    sky_sides_free(&sky);
    return found;
}

void cubemaps_pack(struct compile *compile)
{
    ptrdiff_t count = arrlen(compile->bsp->cubemaps);
    if (compile->options->no_default_cubemap)
        return;
    bool found = pack_light(compile, false);
    found |= pack_light(compile, true);
    struct diag_where where = {.file = compile->level->file};
    if (!found && count)
        diag_report(compile->env->diag, DIAG_CUBEMAPS_MISSING, &where,
                    "the skybox textures are missing, so the game has none for %td cubemap%s",
                    count, count == 1 ? "" : "s");
}

/* --- cubemap --- */

struct listed_cell {
    int key;   /* id of a side */
    int value; /* the first cubemap that names it */
};

struct assigner {
    struct compile *compile;
    struct listed_cell *listed; /* stb_ds map */
    struct parallax_box *boxes; /* stb_ds array: of each cubemap */
};

/* Cubemaps are numbered in the order of their entities. */
static struct listed_cell *read_listed(const struct compile *compile)
{
    struct listed_cell *listed = NULL;
    int cubemap = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!map_entity || class_use_of(&map_entity->keys) != USE_CUBEMAP)
            continue;
        int *sides = side_list_read(entity_value(&map_entity->keys, "sides"));
        for (size_t j = 0; j < arrlenu(sides); j++)
            if (hmgeti(listed, sides[j]) < 0)
                hmput(listed, sides[j], cubemap);
        arrfree(sides);
        cubemap++;
    }
    return listed;
}

/* Brushes of models are offset by their entity's origin; distances are measured to where the side
 * is drawn. */
static int nearest(const struct compile *compile, const struct map_brush *brush,
                   const struct brush_side *side)
{
    const struct compile_entity *entity = &compile->entities[brush->entity];
    bool moves = brush->entity > 0 && class_is_model(entity->use);
    struct vec3 move = moves ? entity->origin : vec3(0, 0, 0);
    struct vec3 middle =
        side->winding ? winding_center(side->winding) : bounds_center(&brush->bounds);
    const struct plane *plane = &compile->planes.planes[side->plane];
    int best = 0;
    bool best_front = false;
    double best_distance = HUGE_VAL;
    for (int i = 0; i < (int)arrlen(compile->bsp->cubemaps); i++) {
        const int32_t *origin = compile->bsp->cubemaps[i].origin;
        struct vec3 point = vec3_sub(vec3(origin[0], origin[1], origin[2]), move);
        bool front = plane_distance(plane, point) >= 0;
        double distance = vec3_distance(point, middle);
        if (front < best_front || (front == best_front && distance >= best_distance))
            continue;
        best = i;
        best_front = front;
        best_distance = distance;
    }
    return best;
}

static const struct material *choose(struct assigner *assigner, const struct map_brush *brush,
                                     const struct brush_side *side)
{
    struct compile *compile = assigner->compile;
    const struct material *material = side->material;
    if (!side->displacement)
        material = material_patch_flat(compile, material);
    if (!arrlen(compile->bsp->cubemaps) || !material_patch_reflects(compile, material))
        return material;
    ptrdiff_t at = hmgeti(assigner->listed, side->map_side->id);
    int cubemap = at >= 0 ? assigner->listed[at].value : nearest(compile, brush, side);
    struct cubemap_place place = {.box = assigner->boxes[cubemap]};
    memcpy(place.origin, compile->bsp->cubemaps[cubemap].origin, sizeof place.origin);
    return material_patch_cubemap(compile, material, &place);
}

static void set_material(struct compile *compile, struct brush_side *side,
                         const struct material *material)
{
    int texinfo = texinfo_renamed(&compile->texinfos, side->record_texinfo, material);
    if (side->texinfo != TEXINFO_NODE)
        side->texinfo = texinfo;
    side->record_texinfo = texinfo;
    side->material = material;
}

/* Bevels share the texinfo of a side, and change with it. */
static void update_texinfo(struct map_brush *brush, int texinfo, const struct brush_side *with)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (side->map_side || side->record_texinfo != texinfo)
            continue;
        if (side->texinfo == side->record_texinfo)
            side->texinfo = with->record_texinfo;
        side->record_texinfo = with->record_texinfo;
        side->material = with->material;
    }
}

static void assign_brush(struct assigner *assigner, struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (!side->map_side || !side->material || side->record_texinfo < 0)
            continue;
        const struct material *material = choose(assigner, brush, side);
        if (material == side->material)
            continue;
        int before = side->record_texinfo;
        set_material(assigner->compile, side, material);
        update_texinfo(brush, before, side);
    }
}

void cubemaps_assign(struct compile *compile)
{
    struct assigner assigner = {
        .compile = compile, .listed = read_listed(compile), .boxes = parallax_boxes_find(compile)};
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        assign_brush(&assigner, compile->brushes[i]);
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        assign_brush(&assigner, compile->displacement_brushes[i]);
    hmfree(assigner.listed);
    arrfree(assigner.boxes);
}
