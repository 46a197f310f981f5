/* Writes overlay records with their faces. */
#include <math.h>
#include <string.h>

#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/overlays.def"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/overlay.h"

/* Margin around the overlay within which faces are touched. */
#define TOUCH 1.0

void overlays_add_face(struct compile *compile, const struct brush_side *side, int face)
{
    struct overlay_set *set = source_state(compile)->overlays;
    if (!set || !side->overlays)
        return;
    const int *group = set->groups[side->overlays - 1];
    for (size_t i = 0; i < arrlenu(group); i++)
        arrput(set->overlays[group[i]].faces, face);
}

/* The overlay's plane: its box there, and the directions of the axes. */
struct frame {
    struct vec3 origin, axes[2];
    double low[2], high[2];
};

static struct frame frame_of(const struct bsp_water_overlay *record)
{
    struct frame frame = {.origin = vec3_from_floats(record->origin)};
    frame.axes[0] = vec3((double)record->corners[0][2], (double)record->corners[1][2],
                         (double)record->corners[2][2]);
    frame.axes[1] = vec3_cross(vec3_from_floats(record->normal), frame.axes[0]);
    if (record->corners[3][2] > 0)
        frame.axes[1] = vec3_scale(frame.axes[1], -1);
    for (int axis = 0; axis < 2; axis++) {
        frame.low[axis] = HUGE_VAL;
        frame.high[axis] = -HUGE_VAL;
        for (int i = 0; i < 4; i++) {
            frame.low[axis] =
                portable_fmin(frame.low[axis], (double)record->corners[i][axis] - TOUCH);
            frame.high[axis] =
                portable_fmax(frame.high[axis], (double)record->corners[i][axis] + TOUCH);
        }
    }
    return frame;
}

static bool touches(const struct bsp *bsp, const struct frame *frame, int number)
{
    const struct bsp_face *face = &bsp->faces[number];
    for (int axis = 0; axis < 2; axis++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < face->edge_count; i++) {
            struct vec3 point = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
            double at = vec3_dot(vec3_sub(point, frame->origin), frame->axes[axis]);
            low = portable_fmin(low, at);
            high = portable_fmax(high, at);
        }
        if (low > frame->high[axis] || high < frame->low[axis])
            return false;
    }
    return true;
}

/* Drops faces of the world that the overlay does not touch. Those of models are kept, since they
 * move. */
static void drop_untouched(const struct bsp *bsp, struct overlay *overlay)
{
    struct frame frame = frame_of(&overlay->record);
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(overlay->faces); i++)
        if (overlay->faces[i] >= bsp->models[0].face_count ||
            touches(bsp, &frame, overlay->faces[i]))
            overlay->faces[kept++] = overlay->faces[i];
    arrsetlen(overlay->faces, kept);
}

static struct diag_where overlay_where(const struct compile *compile, const struct overlay *overlay)
{
    struct diag_where where = map_where(compile->level, overlay->map_entity, NULL, NULL);
    struct vec3 origin = vec3_from_floats(overlay->record.origin);
    where.has_point = true;
    memcpy(where.point, origin.e, sizeof where.point);
    return where;
}

static void fit_faces(const struct compile *compile, struct overlay *overlay, int max)
{
    struct diag_where where = overlay_where(compile, overlay);
    if (!arrlen(overlay->faces)) {
        const char *why =
            arrlen(overlay->sides) ? "none of its sides is drawn" : "its sides key is empty";
        diag_report(compile->env->diag, DIAG_OVERLAY_SIDES, &where, "%s%s",
                    overlay->water ? "water overlay: " : "", why);
        return;
    }
    if (arrlen(overlay->faces) > max)
        drop_untouched(compile->bsp, overlay);
    if (arrlen(overlay->faces) <= max)
        return;
    diag_report(compile->env->diag, DIAG_OVERLAY_FACES, &where,
                "%td faces, only the first %d are kept", arrlen(overlay->faces), max);
    arrsetlen(overlay->faces, (size_t)max);
}

static void emit_water(struct bsp *bsp, const struct overlay *overlay)
{
    struct bsp_water_overlay record = overlay->record;
    record.face_count = (int32_t)arrlen(overlay->faces);
    for (int i = 0; i < record.face_count; i++)
        record.faces[i] = overlay->faces[i];
    arrput(bsp->water_overlays, record);
}

static void emit_plain(struct bsp *bsp, const struct overlay *overlay)
{
    const struct bsp_water_overlay *source = &overlay->record;
    struct bsp_overlay record = {.id = source->id,
                                 .texinfo = source->texinfo,
                                 .face_count = (int32_t)arrlen(overlay->faces),
                                 .render_order = source->render_order};
    for (int i = 0; i < record.face_count; i++)
        record.faces[i] = overlay->faces[i];
    memcpy(record.u, source->u, sizeof record.u);
    memcpy(record.v, source->v, sizeof record.v);
    memcpy(record.corners, source->corners, sizeof record.corners);
    memcpy(record.origin, source->origin, sizeof record.origin);
    memcpy(record.normal, source->normal, sizeof record.normal);
    arrput(bsp->overlays, record);
    arrput(bsp_rare(bsp)->overlay_fades, overlay->fade);
}

void overlays_emit(struct compile *compile)
{
    struct overlay_set *set = source_state(compile)->overlays;
    for (size_t i = 0; set && i < arrlenu(set->overlays); i++) {
        struct overlay *overlay = &set->overlays[i];
        fit_faces(compile, overlay, overlay->water ? WATER_OVERLAY_FACES : OVERLAY_FACES);
        if (overlay->water)
            emit_water(compile->bsp, overlay);
        else
            emit_plain(compile->bsp, overlay);
    }
}
