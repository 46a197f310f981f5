#include "vrad/scene/alpha_shadow.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/textures/vtf.h"
#include "common/bsp/catalogue/texdata_catalogue.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diag/codes/texture_shadows.def"
#include "vrad/scene/scene.h"

/* Maximum number of alpha triangles that a ray passes before it counts as blocked. */
enum { MAX_LAYERS = 32 };

/* Transmittances below this are 0. */
#define MIN_TRANSMITTANCE 1e-3f

/* The next triangle is searched from this far behind the last, in units, or further where single
 * precision is coarser. */
#define LAYER_GAP       (1.0f / 64)
#define LAYER_PRECISION 1e-6f

/* ---- textures ---- */

/* The path below materials/, given with either slash, with or without an extension. */
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
    return portable_fmin(portable_fmax(number, 0), 1);
}

static void load_alpha(const struct env *env, struct assets *assets, struct arena *arena,
                       const struct vmt *vmt, struct alpha_texture *out)
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

static void load_texture(const struct env *env, const struct alpha_source *source,
                         struct alpha_texture *out)
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

int alpha_texture_of(const struct env *env, const struct alpha_source *source,
                     struct alpha_shadows *alpha_shadows, const char *material,
                     const float colour[3])
{
    ptrdiff_t at = 0, count = arrlen(alpha_shadows->textures);
    while (at < count && !str_equal_nocase(alpha_shadows->textures[at].name, material))
        at++;
    if (at == count) {
        struct alpha_texture texture = {0};
        texture.name = str_copy(material);
        for (int k = 0; k < 3; k++)
            texture.colour[k] = portable_fminf(portable_fmaxf(colour[k], 0), 1);
        load_texture(env, source, &texture);
        arrput(alpha_shadows->textures, texture);
    }
    return alpha_shadows->textures[at].width > 0 ? (int)at : -1;
}

void alpha_triangle_add(struct scene *scene, int texture, int face, const float positions[9],
                        const float uv[3][2], const float (*st)[2], const float normal[3])
{
    struct alpha_triangle triangle = {.surface =
                                          scene_triangle_of(st ? face : SCENE_BLANK, st, normal),
                                      .texture = texture,
                                      .prop = -1};
    triangle.u = uv[0][0];
    triangle.v = uv[0][1];
    for (int i = 0; i < 2; i++) {
        triangle.du[i] = uv[i + 1][0] - uv[0][0];
        triangle.dv[i] = uv[i + 1][1] - uv[0][1];
    }
    arrput(scene->alpha_shadows.triangles, triangle);
    trace_add(scene->trace, TRACE_ALPHA_SHADOW, positions, NULL, 1);
}

void alpha_triangle_add_of_prop(struct scene *scene, int texture, int prop,
                                const float positions[9], const float uv[3][2],
                                const float normal[3])
{
    alpha_triangle_add(scene, texture, SCENE_BLANK, positions, uv, NULL, normal);
    arrlast(scene->alpha_shadows.triangles).prop = prop;
}

void alpha_shadows_free(struct alpha_shadows *alpha_shadows)
{
    for (ptrdiff_t i = 0; i < arrlen(alpha_shadows->textures); i++) {
        memory_free(alpha_shadows->textures[i].name);
        memory_free(alpha_shadows->textures[i].alpha);
    }
    arrfree(alpha_shadows->textures);
    arrfree(alpha_shadows->triangles);
}

/* ---- rays ---- */

static int texel(float coordinate, int count)
{
    float at = (coordinate - floorf(coordinate)) * (float)count;
    return at >= 0 && at < (float)count ? (int)at : 0; /* also if it is NaN */
}

static void transmittance_of(const struct alpha_shadows *alpha_shadows, const struct trace_hit *hit,
                             int excluded, float transmittance[3])
{
    const struct alpha_triangle *triangle = &alpha_shadows->triangles[hit->triangle];
    if (triangle->prop >= 0 && triangle->prop == excluded) {
        transmittance[0] = transmittance[1] = transmittance[2] = 1;
        return;
    }
    const struct alpha_texture *texture = &alpha_shadows->textures[triangle->texture];
    float u = triangle->u + hit->u * triangle->du[0] + hit->v * triangle->du[1];
    float v = triangle->v + hit->u * triangle->dv[0] + hit->v * triangle->dv[1];
    size_t row = (size_t)texel(v, texture->height), column = (size_t)texel(u, texture->width);
    unsigned char alpha = texture->alpha[row * (size_t)texture->width + column];
    for (int k = 0; k < 3; k++) {
        if (texture->tested)
            transmittance[k] = alpha < texture->min;
        else
            transmittance[k] = 1 - (float)alpha / 255 * texture->opacity * (1 - texture->colour[k]);
    }
}

/* Ends the lanes at the map's sky. */
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

/* The start of the lane behind a hit. */
static float next_start(const struct trace_packet *packet, int lane, float distance)
{
    float length = 0, place = 0;
    for (int k = 0; k < 3; k++) {
        float d = packet->direction[k][lane];
        length += d * d;
        place = portable_fmaxf(place, fabsf(packet->origin[k][lane]) + fabsf(d) * distance);
    }
    float gap = portable_fmaxf(LAYER_GAP, LAYER_PRECISION * place);
    return distance + gap / portable_fmaxf(sqrtf(length), 1e-12f);
}

uint32_t alpha_transmittance_except16(const struct scene *scene, const struct trace_packet *packet,
                                      uint32_t valid, bool to_sky, int prop,
                                      float transmittance[3][TRACE_PACKET])
{
    struct trace_packet rest = *packet;
    struct trace_hit hits[TRACE_PACKET];
    uint32_t met = 0, left = valid;
    if (to_sky)
        end_at_sky(scene, &rest, valid);
    for (int i = 0; i < TRACE_PACKET; i++)
        transmittance[0][i] = transmittance[1][i] = transmittance[2][i] = 1;
    for (int layer = 0; left && layer < MAX_LAYERS; layer++) {
        trace_closest16(scene->trace, TRACE_ALPHA_SHADOW, &rest, left, true, hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (!(left >> i & 1))
                continue;
            float one[3] = {0, 0, 0}, max = 0;
            if (hits[i].distance >= 0)
                transmittance_of(&scene->alpha_shadows, &hits[i], prop, one);
            for (int k = 0; k < 3 && hits[i].distance >= 0; k++) {
                transmittance[k][i] *= one[k];
                max = portable_fmaxf(max, transmittance[k][i]);
            }
            if (hits[i].distance >= 0)
                met |= 1u << i;
            if (max < MIN_TRANSMITTANCE)
                left &= ~(1u << i);
            else
                rest.near[i] = next_start(packet, i, hits[i].distance);
        }
    }
    return met;
}

uint32_t alpha_transmittance16(const struct scene *scene, const struct trace_packet *packet,
                               uint32_t valid, bool to_sky, float transmittance[3][TRACE_PACKET])
{
    return alpha_transmittance_except16(scene, packet, valid, to_sky, -1, transmittance);
}

/* A pseudo-random number from 0 to 1, a hash of the ray and the layer. */
static float random_of(const struct trace_packet *packet, int lane, int layer)
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

uint32_t alpha_stochastic16(const struct scene *scene, const struct trace_packet *packet,
                            uint32_t valid, bool to_sky, struct trace_hit stops[TRACE_PACKET])
{
    return alpha_stochastic_except16(scene, packet, valid, to_sky, -1, stops);
}

uint32_t alpha_stochastic_except16(const struct scene *scene, const struct trace_packet *packet,
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
            transmittance_of(&scene->alpha_shadows, &hits[i], prop, one);
            if (random_of(packet, i, layer) < (one[0] + one[1] + one[2]) / 3) {
                rest.near[i] = next_start(packet, i, hits[i].distance);
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
