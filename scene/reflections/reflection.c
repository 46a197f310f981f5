#include "scene/reflections/reflection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"

/* Of water that does not say how it reflects, looked at from straight above. */
#define WATER_STRAIGHT 0.02

static float within(double value)
{
    return (float)portable_fmin(portable_fmax(value, 0), 1);
}

/* LightmappedGeneric names the share from straight ahead, VertexLitGeneric that which depends on
 * the angle. */
static float straight_of(const struct vmt *vmt)
{
    if (str_starts_nocase(vmt->shader, "vertexlit"))
        return 1 - within(vmt_number(vmt, "$envmapfresnel", 0));
    double usual = str_starts_nocase(vmt->shader, "water") ? WATER_STRAIGHT : 1;
    return within(vmt_number(vmt, "$fresnelreflection", usual));
}

static enum reflection_mask mask_of(const struct vmt *vmt, const char **key)
{
    *key = NULL;
    if (vmt_flag(vmt, "$normalmapalphaenvmapmask")) {
        *key = vmt_value(vmt, "$bumpmap") ? "$bumpmap" : "$normalmap";
        return MASK_ALPHA;
    }
    if (vmt_flag(vmt, "$basealphaenvmapmask"))
        return MASK_BASE_ALPHA;
    if (!vmt_value(vmt, "$envmapmask"))
        return MASK_NONE;
    *key = "$envmapmask";
    return MASK_COLOUR;
}

/* $envmapparallaxobb1 to 3 are three of the four rows of a matrix. */
static void read_box(const struct vmt *vmt, struct reflection_box *out)
{
    static const char *const keys[] = {"$envmapparallaxobb1", "$envmapparallaxobb2",
                                       "$envmapparallaxobb3"};
    out->present =
        vmt_flag(vmt, "$envmapparallax") && vmt_colour(vmt, "$envmaporigin", out->origin.e);
    for (int i = 0; i < 3; i++) {
        const char *text = vmt_value(vmt, keys[i]);
        out->present &= text && str_to_doubles(text, out->rows[i], 4) == 4;
    }
}

/* The ray leaves the box at the first of its sides that it meets from inside. */
struct vec3 reflection_direction(const struct reflection *reflection, struct vec3 point,
                                 struct vec3 direction)
{
    const struct reflection_box *box = &reflection->box;
    double way = HUGE_VAL;
    for (int i = 0; i < 3 && box->present; i++) {
        const double *row = box->rows[i];
        struct vec3 axis = vec3(row[0], row[1], row[2]);
        double at = vec3_dot(axis, point) + row[3], step = vec3_dot(axis, direction);
        if (step != 0)
            way = portable_fmin(way, ((step > 0 ? 1 : 0) - at) / step);
    }
    struct vec3 from = vec3_sub(vec3_mad(point, direction, way), box->origin);
    bool is_direction = isfinite(way) && vec3_is_finite(from) && vec3_length(from) > 0;
    return is_direction ? from : direction;
}

void reflection_read(const struct vmt *vmt, struct reflection *out, const char **mask)
{
    double all = vmt_number(vmt, "$envmaptint", 1), tint[3] = {all, all, all};
    *out = (struct reflection){
        .masked_by = mask_of(vmt, mask),
        .contrast = within(vmt_number(vmt, "$envmapcontrast", 0)),
        .saturation = within(vmt_number(vmt, "$envmapsaturation", 1)),
        .straight = straight_of(vmt),
    };
    (void)vmt_colour(vmt, "$envmaptint", tint);
    read_box(vmt, &out->box);
    for (int k = 0; k < 3; k++)
        out->tint[k] = (float)portable_fmax(tint[k], 0);
}

void reflection_apply(const struct reflection *reflection, const float share[3], double cosine,
                      float light[3])
{
    static const float luminance[3] = {0.299f, 0.587f, 0.114f};
    float part = 1 - within(cosine), squared = part * part, grey = 0;
    float angle = reflection->straight + (1 - reflection->straight) * squared * squared * part;
    for (int k = 0; k < 3; k++) {
        light[k] *= share[k] * reflection->tint[k];
        light[k] += reflection->contrast * (light[k] * light[k] - light[k]);
        grey += luminance[k] * light[k];
    }
    for (int k = 0; k < 3; k++)
        light[k] = angle * (grey + reflection->saturation * (light[k] - grey));
}

/* --- cubemaps of the map --- */

/* Returns what follows a whole number of at most 9 digits, or NULL. */
static const char *read_number(const char *text, int32_t *out)
{
    bool negative = *text == '-';
    const char *at = text + negative;
    int32_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (value > 99999999)
            return NULL;
        value = 10 * value + (*at - '0');
    }
    *out = negative ? -value : value;
    return at > text + negative ? at : NULL;
}

static const char *base_name(const char *name)
{
    const char *base = name;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\')
            base = at + 1;
    return base;
}

/* Reads "cX_Y_Z" after the last slash. Returns what follows, or NULL. */
static const char *read_origin(const char *name, int32_t origin[3])
{
    const char *at = base_name(name);
    if (*at != 'c' && *at != 'C')
        return NULL;
    at = read_number(at + 1, &origin[0]);
    for (int i = 1; i < 3 && at; i++)
        at = *at == '_' ? read_number(at + 1, &origin[i]) : NULL;
    return at;
}

static bool is_at(const struct map_cubemap *cubemap, const int32_t origin[3])
{
    return memcmp(cubemap->origin, origin, sizeof cubemap->origin) == 0;
}

static struct map_cubemap *cubemap_at(struct map_cubemap *cubemaps, const int32_t origin[3])
{
    for (size_t i = 0; i < arrlenu(cubemaps); i++)
        if (is_at(&cubemaps[i], origin))
            return &cubemaps[i];
    return NULL;
}

static bool is_placeholder(const struct pakfile *pakfile, const struct pakfile_file *file,
                           const char *ending, struct arena *arena)
{
    int folder = (int)(base_name(file->name) - file->name);
    const struct pakfile_file *usual = pakfile_find(
        pakfile, arena_printf(arena, "%.*scubemapdefault%s", folder, file->name, ending));
    return usual && usual->member->crc == file->member->crc &&
           usual->member->size == file->member->size;
}

static void read_cube(const struct pakfile_file *file, struct cube *out)
{
    struct diag *silent = diag_new(NULL, NULL);
    struct bytes bytes = {0};
    struct cube cube;
    if (pakfile_extract(file, NULL, silent, &bytes) == STATUS_OK && cube_read(&bytes, &cube)) {
        cube_free(out);
        *out = cube;
    }
    bytes_free(&bytes);
    diag_free(silent);
}

/* Reads the textures of one ending, over those that have been read. */
static void read_all(const struct pakfile *pakfile, const char *ending,
                     struct map_cubemap *cubemaps)
{
    struct arena arena = {0};
    for (size_t i = 0; i < arrlenu(pakfile->files); i++) {
        const struct pakfile_file *file = &pakfile->files[i];
        int32_t origin[3];
        const char *rest = read_origin(file->name, origin);
        struct map_cubemap *cubemap = NULL;
        if (rest && str_equal_nocase(rest, ending))
            cubemap = cubemap_at(cubemaps, origin);
        if (cubemap && !is_placeholder(pakfile, file, ending, &arena))
            read_cube(file, &cubemap->cube);
    }
    arena_free(&arena);
}

struct map_cubemap *map_cubemaps_open(const struct bsp *bsp, bool hdr)
{
    struct map_cubemap *cubemaps = NULL;
    struct diag *silent = diag_new(NULL, NULL);
    struct pakfile pakfile = {0};
    for (size_t i = 0; i < arrlenu(bsp->cubemaps); i++) {
        struct map_cubemap cubemap = {.cube = {0}};
        memcpy(cubemap.origin, bsp->cubemaps[i].origin, sizeof cubemap.origin);
        arrput(cubemaps, cubemap);
    }
    if (cubemaps && pakfile_decode(&bsp->pakfile, NULL, silent, &pakfile) == STATUS_OK) {
        read_all(&pakfile, ".vtf", cubemaps);
        if (hdr)
            read_all(&pakfile, ".hdr.vtf", cubemaps);
    }
    pakfile_free(&pakfile);
    diag_free(silent);
    return cubemaps;
}

void map_cubemaps_free(struct map_cubemap *cubemaps)
{
    for (size_t i = 0; i < arrlenu(cubemaps); i++)
        cube_free(&cubemaps[i].cube);
    arrfree(cubemaps);
}

static double distance_to(const struct map_cubemap *cubemap, struct vec3 point)
{
    const int32_t *at = cubemap->origin;
    return vec3_distance(point, vec3(at[0], at[1], at[2]));
}

int map_cubemaps_nearest(const struct map_cubemap *cubemaps, struct vec3 point)
{
    int best = -1;
    for (int i = 0; i < (int)arrlen(cubemaps); i++)
        if (best < 0 || distance_to(&cubemaps[i], point) < distance_to(&cubemaps[best], point))
            best = i;
    return best;
}

const struct map_cubemap *map_cubemaps_named(const struct map_cubemap *cubemaps, const char *name)
{
    int32_t origin[3];
    const char *rest = str_starts_nocase(name, "maps") ? read_origin(name, origin) : NULL;
    if (!rest || (*rest && *rest != '.'))
        return NULL;
    for (size_t i = 0; i < arrlenu(cubemaps); i++)
        if (is_at(&cubemaps[i], origin))
            return &cubemaps[i];
    return NULL;
}
