#include "render/pictures/leak.h"

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/diag/diag_property.h"
#include "common/diag/properties/members.def"
#include "common/geom/epsilon.h"
#include "common/geom/winding.h"
#include "common/parallel/parallel.h"
#include "render/overlay/overlay.h"
#include "render/pictures/leak_view.h"
#include "render/pictures/overview.h"

/* The shape of a brush of a BSP, for marks in pictures. */

struct brush_shape {
    struct plane *planes;
    struct winding **sides; /* one per plane; NULL: a bevel */
    int count;
};

/* Rays this parallel to a plane do not cross it. */
#define PARALLEL 1e-9

/* More sides are not shown. */
enum { MAX_SIDES = 256 };

/* In the arena. A number out of range gives an empty shape. */
static struct brush_shape brush_shape_of(const struct bsp *bsp, int brush, struct arena *arena)
{
    struct brush_shape shape = {0};
    if (brush < 0 || brush >= (int)arrlen(bsp->brushes))
        return shape;
    const struct bsp_brush *record = &bsp->brushes[brush];
    shape.count = record->side_count < MAX_SIDES ? record->side_count : MAX_SIDES;
    shape.planes = ARENA_ARRAY(arena, struct plane, (size_t)shape.count);
    shape.sides = ARENA_ARRAY(arena, struct winding *, (size_t)shape.count);
    for (int i = 0; i < shape.count; i++) {
        const struct bsp_plane *plane =
            &bsp->planes[bsp->brush_sides[record->first_side + i].plane];
        shape.planes[i].normal = vec3_from_floats(plane->normal);
        shape.planes[i].dist = (double)plane->dist;
    }
    for (int i = 0; i < shape.count; i++)
        shape.sides[i] = winding_of_side(arena, shape.planes, (size_t)shape.count, (size_t)i,
                                         EPSILON_PLANE_DIST);
    return shape;
}

/* Returns where a ray enters the brush, or -1. */
static double brush_shape_entry(const struct brush_shape *shape, struct vec3 origin,
                                struct vec3 direction)
{
    double enter = 0, leave = HUGE_VAL;
    for (int i = 0; i < shape->count; i++) {
        const struct plane *plane = &shape->planes[i];
        double before = vec3_dot(plane->normal, origin) - plane->dist;
        double speed = vec3_dot(plane->normal, direction);
        if (fabs(speed) < PARALLEL) {
            if (before > 0)
                return -1;
        } else if (speed < 0) {
            enter = portable_fmax(enter, before / -speed);
        } else {
            leave = portable_fmin(leave, -before / speed);
        }
    }
    return shape->count > 0 && enter < leave ? enter : -1;
}

/* A solid this little behind the surface of a pixel is that surface: units. */
#define SAME_SURFACE 0.5

#define TINT 0.45

/* Parts of the picture: the side of the overview, the free border around its map, and the frame
 * around the hole. */
#define INSET        0.42
#define INSET_BORDER 0.06
#define FRAME        0.012

/* Pixels: a frame that is larger than the picture ends here. */
#define FARTHEST 1e5

/* MARK: the radius of marks, in pixels of the text. */
enum { MAX_SOLIDS = 8, LINES = 4, LINE_ROWS = 12, MARK = 2 };

static const struct ink white = {{255, 255, 255}, 1}, way_ink = {{255, 222, 40}, 1},
                        hole_ink = {{255, 64, 40}, 1}, camera_ink = {{120, 220, 255}, 1},
                        entity_ink = {{110, 235, 120}, 1};

/* Distinct for eyes that see fewer colours, too. */
static const struct ink solid_inks[MAX_SOLIDS] = {
    {{86, 180, 233}, 1},  {{204, 121, 167}, 1}, {{0, 158, 115}, 1},   {{230, 159, 0}, 1},
    {{120, 110, 255}, 1}, {{240, 228, 66}, 1},  {{180, 220, 190}, 1}, {{200, 160, 120}, 1}};

/* Pixels that a solid may cover. */
struct area {
    int low[2], high[2];
};

struct leak_picture {
    const struct leak_facts *leak;
    struct overlay overlay;
    struct arena arena;
    struct brush_shape solids[MAX_SOLIDS];
    struct area areas[MAX_SOLIDS];
    int solid_count;
    signed char *tints; /* of each pixel: the solid, or -1 */
};

static struct vec3 point_of(const double point[3])
{
    return vec3(point[0], point[1], point[2]);
}

static const char *solid_label(struct leak_picture *picture, int solid)
{
    const struct diag_where *where = &picture->leak->solids[solid];
    return where->counted && where->entity_id == 0
               ? arena_printf(&picture->arena, "%d", where->solid_id)
               : arena_strdup(&picture->arena, diag_solid_number(where).text);
}

/* --- solids --- */

/* All, if a part of the solid is behind the camera. */
static struct area area_of(const struct overlay *overlay, const struct brush_shape *shape)
{
    const struct area all = {{0, 0}, {overlay->canvas.width, overlay->canvas.height}};
    struct area area = {{all.high[0], all.high[1]}, {0, 0}};
    for (int i = 0; i < shape->count; i++)
        for (int j = 0; shape->sides[i] && j < shape->sides[i]->count; j++) {
            double at[2];
            if (!overlay_place(overlay, shape->sides[i]->points[j], at))
                return all;
            for (int k = 0; k < 2; k++) {
                double place = portable_fmin(portable_fmax(at[k], 0), all.high[k] - 1.0);
                area.low[k] = (int)portable_fmin(area.low[k], portable_fmax(place - 1, 0));
                area.high[k] =
                    (int)portable_fmax(area.high[k], portable_fmin(place + 2, all.high[k]));
            }
        }
    return area;
}

static bool is_in_area(const struct area *area, int x, int y)
{
    return x >= area->low[0] && x < area->high[0] && y >= area->low[1] && y < area->high[1];
}

static bool is_in_any_area(const struct leak_picture *picture, int x, int y)
{
    for (int i = 0; i < picture->solid_count; i++)
        if (is_in_area(&picture->areas[i], x, y))
            return true;
    return false;
}

static void tint_row(void *context, size_t index, int thread)
{
    (void)thread;
    struct leak_picture *picture = context;
    struct overlay *overlay = &picture->overlay;
    int width = overlay->canvas.width;
    for (int x = 0; x < width; x++) {
        size_t at = index * (size_t)width + (size_t)x;
        struct vec3 origin, direction;
        double nearest = (double)overlay->pixels[at].distance + SAME_SURFACE;
        picture->tints[at] = -1;
        if (!is_in_any_area(picture, x, (int)index))
            continue;
        overlay_ray(overlay, x, (int)index, &origin, &direction);
        for (int i = 0; i < picture->solid_count; i++) {
            if (!is_in_area(&picture->areas[i], x, (int)index))
                continue;
            double entry = brush_shape_entry(&picture->solids[i], origin, direction);
            if (entry < 0 || entry >= nearest)
                continue;
            nearest = entry;
            picture->tints[at] = (signed char)i;
        }
        if (picture->tints[at] < 0)
            continue;
        struct ink ink = solid_inks[picture->tints[at]];
        ink.opacity = TINT;
        canvas_blend(&overlay->canvas, x, (int)index, ink);
    }
}

static void draw_edges(struct leak_picture *picture, int solid)
{
    const struct brush_shape *shape = &picture->solids[solid];
    for (int i = 0; i < shape->count; i++)
        for (int j = 0; shape->sides[i] && j < shape->sides[i]->count; j++) {
            const struct winding *side = shape->sides[i];
            overlay_line(&picture->overlay, side->points[j], side->points[(j + 1) % side->count],
                         picture->overlay.text, HIDDEN_NONE, solid_inks[solid]);
        }
}

/* Labels the pixel of the solid that is nearest to the middle of all of them, away from the middle
 * of the picture, which the hole needs. */
static bool label_solid(struct leak_picture *picture, int solid)
{
    struct canvas *canvas = &picture->overlay.canvas;
    const struct area *area = &picture->areas[solid];
    double sum[2] = {0}, best = HUGE_VAL, label[2] = {0};
    size_t count = 0;
    for (int y = area->low[1]; y < area->high[1]; y++)
        for (int x = area->low[0]; x < area->high[0]; x++)
            if (picture->tints[(size_t)y * (size_t)canvas->width + (size_t)x] == solid) {
                sum[0] += x;
                sum[1] += y;
                count++;
            }
    if (!count)
        return false;
    for (int y = area->low[1]; y < area->high[1]; y++)
        for (int x = area->low[0]; x < area->high[0]; x++) {
            if (picture->tints[(size_t)y * (size_t)canvas->width + (size_t)x] != solid)
                continue;
            double distance =
                portable_hypot(x - sum[0] / (double)count, y - sum[1] / (double)count);
            if (distance >= best)
                continue;
            best = distance;
            label[0] = x;
            label[1] = y;
        }
    canvas_label_at(canvas, label[0], label[1], picture->overlay.text, solid_label(picture, solid),
                    solid_inks[solid]);
    return true;
}

static void add_solids(struct leak_picture *picture)
{
    const struct leak_facts *leak = picture->leak;
    const struct canvas *canvas = &picture->overlay.canvas;
    size_t count = leak->solid_count && leak_brush(leak, 0) >= 0 ? leak->solid_count : 0;
    picture->solid_count = (int)(count < MAX_SOLIDS ? count : MAX_SOLIDS);
    for (int i = 0; i < picture->solid_count; i++) {
        picture->solids[i] = brush_shape_of(picture->overlay.render->scene.bsp,
                                            leak_brush(leak, (size_t)i), &picture->arena);
        picture->areas[i] = area_of(&picture->overlay, &picture->solids[i]);
    }
    picture->tints = memory_alloc((size_t)canvas->width * (size_t)canvas->height);
    parallel_for(picture->overlay.render->scene.env->threads, (size_t)canvas->height, tint_row,
                 picture);
    for (int i = 0; i < picture->solid_count; i++)
        draw_edges(picture, i);
}

/* --- the hole and the way --- */

static void draw_polygons(struct overlay *overlay, const struct leak_facts *leak)
{
    for (size_t i = 0; i < leak->polygon_count; i++)
        for (size_t j = 0; j < leak->polygons[i].count; j++)
            overlay_line(overlay, point_of(leak->polygons[i].points[j]),
                         point_of(leak->polygons[i].points[(j + 1) % leak->polygons[i].count]),
                         1.5 * overlay->text, HIDDEN_DASHED, hole_ink);
}

static void draw_way(struct overlay *overlay, const struct leak_facts *leak)
{
    for (size_t i = 0; i + 1 < leak->way_count; i++)
        overlay_line(overlay, point_of(leak->way[i]), point_of(leak->way[i + 1]),
                     1.5 * overlay->text, HIDDEN_DASHED, way_ink);
}

/* A frame around all of the hole, with its size. */
static void frame_hole(struct leak_picture *picture)
{
    struct overlay *overlay = &picture->overlay;
    const struct leak_facts *leak = picture->leak;
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, at[2];
    for (size_t i = 0; i < leak->polygon_count; i++)
        for (size_t j = 0; j < leak->polygons[i].count; j++) {
            if (!overlay_place(overlay, point_of(leak->polygons[i].points[j]), at))
                continue;
            for (int k = 0; k < 2; k++) {
                double place = portable_fmin(portable_fmax(at[k], 0), FARTHEST);
                low[k] = portable_fmin(low[k], place);
                high[k] = portable_fmax(high[k], place);
            }
        }
    if (low[0] > high[0])
        return;
    int edge = (int)(FRAME * overlay->canvas.width) + 1, scale = overlay->text;
    int x = (int)low[0] - edge, y = (int)low[1] - edge;
    int width = (int)high[0] + edge - x, height = (int)high[1] + edge - y;
    const char *size = arena_printf(&picture->arena, "hole %.4g x %.4g", leak->width, leak->height);
    canvas_frame(&overlay->canvas, x, y, width, height, scale, hole_ink);
    canvas_keep_free(&overlay->canvas, x, y, width, height);
    canvas_label_at(&overlay->canvas, x + width / 2.0,
                    y - canvas_text_height(scale) / 2.0 - 4 * scale, scale, size, hole_ink);
}

/* --- the overview --- */

static void mark_place(struct overlay *overlay, struct vec3 point, struct ink ink)
{
    double at[2];
    int scale = overlay->text, side = (MARK + 1) * 2 * scale;
    if (!overlay_place(overlay, point, at) || fabs(at[0]) > FARTHEST || fabs(at[1]) > FARTHEST)
        return;
    canvas_disc(&overlay->canvas, at, (MARK + 1) * scale, (struct ink){{0, 0, 0}, 1});
    canvas_disc(&overlay->canvas, at, MARK * scale, ink);
    canvas_keep_free(&overlay->canvas, (int)at[0] - side / 2, (int)at[1] - side / 2, side, side);
}

static void label_place(struct overlay *overlay, struct vec3 point, const char *text,
                        struct ink ink)
{
    double at[2];
    if (overlay_place(overlay, point, at))
        canvas_label_mark(&overlay->canvas, at, (MARK + 2) * overlay->text, overlay->text, text,
                          ink);
}

/* From above, cut at the height of the hole, whose walls are left out where they are cut: so it is
 * a gap in them. */
static struct overview overview_of_leak(const struct render *render, const struct leak_facts *leak,
                                        struct vec3 eye, int side)
{
    struct bounds bounds = overview_bounds(render);
    double top = leak->has_hole ? leak->hole.z : leak->way[leak->way_count - 1][2];
    for (size_t i = 0; i < leak->way_count; i++)
        bounds_add_point(&bounds, point_of(leak->way[i]));
    bounds_add_point(&bounds, eye);
    struct overview overview = overview_of(&bounds, INSET_BORDER, side, side);
    overview.view.eye.z = top;
    return overview;
}

static struct canvas draw_inset(const struct render *render, struct leak_picture *picture,
                                struct vec3 eye, int side)
{
    const struct leak_facts *leak = picture->leak;
    struct overview from = overview_of_leak(render, leak, eye, side);
    struct render_options options = render->options;
    struct overlay inset;
    options.width = options.height = side;
    overlay_open(render, &options, &from.view, render_draw_as(render, &options, &from.view),
                 &inset);
    inset.text = picture->overlay.text;
    for (size_t i = 0; i < (size_t)side * (size_t)side; i++)
        inset.pixels[i].distance = HUGE_VALF; /* nothing hides a line on a plan */
    for (size_t i = 0; i + 1 < leak->way_count; i++) {
        double a[2], b[2];
        if (overlay_place(&inset, point_of(leak->way[i]), a) &&
            overlay_place(&inset, point_of(leak->way[i + 1]), b))
            canvas_line(&inset.canvas, a, b, 1.5 * inset.text, 0, way_ink);
    }
    struct vec3 hole = leak->hole, entity = point_of(leak->way[leak->way_count - 1]);
    mark_place(&inset, eye, camera_ink);
    mark_place(&inset, entity, entity_ink);
    if (leak->has_hole) {
        mark_place(&inset, hole, hole_ink);
        label_place(&inset, hole, "hole", hole_ink);
    }
    label_place(&inset, entity, "entity", entity_ink);
    label_place(&inset, eye, "camera", camera_ink);
    label_place(&inset, point_of(leak->way[0]), "out", way_ink);
    canvas_label_at(&inset.canvas, 0, 0, inset.text,
                    arena_printf(&picture->arena, "plan at z %.4g", from.view.eye.z), white);
    return overlay_close(&inset);
}

static int inset_side(const struct canvas *canvas)
{
    int shorter = canvas->width < canvas->height ? canvas->width : canvas->height;
    return (int)(INSET * shorter);
}

static void add_inset(const struct render *render, struct leak_picture *picture, struct vec3 eye)
{
    struct canvas *canvas = &picture->overlay.canvas;
    int scale = picture->overlay.text;
    int side = inset_side(canvas);
    if (side < 1)
        return;
    struct canvas inset = draw_inset(render, picture, eye, side);
    int x = canvas->width - side - 4 * scale, y = canvas->height - side - 4 * scale;
    if (x > 0 && y > 0)
        canvas_copy(canvas, x, y, &inset);
    canvas_frame(canvas, x - scale, y - scale, side + 2 * scale, side + 2 * scale, scale, white);
    memory_free(inset.pixels);
}

/* --- the text --- */

/* Returns "light (entity 27)". */
static const char *entity_name(struct leak_picture *picture)
{
    const struct diag_property *reached = diag_property(picture->leak->where, DIAG_OF_REACHED);
    for (size_t i = 0; reached && i < reached->count; i++) {
        const struct diag_property *class = diag_property(&reached->places[i], DIAG_OF_CLASS);
        if (class && diag_is_true(&reached->places[i], DIAG_OF_IS_NAMED))
            return arena_printf(&picture->arena, "%s (entity %d)", class->text,
                                reached->places[i].entity_id);
    }
    return "an entity";
}

static const char *entity_text(struct leak_picture *picture)
{
    const double *p = picture->leak->where->point;
    return arena_printf(&picture->arena, "the line is the way out from %s at %.6g %.6g %.6g",
                        entity_name(picture), p[0], p[1], p[2]);
}

static const char *solids_text(struct leak_picture *picture, const bool *labelled)
{
    struct arena *arena = &picture->arena;
    const char *text = "", *unseen = "";
    size_t count = picture->leak->solid_count;
    for (size_t i = 0; i < count; i++) {
        const char *label = solid_label(picture, (int)i);
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", label);
        if ((int)i >= picture->solid_count || !labelled[i])
            unseen = arena_printf(arena, "%s%s%s", unseen, *unseen ? ", " : "", label);
    }
    return arena_printf(arena, "%s beside it: %s%s%s%s",
                        picture->leak->solids[0].counted ? "brushes" : "solids", text,
                        *unseen ? " (not in view: " : "", unseen, *unseen ? ")" : "");
}

static void write_caption(struct leak_picture *picture, const bool *labelled)
{
    const struct leak_facts *leak = picture->leak;
    struct canvas *canvas = &picture->overlay.canvas;
    const char *lines[LINES];
    int count = 0, scale = picture->overlay.text;
    lines[count++] =
        leak->has_hole
            ? arena_printf(&picture->arena, "leak: hole of %.4g x %.4g units at %.6g %.6g %.6g",
                           leak->width, leak->height, leak->hole.x, leak->hole.y, leak->hole.z)
            : "leak: nothing is between the entity and the outside";
    if (picture->leak->solid_count)
        lines[count++] = solids_text(picture, labelled);
    lines[count++] = entity_text(picture);
    int y = 4 * scale;
    for (int i = 0; i < count; i++)
        y += canvas_label_lines(canvas, 4 * scale, y, canvas->width - 8 * scale, scale, lines[i],
                                i ? white : hole_ink);
}

/* Of the caption and the overview. */
static void keep_corners_free(struct leak_picture *picture)
{
    struct canvas *canvas = &picture->overlay.canvas;
    int scale = picture->overlay.text, side = inset_side(canvas) + 6 * scale;
    canvas_keep_free(canvas, 0, 0, 3 * canvas->width / 4, ((LINES - 1) * LINE_ROWS + 4) * scale);
    canvas_keep_free(canvas, canvas->width - side, canvas->height - side, side, side);
}

static void mark_entity(struct leak_picture *picture)
{
    struct overlay *overlay = &picture->overlay;
    struct vec3 entity = point_of(picture->leak->way[picture->leak->way_count - 1]);
    mark_place(overlay, entity, entity_ink);
    label_place(overlay, entity, entity_name(picture), entity_ink);
}

struct canvas leak_draw(const struct render *render, const struct diag_entry *leak)
{
    const struct render_options *options = &render->options;
    struct leak_picture picture = {0};
    struct overlay *overlay = &picture.overlay;
    bool labelled[MAX_SOLIDS] = {false};
    const struct leak_facts facts = leak_facts_of(&leak->where, &picture.arena);
    picture.leak = &facts;
    if (facts.way_count == 0) {
        arena_free(&picture.arena);
        return canvas_new(options->width, options->height);
    }
    struct scene_view view = leak_view(render, &facts);
    overlay_open(render, options, &view, render_draw(render, &view), overlay);
    add_solids(&picture);
    draw_polygons(overlay, picture.leak);
    draw_way(overlay, picture.leak);
    keep_corners_free(&picture);
    frame_hole(&picture);
    if (!facts.has_hole)
        mark_entity(&picture);
    for (int i = 0; i < picture.solid_count; i++)
        labelled[i] = label_solid(&picture, i);
    add_inset(render, &picture, view.eye);
    write_caption(&picture, labelled);
    memory_free(picture.tints);
    arena_free(&picture.arena);
    return overlay_close(overlay);
}
