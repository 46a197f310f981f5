#include "vrad/shadows/shadow_cast.h"

#include <string.h>

#include "common/core/array.h"
#include "vrad/shadows/shadow_shape.h"

/* Lamps lower than this over the plane, in units, are left to rays. */
#define MIN_HEIGHT 0.25

/* Cells are this much wider for rounding, in luxels. */
#define CELL_SLACK 0.001f

enum { HIDDEN_AT_ONCE = 128 };

/* Bodies that are looked for before outlines are made: one of them may cover all. */
enum { FOUND_TOGETHER = 64 };

/* Along the rows and columns of the luxels. */
static bool is_rectangle(const struct point2 *polygon, int corners)
{
    for (int i = 0; i < corners; i++) {
        const struct point2 *a = &polygon[i], *b = &polygon[i + 1 < corners ? i + 1 : 0];
        if (fabs(a->s - b->s) > SHADOW_MIN_REACH && fabs(a->t - b->t) > SHADOW_MIN_REACH)
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
    for (int i = 0; i < SHADOW_COVERS; i++)
        plane->covers[i] = -1;
    plane->sun_cover = plane->hint = -1;
    return luxel_duals(face, plane->dual, plane->offset);
}

void shadow_plane_free(struct shadow_plane *plane)
{
    arrfree(plane->edges);
    arrfree(plane->outlines);
    arrfree(plane->entries);
}

bool shadow_lamp_is_high(const struct shadow_plane *plane, struct vec3 lamp)
{
    return shadow_height(plane, lamp) >= MIN_HEIGHT;
}

struct caster {
    struct shadow_view view;
    struct shadow_plane *plane; /* the view's */
    struct arena *arena;
    struct shadow_cells *cells;
    bool made; /* the cells */
    int left;  /* bodies to look at, at most */
    enum shadow_verdict verdict;
    struct vec3 corners[4]; /* of the window */
    int found[FOUND_TOGETHER], found_count;
};

/* ---- cells ---- */

static void make_cells(struct caster *caster)
{
    struct shadow_cells *cells = caster->cells;
    cells->left = (int)floor(caster->view.window->s0 + 0.5);
    cells->top = (int)floor(caster->view.window->t0 + 0.5);
    cells->width = (int)floor(caster->view.window->s1 + 0.5) - cells->left + 1;
    cells->height = (int)floor(caster->view.window->t1 + 0.5) - cells->top + 1;
    cells->dark_count = 0;
    size_t count = (size_t)cells->width * (size_t)cells->height;
    cells->dark = ARENA_ARRAY(caster->arena, unsigned char, count);
    cells->first = ARENA_ARRAY(caster->arena, int, count);
    memset(cells->first, 0xff, count * sizeof *cells->first);
    cells->low = ARENA_ARRAY(caster->arena, float, (size_t)cells->height);
    cells->high = ARENA_ARRAY(caster->arena, float, (size_t)cells->height);
    for (int i = 0; i < cells->height; i++) {
        float low = (float)(cells->top + i) - (0.5f + CELL_SLACK), high = low + 1 + 2 * CELL_SLACK;
        float t0 = (float)caster->view.window->t0, t1 = (float)caster->view.window->t1;
        cells->low[i] = low > t0 ? low : t0;
        cells->high[i] = high < t1 ? high : t1;
    }
    caster->made = true;
}

/* Rows that are looked at together. */
enum { ROWS = 32 };

/* Where an outline touches rows, and where it covers all of their height. */
struct spans {
    float touch[2][ROWS], cover[2][ROWS];
};

/* The same in cells, first to last of them. */
struct runs {
    int touched[2][ROWS], covered[2][ROWS];
};

/* An edge of the outline bounds the spans on one side. */
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

/* The edge runs along the rows. */
static void bound_rows(const float *best, const float *worst, float b, float c, int count,
                       float *restrict touch, float *restrict cover)
{
    for (int i = 0; i < count; i++) {
        touch[i] = b * best[i] + c < 0 ? -INFINITY : touch[i];
        cover[i] = b * worst[i] + c < 0 ? -INFINITY : cover[i];
    }
}

/* `low` and `high`: the ends of the rows' parts in the window. */
static void find_spans(const struct shadow_shape *outline, const struct shadow_window *window,
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

/* The cell, rounded down, of s within `least` - 2 to `most` + 2. */
static inline int cell_at(float s, float min, float max)
{
    s = s > min - 2 ? s : min - 2;
    s = s < max + 2 ? s : max + 2;
    return (int)(s + 1000) - 1000;
}

/* Cells at the rim of the window count as covered when what of them lies in it is. */
static void find_runs(const struct shadow_cells *cells, const struct shadow_window *window,
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

static void cross_cells(struct caster *caster, int outline, int first, int last)
{
    struct shadow_cells *cells = caster->cells;
    struct shadow_plane *plane = caster->plane;
    if (first > last)
        return;
    size_t used = arrlenu(plane->entries);
    struct shadow_entry *entries = arraddnptr(plane->entries, (size_t)(last + 1 - first));
    int count = 0;
    for (int i = first; i <= last; i++) {
        if (cells->dark[i])
            continue;
        entries[count] = (struct shadow_entry){outline, cells->first[i]};
        cells->first[i] = (int)used + count++;
    }
    arrsetlen(plane->entries, used + (size_t)count);
}

static void darken_cells(struct shadow_cells *cells, int first, int last)
{
    int dark = 0;
    for (int i = first; i <= last; i++)
        dark += cells->dark[i];
    memset(cells->dark + first, 1, (size_t)(last + 1 - first));
    cells->dark_count += last + 1 - first - dark;
}

static void mark_row(struct caster *caster, int outline, int row, const struct runs *runs, int at)
{
    int first = row + runs->touched[0][at], last = row + runs->touched[1][at];
    int from = row + runs->covered[0][at], to = row + runs->covered[1][at];
    if (from > to) {
        cross_cells(caster, outline, first, last);
        return;
    }
    cross_cells(caster, outline, first, from - 1);
    darken_cells(caster->cells, from, to);
    cross_cells(caster, outline, to + 1, last);
}

/* Whether the outline touches any cell. */
static bool mark_cells(struct caster *caster, const struct shadow_shape *outline)
{
    const struct shadow_cells *cells = caster->cells;
    int number = (int)arrlen(caster->view.plane->outlines);
    int first = (int)floor(outline->low + (0.5 - (double)CELL_SLACK)) - cells->top;
    int last = (int)floor(outline->high + (0.5 + (double)CELL_SLACK)) - cells->top;
    bool any = false;
    first = first > 0 ? first : 0;
    last = last < cells->height - 1 ? last : cells->height - 1;
    for (int row = first; row <= last; row += ROWS) {
        int count = last + 1 - row < ROWS ? last + 1 - row : ROWS;
        struct spans spans;
        struct runs runs;
        find_spans(outline, caster->view.window, cells->low + row, cells->high + row, count,
                   &spans);
        find_runs(cells, caster->view.window, &spans, count, &runs);
        for (int i = 0; i < count; i++) {
            if (runs.touched[0][i] > runs.touched[1][i])
                continue;
            any = true;
            mark_row(caster, number, (row + i) * cells->width, &runs, i);
        }
    }
    return any;
}

/* ---- all ---- */

static void remember_cover(struct shadow_plane *plane, int body)
{
    int at = 0;
    while (at < SHADOW_COVERS - 1 && plane->covers[at] != body)
        at++;
    for (; at > 0; at--)
        plane->covers[at] = plane->covers[at - 1];
    plane->covers[0] = body;
}

static void keep_outline(struct shadow_plane *plane, const struct shadow_shape *outline)
{
    size_t count = (size_t)outline->count;
    struct shadow_outline kept = {(int)arrlen(plane->edges), outline->count};
    memcpy(arraddnptr(plane->edges, count), outline->edges, count * sizeof *outline->edges);
    arrput(plane->outlines, kept);
}

static bool cover_all(struct caster *caster, int index)
{
    remember_cover(caster->plane, index);
    caster->plane->hint = index;
    caster->verdict = SHADOW_WHOLE;
    return false;
}

static bool cast_body(struct caster *caster, int index)
{
    const struct shadow_body *body = &caster->view.bodies->bodies[index];
    struct shadow_shape outline;
    if (!shadow_shape_find(&caster->view, body, &outline))
        return true;
    if (body->veil || caster->left-- == 0) {
        caster->verdict = SHADOW_UNKNOWN;
        return false;
    }
    if (outline.count == 0)
        return cover_all(caster, index);
    if (!caster->made)
        make_cells(caster);
    if (!mark_cells(caster, &outline))
        return true;
    keep_outline(caster->plane, &outline);
    caster->verdict = SHADOW_PARTLY;
    return caster->cells->dark_count < caster->cells->width * caster->cells->height;
}

static bool covers(const struct caster *caster, int index)
{
    const struct shadow_bodies *bodies = caster->view.bodies;
    return shadow_covers(bodies, &bodies->bodies[index], caster->view.lamp, caster->corners);
}

static bool was_covered(struct caster *caster)
{
    struct shadow_plane *plane = caster->plane;
    int first = plane->hint;
    plane->hint = -1;
    if (first >= 0 && covers(caster, first))
        return !cover_all(caster, first);
    for (int i = 0; i < SHADOW_COVERS && plane->covers[i] >= 0; i++)
        if (plane->covers[i] != first && covers(caster, plane->covers[i]))
            return !cover_all(caster, plane->covers[i]);
    return false;
}

static bool cast_found(struct caster *caster)
{
    int count = caster->found_count;
    caster->found_count = 0;
    for (int i = 0; i < count; i++)
        if (!cast_body(caster, caster->found[i]))
            return false;
    return true;
}

static bool visit_body(void *context, int index)
{
    struct caster *caster = context;
    if (covers(caster, index))
        return cover_all(caster, index);
    caster->found[caster->found_count++] = index;
    return caster->found_count < FOUND_TOGETHER || cast_found(caster);
}

static void add_wall(struct shadow_shaft *shaft, struct vec3 normal, struct vec3 at)
{
    double *plane = shaft->planes[shaft->plane_count++];
    for (int k = 0; k < 3; k++)
        plane[k] = normal.e[k];
    plane[3] = vec3_dot(normal, at);
}

static void find_corners(struct caster *caster)
{
    const struct shadow_plane *plane = caster->plane;
    const struct shadow_window *w = caster->view.window;
    const double s[4] = {w->s0, w->s1, w->s1, w->s0}, t[4] = {w->t0, w->t0, w->t1, w->t1};
    for (int i = 0; i < 4; i++) {
        struct vec3 at = vec3_mad(plane->origin, plane->axis[0], s[i]);
        caster->corners[i] = vec3_mad(at, plane->axis[1], t[i]);
    }
}

static struct shadow_shaft shaft_of(const struct caster *caster)
{
    const struct shadow_plane *plane = caster->plane;
    const struct vec3 *corners = caster->corners;
    struct shadow_shaft shaft = {.box = {caster->view.lamp, caster->view.lamp}};
    struct vec3 middle = vec3(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        middle = vec3_mad(middle, corners[i], 0.25);
        bounds_add_point(&shaft.box, corners[i]);
    }
    add_wall(&shaft, plane->normal, corners[0]);
    add_wall(&shaft, vec3_neg(plane->normal), caster->view.lamp);
    for (int i = 0; i < 4; i++) {
        struct vec3 a = vec3_sub(corners[i], caster->view.lamp);
        struct vec3 b = vec3_sub(corners[(i + 1) & 3], caster->view.lamp);
        struct vec3 normal = vec3_normalize(vec3_cross(a, b));
        if (vec3_dot(normal, vec3_sub(middle, caster->view.lamp)) < 0)
            normal = vec3_neg(normal);
        add_wall(&shaft, normal, caster->view.lamp);
    }
    return shaft;
}

enum shadow_verdict shadow_cast(struct shadow_plane *plane, const struct shadow_bodies *bodies,
                                struct vec3 lamp, const struct shadow_window *window, int max,
                                struct arena *arena, struct shadow_cells *cells)
{
    struct caster caster = {.view = {plane, bodies, lamp, shadow_place_of(plane, lamp), window},
                            .plane = plane,
                            .arena = arena,
                            .cells = cells,
                            .left = max,
                            .verdict = SHADOW_NONE};
    find_corners(&caster);
    if (was_covered(&caster))
        return SHADOW_WHOLE;
    size_t outlines = arrlenu(plane->outlines), edges = arrlenu(plane->edges);
    size_t entries = arrlenu(plane->entries);
    struct shadow_shaft shaft = shaft_of(&caster);
    shadow_bodies_find(bodies, &shaft, visit_body, &caster);
    if (caster.verdict != SHADOW_WHOLE && caster.verdict != SHADOW_UNKNOWN)
        cast_found(&caster);
    if (caster.verdict == SHADOW_PARTLY && cells->dark_count == cells->width * cells->height)
        caster.verdict = SHADOW_WHOLE;
    if (caster.verdict != SHADOW_PARTLY) {
        arrsetlen(plane->outlines, outlines);
        arrsetlen(plane->edges, edges);
        arrsetlen(plane->entries, entries);
    }
    return caster.verdict;
}

/* The least distance inside of any edge of an outline, for each point. */
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

void shadow_hide(const struct shadow_plane *plane, int first, bool rim, const float *s,
                 const float *t, int count, unsigned char *open)
{
    float min = rim ? (float)SHADOW_MIN_REACH : 0;
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
