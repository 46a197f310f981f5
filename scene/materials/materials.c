#include "scene/materials/materials.h"

#include <math.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/pictures.def"
#include "scene/images/canvas.h"

/* --- skies --- */

/* As ioquake3 shows them. */
#define WORLD_RADIUS 4096.0

/* Images end at their borders: no sample reaches those of the opposite one. */
static double inside(double place, int texels, double footprint)
{
    double margin = portable_fmin(0.5 * portable_fmax(1.0 / texels, footprint), 0.5);
    return portable_fmin(portable_fmax(place, margin), 1 - margin);
}

/* A side that is twice as wide as high, as many games have them, is the upper half of one whose
 * lower half repeats its last row. */
static void side_at(const struct texture *side, double right, double down, double footprint,
                    float rgba[4])
{
    int width = side->levels[0].width, height = side->levels[0].height;
    double stretch = width == 2 * height ? 2 : 1;
    texture_at(side, inside(right, width, footprint),
               inside(stretch * down, height, stretch * footprint), footprint, rgba);
}

static void add_box(const struct sky_box *box, struct vec3 direction, double width,
                    struct blended *out)
{
    struct sky_place place = sky_place_of(direction);
    float rgba[4];
    side_at(box->sides[place.side], place.right, place.down, 0.5 * width / place.far, rgba);
    for (int k = 0; k < 3; k++) {
        out->added[k] = screen_brightness(box->clouds.screen, rgba[k]);
        out->kept[k] = 0;
    }
}

/* Clouds lie on a sphere around the middle of the world, which the eye is on top of. The angles of
 * their place to two axes are their texture coordinates. */
static struct layer_point cloud_point(double height, struct vec3 direction, double width)
{
    double up = WORLD_RADIUS * direction.z, reach = WORLD_RADIUS + height;
    double way = sqrt(up * up + reach * reach - WORLD_RADIUS * WORLD_RADIUS) - up;
    struct vec3 place = vec3_scale(direction, way);
    place.z += WORLD_RADIUS;
    place = vec3_normalize(place);
    return (struct layer_point){.place = {portable_acos(place.x), portable_acos(place.y)},
                                .footprint = width * way / reach,
                                .light = {1, 1, 1},
                                .opacity = 1};
}

void sky_box_at(const struct sky_box *box, struct vec3 direction, double width, float out[3])
{
    struct blended blended = {.kept = {0, 0, 0}};
    if (box->sides[0])
        add_box(box, direction, width, &blended);
    if (box->clouds.count) {
        struct layer_point point = cloud_point(box->cloud_height, direction, width);
        layers_over(&box->clouds, &point, &blended);
    }
    for (int k = 0; k < 3; k++)
        out[k] = blended.added[k];
}

static void mean_of(const struct sky_box *box, const struct vec3 *directions, int count,
                    double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = 0;
    for (int i = 0; i < count; i++) {
        float seen[3];
        sky_box_at(box, vec3_normalize(directions[i]), 1, seen);
        for (int k = 0; k < 3; k++)
            out[k] += 255.0 / count * (double)screen_light(box->clouds.screen, seen[k]);
    }
}

void sky_box_means(const struct sky_box *box, double zenith[3], double horizon[3])
{
    const struct vec3 up = vec3(0, 0, 1), around[] = {vec3(1, 0, 0.1), vec3(0, 1, 0.1),
                                                      vec3(-1, 0, 0.1), vec3(0, -1, 0.1)};
    mean_of(box, &up, 1, zenith);
    mean_of(box, around, 4, horizon);
}

/* --- the measuring grid of developer materials --- */

/* Of the image: units that it shows, and pixels. */
#define UNITS 128.0

enum {
    SIDE = 256,
    CELL = SIDE / 2, /* 64 units */
    SMALL = SIDE / 8,
    LINE = 2,
    NUMBER_SCALE = 2
};

static const struct ink light_cell = {{190, 190, 190}, 1}, dark_cell = {{176, 176, 176}, 1},
                        thin_line = {{206, 206, 206}, 1}, cell_line = {{246, 246, 246}, 1};

static void draw_cell(struct canvas *canvas, int x, int y, struct ink ink)
{
    canvas_box(canvas, x, y, CELL, CELL, ink);
    for (int i = SMALL; i < CELL; i += SMALL) {
        canvas_box(canvas, x + i - LINE / 2, y, LINE, CELL, thin_line);
        canvas_box(canvas, x, y + i - LINE / 2, CELL, LINE, thin_line);
    }
    canvas_frame(canvas, x, y, CELL, CELL, LINE, cell_line);
    canvas_text(canvas, x + SMALL / 4, y + SMALL / 4, NUMBER_SCALE, "64", cell_line);
}

/* Lines every 16 units, bright ones every 64, with numbers. */
static struct texture *grid_texture_new(void)
{
    struct canvas canvas = canvas_new(SIDE, SIDE);
    struct vtf_image image = {SIDE, SIDE, memory_alloc(4 * SIDE * SIDE)};
    for (int i = 0; i < 4; i++)
        draw_cell(&canvas, i % 2 * CELL, i / 2 * CELL, i % 3 ? dark_cell : light_cell);
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < 4; k++)
            image.rgba[4 * i + k] = k < 3 ? canvas.pixels[3 * i + k] : 255;
    memory_free(canvas.pixels);
    return texture_new(&image);
}

/* Numbers are upright on walls, and on floors for who looks north. */
void grid_place(struct vec3 point, struct vec3 normal, double uv[2])
{
    int axis = vec3_major_axis(normal);
    double side = normal.e[axis] < 0 ? -1 : 1;
    uv[0] = (axis == 0 ? side * point.y : axis == 1 ? -side * point.x : point.x) / UNITS;
    uv[1] = (axis == 2 ? -side * point.y : -point.z) / UNITS;
}

float grid_mean(const struct texture *grid)
{
    return grid->linear[grid->levels[grid->count - 1].rgba[0]];
}

float grid_at(const struct texture *grid, struct vec3 point, struct vec3 normal, double width)
{
    double uv[2];
    float rgba[4];
    grid_place(point, normal, uv);
    texture_at(grid, uv[0], uv[1], width / UNITS, rgba);
    return rgba[0] / grid_mean(grid);
}

/* --- materials --- */

/* More detail is never visible, and this bounds memory. */
enum { MAX_TEXELS = 1024 };

/* Of clouds whose shader names none, in units. */
#define CLOUD_HEIGHT     512.0
#define MAX_CLOUD_HEIGHT 1e6

/* Of a shader with additive blending. */
#define ADDED_OPACITY 0.5f

void scene_materials_open(const struct env *env, struct assets *assets, double seconds,
                          struct scene_materials *out)
{
    *out = (struct scene_materials){.env = env, .assets = assets, .seconds = seconds};
    out->quiet = diag_new(NULL, NULL);
    screen_fill(&out->screen);
    sh_new_arena(out->textures);
    sh_new_arena(out->cubes);
    sh_new_arena(out->cache);
}

void scene_materials_free(struct scene_materials *materials)
{
    for (ptrdiff_t i = 0; i < shlen(materials->textures); i++)
        texture_free(materials->textures[i].value);
    texture_free(materials->grid);
    for (ptrdiff_t i = 0; i < shlen(materials->cubes); i++)
        cube_free(materials->cubes[i].value);
    shfree(materials->textures);
    shfree(materials->cubes);
    shfree(materials->cache);
    diag_free(materials->quiet);
    arena_free(&materials->arena);
}

static struct texture *load_texture(struct scene_materials *materials, const char *file)
{
    struct bytes bytes = {0};
    struct vtf_image image = {0};
    struct texture *texture = NULL;
    const struct diag_where where = {.file = file};
    if (assets_read(materials->assets, file, &bytes)) {
        if (vtf_read_image(bytes.data, bytes.size, MAX_TEXELS, &image))
            texture = texture_new(&image);
        else
            diag_report(materials->env->diag, DIAG_PICTURE_TEXTURE, &where, "%zu bytes",
                        bytes.size);
    }
    bytes_free(&bytes);
    return texture;
}

/* Returns the texture that a key of the material names, or NULL. */
static const struct texture *texture_of(struct scene_materials *materials, const struct vmt *vmt,
                                        const char *key)
{
    const char *name = vmt_value(vmt, key);
    const char *file = name && *name ? asset_texture_file(&materials->arena, name) : NULL;
    if (!file)
        return NULL;
    ptrdiff_t at = shgeti(materials->textures, file);
    if (at < 0) {
        struct texture *texture = load_texture(materials, file);
        shput(materials->textures, file, texture);
        return texture;
    }
    return materials->textures[at].value;
}

/* Applies the colour keys of the material to its texture, or to its water: that has the colour of
 * its fog unless it has a texture. */
static void tint(const struct vmt *vmt, struct scene_material *material)
{
    double colour[3];
    material->has_colour = material->base != NULL;
    for (int k = 0; k < 3 && material->base; k++)
        material->colour[k] = 1;
    if (material->water && !material->base && vmt_colour(vmt, "$fogcolor", colour)) {
        material->has_colour = true;
        for (int k = 0; k < 3; k++)
            material->colour[k] =
                (float)portable_pow(portable_fmin(portable_fmax(colour[k], 0), 1), 2.2);
    } else if (material->base &&
               (vmt_colour(vmt, "$color", colour) || vmt_colour(vmt, "$color2", colour)))
        for (int k = 0; k < 3; k++)
            material->colour[k] *= (float)portable_fmin(portable_fmax(colour[k], 0), 1);
}

static struct cube *cube_of_file(struct scene_materials *materials, const char *file)
{
    struct cube *cube = ARENA_NEW(&materials->arena, struct cube);
    struct bytes bytes = {0};
    *cube = (struct cube){0};
    if (assets_read(materials->assets, file, &bytes))
        (void)cube_read(&bytes, cube);
    bytes_free(&bytes);
    return cube;
}

/* Returns the pictures that a file of the game has, which may be none. Those of HDR light are
 * beside it. */
static const struct cube *cube_of(struct scene_materials *materials, const char *name)
{
    struct arena *arena = &materials->arena;
    const char *file = asset_texture_file(arena, name);
    if (!file)
        return NULL;
    ptrdiff_t at = shgeti(materials->cubes, file);
    if (at >= 0)
        return materials->cubes[at].value;
    struct cube *cube = NULL;
    if (materials->reflects == REFLECTS_HDR)
        cube = cube_of_file(materials,
                            arena_printf(arena, "%.*s.hdr.vtf", (int)strlen(file) - 4, file));
    if (!cube || !cube->side)
        cube = cube_of_file(materials, file);
    shput(materials->cubes, file, cube);
    return cube;
}

/* Water with a $reflecttexture mirrors the map instead. */
static void read_reflection(struct scene_materials *materials, const struct vmt *vmt,
                            struct scene_material *material)
{
    const char *name = vmt_value(vmt, "$envmap"), *mask;
    if (!name || !*name || materials->reflects == REFLECTS_NOTHING || material->mirrors)
        return;
    struct reflection *reflection = ARENA_NEW(&materials->arena, struct reflection);
    const struct map_cubemap *cubemap = map_cubemaps_named(materials->cubemaps, name);
    reflection_read(vmt, reflection, &mask);
    reflection->mask = mask ? texture_of(materials, vmt, mask) : NULL;
    if (cubemap)
        reflection->cube = &cubemap->cube;
    else if (!str_equal_nocase(name, "env_cubemap"))
        reflection->cube = cube_of(materials, name);
    material->reflection = reflection;
}

static void read_material(struct scene_materials *materials, const struct vmt *vmt,
                          struct scene_material *material)
{
    const char *alpha = vmt_value(vmt, "$alpha");
    double opacity;
    material->found = true;
    material->base = texture_of(materials, vmt, "$basetexture");
    material->second = texture_of(materials, vmt, "$basetexture2");
    material->water = str_starts_nocase(vmt->shader, "water");
    material->mirrors = material->water && vmt_value(vmt, "$reflecttexture");
    material->unlit = str_starts_nocase(vmt->shader, "unlit");
    material->alpha_tested = vmt_flag(vmt, "$alphatest");
    material->additive = vmt_flag(vmt, "$additive");
    material->translucent = vmt_flag(vmt, "$translucent") || material->additive;
    if (alpha && str_to_double(alpha, &opacity))
        material->opacity = (float)portable_fmin(portable_fmax(opacity, 0), 1);
    tint(vmt, material);
    read_reflection(materials, vmt, material);
}

/* Without their textures, developer materials still show how large things are; but those that have
 * one colour in the games, for judging light. */
static void add_grid(struct scene_materials *materials, const char *clean,
                     struct scene_material *material)
{
    if (material->base || material->water || !str_starts_nocase(clean, "dev/") ||
        str_starts_nocase(clean, "dev/reflectivity") || strstr(clean, "water"))
        return;
    if (!materials->grid)
        materials->grid = grid_texture_new();
    material->grid = materials->grid;
}

static void count_material(struct scene_materials *materials, const char *name,
                           const struct scene_material *material)
{
    *(material->base ? &materials->textured : &materials->untextured) += 1;
    if (!material->base && !materials->first_untextured)
        materials->first_untextured = name;
}

static struct scene_material load_material(struct scene_materials *materials, const char *clean)
{
    struct scene_material material = {.opacity = 1};
    struct vmt vmt;
    if (assets_vmt(materials->assets, clean, &materials->arena, materials->quiet, &vmt))
        read_material(materials, &vmt, &material);
    add_grid(materials, clean, &material);
    count_material(materials, clean, &material);
    shput(materials->cache, clean, material);
    return material;
}

struct scene_material scene_materials_find(struct scene_materials *materials, const char *name,
                                           const float colour[3])
{
    const char *clean = asset_material_name(&materials->arena, name);
    struct scene_material material = {.opacity = 1};
    if (clean) {
        ptrdiff_t at = shgeti(materials->cache, clean);
        material = at >= 0 ? materials->cache[at].value : load_material(materials, clean);
    }
    for (int k = 0; k < 3 && !material.has_colour; k++)
        material.colour[k] = colour[k] > 0 ? portable_fminf(colour[k], 1) : 0;
    return material;
}

/* Shrinks the image to the size limit of texture_new, by dropping pixels. */
static struct texture *texture_of_pixels(uint8_t *pixels, int width, int height)
{
    int step = 1;
    while (width / step > MAX_TEXELS || height / step > MAX_TEXELS)
        step *= 2;
    struct vtf_image image = {width > step ? width / step : 1, height > step ? height / step : 1,
                              pixels};
    for (int y = 0; y < image.height && step > 1; y++)
        for (int x = 0; x < image.width; x++)
            memcpy(pixels + 4 * ((size_t)y * (size_t)image.width + (size_t)x),
                   pixels +
                       4 * ((size_t)y * (size_t)step * (size_t)width + (size_t)x * (size_t)step),
                   4);
    return texture_new(&image);
}

static const struct texture *image_of(struct scene_materials *materials, const char *name)
{
    const char *clean = asset_name(&materials->arena, name);
    if (!clean)
        return NULL;
    ptrdiff_t at = shgeti(materials->textures, clean);
    if (at >= 0)
        return materials->textures[at].value;
    uint8_t *pixels;
    int width, height;
    struct texture *texture = NULL;
    if (assets_image(materials->assets, clean, &pixels, &width, &height))
        texture = texture_of_pixels(pixels, width, height);
    shput(materials->textures, clean, texture);
    return texture;
}

static void add_layers(struct scene_materials *materials, const struct stage_list *stages,
                       struct layer_list *out)
{
    out->screen = &materials->screen;
    for (int i = 0; i < stages->count; i++) {
        const struct shader_stage *stage = &stages->stages[i];
        const struct texture *texture =
            image_of(materials, stage_image_at(stage, materials->seconds));
        if (texture)
            out->layers[out->count++] = layer_of(stage, texture, materials->seconds);
    }
}

/* Returns NULL for a shader that is one image with light, or whose images are missing. */
static const struct layer_list *layers_of(struct scene_materials *materials, const char *name)
{
    const struct shader_block *block = assets_shader_block(materials->assets, name);
    struct stage_list stages;
    if (!block || !stages_read(block, &materials->arena, &stages))
        return NULL;
    struct layer_list *list = ARENA_ARRAY(&materials->arena, struct layer_list, 1);
    *list = (struct layer_list){0};
    add_layers(materials, &stages, list);
    list->deform_count = stages.deform_count;
    memcpy(list->deforms, stages.deforms, sizeof list->deforms);
    return list->count ? list : NULL;
}

static struct scene_material load_shader_material(struct scene_materials *materials,
                                                  const char *name)
{
    const struct shader *shader = assets_shader(materials->assets, name);
    struct scene_material material = {.opacity = shader->stage_added ? ADDED_OPACITY : 1};
    if (shader->compile_flags & SHADER_FOG_PARMS && !shader->stage_image)
        material.opacity = 0; /* of a volume of fog, which is no surface */
    material.found = !shader->missing;
    material.base = image_of(materials, shader->stage_image ? shader->stage_image : name);
    if (!material.base && shader->image)
        material.base = image_of(materials, shader->image);
    material.has_colour = material.base != NULL;
    for (int k = 0; k < 3 && material.base; k++)
        material.colour[k] = 1;
    material.alpha_tested = shader->stage_alpha_tested;
    material.translucent = shader->stage_blended;
    material.layers = material.base ? layers_of(materials, name) : NULL;
    if (material.opacity > 0)
        count_material(materials, name, &material);
    return material;
}

struct scene_material scene_materials_find_shader(struct scene_materials *materials,
                                                  const char *shader, const float colour[3])
{
    const char *clean = asset_name(&materials->arena, shader);
    struct scene_material material = {.opacity = 1};
    if (clean && assets_have_shaders(materials->assets)) {
        ptrdiff_t at = shgeti(materials->cache, clean);
        material = at >= 0 ? materials->cache[at].value : load_shader_material(materials, clean);
        if (at < 0)
            shput(materials->cache, clean, material);
    }
    for (int k = 0; k < 3 && !material.has_colour; k++)
        material.colour[k] = colour[k];
    return material;
}

/* "skyparms FAR HEIGHT NEAR"; a name may be "-", for none. */
static void read_sky(struct scene_materials *materials, const struct shader_directive *line,
                     struct sky_box *out)
{
    bool is_whole = line->count > 1;
    for (int i = 0; i < SKY_SIDES && is_whole; i++) {
        const char *name =
            arena_printf(&materials->arena, "%s_%s", line->words[1], sky_side_endings[i]);
        out->sides[i] = image_of(materials, name);
        is_whole = out->sides[i] != NULL;
    }
    if (!is_whole)
        memset(out->sides, 0, sizeof out->sides);
    double height = 0;
    if (line->count > 2 && str_to_double(line->words[2], &height) && height > 0)
        out->cloud_height = portable_fmin(height, MAX_CLOUD_HEIGHT);
}

const struct sky_box *scene_materials_sky_of_shader(struct scene_materials *materials,
                                                    const char *shader)
{
    const char *clean = asset_name(&materials->arena, shader);
    const struct shader_block *block = clean && assets_have_shaders(materials->assets)
                                           ? assets_shader_block(materials->assets, clean)
                                           : NULL;
    if (!block)
        return NULL;
    struct sky_box *box = ARENA_ARRAY(&materials->arena, struct sky_box, 1);
    struct stage_list stages;
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive line;
    *box = (struct sky_box){.cloud_height = CLOUD_HEIGHT};
    (void)stages_read(block, &materials->arena, &stages);
    add_layers(materials, &stages, &box->clouds);
    while (shader_next_directive(&cursor, &materials->arena, &line))
        if (line.depth == 0 && str_equal_nocase(line.words[0], "skyparms"))
            read_sky(materials, &line, box);
    return box->sides[0] || box->clouds.count ? box : NULL;
}

const struct sky_box *scene_materials_sky(struct scene_materials *materials, const char *name)
{
    struct sky_box *box = ARENA_ARRAY(&materials->arena, struct sky_box, 1);
    *box = (struct sky_box){.clouds.screen = &materials->screen};
    for (int i = 0; i < SKY_SIDES; i++) {
        const char *side =
            asset_material_name(&materials->arena, arena_printf(&materials->arena, "skybox/%s%s",
                                                                name, sky_side_endings[i]));
        struct vmt vmt;
        if (!side ||
            !assets_vmt(materials->assets, side, &materials->arena, materials->quiet, &vmt))
            return NULL;
        box->sides[i] = texture_of(materials, &vmt, "$basetexture");
        if (!box->sides[i])
            return NULL;
    }
    return box;
}

enum draw_kind scene_material_draw_kind(const struct scene_material *material, float opacity)
{
    if (opacity * material->opacity < 1)
        return DRAW_BLENDED;
    if (!material->base)
        return DRAW_OPAQUE;
    return material->alpha_tested  ? DRAW_MASKED
           : material->translucent ? DRAW_BLENDED
                                   : DRAW_OPAQUE;
}
