/* Contents of brushes by their shaders, for the tree and for the engine. */
#include "common/core/array.h"
#include "common/diag/codes/quake3_levels.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/quake3/brushes/brushes.h"
#include "vbsp/target/quake3/surfaces/vertex_changes.h"

enum {
    LIQUID = Q3_CONTENTS_LAVA | Q3_CONTENTS_SLIME | Q3_CONTENTS_WATER,
    /* Contents of which a brush must not mix two. */
    DISTINCT = Q3_CONTENTS_SOLID | LIQUID | Q3_CONTENTS_FOG | Q3_CONTENTS_AREAPORTAL |
               Q3_CONTENTS_PLAYERCLIP | Q3_CONTENTS_MONSTERCLIP | Q3_CONTENTS_BOTCLIP |
               Q3_CONTENTS_DONOTENTER | Q3_CONTENTS_CLUSTERPORTAL | Q3_CONTENTS_TRIGGER |
               Q3_CONTENTS_NODROP,
    /* Surface flags with the same bits in vbsp's core. */
    CORE_FLAGS = SURFACE_SKY | SURFACE_NODRAW | SURFACE_HINT | SURFACE_SKIP,
};

const struct shader *quake3_shader(const struct compile *compile, const struct brush_side *side)
{
    return side->material->quake3 ? side->material->quake3
                                  : assets_shader(compile->assets, side->material->name);
}

const struct brush_shader *quake3_brush_shader(const struct compile *compile,
                                               const struct map_brush *brush)
{
    return hmgetp(quake3_of(compile)->brush_shaders, brush);
}

/* Returns how much a side's contents count against those of the other sides. Mappers cover all but
 * the visible sides of a volume with a tool shader, solid or empty, so the sides that hold
 * something count most, and an empty one more than a solid one. (Measured with maps whose sides
 * differ, except for portals and the clips of bots, which must survive empty sides too.) */
static int side_rank(const struct shader *shader)
{
    int contents = shader->contents;
    return contents & LIQUID                   ? 5
           : contents & Q3_CONTENTS_FOG        ? 4
           : contents & Q3_CONTENTS_PLAYERCLIP ? 3
           : contents & Q3_CONTENTS_SOLID      ? 0
           : contents & DISTINCT               ? 2
                                               : 1;
}

/* The first of the sides that count most decides. `mixed` tells whether another one has contents
 * too. */
static struct brush_shader find_brush_shader(const struct compile *compile,
                                             const struct map_brush *brush, bool *mixed)
{
    const struct shader *best = quake3_shader(compile, &brush->sides[0]);
    struct brush_shader look = {.key = brush};
    for (int i = 0; i < brush->side_count; i++) {
        const struct shader *shader = quake3_shader(compile, &brush->sides[i]);
        if (side_rank(shader) > side_rank(best))
            best = shader;
        look.hint |= (shader->surface_flags & Q3_SURFACE_HINT) != 0;
    }
    look.shader = best;
    look.contents = best->contents;
    look.hint &= !(look.contents & DISTINCT);
    *mixed = false;
    for (int i = 0; i < brush->side_count; i++) {
        int other = quake3_shader(compile, &brush->sides[i])->contents & DISTINCT;
        *mixed |= other && other != (look.contents & DISTINCT);
    }
    return look;
}

static bool is_seen(const struct compile *compile, const struct map_brush *brush)
{
    const int hidden = Q3_SURFACE_NODRAW | Q3_SURFACE_HINT | Q3_SURFACE_SKIP;
    for (int i = 0; i < brush->side_count; i++)
        if (!(quake3_shader(compile, &brush->sides[i])->surface_flags & hidden))
            return true;
    return false;
}

/* Contents for the tree and visibility. Liquids and fog never hide anything. Contents that neither
 * hide nor show anything do not split the world. */
static int core_contents(const struct brush_shader *look, bool seen)
{
    int contents = look->contents, core = look->detail ? CONTENTS_DETAIL : 0;
    if (contents & Q3_CONTENTS_AREAPORTAL)
        return CONTENTS_AREAPORTAL;
    if (look->shader->surface_flags & (Q3_SURFACE_HINT | Q3_SURFACE_SKIP))
        return 0;
    if (contents & Q3_CONTENTS_SOLID)
        return !(contents & Q3_CONTENTS_TRANSLUCENT) ? core | CONTENTS_SOLID
               : seen                                ? core | CONTENTS_WINDOW | CONTENTS_TRANSLUCENT
                      : CONTENTS_DETAIL | CONTENTS_WINDOW | CONTENTS_TRANSLUCENT;
    if (contents & (Q3_CONTENTS_LAVA | Q3_CONTENTS_SLIME))
        core |= CONTENTS_SLIME | CONTENTS_TRANSLUCENT;
    if (contents & Q3_CONTENTS_WATER)
        core |= CONTENTS_WATER | CONTENTS_TRANSLUCENT;
    if (contents & Q3_CONTENTS_FOG)
        core |= CONTENTS_GRATE | CONTENTS_TRANSLUCENT;
    return core & CONTENTS_TRANSLUCENT ? core : CONTENTS_DETAIL;
}

/* Translucent brushes are detail, unless their shader is structural and no side is marked. */
static bool is_detail(const struct map_brush *brush, const struct brush_shader *look)
{
    bool translucent = look->contents & Q3_CONTENTS_TRANSLUCENT;
    bool detail = look->contents & Q3_CONTENTS_DETAIL ||
                  (translucent && !(look->contents & Q3_CONTENTS_STRUCTURAL));
    for (int i = 0; i < brush->side_count; i++)
        detail |= (brush->sides[i].map_side->contents & Q3_CONTENTS_DETAIL) != 0;
    return detail;
}

static void report(struct compile *compile, const struct map_brush *brush, int code,
                   const char *text)
{
    struct diag_where where = brush_where(compile, brush, NULL);
    (void)diag_report(compile->env->diag, code, &where, "%s", text);
}

/* Half of all maps have such brushes: they are counted, not listed. */
static void note_mixed(struct compile *compile, const struct map_brush *brush)
{
    struct quake3 *quake3 = quake3_of(compile);
    if (!quake3->mixed_brushes++)
        quake3->first_mixed = brush_where(compile, brush, NULL);
}

void quake3_report_contents(const struct compile *compile)
{
    const struct quake3 *quake3 = quake3_of(compile);
    if (quake3->mixed_brushes)
        (void)diag_report(compile->env->diag, DIAG_Q3_MIXED_CONTENTS, &quake3->first_mixed,
                          "sides have different contents in %d brush%s, first here",
                          quake3->mixed_brushes, quake3->mixed_brushes == 1 ? "" : "es");
}

/* The tree is split by liquids and fog last, so that they do not cut anything solid: their sides
 * are marked translucent, not liquid. */
static int side_contents(int core)
{
    return core & CONTENTS_TRANSLUCENT ? CONTENTS_WINDOW | CONTENTS_TRANSLUCENT : core;
}

void quake3_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules)
{
    struct quake3 *quake3 = quake3_of(compile);
    bool mixed;
    struct brush_shader look = find_brush_shader(compile, brush, &mixed);
    if (mixed)
        note_mixed(compile, brush);
    if ((look.contents & Q3_CONTENTS_AREAPORTAL) && !rules->in_world) {
        report(compile, brush, DIAG_Q3_PORTAL_IN_ENTITY, "it separates no areas");
        look.contents &= ~Q3_CONTENTS_AREAPORTAL;
    }
    look.detail = is_detail(brush, &look);
    brush->contents = look.hint ? 0 : core_contents(&look, is_seen(compile, brush));
    if (!rules->in_world)
        brush->contents &= ~CONTENTS_DETAIL;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->contents = side_contents(brush->contents);
        side->flags = quake3_shader(compile, side)->surface_flags & CORE_FLAGS;
        if (look.hint && !(side->flags & SURFACE_HINT))
            side->flags |= SURFACE_SKIP;
    }
    hmputs(quake3->brush_shaders, look);
}

/* --- brushes that are kept --- */

/* -nodetail, -fulldetail: apply to brushes marked detail by the mapper, not to clips. */
static bool keep_detail(const struct vbsp_options *options, struct map_brush *brush,
                        const struct brush_shader *look)
{
    if (!look->detail || !(look->contents & Q3_CONTENTS_SOLID))
        return true;
    if (options->full_detail)
        brush->contents &= ~CONTENTS_DETAIL;
    return !options->no_detail;
}

static void add_volume(struct compile *compile, const struct map_brush *brush,
                       const struct shader *shader)
{
    const struct compile_entity *owner = &compile->entities[brush->entity];
    const struct vec3 origin =
        owner->use == USE_ENTITY && brush->entity > 0 ? owner->origin : vec3(0, 0, 0);
    struct change_volume volume = {.shader = shader};
    for (int i = 0; i < brush->side_count; i++) {
        struct plane plane = compile->planes.planes[brush->sides[i].plane];
        plane.dist += vec3_dot(plane.normal, origin);
        arrput(volume.planes, plane);
    }
    arrput(quake3_of(compile)->volumes, volume);
}

/* Brushes that bound the light grid, or that change vertices, are not written. */
bool quake3_keep(struct compile *compile, struct map_brush *brush)
{
    const struct vbsp_options *options = compile->options;
    const struct brush_shader *look = quake3_brush_shader(compile, brush);
    const int liquid = Q3_CONTENTS_WATER | Q3_CONTENTS_SLIME | Q3_CONTENTS_LAVA;
    if (look->shader->compile_flags & SHADER_LIGHT_GRID) {
        bounds_add(&quake3_of(compile)->light_grid, &brush->bounds);
        return false;
    }
    if (look->shader->compile_flags & SHADER_VOLUME) {
        add_volume(compile, brush, look->shader);
        return false;
    }
    if ((options->no_fog && (look->shader->compile_flags & SHADER_FOG_PARMS)) ||
        (options->no_water && (look->contents & liquid)) || (options->no_hint && look->hint))
        return false;
    return keep_detail(options, brush, look);
}
