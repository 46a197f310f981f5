/* Contents of brushes by their shaders, for the tree and for the engine. */
#include "common/core/array.h"
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

static bool is_shaping(const struct shader *shader)
{
    return !(shader->surface_flags & (Q3_SURFACE_HINT | Q3_SURFACE_SKIP));
}

/* The first side decides; hint and skip sides count only if there are no others. (As in all brushes
 * of mixed sides of the compiled maps that were compared.) */
static struct brush_shader find_brush_shader(const struct compile *compile,
                                             const struct map_brush *brush, bool *mixed)
{
    struct brush_shader look = {.key = brush, .shader = quake3_shader(compile, &brush->sides[0])};
    int distinct = 0;
    bool found = false;
    *mixed = false;
    for (int i = 0; i < brush->side_count; i++) {
        const struct shader *shader = quake3_shader(compile, &brush->sides[i]);
        if (!is_shaping(shader))
            continue;
        if (!found)
            look.shader = shader;
        int own = shader->contents & DISTINCT;
        *mixed |=
            own && own != distinct && (distinct || (found && (own & (LIQUID | Q3_CONTENTS_FOG))));
        distinct = found ? distinct : own;
        found = true;
    }
    look.contents = look.shader->contents;
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

/* True if one side is a hint and none has contents. The other sides are skip, which not every
 * shader script says. */
static bool is_hint(const struct compile *compile, const struct map_brush *brush)
{
    bool any = false;
    for (int i = 0; i < brush->side_count; i++) {
        const struct shader *shader = quake3_shader(compile, &brush->sides[i]);
        any |= (shader->surface_flags & Q3_SURFACE_HINT) != 0;
        if (is_shaping(shader) && shader->contents & DISTINCT)
            return false;
    }
    return any;
}

/* Contents for the tree and visibility. Liquids and fog never hide anything. Contents that neither
 * hide nor show anything do not split the world. */
static int core_contents(const struct brush_shader *look, bool seen)
{
    int contents = look->contents, core = contents & Q3_CONTENTS_DETAIL ? CONTENTS_DETAIL : 0;
    if (contents & Q3_CONTENTS_AREAPORTAL)
        return CONTENTS_AREAPORTAL;
    if (!is_shaping(look->shader))
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

static bool is_detail(const struct map_brush *brush, const struct brush_shader *look)
{
    if (look->contents & Q3_CONTENTS_STRUCTURAL)
        return false;
    bool detail = look->contents & Q3_CONTENTS_DETAIL;
    for (int i = 0; i < brush->side_count; i++)
        detail |= (brush->sides[i].map_side->contents & Q3_CONTENTS_DETAIL) != 0;
    return detail;
}

static void report(struct compile *compile, const struct map_brush *brush, enum diag_code code,
                   const char *text)
{
    struct diag_where where = brush_where(compile, brush, NULL);
    (void)diag_report(compile->env->diag, code, &where, "%s", text);
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
        report(compile, brush, DIAG_Q3_MIXED_CONTENTS,
               "its sides have different contents; those of the first side are used");
    if ((look.contents & Q3_CONTENTS_AREAPORTAL) && !rules->in_world) {
        report(compile, brush, DIAG_Q3_PORTAL_IN_ENTITY, "it separates no areas");
        look.contents &= ~Q3_CONTENTS_AREAPORTAL;
    }
    if (is_detail(brush, &look))
        look.contents |= Q3_CONTENTS_DETAIL;
    bool hint = is_hint(compile, brush);
    brush->contents = hint ? 0 : core_contents(&look, is_seen(compile, brush));
    if (!rules->in_world)
        brush->contents &= ~CONTENTS_DETAIL;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->contents = side_contents(brush->contents);
        side->flags = quake3_shader(compile, side)->surface_flags & CORE_FLAGS;
        if (hint && !(side->flags & SURFACE_HINT))
            side->flags |= SURFACE_SKIP;
    }
    hmputs(quake3->brush_shaders, look);
}

/* --- brushes that are kept --- */

/* -nodetail, -fulldetail: apply to brushes marked detail by the mapper, not to clips. */
static bool keep_detail(const struct vbsp_options *options, struct map_brush *brush,
                        const struct brush_shader *look)
{
    if (!(look->contents & Q3_CONTENTS_DETAIL) || !(look->contents & Q3_CONTENTS_SOLID))
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
        (options->no_water && (look->contents & liquid)) ||
        (options->no_hint && (look->shader->surface_flags & Q3_SURFACE_HINT)))
        return false;
    return keep_detail(options, brush, look);
}
