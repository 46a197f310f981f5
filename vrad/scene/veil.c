#include "vrad/scene/veil.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/textures/vtf.h"
#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/core/array.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "vrad/scene/scene.h"

/* A ray meets at most so many veils; behind that many nothing is left of it. */
enum { MAX_LAYERS = 32 };

/* Less than this is nothing. */
#define MIN_PASS 1e-3f

/* The next veil is looked for this far behind the last, in units, and further where the numbers of
 * the ray are coarser. */
#define LAYER_GAP       (1.0f / 64)
#define LAYER_PRECISION 1e-6f

/* ---- textures ---- */

/* The name below materials/ as keys have it: with either slash, some with an ending. */
static const char *texture_path(struct arena *arena, const char *value)
{
    while (*value == '/' || *value == '\\')
        value++;
    size_t length = strlen(value);
    if (length > 4 && str_equal_nocase(value + length - 4, ".vtf"))
        length -= 4;
    return arena_printf(arena, "materials/%.*s.vtf", (int)length, value);
}

static double number_of(const struct vmt *vmt, const char *key, double otherwise)
{
    const char *value = vmt_value(vmt, key);
    double number = otherwise;
    if (!value || str_to_doubles(value, &number, 1) < 1)
        return otherwise;
    return fmin(fmax(number, 0), 1);
}

static void load_alpha(const struct env *env, struct assets *assets, struct arena *arena,
                       const struct vmt *vmt, struct veil_texture *out)
{
    const char *base = vmt_value(vmt, "$basetexture");
    struct bytes bytes = {0};
    struct vtf_alpha alpha;
    if (!base || !*base)
        return;
    const char *path = texture_path(arena, base);
    if (assets_read(assets, path, &bytes) && vtf_alpha_read(bytes.data, bytes.size, &alpha)) {
        out->width = alpha.width;
        out->height = alpha.height;
        out->alpha = alpha.texels;
    } else {
        diag_report(env->diag, DIAG_TEXTURE_SHADOW, NULL, "\"%s\": %s %s", out->name, path,
                    bytes.size ? "has no readable alpha channel" : "not found");
    }
    bytes_free(&bytes);
}

static void load_texture(const struct env *env, const struct veil_source *source,
                         struct veil_texture *out)
{
    struct arena arena = {0};
    struct vmt vmt;
    bool envmap;
    const char *name = texdata_source_name(&arena, out->name, &envmap);
    bool shadow = !shadow_exceptions_no_shadow(source->exceptions, name) &&
                  !shadow_exceptions_no_shadow(source->exceptions, out->name);
    if (shadow &&
        assets_vmt(source->assets, name, &arena, assets_env(source->assets)->diag, &vmt)) {
        out->tested = vmt_flag(&vmt, "$alphatest");
        out->min = (unsigned char)ceil(number_of(&vmt, "$alphatestreference", 0.5) * 255);
        out->opacity = (float)number_of(&vmt, "$alpha", 1);
        bool translucent = vmt_flag(&vmt, "$translucent") && !vmt_flag(&vmt, "$additive");
        if (out->tested || translucent)
            load_alpha(env, source->assets, &arena, &vmt, out);
    }
    arena_free(&arena);
}

int veil_texture_of(const struct env *env, const struct veil_source *source, struct veils *veils,
                    const char *material, const float colour[3])
{
    ptrdiff_t at = 0, count = arrlen(veils->textures);
    while (at < count && !str_equal_nocase(veils->textures[at].name, material))
        at++;
    if (at == count) {
        struct veil_texture texture = {0};
        texture.name = str_copy(material);
        for (int k = 0; k < 3; k++)
            texture.colour[k] = fminf(fmaxf(colour[k], 0), 1);
        load_texture(env, source, &texture);
        arrput(veils->textures, texture);
    }
    return veils->textures[at].width > 0 ? (int)at : -1;
}

void veil_add(struct scene *scene, int texture, int face, const float positions[9],
              const float uv[3][2], const float (*st)[2], const float normal[3])
{
    struct veil_triangle triangle = {.surface =
                                         scene_triangle_of(st ? face : SCENE_BLANK, st, normal),
                                     .texture = texture,
                                     .prop = -1};
    triangle.u = uv[0][0];
    triangle.v = uv[0][1];
    for (int i = 0; i < 2; i++) {
        triangle.du[i] = uv[i + 1][0] - uv[0][0];
        triangle.dv[i] = uv[i + 1][1] - uv[0][1];
    }
    arrput(scene->veils.triangles, triangle);
    trace_add(scene->trace, TRACE_ALPHA_SHADOW, positions, NULL, 1);
}

void veil_add_of_prop(struct scene *scene, int texture, int prop, const float positions[9],
                      const float uv[3][2], const float normal[3])
{
    veil_add(scene, texture, SCENE_BLANK, positions, uv, NULL, normal);
    arrlast(scene->veils.triangles).prop = prop;
}

void veils_free(struct veils *veils)
{
    for (ptrdiff_t i = 0; i < arrlen(veils->textures); i++) {
        memory_free(veils->textures[i].name);
        memory_free(veils->textures[i].alpha);
    }
    arrfree(veils->textures);
    arrfree(veils->triangles);
}

/* ---- rays ---- */

static int texel(float coordinate, int count)
{
    float at = (coordinate - floorf(coordinate)) * (float)count;
    return at >= 0 && at < (float)count ? (int)at : 0; /* also what is not a number */
}

static void pass_of(const struct veils *veils, const struct trace_hit *hit, int left_out,
                    float pass[3])
{
    const struct veil_triangle *triangle = &veils->triangles[hit->triangle];
    if (triangle->prop >= 0 && triangle->prop == left_out) {
        pass[0] = pass[1] = pass[2] = 1;
        return;
    }
    const struct veil_texture *texture = &veils->textures[triangle->texture];
    float u = triangle->u + hit->u * triangle->du[0] + hit->v * triangle->du[1];
    float v = triangle->v + hit->u * triangle->dv[0] + hit->v * triangle->dv[1];
    size_t row = (size_t)texel(v, texture->height), column = (size_t)texel(u, texture->width);
    unsigned char alpha = texture->alpha[row * (size_t)texture->width + column];
    for (int k = 0; k < 3; k++) {
        if (texture->tested)
            pass[k] = alpha < texture->min;
        else
            pass[k] = 1 - (float)alpha / 255 * texture->opacity * (1 - texture->colour[k]);
    }
}

/* Lets the lanes end at the map's sky. */
static void end_at_sky(const struct scene *scene, struct trace_packet *packet, uint32_t valid)
{
    struct trace_hit hits[TRACE_PACKET];
    if (!scene->has_sky)
        return;
    trace_closest16(scene->trace, TRACE_SKY, packet, valid, true, hits);
    for (int i = 0; i < TRACE_PACKET; i++)
        if (valid >> i & 1 && hits[i].distance >= 0)
            packet->far[i] = hits[i].distance;
}

/* Where the lane goes on behind a hit. */
static float behind(const struct trace_packet *packet, int lane, float distance)
{
    float length = 0, place = 0;
    for (int k = 0; k < 3; k++) {
        float d = packet->direction[k][lane];
        length += d * d;
        place = fmaxf(place, fabsf(packet->origin[k][lane]) + fabsf(d) * distance);
    }
    float gap = fmaxf(LAYER_GAP, LAYER_PRECISION * place);
    return distance + gap / fmaxf(sqrtf(length), 1e-12f);
}

uint32_t veils_pass_but16(const struct scene *scene, const struct trace_packet *packet,
                          uint32_t valid, bool to_sky, int prop, float pass[3][TRACE_PACKET])
{
    struct trace_packet rest = *packet;
    struct trace_hit hits[TRACE_PACKET];
    uint32_t met = 0, left = valid;
    if (to_sky)
        end_at_sky(scene, &rest, valid);
    for (int i = 0; i < TRACE_PACKET; i++)
        pass[0][i] = pass[1][i] = pass[2][i] = 1;
    for (int layer = 0; left && layer < MAX_LAYERS; layer++) {
        trace_closest16(scene->trace, TRACE_ALPHA_SHADOW, &rest, left, true, hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(left >> i & 1))
                continue;
            float one[3] = {0, 0, 0}, max = 0;
            if (hits[i].distance >= 0)
                pass_of(&scene->veils, &hits[i], prop, one);
            for (int k = 0; k < 3 && hits[i].distance >= 0; k++) {
                pass[k][i] *= one[k];
                max = fmaxf(max, pass[k][i]);
            }
            if (hits[i].distance >= 0)
                met |= 1u << i;
            if (max < MIN_PASS)
                left &= ~(1u << i);
            else
                rest.near[i] = behind(packet, i, hits[i].distance);
        }
    }
    return met;
}

uint32_t veils_pass16(const struct scene *scene, const struct trace_packet *packet, uint32_t valid,
                      bool to_sky, float pass[3][TRACE_PACKET])
{
    return veils_pass_but16(scene, packet, valid, to_sky, -1, pass);
}

/* A number of 0 to 1 that hangs on the ray and the layer. */
static float chance(const struct trace_packet *packet, int lane, int layer)
{
    uint64_t hash = (uint64_t)layer;
    for (int k = 0; k < 3; k++) {
        uint32_t origin, direction;
        memcpy(&origin, &packet->origin[k][lane], sizeof origin);
        memcpy(&direction, &packet->direction[k][lane], sizeof direction);
        hash = hash_pair(hash, (uint64_t)origin << 32 | direction);
    }
    return (float)(hash >> 40) * 0x1p-24f;
}

uint32_t veils_chance16(const struct scene *scene, const struct trace_packet *packet,
                        uint32_t valid, bool to_sky, struct trace_hit stops[TRACE_PACKET])
{
    return veils_chance_but16(scene, packet, valid, to_sky, -1, stops);
}

uint32_t veils_chance_but16(const struct scene *scene, const struct trace_packet *packet,
                            uint32_t valid, bool to_sky, int prop,
                            struct trace_hit stops[TRACE_PACKET])
{
    struct trace_packet rest = *packet;
    struct trace_hit hits[TRACE_PACKET];
    uint32_t through = valid, left = valid;
    if (to_sky)
        end_at_sky(scene, &rest, valid);
    for (int layer = 0; left && layer < MAX_LAYERS; layer++) {
        trace_closest16(scene->trace, TRACE_ALPHA_SHADOW, &rest, left, true, hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(left >> i & 1))
                continue;
            float one[3];
            if (hits[i].distance < 0) {
                left &= ~(1u << i);
                continue;
            }
            pass_of(&scene->veils, &hits[i], prop, one);
            if (chance(packet, i, layer) < (one[0] + one[1] + one[2]) / 3) {
                rest.near[i] = behind(packet, i, hits[i].distance);
                continue;
            }
            left &= ~(1u << i);
            through &= ~(1u << i);
            if (stops)
                stops[i] = hits[i];
        }
    }
    return through;
}
