#include "vrad/ambient/point_light.h"

#include "common/core/array.h"
#include "vrad/scene/hemisphere.h"
#include "vrad/scene/recall.h"

/* Rays to lamps end before the surface that these stand on. */
#define LAMP_GAP 0.02

/* Light below this, of 255, is not worth a ray. */
#define MIN_LIGHT 0.002

static bool is_round(const struct light_point *point)
{
    return vec3_dot(point->normal, point->normal) == 0;
}

/* ---- lamps and the sun ---- */

struct salvo {
    const struct point_lighter *lighter;
    const struct light_point *point;
    struct trace_packet packet;
    const struct light *lights[TRACE_PACKET];
    double share[TRACE_PACKET]; /* of the light's intensity, when nothing is in the way */
    int count;
    float *styles;
    struct point_light *out;
};

/* What veils let through of the lanes, by channel. */
static void pass_veils(const struct salvo *salvo, uint32_t lanes, bool to_sky,
                       float pass[3][TRACE_PACKET])
{
    const struct prop_viewer *viewer = &salvo->point->viewer;
    for (int i = 0; i < TRACE_PACKET; i++)
        pass[0][i] = pass[1][i] = pass[2][i] = 1;
    if (lanes && salvo->lighter->scene->veils.triangles)
        veils_pass_but16(salvo->lighter->scene, &salvo->packet, lanes, to_sky,
                         viewer->no_self_shadow ? viewer->prop : -1, pass);
}

static void take(struct salvo *salvo, int lane, float pass[3][TRACE_PACKET])
{
    const struct light *light = salvo->lights[lane];
    float *to = salvo->out->direct;
    if (light->style != 0)
        to = salvo->styles + 3 * (size_t)light->style;
    for (int k = 0; k < 3; k++)
        to[k] += (float)(light->intensity.e[k] * salvo->share[lane] * (double)pass[k][lane]);
}

static void fire_lamps(struct salvo *salvo)
{
    uint32_t lanes = (uint32_t)((1u << salvo->count) - 1);
    uint32_t blocked = 0;
    if (lanes)
        blocked = prop_view_blocked16(salvo->lighter->scene, &salvo->point->viewer, &salvo->packet,
                                      lanes);
    float pass[3][TRACE_PACKET];
    pass_veils(salvo, lanes & ~blocked, false, pass);
    for (int i = 0; i < salvo->count; i++)
        if (!(blocked >> i & 1))
            take(salvo, i, pass);
    salvo->count = 0;
}

static void fire_sun(struct salvo *salvo)
{
    struct scene_hit hits[TRACE_PACKET] = {{0}};
    uint32_t lanes = (uint32_t)((1u << salvo->count) - 1);
    prop_view_look16(salvo->lighter->scene, &salvo->point->viewer, &salvo->packet, lanes, hits);
    uint32_t sky = 0;
    for (int i = 0; i < salvo->count; i++)
        sky |= (uint32_t)(hits[i].face == SCENE_SKY) << i;
    float pass[3][TRACE_PACKET];
    pass_veils(salvo, sky, true, pass);
    for (int i = 0; i < salvo->count; i++)
        if (sky >> i & 1)
            take(salvo, i, pass);
    salvo->count = 0;
}

static int load(struct salvo *salvo, const struct light *light, double share, struct vec3 direction,
                double far_end)
{
    int lane = salvo->count++;
    salvo->lights[lane] = light;
    salvo->share[lane] = share;
    for (int k = 0; k < 3; k++) {
        salvo->packet.origin[k][lane] = (float)salvo->point->position.e[k];
        salvo->packet.direction[k][lane] = (float)direction.e[k];
    }
    salvo->packet.near[lane] = 0;
    salvo->packet.far[lane] = (float)far_end;
    return salvo->count;
}

static double cosine_at(const struct light_point *point, struct vec3 direction)
{
    return is_round(point) ? 1 : vec3_dot(point->normal, direction);
}

static double grey(const struct light *light)
{
    return (light->intensity.x + light->intensity.y + light->intensity.z) / 3;
}

static bool wanted(const struct salvo *salvo, const struct light *light)
{
    return light->style == 0 || (salvo->styles && light->style > 0 && light->style < POINT_STYLES);
}

static void shoot_lamps(struct salvo *salvo)
{
    const struct light_set *set = salvo->lighter->lights;
    for (int i = 0; i < (int)arrlen(set->lights); i++) {
        const struct light *light = &set->lights[i];
        struct vec3 direction;
        double distance;
        if (light->type != WORLDLIGHT_POINT && light->type != WORLDLIGHT_SPOT &&
            light->type != WORLDLIGHT_SURFACE)
            continue;
        if (!wanted(salvo, light) || !light_reaches(set, i, salvo->point->cluster))
            continue;
        double share = light_at(light, salvo->point->position, &direction, &distance);
        share *= share > 0 ? cosine_at(salvo->point, direction) : 0;
        if (share * grey(light) > MIN_LIGHT &&
            load(salvo, light, share, direction, fmax(distance - LAMP_GAP, 0)) == TRACE_PACKET)
            fire_lamps(salvo);
    }
    fire_lamps(salvo);
}

static void shoot_sun(struct salvo *salvo, const struct light *sun)
{
    struct vec3 towards = vec3_neg(sun->normal);
    double cosine = cosine_at(salvo->point, towards);
    int rays = sun->spread > 0 ? salvo->lighter->sun_rays : 1;
    if (!wanted(salvo, sun) || cosine <= 0)
        return;
    for (int i = 0; i < rays; i++) {
        double square[2];
        sample_square((uint32_t)i, ~salvo->point->seed, square);
        struct vec3 direction = towards;
        if (sun->spread > 0)
            direction = vec3_mad(towards, sphere_point(square), sun->spread);
        if (load(salvo, sun, cosine / rays, direction, (double)SCENE_FAR_AWAY) == TRACE_PACKET)
            fire_sun(salvo);
    }
    fire_sun(salvo);
}

static void shoot_suns(struct salvo *salvo)
{
    const struct light_set *set = salvo->lighter->lights;
    if (!scene_sees_sky(salvo->lighter->scene, salvo->point->cluster))
        return;
    for (ptrdiff_t i = 0; i < arrlen(set->lights); i++)
        if (set->lights[i].type == WORLDLIGHT_SKY)
            shoot_sun(salvo, &set->lights[i]);
}

/* ---- all around ---- */

struct around {
    struct vec3 directions[POINT_RAYS_MAX];
};

/* In the order of their boxes: rays of a packet run alike. */
static void aim_around(const struct point_lighter *lighter, const struct light_point *point,
                       struct around *around)
{
    int filled[SAMPLE_BOXES] = {0}, room = lighter->rays / SAMPLE_BOXES;
    bool round = is_round(point) || point->even_around;
    struct vec3 x, y;
    frame_around(point->normal, &x, &y);
    for (int i = 0; i < lighter->rays; i++) {
        double square[2];
        sample_square((uint32_t)i, point->seed, square);
        int box = sample_box(square);
        struct vec3 *direction = &around->directions[box * room + filled[box]++];
        *direction = round ? sphere_point(square)
                           : frame_point(square_to_cosine(square), x, y, point->normal);
    }
}

/* Light of styles that a surface throws back. */
static void add_styles(const struct radiosity *radiosity, const struct scene_hit *hit, double share,
                       float *styles)
{
    const struct face_light *face = hit->face >= 0 ? &radiosity->map->faces[hit->face] : NULL;
    if (!face || face->width <= 0)
        return;
    size_t luxel = (size_t)luxel_nearest(face, hit->s, hit->t);
    for (int i = 1; i < face->style_count; i++)
        for (int k = 0; k < 3 && face->styles[i] < POINT_STYLES; k++)
            styles[3 * face->styles[i] + k] +=
                (float)share * face->direct[i][3 * luxel + (size_t)k] * face->reflectivity[k];
}

/* What rays around met: radiosity_seen, with a bit for the backs of solids. */
enum { SEEN_INSIDE = 1 << 30 };

/* Of looks at points; those of tables have smaller ones. */
enum { POINT_KIND = 64 };

static void add_seen(const struct radiosity *radiosity, const struct light_point *point,
                     const struct hot_view *hot, uint32_t met, double sum[3])
{
    size_t seen = met & ~(uint32_t)SEEN_INSIDE;
    const float *light = radiosity->leaving + 3 * seen;
    const float *excess = hot ? hot_excess(hot, seen, point->position) : NULL;
    for (int k = 0; k < 3; k++)
        sum[k] += (double)light[k] - (excess ? (double)excess[k] : 0);
}

static void load_rays(const struct light_point *point, const struct vec3 *directions,
                      struct trace_packet *packet)
{
    for (int i = 0; i < TRACE_PACKET; i++) {
        for (int k = 0; k < 3; k++) {
            packet->origin[k][i] = (float)point->position.e[k];
            packet->direction[k][i] = (float)directions[i].e[k];
        }
        packet->near[i] = 0;
        packet->far[i] = SCENE_FAR_AWAY;
    }
}

/* Rays that are aimed at spots know nothing of hulls that the point may be in. */
static const struct hot_view *usable_spots(const struct point_lighter *lighter,
                                           const struct light_point *point)
{
    bool usable = point->hot && !point->viewer.no_self_shadow && !is_round(point) &&
                  !point->even_around && prop_view_inside(lighter->scene, point->position) < 0;
    return usable ? point->hot : NULL;
}

static uint32_t met_by(const struct radiosity *radiosity, const struct scene_hit *hit)
{
    uint32_t seen = radiosity ? (uint32_t)radiosity_seen(radiosity, hit) : 0;
    return seen | (hit->face == SCENE_INSIDE ? (uint32_t)SEEN_INSIDE : 0);
}

static void cast_around(const struct point_lighter *lighter, const struct light_point *point,
                        const struct around *around, float *styles, uint32_t *met)
{
    const struct radiosity *radiosity = lighter->radiosity;
    for (int first = 0; first < lighter->rays; first += TRACE_PACKET) {
        struct trace_packet packet;
        struct scene_hit hits[TRACE_PACKET];
        load_rays(point, around->directions + first, &packet);
        prop_view_look16(lighter->scene, &point->viewer, &packet, 0xffff, hits);
        if (lighter->scene->veils.triangles)
            scene_stop_at_veils(lighter->scene, &packet, 0xffff,
                                point->viewer.no_self_shadow ? point->viewer.prop : -1, hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            if (radiosity && styles)
                add_styles(radiosity, &hits[i], 1.0 / lighter->rays, styles);
            met[first + i] = met_by(radiosity, &hits[i]);
        }
    }
}

/* What the rays around meet, as it was met before where that is known. */
static const uint32_t *look(const struct point_lighter *lighter, const struct light_point *point,
                            const struct around *around, float *styles, uint32_t *met)
{
    struct recall *recall = lighter->scene->recall;
    struct recall_key key = {.seed = point->seed, .rays = lighter->rays, .kind = POINT_KIND};
    for (int k = 0; k < 3; k++)
        key.position[k] = (float)point->position.e[k];
    bool recalls = recall && point->place && lighter->radiosity && !styles;
    const uint32_t *known = recalls ? recall_look(recall, point->place - 1, &key) : NULL;
    if (known)
        return known;
    cast_around(lighter, point, around, styles, met);
    if (recalls)
        recall_keep_look(recall, point->place - 1, &key, met);
    return met;
}

static void look_around(const struct point_lighter *lighter, const struct light_point *point,
                        float *styles, struct point_light *out)
{
    struct around around;
    uint32_t cast[POINT_RAYS_MAX];
    double sum[3] = {0, 0, 0};
    const struct radiosity *radiosity = lighter->radiosity;
    const struct hot_view *hot = usable_spots(lighter, point);
    aim_around(lighter, point, &around);
    const uint32_t *met = look(lighter, point, &around, styles, cast);
    for (int i = 0; i < lighter->rays; i++) {
        if (radiosity)
            add_seen(radiosity, point, hot, met[i], sum);
        if (met[i] & SEEN_INSIDE) {
            out->inside += 1.0 / lighter->rays;
            out->away = vec3_sub(out->away, around.directions[i]);
        }
    }
    for (int k = 0; k < 3; k++)
        out->around[k] = (float)(sum[k] / lighter->rays);
    const struct hot_receiver to = {.position = point->position,
                                    .start = point->position,
                                    .axis[0] = point->normal,
                                    .axes = 1,
                                    .seed = point->seed};
    if (hot)
        hot_light(hot, &to, out->around);
}

void point_light_at(const struct point_lighter *lighter, const struct light_point *point,
                    float *styles, struct point_light *out)
{
    struct salvo salvo = {.lighter = lighter, .point = point, .styles = styles, .out = out};
    *out = (struct point_light){0};
    shoot_lamps(&salvo);
    shoot_suns(&salvo);
    if (lighter->rays)
        look_around(lighter, point, styles, out);
}
