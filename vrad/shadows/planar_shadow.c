#include "vrad/shadows/planar_shadow.h"

#include <string.h>

#include "common/core/array.h"
#include "vrad/shadows/silhouette.h"

/* Minimum height over the plane, in units, below which lights use rays. */
#define MIN_HEIGHT 0.25

/* Margin of cells for rounding, in luxels. */
#define CELL_SLACK 0.001f

enum { HIDDEN_AT_ONCE = 128 };

/* Occluders that are tested for an umbra before their outlines are computed. */
enum { FOUND_TOGETHER = 64 };

/* Returns true if all edges run along the rows and columns of the luxels. */
static bool is_rectangle(const struct point2 *polygon, int corners)
{
    for (int i = 0; i < corners; i++) {
        const struct point2 *a = &polygon[i], *b = &polygon[i + 1 < corners ? i + 1 : 0];
        if (fabs(a->s - b->s) > SILHOUETTE_MIN_REACH && fabs(a->t - b->t) > SILHOUETTE_MIN_REACH)
            return false;
    }
    return true;
}

bool shadow_plane_start(struct shadow_plane *plane, const struct face_light *face)
{
    plane->normal = face->normal;
    plane->dist = vec3_dot(face->normal, face->origin) + SCENE_RAY_OFFSET;
    plane->polygon = face->polygon;
    plane->corners = face->corners;
    plane->slanted = !is_rectangle(face->polygon, face->corners);
    plane->origin = vec3_mad(face->origin, face->normal, SCENE_RAY_OFFSET);
    plane->axis[0] = face->axis[0];
    plane->axis[1] = face->axis[1];
    arrsetlen(plane->edges, 0);
    arrsetlen(plane->outlines, 0);
    arrsetlen(plane->entries, 0);
    for (int i = 0; i < UMBRA_CACHE; i++)
        plane->umbra_cache[i] = -1;
    plane->sun_umbra = plane->hint = -1;
    return luxel_duals(face, plane->dual, plane->offset);
}

void shadow_plane_free(struct shadow_plane *plane)
{
    arrfree(plane->edges);
    arrfree(plane->outlines);
    arrfree(plane->entries);
}

bool planar_shadow_light_is_high(const struct shadow_plane *plane, struct vec3 light)
{
    return shadow_height(plane, light) >= MIN_HEIGHT;
}

struct projection {
    struct silhouette_view view;
    const struct shadow_marking *marking; /* NULL: outlines are kept */
    enum occluder_role role;              /* of the occluder at hand */
    struct shadow_plane *plane;           /* that of `view` */
    struct arena *arena;
    struct planar_shadow_cells *cells;
    bool made; /* the cells */
    int left;  /* occluders left before it gives up */
    enum planar_shadow result;
    struct vec3 corners[4]; /* of the window */
    int found[FOUND_TOGETHER], found_count;
};

/* ---- cells ---- */

static void make_cells(struct projection *projection)
{
    struct planar_shadow_cells *cells = projection->cells;
    cells->left = (int)floor(projection->view.window->s0 + 0.5);
    cells->top = (int)floor(projection->view.window->t0 + 0.5);
    cells->width = (int)floor(projection->view.window->s1 + 0.5) - cells->left + 1;
    cells->height = (int)floor(projection->view.window->t1 + 0.5) - cells->top + 1;
    cells->umbra_count = 0;
    size_t count = (size_t)cells->width * (size_t)cells->height;
    cells->umbra = ARENA_ARRAY(projection->arena, unsigned char, count);
    cells->first = ARENA_ARRAY(projection->arena, int, count);
    memset(cells->first, 0xff, count * sizeof *cells->first);
    cells->low = ARENA_ARRAY(projection->arena, float, (size_t)cells->height);
    cells->high = ARENA_ARRAY(projection->arena, float, (size_t)cells->height);
    for (int i = 0; i < cells->height; i++) {
        float low = (float)(cells->top + i) - (0.5f + CELL_SLACK), high = low + 1 + 2 * CELL_SLACK;
        float t0 = (float)projection->view.window->t0, t1 = (float)projection->view.window->t1;
        cells->low[i] = low > t0 ? low : t0;
        cells->high[i] = high < t1 ? high : t1;
    }
    projection->made = true;
}

/* Rows that are processed together. */
enum { ROWS = 32 };

/* The spans of rows that an outline touches, and those that it covers in full height. */
struct spans {
    float touch[2][ROWS], cover[2][ROWS];
};

/* The same in cells, first to last. */
struct runs {
    int touched[2][ROWS], covered[2][ROWS];
};

/* Clips the spans at the left by an edge of the outline. */
static void bound_left(const float *best, const float *worst, float b, float c, float inverse,
                       int count, float *restrict touch, float *restrict cover)
{
    for (int i = 0; i < count; i++) {
        float x = -(b * best[i] + c) * inverse, y = -(b * worst[i] + c) * inverse;
        touch[i] = x > touch[i] ? x : touch[i];
        cover[i] = y > cover[i] ? y : cover[i];
    }
}

static void bound_right(const float *best, const float *worst, float b, float c, float inverse,
                        int count, float *restrict touch, float *restrict cover)
{
    for (int i = 0; i < count; i++) {
        float x = -(b * best[i] + c) * inverse, y = -(b * worst[i] + c) * inverse;
        touch[i] = x < touch[i] ? x : touch[i];
        cover[i] = y < cover[i] ? y : cover[i];
    }
}

/* For an edge that runs along the rows. */
static void bound_rows(const float *best, const float *worst, float b, float c, int count,
                       float *restrict touch, float *restrict cover)
{
    for (int i = 0; i < count; i++) {
        touch[i] = b * best[i] + c < 0 ? -INFINITY : touch[i];
        cover[i] = b * worst[i] + c < 0 ? -INFINITY : cover[i];
    }
}

/* `low` and `high`: extents of the rows in the window. */
static void find_spans(const struct silhouette *outline, const struct shadow_window *window,
                       const float *low, const float *high, int count, struct spans *out)
{
    float s0 = (float)window->s0, s1 = (float)window->s1;
    for (int i = 0; i < count; i++) {
        out->touch[0][i] = out->cover[0][i] = s0;
        out->touch[1][i] = out->cover[1][i] = s1;
    }
    for (int e = 0; e < outline->count; e++) {
        const struct shadow_edge *edge = &outline->edges[e];
        const float *best = edge->b > 0 ? high : low, *worst = edge->b > 0 ? low : high;
        if (edge->inverse > 0)
            bound_left(best, worst, edge->b, edge->c, edge->inverse, count, out->touch[0],
                       out->cover[0]);
        else if (edge->inverse < 0)
            bound_right(best, worst, edge->b, edge->c, edge->inverse, count, out->touch[1],
                        out->cover[1]);
        else
            bound_rows(best, worst, edge->b, edge->c, count, out->touch[1], out->cover[1]);
    }
}

/* The cell that contains s, clamped to `min` - 2 .. `max` + 2. */
static inline int cell_at(float s, float min, float max)
{
    s = s > min - 2 ? s : min - 2;
    s = s < max + 2 ? s : max + 2;
    return (int)(s + 1000) - 1000;
}

/* Cells at the border of the window count as covered if their part in the window is. */
static void find_runs(const struct planar_shadow_cells *cells, const struct shadow_window *window,
                      const struct spans *spans, int count, struct runs *out)
{
    float s0 = (float)window->s0, s1 = (float)window->s1;
    float less = 0.5f - CELL_SLACK, more = 0.5f + CELL_SLACK;
    int left = cells->left, last = cells->width - 1;
    for (int i = 0; i < count; i++) {
        int from = cell_at(spans->touch[0][i] + less, s0, s1) - left;
        int to = cell_at(spans->touch[1][i] + more, s0, s1) - left;
        from = from > 0 ? from : 0;
        to = to < last ? to : last;
        out->touched[0][i] = from;
        out->touched[1][i] = spans->touch[0][i] <= spans->touch[1][i] ? to : -1;
        from = 1 + cell_at(spans->cover[0][i] + more, s0, s1) - left;
        to = cell_at(spans->cover[1][i] - more, s0, s1) - left;
        from = spans->cover[0][i] > s0 ? from : 0;
        to = spans->cover[1][i] < s1 ? to : last;
        out->covered[0][i] = from;
        out->covered[1][i] = spans->cover[0][i] <= spans->cover[1][i] ? to : -1;
    }
}

static void cross_cells(struct projection *projection, int outline, int first, int last)
{
    struct planar_shadow_cells *cells = projection->cells;
    struct shadow_plane *plane = projection->plane;
    if (first > last)
        return;
    size_t used = arrlenu(plane->entries);
    struct shadow_entry *entries = arraddnptr(plane->entries, (size_t)(last + 1 - first));
    int count = 0;
    for (int i = first; i <= last; i++) {
        if (cells->umbra[i])
            continue;
        entries[count] = (struct shadow_entry){outline, cells->first[i]};
        cells->first[i] = (int)used + count++;
    }
    arrsetlen(plane->entries, used + (size_t)count);
}

static void fill_umbra(struct planar_shadow_cells *cells, int first, int last)
{
    int umbra = 0;
    for (int i = first; i <= last; i++)
        umbra += cells->umbra[i];
    memset(cells->umbra + first, 1, (size_t)(last + 1 - first));
    cells->umbra_count += last + 1 - first - umbra;
}

static void mark_row(struct projection *projection, int outline, int row, const struct runs *runs,
                     int at)
{
    int first = row + runs->touched[0][at], last = row + runs->touched[1][at];
    int from = row + runs->covered[0][at], to = row + runs->covered[1][at];
    if (from > to || projection->role == ROLE_HOLES) {
        cross_cells(projection, outline, first, last);
        return;
    }
    cross_cells(projection, outline, first, from - 1);
    if (projection->role == ROLE_WHOLE)
        fill_umbra(projection->cells, from, to);
    cross_cells(projection, outline, to + 1, last);
}

/* Returns true if the outline touches any cell. */
static bool mark_cells(struct projection *projection, const struct silhouette *outline)
{
    const struct planar_shadow_cells *cells = projection->cells;
    int number = (int)arrlen(projection->view.plane->outlines);
    int first = (int)floor(outline->low + (0.5 - (double)CELL_SLACK)) - cells->top;
    int last = (int)floor(outline->high + (0.5 + (double)CELL_SLACK)) - cells->top;
    bool any = false;
    first = first > 0 ? first : 0;
    last = last < cells->height - 1 ? last : cells->height - 1;
    for (int row = first; row <= last; row += ROWS) {
        int count = last + 1 - row < ROWS ? last + 1 - row : ROWS;
        struct spans spans;
        struct runs runs;
        find_spans(outline, projection->view.window, cells->low + row, cells->high + row, count,
                   &spans);
        find_runs(cells, projection->view.window, &spans, count, &runs);
        for (int i = 0; i < count; i++) {
            if (runs.touched[0][i] > runs.touched[1][i])
                continue;
            any = true;
            mark_row(projection, number, (row + i) * cells->width, &runs, i);
        }
    }
    return any;
}

/* ---- projection ---- */

static void remember_umbra(struct shadow_plane *plane, int occluder)
{
    int at = 0;
    while (at < UMBRA_CACHE - 1 && plane->umbra_cache[at] != occluder)
        at++;
    for (; at > 0; at--)
        plane->umbra_cache[at] = plane->umbra_cache[at - 1];
    plane->umbra_cache[0] = occluder;
}

static void keep_outline(struct shadow_plane *plane, const struct silhouette *outline)
{
    size_t count = (size_t)outline->count;
    struct shadow_outline kept = {(int)arrlen(plane->edges), outline->count};
    memcpy(arraddnptr(plane->edges, count), outline->edges, count * sizeof *outline->edges);
    arrput(plane->outlines, kept);
}

static bool found_umbra(struct projection *projection, int index)
{
    remember_umbra(projection->plane, index);
    projection->plane->hint = index;
    projection->result = PLANAR_SHADOW_UMBRA;
    return false;
}

static enum occluder_role role_of(const struct projection *projection, int index)
{
    const struct shadow_marking *marking = projection->marking;
    if (projection->view.occluders->all[index].alpha)
        return ROLE_HOLES;
    return marking && marking->role ? marking->role(marking->context, index) : ROLE_WHOLE;
}

static bool project_occluder(struct projection *projection, int index)
{
    const struct occluder *occluder = &projection->view.occluders->all[index];
    struct silhouette outline;
    if (!silhouette_find(&projection->view, occluder, &outline))
        return true;
    projection->role = role_of(projection, index);
    if (projection->role == ROLE_NONE)
        return true;
    if ((projection->role == ROLE_HOLES && !projection->marking) || projection->left-- == 0) {
        projection->result = PLANAR_SHADOW_UNKNOWN;
        return false;
    }
    if (outline.count == 0 && projection->role == ROLE_WHOLE)
        return found_umbra(projection, index);
    if (!projection->made)
        make_cells(projection);
    if (!mark_cells(projection, &outline))
        return true;
    if (!projection->marking)
        keep_outline(projection->plane, &outline);
    projection->result = PLANAR_SHADOW_PARTIAL;
    return projection->cells->umbra_count < projection->cells->width * projection->cells->height;
}

static bool covers_window(const struct projection *projection, int index)
{
    const struct occluders *occluders = projection->view.occluders;
    return umbra_test(occluders, &occluders->all[index], projection->view.light,
                      projection->corners);
}

static bool cached_umbra(struct projection *projection)
{
    struct shadow_plane *plane = projection->plane;
    int first = plane->hint;
    plane->hint = -1;
    if (first >= 0 && covers_window(projection, first))
        return !found_umbra(projection, first);
    for (int i = 0; i < UMBRA_CACHE && plane->umbra_cache[i] >= 0; i++)
        if (plane->umbra_cache[i] != first && covers_window(projection, plane->umbra_cache[i]))
            return !found_umbra(projection, plane->umbra_cache[i]);
    return false;
}

static bool project_found(struct projection *projection)
{
    int count = projection->found_count;
    projection->found_count = 0;
    for (int i = 0; i < count; i++)
        if (!project_occluder(projection, projection->found[i]))
            return false;
    return true;
}

static bool visit_body(void *context, int index)
{
    struct projection *projection = context;
    if (!projection->marking && covers_window(projection, index))
        return found_umbra(projection, index);
    projection->found[projection->found_count++] = index;
    return projection->found_count < FOUND_TOGETHER || project_found(projection);
}

static void add_wall(struct occluder_shaft *shaft, struct vec3 normal, struct vec3 at)
{
    double *plane = shaft->planes[shaft->plane_count++];
    for (int k = 0; k < 3; k++)
        plane[k] = normal.e[k];
    plane[3] = vec3_dot(normal, at);
}

static void find_corners(struct projection *projection)
{
    const struct shadow_plane *plane = projection->plane;
    const struct shadow_window *w = projection->view.window;
    const double s[4] = {w->s0, w->s1, w->s1, w->s0}, t[4] = {w->t0, w->t0, w->t1, w->t1};
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(plane->origin, plane->axis[0], s[i]);
        projection->corners[i] = vec3_mad(at, plane->axis[1], t[i]);
    }
}

static struct occluder_shaft shaft_of(const struct projection *projection)
{
    const struct shadow_plane *plane = projection->plane;
    const struct vec3 *corners = projection->corners;
    struct occluder_shaft shaft = {.box = {projection->view.light, projection->view.light}};
    struct vec3 middle = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        middle = vec3_mad(middle, corners[i], 0.25);
        bounds_add_point(&shaft.box, corners[i]);
    }
    add_wall(&shaft, plane->normal, corners[0]);
    add_wall(&shaft, vec3_neg(plane->normal), projection->view.light);
    for (int i = 0; i < 4; i++) {
        struct vec3 a = vec3_sub(corners[i], projection->view.light);
        struct vec3 b = vec3_sub(corners[(i + 1) & 3], projection->view.light);
        struct vec3 normal = vec3_normalize(vec3_cross(a, b));
        if (vec3_dot(normal, vec3_sub(middle, projection->view.light)) < 0)
            normal = vec3_neg(normal);
        add_wall(&shaft, normal, projection->view.light);
    }
    return shaft;
}

/* Projects what is in the shaft; keeps outlines where they are used. */
static enum planar_shadow project_all(struct projection *projection,
                                      const struct occluder_shaft *shaft)
{
    struct shadow_plane *plane = projection->plane;
    const struct planar_shadow_cells *cells = projection->cells;
    size_t outlines = arrlenu(plane->outlines), edges = arrlenu(plane->edges);
    size_t entries = arrlenu(plane->entries);
    occluders_find(projection->view.occluders, shaft, visit_body, projection);
    if (projection->result != PLANAR_SHADOW_UMBRA && projection->result != PLANAR_SHADOW_UNKNOWN)
        project_found(projection);
    if (projection->result == PLANAR_SHADOW_PARTIAL &&
        cells->umbra_count == cells->width * cells->height)
        projection->result = PLANAR_SHADOW_UMBRA;
    if (projection->result != PLANAR_SHADOW_PARTIAL || projection->marking) {
        arrsetlen(plane->outlines, outlines);
        arrsetlen(plane->edges, edges);
        arrsetlen(plane->entries, entries);
    }
    return projection->result;
}

enum planar_shadow planar_shadow_project(struct shadow_plane *plane,
                                         const struct occluders *occluders, struct vec3 light,
                                         const struct shadow_window *window, int max,
                                         struct arena *arena, struct planar_shadow_cells *cells)
{
    struct projection projection = {
        .view = {plane, occluders, light, plane_point_of(plane, light), false, window},
        .plane = plane,
        .arena = arena,
        .cells = cells,
        .left = max,
        .result = PLANAR_SHADOW_NONE};
    find_corners(&projection);
    if (cached_umbra(&projection))
        return PLANAR_SHADOW_UMBRA;
    struct occluder_shaft shaft = shaft_of(&projection);
    return project_all(&projection, &shaft);
}

enum planar_shadow planar_shadow_mark(struct shadow_plane *plane,
                                      const struct shadow_marking *marking, struct arena *arena,
                                      struct planar_shadow_cells *cells)
{
    const struct vec3 light = marking->light;
    struct projection projection = {
        .view = {plane, marking->occluders, light,
                 marking->sun ? plane_way_of(plane, light) : plane_point_of(plane, light),
                 marking->sun, &marking->window},
        .marking = marking,
        .plane = plane,
        .arena = arena,
        .cells = cells,
        .left = marking->max,
        .result = PLANAR_SHADOW_NONE};
    if (marking->shaft)
        return project_all(&projection, marking->shaft);
    find_corners(&projection);
    const struct occluder_shaft shaft = shaft_of(&projection);
    return project_all(&projection, &shaft);
}

/* The minimum signed distance to the edges of an outline, for each point. */
static void measure_points(const struct shadow_edge *edges, int edge_count, const float *s,
                           const float *t, int count, float *restrict inside)
{
    for (int i = 0; i < count; i++)
        inside[i] = INFINITY;
    for (int e = 0; e < edge_count; e++) {
        float a = edges[e].a, b = edges[e].b, c = edges[e].c;
        for (int i = 0; i < count; i++) {
            float at = a * s[i] + b * t[i] + c;
            inside[i] = at < inside[i] ? at : inside[i];
        }
    }
}

void planar_shadow_hide(const struct shadow_plane *plane, int first, bool border, const float *s,
                        const float *t, int count, unsigned char *open)
{
    float min = border ? (float)SILHOUETTE_MIN_REACH : 0;
    for (int at = first; at >= 0; at = plane->entries[at].next) {
        const struct shadow_outline *outline = &plane->outlines[plane->entries[at].outline];
        const struct shadow_edge *edges = plane->edges + outline->first_edge;
        for (int from = 0; from < count; from += HIDDEN_AT_ONCE) {
            float inside[HIDDEN_AT_ONCE];
            int some = count - from < HIDDEN_AT_ONCE ? count - from : HIDDEN_AT_ONCE;
            measure_points(edges, outline->edge_count, s + from, t + from, some, inside);
            for (int i = 0; i < some; i++)
                open[from + i] = (unsigned char)(open[from + i] & (inside[i] < min));
        }
    }
}
