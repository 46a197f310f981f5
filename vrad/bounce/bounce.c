#include "vrad/bounce/bounce.h"

#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "vrad/bounce/bounce_cells.h"
#include "vrad/bounce/bounce_rays.h"
#include "vrad/bounce/bounce_solve.h"
#include "vrad/scene/hemisphere.h"

#define DEFAULT_SPACING   80.0
#define CARRYING_SPACING  64.0
#define DEFAULT_TOLERANCE 0.12
enum {
    DEFAULT_RAYS = 64,
    MIN_RAYS = 32,
    FEW_LUXELS = 16, /* of a face */
    SMALL_CELL = 2,  /* luxels across */
    /* Rays of a point that carry the light of all bounces but the last, and of the whole map, with
     * which they are enough. */
    MAX_CARRYING = 256,
    ENOUGH_RAYS = 1 << 18,
};

/* Differences below this, of 255, are not worth a point. */
#define MIN_DIFFERENCE 0.25

/* Directions by the logarithm of their number, as far as faces use them. */
enum { TABLES = 11 };
struct gather_tables {
    struct gather_table plain[TABLES], bumped[TABLES];
};

struct gathering {
    const struct bounce_webs *webs;
    const struct gather_tables *tables;
    const struct bounce_rays *learnt;
    int rays; /* usual ones of a wide face */
    struct luxel_map *map;
    double tolerance;
    struct bounce_counts *counts; /* one a face */
    struct progress *progress;
};

/* One face at work. */
struct face_gather {
    const struct gathering *shared;
    const struct bounce_web *web;
    const struct gather_table *tables; /* by the logarithm of the rays */
    int usual_rays;
    struct face_light *light;
    int face;
    unsigned char *known; /* one a luxel: LUXEL_GATHERED when it is, or is wanted */
    int *wanted;          /* stb_ds array: luxels to gather next */
    struct cell *cells;   /* stb_ds array: to be looked at */
    struct cell *smooth;  /* stb_ds array: light may be interpolated in them */
    float *doubt;         /* slots * count: the variance of what is gathered */
    struct hot_cells spots;
    struct bounce_counts counts;
};

static double brightness(const float *colour)
{
    return ((double)colour[0] + (double)colour[1] + (double)colour[2]) / 3;
}

static void want_luxel(struct face_gather *at, int luxel)
{
    if (at->known[luxel] == LUXEL_GATHERED || at->light->luxels[luxel].hidden)
        return;
    at->known[luxel] = LUXEL_GATHERED;
    arrput(at->wanted, luxel);
}

static void store_light(struct face_gather *at, int luxel, const float *light, const float *doubt)
{
    for (int j = 0; j < at->light->slots; j++) {
        int place = j * at->light->count + luxel;
        at->doubt[place] = doubt[j];
        for (int k = 0; k < 3; k++)
            at->light->indirect[3 * place + k] = light[3 * j + k];
    }
    at->counts.points++;
}

static void gather_some(struct face_gather *at, const struct gather_table *table, const int *luxels,
                        int count)
{
    const struct radiosity *radiosity = at->shared->webs->radiosity;
    const struct hot_view *hot = &at->shared->webs->views[at->face];
    struct gather_point points[GATHER_POINTS] = {{.place = 0}};
    uint32_t seen[GATHER_POINTS * GATHER_RAYS];
    for (int i = 0; i < count; i++) {
        points[i] = gather_point_at(radiosity, at->face, luxels[i], hot);
        if (at->usual_rays > DEFAULT_RAYS) /* finer rays to spots, too */
            points[i].min *= (double)DEFAULT_RAYS / at->usual_rays;
    }
    gather_look(radiosity, table, points, count, seen);
    for (int i = 0; i < count; i++) {
        float light[3 * LUXEL_SLOTS], doubt[LUXEL_SLOTS];
        gather_light(radiosity, table, &points[i], seen + i * table->rays, light, doubt);
        at->counts.hot_rays += gather_hot(&points[i], hot_cells_at(&at->spots, luxels[i]), light);
        store_light(at, luxels[i], light, doubt);
    }
    at->counts.rays += (int64_t)count * table->rays;
}

static int table_of(int usual, int step)
{
    int rays = step < 0 ? usual >> -step : usual << step, number = 0;
    rays = rays > GATHER_RAYS ? GATHER_RAYS : rays < GATHER_PARTS ? GATHER_PARTS : rays;
    while (1 << number < rays)
        number++;
    return number;
}

/* Points of as many rays look around together. */
static void gather_wanted(struct face_gather *at)
{
    /* What bump maps see is a part, and differs more than the whole: they keep their rays. */
    const bool bumped = at->light->slots > 1;
    int luxels[TABLES][GATHER_POINTS], counts[TABLES] = {0};
    for (ptrdiff_t i = 0; i < arrlen(at->wanted); i++) {
        int step = bumped ? 0 : bounce_rays_step(at->shared->learnt, at->face, at->wanted[i]);
        int table = table_of(at->usual_rays, step);
        luxels[table][counts[table]++] = at->wanted[i];
        if (counts[table] == GATHER_POINTS) {
            gather_some(at, &at->tables[table], luxels[table], GATHER_POINTS);
            counts[table] = 0;
        }
    }
    for (int table = 0; table < TABLES; table++)
        if (counts[table])
            gather_some(at, &at->tables[table], luxels[table], counts[table]);
    arrsetlen(at->wanted, 0);
}

static void want_lattice(struct face_gather *at)
{
    const struct lattice *lattice = &at->web->lattice;
    for (int i = 0; i < lattice_points(lattice); i++)
        want_luxel(at, lattice_luxel(at->light, lattice, i));
}

/* Whether the light in the middle is what the corners foretell. */
static bool middle_fits(const struct face_gather *at, const struct cell *cell)
{
    float foretold[3];
    int middle = cell_middle(at->light, cell);
    double level = brightness(at->light->indirect + 3 * middle);
    cell_foretell(at->light, cell, foretold);
    double miss = fabs(brightness(foretold) - level);
    if (at->light->direct[0])
        level += brightness(at->light->direct[0] + 3 * middle);
    return miss <= fmax(at->shared->tolerance * level, MIN_DIFFERENCE);
}

static bool is_smooth(const struct face_gather *at, const struct cell *cell)
{
    int corners[4];
    cell_corners(at->light, cell, corners);
    return at->known[cell_middle(at->light, cell)] == LUXEL_GATHERED && middle_fits(at, cell) &&
           lattice_open(at->shared->webs->radiosity, at->face, corners, 4);
}

static bool has_inside(const struct cell *cell)
{
    return cell->right - cell->left > 1 || cell->bottom - cell->top > 1;
}

/* Few luxels, so close that there is little between corners that agree. */
static bool is_small(const struct cell *cell)
{
    return cell->right - cell->left <= SMALL_CELL && cell->bottom - cell->top <= SMALL_CELL;
}

/* Whether the corners differ by no more than the middle may, or by their noise. */
static bool corners_agree(const struct face_gather *at, const int corners[4])
{
    double min = DBL_MAX, max = 0, level = 0, noise = 0;
    for (int i = 0; i < 4; i++) {
        if (at->known[corners[i]] != LUXEL_GATHERED)
            return false;
        double bright = brightness(at->light->indirect + 3 * corners[i]);
        min = fmin(min, bright);
        max = fmax(max, bright);
        level += bright / 4;
        noise += (double)at->doubt[corners[i]];
        if (at->light->direct[0])
            level += brightness(at->light->direct[0] + 3 * corners[i]) / 4;
    }
    double limit = fmax(at->shared->tolerance * level, MIN_DIFFERENCE);
    return pow(max - min, 2) <= limit * limit + 2 * noise;
}

/* Takes the light of the middle from the corners, where that will do. */
static bool assume_middle(struct face_gather *at, const struct cell *cell)
{
    int corners[4], middle = cell_middle(at->light, cell), count = at->light->count;
    float weights[4];
    cell_corners(at->light, cell, corners);
    if (at->known[middle] || at->light->luxels[middle].hidden || !corners_agree(at, corners))
        return false;
    cell_weights(cell, middle % at->light->width, middle / at->light->width, weights);
    for (int j = 0; j < at->light->slots; j++) {
        float *values = at->light->indirect + 3 * j * count, *doubt = at->doubt + j * count;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++)
                values[3 * middle + k] += weights[i] * values[3 * corners[i] + k];
            doubt[middle] += weights[i] * weights[i] * doubt[corners[i]];
        }
    }
    at->known[middle] = LUXEL_GATHERED;
    return true;
}

/* Cuts a cell in the middle: into two where it is but one luxel wide. */
static void divide(struct face_gather *at, const struct cell *cell, struct cell **parts)
{
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    int columns[3] = {cell->left, cell->left + across / 2, cell->right};
    int rows[3] = {cell->top, cell->top + along / 2, cell->bottom};
    int column_step = across > 1 ? 1 : 2, row_step = along > 1 ? 1 : 2;
    for (int j = 0; j < 3; j += row_step)
        for (int i = 0; i < 3; i += column_step)
            want_luxel(at, cell_luxel(at->light, columns[i], rows[j]));
    for (int j = 0; j < 2; j += row_step) {
        for (int i = 0; i < 2; i += column_step) {
            struct cell part = {columns[i], rows[j], columns[i + column_step], rows[j + row_step]};
            if (has_inside(&part))
                arrput(*parts, part);
        }
    }
}

static void start_cells(struct face_gather *at)
{
    const struct lattice *lattice = &at->web->lattice;
    for (int row = 0; row == 0 || row + 1 < lattice->row_count; row++) {
        for (int column = 0; column == 0 || column + 1 < lattice->column_count; column++) {
            int right = column + 1 < lattice->column_count ? column + 1 : column;
            int below = row + 1 < lattice->row_count ? row + 1 : row;
            struct cell cell = {lattice->columns[column], lattice->rows[row],
                                lattice->columns[right], lattice->rows[below]};
            if (has_inside(&cell))
                arrput(at->cells, cell);
        }
    }
}

/* Whether middles may do without rays. Small maps have rays enough. */
static bool any_small(const struct face_gather *at)
{
    if (!at->shared->learnt->scatter)
        return false;
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (is_small(&at->cells[i]))
            return true;
    return false;
}

static void want_middles(struct face_gather *at)
{
    const bool spare = any_small(at);
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (!spare || !is_small(&at->cells[i]) || !assume_middle(at, &at->cells[i]))
            want_luxel(at, cell_middle(at->light, &at->cells[i]));
}

/* Level by level, so that the points of a level look around together. */
static void refine(struct face_gather *at)
{
    want_lattice(at);
    start_cells(at);
    if (any_small(at))
        gather_wanted(at);
    want_middles(at);
    gather_wanted(at);
    while (arrlen(at->cells)) {
        struct cell *parts = NULL;
        for (ptrdiff_t i = 0; i < arrlen(at->cells); i++) {
            if (is_smooth(at, &at->cells[i]))
                arrput(at->smooth, at->cells[i]);
            else
                divide(at, &at->cells[i], &parts);
        }
        arrfree(at->cells);
        at->cells = parts;
        if (any_small(at))
            gather_wanted(at);
        want_middles(at);
        gather_wanted(at);
    }
}

/* The points of narrow faces lie close. The slots of a bumped face look into a part of the sky
 * each: they need more rays together, and still more where there are few luxels to take the noise
 * out among. */
static int usual_rays(const struct face_light *light, int rays)
{
    if (light->slots > 1)
        return light->count <= FEW_LUXELS ? 4 * rays : 2 * rays;
    return bounce_is_narrow(light) && rays / 2 >= MIN_RAYS ? rays / 2 : rays;
}

static void gather_face(void *context, size_t face, int thread)
{
    (void)thread;
    struct gathering *shared = context;
    progress_step(shared->progress);
    const struct bounce_web *web = &shared->webs->of_face[face];
    if (!lattice_points(&web->lattice))
        return;
    struct face_light *light = &shared->map->faces[face];
    struct face_gather at = {.shared = shared,
                             .web = web,
                             .tables =
                                 light->slots > 1 ? shared->tables->bumped : shared->tables->plain,
                             .usual_rays = usual_rays(light, shared->rays),
                             .light = light,
                             .face = (int)face,
                             .known = memory_zalloc((size_t)light->count, 1)};
    at.doubt = memory_zalloc((size_t)light->count * (size_t)light->slots, sizeof *at.doubt);
    hot_cells_open(&shared->webs->views[face], (int)face, &at.spots);
    refine(&at);
    hot_cells_free(&at.spots);
    bounce_calm(light, at.smooth, arrlen(at.smooth), at.doubt);
    for (ptrdiff_t i = 0; i < arrlen(at.smooth); i++)
        cell_fill(light, &at.smooth[i], at.known);
    shared->counts[face] = at.counts;
    arrfree(at.wanted);
    arrfree(at.smooth);
    memory_free(at.doubt);
    memory_free(at.known);
}

static void allocate(struct luxel_map *map)
{
    for (int i = 0; i < map->face_count; i++) {
        struct face_light *light = &map->faces[i];
        if (light->width > 0 && !light->kept)
            light->indirect =
                ARENA_ARRAY(&map->light, float, 3 * (size_t)light->slots * (size_t)light->count);
    }
}

/* All that points may use. */
static void tables_init(struct gather_tables *tables, int rays)
{
    *tables = (struct gather_tables){0};
    for (int number = table_of(rays / 2, BOUNCE_FEWEST); number <= table_of(rays, BOUNCE_MAX);
         number++)
        gather_table_init(&tables->plain[number], 1 << number, GATHER_PLAIN);
    for (int number = table_of(2 * rays, 0); number <= table_of(4 * rays, 0); number++)
        gather_table_init(&tables->bumped[number], 1 << number, GATHER_BUMPED);
}

static void tables_free(struct gather_tables *tables)
{
    for (int i = 0; i < TABLES; i++) {
        gather_table_free(&tables->plain[i]);
        gather_table_free(&tables->bumped[i]);
    }
}

static void count_webs(const struct bounce_webs *webs, struct bounce_counts *counts)
{
    for (int i = 0; i < webs->radiosity->map->face_count; i++) {
        const struct bounce_web *web = &webs->of_face[i];
        counts->hot_rays += web->hot_rays;
        if (web->seen)
            counts->rays += (int64_t)lattice_points(&web->lattice) * webs->table->rays;
    }
}

/* Few rays will do for a point, for what they find is averaged again by the last bounce; but in a
 * small map there is little else to average. */
static int rays_to_carry(int64_t points)
{
    int rays = GATHER_PARTS;
    while (rays < MAX_CARRYING && 2 * rays * points <= ENOUGH_RAYS)
        rays *= 2;
    return rays;
}

struct carrying {
    struct gather_table table;
    struct bounce_webs webs;
    struct bounce_rays learnt;
};

/* All bounces but the last, by points of their own: these are to have the right sum over each face,
 * those of the last one its rims. */
static int solve(const struct env *env, struct radiosity *radiosity, const struct hot_spots *hot,
                 const struct hot_view *views, int bounces, struct bounce_counts *counts,
                 struct carrying *carrying)
{
    struct bounce_webs *webs = &carrying->webs;
    bounce_webs_lay(env, radiosity, hot, views, CARRYING_SPACING, true, webs);
    gather_table_init(&carrying->table, rays_to_carry(webs->points), GATHER_PLAIN);
    bounce_webs_cast(env, webs, &carrying->table);
    int followed = bounce_solve(env, webs, bounces);
    if (carrying->table.rays == GATHER_PARTS) /* in a small map there are rays enough */
        bounce_rays_learn(env, webs, &carrying->learnt);
    count_webs(webs, counts);
    return followed;
}

static void free_carrying(struct carrying *carrying)
{
    bounce_rays_free(&carrying->learnt);
    bounce_webs_free(&carrying->webs);
    gather_table_free(&carrying->table);
}

struct viewing {
    const struct hot_spots *hot;
    struct hot_view *views;
};

static void view_face(void *context, size_t face, int thread)
{
    (void)thread;
    const struct viewing *viewing = context;
    const struct face_light *light = &viewing->hot->radiosity->map->faces[face];
    if (light->width > 0 && !light->kept)
        hot_view_of_face(viewing->hot, (int)face, &viewing->views[face]);
}

/* The spots that may matter to each face. */
static struct hot_view *view_faces(const struct env *env, const struct hot_spots *hot,
                                   const struct luxel_map *map)
{
    size_t faces = (size_t)map->face_count;
    struct viewing viewing = {hot, memory_zalloc(faces + 1, sizeof *viewing.views)};
    parallel_for(env->threads, faces, view_face, &viewing);
    return viewing.views;
}

static void report(struct progress *progress, const struct gathering *shared,
                   struct bounce_counts counts, int bounces)
{
    for (int i = 0; i < shared->map->face_count; i++) {
        counts.points += shared->counts[i].points;
        counts.rays += shared->counts[i].rays;
        counts.hot_rays += shared->counts[i].hot_rays;
    }
    progress_count(progress, "bounces", bounces);
    progress_count(progress, "bounce points", counts.points);
    progress_count(progress, "bounce rays", counts.rays);
    progress_count(progress, "secondary-light shadow rays", counts.hot_rays);
}

void bounce_light(const struct env *env, const struct scene *scene, struct luxel_map *map,
                  const struct bounce_options *options)
{
    const struct vec3 sky = options->sky;
    if (options->bounces <= 0 && sky.x <= 0 && sky.y <= 0 && sky.z <= 0)
        return;
    size_t faces = (size_t)map->face_count;
    struct radiosity radiosity;
    struct hot_spots hot = {.radiosity = &radiosity};
    struct gather_tables tables;
    struct bounce_webs webs;
    double spacing = options->spacing > 0 ? options->spacing : DEFAULT_SPACING;
    progress_begin(env->progress, "bounced light", faces);
    radiosity_init(&radiosity, scene, map, sky);
    if (options->bounces > 0)
        hot_spots_find(&radiosity, &hot);
    struct hot_view *views = view_faces(env, &hot, map);
    struct carrying carrying = {.table = {.rays = 0}};
    int bounces = 0;
    struct bounce_counts counts = {0};
    if (options->bounces > 0)
        bounces = 1 + solve(env, &radiosity, &hot, views, options->bounces - 1, &counts, &carrying);
    bounce_webs_lay(env, &radiosity, &hot, views, spacing, false, &webs);
    allocate(map);
    int rays = sample_count(options->rays, DEFAULT_RAYS, GATHER_RAYS);
    tables_init(&tables, rays);
    struct gathering shared = {&webs,
                               &tables,
                               &carrying.learnt,
                               rays,
                               map,
                               options->tolerance > 0 ? options->tolerance : DEFAULT_TOLERANCE,
                               memory_zalloc(faces + 1, sizeof *shared.counts),
                               env->progress};
    parallel_for(env->threads, faces, gather_face, &shared);
    progress_end(env->progress);
    report(env->progress, &shared, counts, bounces);
    memory_free(shared.counts);
    bounce_webs_free(&webs);
    tables_free(&tables);
    if (options->bounces > 0)
        free_carrying(&carrying);
    for (size_t i = 0; i < faces; i++)
        hot_view_free(&views[i]);
    memory_free(views);
    hot_spots_free(&hot);
    radiosity_free(&radiosity);
}
