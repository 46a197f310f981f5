/* Views into the open: that of the end of a game, those of players at spawn points, and the best of
 * a map without. */
#include "scene/views/scene_view.h"

#include <ctype.h>
#include <stdlib.h>

#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/angle.h"
#include "common/parallel/parallel.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"

/* Viewpoints as text. */

/* Replaces the commands and punctuation of getpos by blanks; returns false when other words are
 * left. */
static bool strip_commands(const char *text, char *out, size_t size)
{
    static const char *const words[] = {"setpos_exact", "setang_exact", "setpos", "setang"};
    size_t used = 0;
    while (*text) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words && !skip; i++)
            if (str_starts_nocase(text, words[i]))
                skip = strlen(words[i]);
        if (used + 1 >= size || (!skip && isalpha((unsigned char)*text) && *text != 'e'))
            return false;
        out[used++] = skip || *text == ';' || *text == ',' ? ' ' : *text;
        text += skip ? skip : 1;
    }
    out[used] = 0;
    return true;
}

/* Parses numbers separated by blanks. Returns their count, or -1 when there is anything else or
 * too many. */
static int only_numbers(const char *text, double *out, int max)
{
    int count = 0;
    for (;;) {
        text += strspn(text, " \t");
        if (!*text)
            return count;
        size_t length = strcspn(text, " \t");
        char word[64];
        if (count == max || length >= sizeof word)
            return -1;
        memcpy(word, text, length);
        word[length] = 0;
        if (!str_to_double(word, &out[count]) || !(fabs(out[count]) < 1e6))
            return -1;
        count++;
        text += length;
    }
}

bool scene_view_read(const char *text, struct scene_view *out)
{
    char stripped[256];
    double numbers[6] = {0};
    if (!strip_commands(text, stripped, sizeof stripped))
        return false;
    int count = only_numbers(stripped, numbers, 6);
    if (count != 3 && count != 5 && count != 6)
        return false;
    *out = (struct scene_view){.eye = vec3(numbers[0], numbers[1], numbers[2]),
                               .angles = vec3(numbers[3], numbers[4], numbers[5])};
    return true;
}

/* Eye height of a standing player. */
#define EYE_HEIGHT 64.0

#define FIELD_OF_VIEW 90.0

/* A view whose middle is nearer than this faces a wall, as does one that sees less than this share
 * of what it could. */
#define WALL       160.0
#define LEAST_PART 0.35

/* A surface this far away counts half as much as what is infinitely far. */
#define HALF_DISTANCE 512.0

/* The part of a surface's worth that does not depend on its light, and the light of the full
 * worth; 255 is white. Sky is worth less than a surface. */
#define UNLIT_WORTH 0.3
#define FULL_LIGHT  48.0
#define SKY_WORTH   0.4

/* The part that is left of the worth of a view without a surface, which says nothing of the map.
 * Who has placed a spawn so may mean it. */
#define ONLY_SKY 0.1

/* From less than this nothing is seen: the eye is in a solid. */
#define LEAST_OPENNESS 0.02

enum {
    COLUMNS = 8,
    ROWS = 4, /* of the rays of a view: two packets */
    FEW_TURNS = 8,
    TURNS = 24,
    MAX_PLACES = 320,
    MAX_LEAVES = 224
};

struct outlook {
    double openness; /* 0 .. 1 */
    double middle;   /* the median distance of what is in the middle of the view */
    bool is_sky;     /* no surface is seen */
};

static double worth_of(const struct map_scene *scene, const struct first_hit *hit)
{
    float light[3];
    if (hit->kind == HIT_NOTHING)
        return 0;
    if (hit->kind == HIT_SKY)
        return SKY_WORTH;
    scene_first_hit_light(scene, hit, light);
    double bright = (double)(light[0] + light[1] + light[2]) / (3 * FULL_LIGHT);
    return UNLIT_WORTH + (1 - UNLIT_WORTH) * portable_fmin(portable_fmax(bright, 0), 1);
}

static struct outlook outlook_of(const struct map_scene *scene, const struct scene_view *view)
{
    struct camera camera = camera_of(view, COLUMNS, ROWS, FIELD_OF_VIEW);
    struct vec3 origins[TRACE_PACKET], directions[TRACE_PACKET];
    struct first_hit hits[TRACE_PACKET];
    double middle[COLUMNS * ROWS] = {0};
    size_t count = 0, surfaces = 0;
    struct outlook outlook = {0};
    for (int first = 0; first < COLUMNS * ROWS; first += TRACE_PACKET) {
        for (int i = 0; i < TRACE_PACKET; i++)
            camera_ray(&camera, (first + i) % COLUMNS + 0.5, (first + i) / COLUMNS + 0.5,
                       &origins[i], &directions[i]);
        scene_first_hits(scene, false, origins, directions, 0xffff, hits);
        for (int i = 0; i < TRACE_PACKET; i++) {
            double distance = hits[i].distance;
            int column = (first + i) % COLUMNS;
            surfaces += hits[i].kind == HIT_SURFACE;
            outlook.openness += worth_of(scene, &hits[i]) * distance / (distance + HALF_DISTANCE);
            if (2 * column >= COLUMNS / 2 && 2 * column < 3 * COLUMNS / 2)
                middle[count++] = distance;
        }
    }
    qsort(middle, count, sizeof *middle, portable_double_order);
    outlook.middle = middle[count / 2];
    outlook.openness /= COLUMNS * ROWS;
    outlook.is_sky = !surfaces;
    return outlook;
}

/* Turns the view on the spot, from its own yaw on, to where it sees most. Returns its
 * openness, of which `only_sky` counts without a surface. */
static double turn(const struct map_scene *scene, int turns, double only_sky,
                   struct scene_view *view)
{
    struct scene_view turned = *view;
    double best = -1, yaw = view->angles.y;
    for (int i = 0; i < turns; i++) {
        turned.angles = vec3(0, yaw + 360.0 * i / turns, 0);
        if (turned.angles.y >= 180)
            turned.angles.y -= 360;
        struct outlook outlook = outlook_of(scene, &turned);
        double openness = outlook.is_sky ? only_sky * outlook.openness : outlook.openness;
        if (openness > best) {
            best = openness;
            view->angles = turned.angles;
        }
    }
    return best;
}

/* --- spawns --- */

static const char *const spawn_names[] = {
    "info_player_start",     "info_player_deathmatch",       "info_player_teamspawn",
    "info_player_terrorist", "info_player_counterterrorist", "info_survivor_position"};
enum { SPAWN_NAMES = sizeof spawn_names / sizeof *spawn_names };

static bool is_spawn(const struct entity *entity, int first, int last)
{
    for (int i = first; i <= last; i++)
        if (entity_is(entity, spawn_names[i]))
            return true;
    return false;
}

/* From a solid one looks through the backs of its sides. */
bool scene_is_solid_at(const struct map_scene *scene, struct vec3 point)
{
    const struct bsp *bsp = scene->bsp;
    return arrlen(bsp->leaves) > 0 &&
           bsp->leaves[bsp_leaf_at(bsp, 0, point)].contents & CONTENTS_SOLID;
}

static struct vec3 angles_of(const struct entity *entity)
{
    struct vec3 angles;
    if (!entity_vector(entity, "angles", &angles))
        angles = vec3(0, entity_number(entity, "angle", 0), 0);
    return angles;
}

/* Returns false when nothing is seen from there. */
static bool view_of_spawn(const struct map_scene *scene, const struct entity *entity,
                          struct scene_view *out)
{
    struct scene_view view = {0};
    if (!entity_vector(entity, "origin", &view.eye) || !vec3_is_finite(view.eye))
        return false;
    view.eye.z += scene->bsp->engine->geometry.eye_height;
    view.angles = angles_of(entity);
    if (scene_is_solid_at(scene, view.eye))
        return false;
    if (!vec3_is_finite(view.angles) || !(fabs(view.angles.y) <= 360))
        view.angles = vec3(0, 0, 0);
    struct scene_view turned = view;
    struct outlook own = outlook_of(scene, &view);
    double best = turn(scene, TURNS, 1, &turned);
    bool faces_wall = own.middle < WALL || own.openness < LEAST_PART * best;
    *out = faces_wall && best > own.openness ? turned : view;
    return portable_fmax(own.openness, best) > LEAST_OPENNESS;
}

struct scene_view *scene_spawn_views(const struct map_scene *scene)
{
    struct scene_view *views = NULL, view;
    for (size_t i = 0; i < arrlenu(scene->entities.entities); i++) {
        const struct entity *entity = &scene->entities.entities[i];
        if (is_spawn(entity, 0, SPAWN_NAMES - 1) && view_of_spawn(scene, entity, &view))
            arrput(views, view);
    }
    return views;
}

static bool first_spawn_view(const struct map_scene *scene, struct scene_view *out)
{
    for (int name = 0; name < SPAWN_NAMES; name++)
        for (size_t i = 0; i < arrlenu(scene->entities.entities); i++)
            if (is_spawn(&scene->entities.entities[i], name, name) &&
                view_of_spawn(scene, &scene->entities.entities[i], out))
                return true;
    return false;
}

/* --- the view of the end of a game --- */

static const struct entity *target_of(const struct map_scene *scene, const struct entity *entity)
{
    const char *target = entity_value(entity, "target");
    for (size_t i = 0; *target && i < arrlenu(scene->entities.entities); i++)
        if (str_equal_nocase(entity_value(&scene->entities.entities[i], "targetname"), target))
            return &scene->entities.entities[i];
    return NULL;
}

static bool look_at_target(const struct map_scene *scene, const struct entity *entity,
                           struct scene_view *view)
{
    const struct entity *target = target_of(scene, entity);
    struct vec3 point;
    if (!target || !entity_vector(target, "origin", &point))
        return false;
    struct vec3 way = vec3_sub(point, view->eye);
    if (!vec3_is_finite(way) || !(vec3_length(way) > 1))
        return false;
    view->angles = vec3(-portable_atan2(way.z, sqrt(way.x * way.x + way.y * way.y)) / DEGREE,
                        portable_atan2(way.y, way.x) / DEGREE, 0);
    return true;
}

/* Whoever made the map has chosen it: the camera is in the entity, and looks where it says. */
static bool intermission_view(const struct map_scene *scene, struct scene_view *out)
{
    for (size_t i = 0; i < arrlenu(scene->entities.entities); i++) {
        const struct entity *entity = &scene->entities.entities[i];
        struct scene_view view = {0};
        if (!entity_is(entity, "info_player_intermission") ||
            !entity_vector(entity, "origin", &view.eye) || !vec3_is_finite(view.eye) ||
            scene_is_solid_at(scene, view.eye))
            continue;
        if (!look_at_target(scene, entity, &view))
            view.angles = angles_of(entity);
        if (!vec3_is_finite(view.angles) || !(fabs(view.angles.x) <= 90) ||
            !(fabs(view.angles.y) <= 360))
            continue;
        view.angles.z = 0;
        struct outlook outlook = outlook_of(scene, &view);
        *out = view;
        if (outlook.openness > LEAST_OPENNESS && !outlook.is_sky)
            return true;
    }
    return false;
}

/* --- places without a spawn --- */

struct place {
    struct vec3 point;
    double volume;
    size_t number;
};

struct place_job {
    const struct map_scene *scene;
    struct place *places;     /* stb_ds array */
    struct scene_view *views; /* the best of each place */
    double *openness;
};

/* The largest first. */
static int compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->volume < q->volume || p->volume > q->volume)
        return p->volume < q->volume ? 1 : -1;
    return (p->number > q->number) - (p->number < q->number);
}

static bool is_inside(const struct map_scene *scene, const struct bsp_leaf *leaf, bool has_clusters)
{
    bool in_skybox = scene->skybox.present && leaf->area == scene->skybox.area;
    return !(leaf->contents & CONTENTS_SOLID) && !in_skybox &&
           (leaf->cluster >= 0 || !has_clusters);
}

static void add_leaves(const struct map_scene *scene, struct place **places)
{
    const struct bsp *bsp = scene->bsp;
    bool has_clusters = bsp_vis_clusters(bsp) > 0;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        struct place place = {.volume = 1, .number = i};
        for (int k = 0; k < 3; k++) {
            place.point.e[k] = ((double)leaf->mins[k] + leaf->maxs[k]) / 2;
            place.volume *= portable_fmax(0, (double)leaf->maxs[k] - leaf->mins[k]);
        }
        if (is_inside(scene, leaf, has_clusters) && place.volume > 0)
            arrput(*places, place);
    }
    if (*places)
        qsort(*places, arrlenu(*places), sizeof **places, compare_places);
    if (arrlen(*places) > MAX_LEAVES)
        arrsetlen(*places, MAX_LEAVES);
}

static void add_entities(const struct map_scene *scene, struct place **places)
{
    for (size_t i = 1; i < arrlenu(scene->entities.entities) && arrlen(*places) < MAX_PLACES; i++) {
        struct place place = {.number = i};
        if (entity_vector(&scene->entities.entities[i], "origin", &place.point) &&
            vec3_is_finite(place.point) && vec3_length(place.point) > 0 &&
            !scene_is_solid_at(scene, place.point))
            arrput(*places, place);
    }
}

/* The eye of a player who stands below the point, or the point where there is less room. */
static struct vec3 eye_at(const struct map_scene *scene, struct vec3 point)
{
    struct vec3 origins[TRACE_PACKET] = {point}, down[TRACE_PACKET] = {{.z = -1}};
    struct first_hit hits[TRACE_PACKET];
    scene_first_hits(scene, false, origins, down, 1, hits);
    if (hits[0].kind == HIT_SURFACE && hits[0].distance > EYE_HEIGHT)
        point.z += EYE_HEIGHT - hits[0].distance;
    return point;
}

static void look_around(void *context, size_t index, int thread)
{
    (void)thread;
    const struct place_job *job = context;
    job->views[index] = (struct scene_view){.eye = eye_at(job->scene, job->places[index].point)};
    job->openness[index] = turn(job->scene, FEW_TURNS, ONLY_SKY, &job->views[index]);
}

static bool widest_view(const struct map_scene *scene, struct scene_view *out)
{
    struct place_job job = {.scene = scene};
    add_leaves(scene, &job.places);
    add_entities(scene, &job.places);
    size_t count = arrlenu(job.places), best = 0;
    job.views = memory_zalloc(count + 1, sizeof *job.views);
    job.openness = memory_zalloc(count + 1, sizeof *job.openness);
    parallel_for(scene->env->threads, count, look_around, &job);
    for (size_t i = 1; i < count; i++)
        if (job.openness[i] > job.openness[best])
            best = i;
    bool found = job.openness[best] > LEAST_OPENNESS;
    *out = job.views[best];
    if (found)
        turn(scene, TURNS, ONLY_SKY, out);
    memory_free(job.views);
    memory_free(job.openness);
    arrfree(job.places);
    return found;
}

bool scene_start_view(const struct map_scene *scene, struct scene_view *out)
{
    return intermission_view(scene, out) || first_spawn_view(scene, out) || widest_view(scene, out);
}
