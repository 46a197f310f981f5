/* Light entities of the map: keys to struct light. */
#include "common/core/portable_math.h"
#include "common/env.h"
#include "common/text/entity_view.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"
#include "vrad/lights/rad_file.h"

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lights.def"
#include "common/geom/angle.h"

/* The intensity of a light without _fifty_percent_distance is its light at this distance. */
#define REFERENCE_DISTANCE 100.0

struct collector {
    struct diag *diag;
    const struct light_options *options;
    const struct bsp *bsp;
    const struct entity_view *entities;
    struct light_set *set;
};

static int id_of(const struct entity *entity)
{
    double id = entity_number(entity, "hammerid", 0);
    return id > 0 && id < INT32_MAX ? (int)id : 0;
}

int light_id(const struct light *light)
{
    return light->entity ? id_of(light->entity) : 0;
}

static struct diag_where where_of(const struct entity *entity)
{
    struct diag_where where = {.entity_id = id_of(entity)};
    struct vec3 origin;
    if (entity_vector(entity, "origin", &origin)) {
        where.has_point = true;
        for (int i = 0; i < 3; i++)
            where.point[i] = origin.e[i];
    }
    return where;
}

#define REPORT(collector, code, entity, ...)                                                       \
    do {                                                                                           \
        struct diag_where report_where_ = where_of(entity);                                        \
        diag_report((collector)->diag, code, &report_where_, __VA_ARGS__);                         \
    } while (0)

static const char *class_of(const struct entity *entity)
{
    return entity_value(entity, "classname");
}

/* A key's colour for the run: the HDR key if it is set, else the LDR key, scaled. */
static bool run_colour(const struct collector *c, const struct entity *entity, const char *key,
                       const char *hdr_key, const char *hdr_scale, struct vec3 *out)
{
    bool hdr = c->options->hdr;
    bool found = hdr && light_colour(entity_value(entity, hdr_key), true, out);
    if (!found)
        found = light_colour(entity_value(entity, key), hdr, out);
    if (found && hdr)
        *out = vec3_scale(*out, portable_fmax(entity_number(entity, hdr_scale, 1), 0));
    return found;
}

static struct vec3 main_colour(const struct collector *c, const struct entity *entity)
{
    struct vec3 colour;
    if (run_colour(c, entity, "_light", "_lightHDR", "_lightscaleHDR", &colour))
        return colour;
    REPORT(c, DIAG_LIGHT_COLOUR, entity, "\"%s\" in _light of %s; it emits no light",
           entity_value(entity, "_light"), class_of(entity));
    return vec3(0, 0, 0);
}

static const struct entity *named_entity(const struct collector *c, const char *name)
{
    const struct entity_filter named = {.key = "targetname", .value = name};
    return entity_view_next(c->entities, entity_query_of(&named), NULL);
}

/* The direction of a light: towards its target, else by "angle" (-1 up, -2 down, or a yaw) or the
 * yaw of "angles", with the pitch of "pitch" or, if that is 0, of "angles". */
static struct vec3 light_direction(const struct collector *c, const struct entity *entity,
                                   struct vec3 origin)
{
    const char *target = entity_value(entity, "target");
    if (*target) {
        const struct entity *target_entity = named_entity(c, target);
        struct vec3 point;
        if (target_entity && entity_vector(target_entity, "origin", &point) &&
            vec3_distance(point, origin) > 0)
            return vec3_normalize(vec3_sub(point, origin));
        REPORT(c, DIAG_LIGHT_TARGET, entity, "\"%s\" of %s is not in the map, or at the same place",
               target, class_of(entity));
    }
    struct vec3 angles = vec3(0, 0, 0);
    entity_vector(entity, "angles", &angles);
    double angle = entity_number(entity, "angle", 0);
    if (angle == -1 || angle == -2)
        return vec3(0, 0, angle == -1 ? 1 : -1);
    double yaw = (angle != 0 ? angle : angles.y) * DEGREE;
    double pitch = entity_number(entity, "pitch", 0);
    pitch = (pitch != 0 ? pitch : angles.x) * DEGREE;
    struct vec3 normal = vec3(portable_cos(yaw) * portable_cos(pitch),
                              portable_sin(yaw) * portable_cos(pitch), portable_sin(pitch));
    return vec3_is_finite(normal) ? normal : vec3(1, 0, 0);
}

static int style_of(const struct collector *c, const struct entity *entity)
{
    double style = entity_number(entity, "style", 0);
    if (style >= 0 && style < 64)
        return (int)style;
    REPORT(c, DIAG_LIGHT_STYLE, entity, "%g of %s, must be 0 to 63; 0 is used", style,
           class_of(entity));
    return 0;
}

/* By percent distances: the light has its full brightness at distance 0. */
static bool percent_falloff(const struct collector *c, const struct entity *entity,
                            struct light *light)
{
    double d50 = entity_number(entity, "_fifty_percent_distance", 0);
    if (!(d50 > 0))
        return false;
    double d0 = entity_number(entity, "_zero_percent_distance", 0);
    if (d0 < d50) {
        if (d0 > 0)
            REPORT(c, DIAG_LIGHT_FALLOFF, entity,
                   "_zero_percent_distance %g is less than _fifty_percent_distance %g; %g is used",
                   d0, d50, 2 * d50);
        d0 = 2 * d50;
    }
    light_fifty_percent(d50, d0, &light->constant, &light->linear, &light->quadratic);
    if (c->options->finite_falloff || entity_number(entity, "_hardfalloff", 0) != 0) {
        light->fade_start = 0.75 * d0 + 0.25 * d50;
        light->fade_end = d0;
    } else if (light->quadratic != 0) {
        double top = -light->linear / (2 * light->quadratic);
        if (top > 0) {
            light->cap_distance = light->fade_start = top;
            light->fade_end = 10 * top;
        }
    }
    return true;
}

static double attenuation(const struct collector *c, const struct entity *entity, const char *key)
{
    double value = entity_number(entity, key, 0);
    if (value >= 0)
        return value;
    REPORT(c, DIAG_LIGHT_FALLOFF, entity, "%s is %g; 0 is used", key, value);
    return 0;
}

static void set_falloff(const struct collector *c, const struct entity *entity, struct light *light)
{
    light->radius = portable_fmax(entity_number(entity, "_distance", 0), 0);
    if (percent_falloff(c, entity, light))
        return;
    light->constant = attenuation(c, entity, "_constant_attn");
    light->linear = attenuation(c, entity, "_linear_attn");
    light->quadratic = attenuation(c, entity, "_quadratic_attn");
    if (light->constant == 0 && light->linear == 0 && light->quadratic == 0)
        light->constant = 1;
    double d = REFERENCE_DISTANCE;
    double scale = light->constant + d * light->linear + d * d * light->quadratic;
    light->intensity = vec3_scale(light->intensity, scale);
}

/* Both cones at 180 degrees: a point light. */
static void set_cones(const struct collector *c, const struct entity *entity, struct light *light)
{
    double inner = entity_number(entity, "_inner_cone", 0);
    double outer = entity_number(entity, "_cone", 0);
    if (!(inner > 0))
        inner = 10;
    if (outer < inner)
        outer = inner;
    if (inner == 180 && outer == 180) {
        light->type = WORLDLIGHT_POINT;
        return;
    }
    if (outer > 90)
        REPORT(c, DIAG_LIGHT_CONE, entity, "%g degrees, reduced to 90", outer);
    inner = portable_fmin(inner, 90);
    outer = portable_fmin(outer, 90);
    light->stopdot = portable_cos(inner * DEGREE);
    light->stopdot2 = portable_cos(outer * DEGREE);
    light->exponent = entity_number(entity, "_exponent", 0);
}

static struct light light_base(const struct entity *entity, enum worldlight_type type)
{
    struct light light = {.type = type, .face = -1};
    light.entity = entity;
    if (!entity_vector(entity, "origin", &light.origin) || !vec3_is_finite(light.origin))
        light.origin = vec3(0, 0, 0);
    return light;
}

static void add_local_light(struct collector *c, const struct entity *entity,
                            enum worldlight_type type)
{
    struct light light = light_base(entity, type);
    light.normal = light_direction(c, entity, light.origin);
    light.intensity = main_colour(c, entity);
    light.style = style_of(c, entity);
    set_falloff(c, entity, &light);
    if (type == WORLDLIGHT_SPOT)
        set_cones(c, entity, &light);
    arrput(c->set->lights, light);
}

static struct light sun_light(struct collector *c, const struct entity *entity)
{
    struct light sun = light_base(entity, WORLDLIGHT_SKY);
    double spread = c->options->soft_sun_degrees;
    if (!(spread > 0))
        spread = entity_number(entity, "SunSpreadAngle", 0);
    sun.normal = light_direction(c, entity, sun.origin);
    sun.intensity = main_colour(c, entity);
    sun.spread = portable_sin(portable_fmin(portable_fmax(spread, 0), 90) * DEGREE);
    return sun;
}

/* An additional sun: it shines through the sky, and adds no ambient light. */
static void add_directional(struct collector *c, const struct entity *entity)
{
    struct light sun = sun_light(c, entity);
    sun.style = style_of(c, entity);
    arrput(c->set->lights, sun);
}

/* The sun, and the ambient light of the sky. Only the first light_environment counts. */
static void add_environment(struct collector *c, const struct entity *entity)
{
    if (c->set->sun >= 0) {
        REPORT(c, DIAG_LIGHT_SECOND_SUN, entity, "only the first one is used");
        return;
    }
    struct light sun = sun_light(c, entity);
    struct light sky = light_base(entity, WORLDLIGHT_SKY_AMBIENT);
    if (!run_colour(c, entity, "_ambient", "_ambientHDR", "_AmbientScaleHDR", &sky.intensity))
        sky.intensity = vec3_scale(sun.intensity, 0.5);
    c->set->sun = (int)arrlen(c->set->lights);
    arrput(c->set->lights, sun);
    c->set->sky = (int)arrlen(c->set->lights);
    arrput(c->set->lights, sky);
}

static void add_entity(struct collector *c, const struct entity *entity)
{
    const char *name = class_of(entity);
    if (str_equal_nocase(name, "light"))
        add_local_light(c, entity, WORLDLIGHT_POINT);
    else if (str_equal_nocase(name, "light_spot"))
        add_local_light(c, entity, WORLDLIGHT_SPOT);
    else if (str_equal_nocase(name, "light_environment"))
        add_environment(c, entity);
    else if (str_equal_nocase(name, "light_directional"))
        add_directional(c, entity);
    else if (!str_equal_nocase(name, "light_dynamic"))
        REPORT(c, DIAG_LIGHT_KIND, entity, "%s adds no light to the lightmaps", name);
}

/* The lump lists the last light first. */
static void reverse(struct light_set *set)
{
    int count = (int)arrlen(set->lights);
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        struct light kept = set->lights[i];
        set->lights[i] = set->lights[j];
        set->lights[j] = kept;
    }
    if (set->sun >= 0) {
        set->sun = count - 1 - set->sun;
        set->sky = count - 1 - set->sky;
    }
}

/* Lights belong to all leaves that they are this near to, since many are placed on the grid that
 * the tree is split along. */
#define LEAF_REACH 0.1

/* The clusters of the open leaves around a light's origin: those in front of planes first. An
 * stb_ds array, owned by the caller. */
static int *clusters_around(const struct bsp *bsp, struct vec3 point)
{
    int *pending = NULL, *clusters = NULL;
    if (arrlen(bsp->models) > 0)
        arrput(pending, bsp->models[0].head_node);
    while (arrlen(pending) > 0) {
        int at = arrpop(pending);
        if (at < 0) {
            const struct bsp_leaf *leaf = &bsp->leaves[-1 - at];
            if (!(leaf->contents & CONTENTS_SOLID) && leaf->cluster >= 0)
                arrput(clusters, leaf->cluster);
            continue;
        }
        const struct bsp_node *node = &bsp->nodes[at];
        const struct bsp_plane *plane = &bsp->planes[node->plane];
        double distance = -(double)plane->dist;
        for (int k = 0; k < 3; k++)
            distance += (double)plane->normal[k] * point.e[k];
        if (distance <= LEAF_REACH)
            arrput(pending, node->children[1]);
        if (distance >= -LEAF_REACH)
            arrput(pending, node->children[0]);
    }
    arrfree(pending);
    return clusters;
}

/* The row of a light: the union of the PVS of the clusters around it; all clusters if there are
 * none. */
static void find_row(const struct bsp *bsp, const int *clusters, int count, size_t row_bytes,
                     unsigned char *row)
{
    memset(row, arrlen(clusters) ? 0 : 0xff, row_bytes);
    unsigned char *one = memory_alloc(row_bytes);
    for (ptrdiff_t i = 0; i < arrlen(clusters); i++) {
        memset(one, 0xff, row_bytes);
        if (clusters[i] < count)
            bsp_vis_row(bsp, clusters[i], false, one);
        for (size_t k = 0; k < row_bytes; k++)
            row[k] |= one[k];
    }
    memory_free(one);
}

static void place_light(const struct bsp *bsp, struct light_set *set, size_t index,
                        int vis_clusters)
{
    struct light *light = &set->lights[index];
    struct vec3 point = light->origin;
    if (light->type == WORLDLIGHT_SURFACE)
        point = vec3_add(point, light->normal);
    int *clusters = clusters_around(bsp, point);
    light->cluster = arrlen(clusters) ? clusters[0] : -1;
    bool from_sky = light->type == WORLDLIGHT_SKY || light->type == WORLDLIGHT_SKY_AMBIENT;
    if (from_sky)
        arrsetlen(clusters, 0);
    if (set->row_bytes)
        find_row(bsp, clusters, vis_clusters, set->row_bytes, set->rows + index * set->row_bytes);
    arrfree(clusters);
}

void lights_place(const struct bsp *bsp, struct light_set *set)
{
    int clusters = bsp_vis_clusters(bsp);
    size_t count = arrlenu(set->lights);
    if (clusters > 0) {
        set->row_bytes = ((size_t)clusters + 7) / 8;
        arrsetlen(set->rows, count * set->row_bytes);
    }
    for (size_t i = 0; i < count; i++)
        place_light(bsp, set, i, clusters);
}

static void report_in_solid(const struct collector *c)
{
    for (ptrdiff_t i = 0; i < arrlen(c->set->lights); i++) {
        const struct light *light = &c->set->lights[i];
        bool point_or_spot = light->type == WORLDLIGHT_POINT || light->type == WORLDLIGHT_SPOT;
        if (point_or_spot && light->cluster < 0 && arrlen(c->bsp->models) > 0)
            REPORT(c, DIAG_LIGHT_IN_SOLID, light->entity, "%s", class_of(light->entity));
    }
}

void lights_collect(const struct env *env, const struct light_options *options,
                    const struct bsp *bsp, const struct entity_view *entities,
                    const struct rad_file *rad, struct light_set *out)
{
    *out = (struct light_set){.sun = -1, .sky = -1};
    struct collector c = {env->diag, options, bsp, entities, out};
    if (rad)
        texture_lights_collect(options, bsp, entities, rad, out);
    const struct entity_filter light = {.key = "classname", .value = "light", .is_prefix = true};
    const struct entity *entity = NULL;
    while ((entity = entity_view_next(entities, entity_query_of(&light), entity)))
        add_entity(&c, entity);
    reverse(out);
    lights_place(bsp, out);
    report_in_solid(&c);
}
