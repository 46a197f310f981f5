/* A level as parsed from a VMF or MAP, without any validation of its meaning.
 *
 * Every object keeps its line and the editor's id, so that all stages can report them. */
#ifndef VBSP_LEVEL_LEVEL_H
#define VBSP_LEVEL_LEVEL_H

#include "common/core/arena.h"
#include "common/env.h"
#include "common/geom/epsilon.h"
#include "common/geom/vec.h"
#include "common/text/entities.h"
#include "common/text/keyvalues.h"

/* Points of patches and of planes may lie outside of the world, where vertex tools leave them, but
 * not beyond this: those of planes are moved (plane_points.h). Clipping starts from squares of this
 * size. */
#define MAP_POINT_LIMIT (WORLD_LIMIT * 4)

/* Units per luxel that are more than the world has. */
#define MAX_LUXEL_SCALE 32768

/* A texture coordinate is dot(point, axis) / scale + shift. */
struct map_texture_axis {
    struct vec3 axis;
    double shift; /* texels */
    double scale; /* units per texel */
};

struct map_side {
    int id, line;
    struct vec3 points[3]; /* plane normal = (p0 - p1) x (p2 - p1), out of the solid */
    const char *material;
    struct map_texture_axis u, v;
    bool mapped_in_images; /* u and v count whole images, not texels (brush primitives) */
    double lightmap_scale; /* units per luxel, at most MAX_LUXEL_SCALE; 0: the target's default */
    uint32_t smoothing_groups;
    int contents, flags;           /* additional ones set in the file; usually 0 */
    const struct kv *displacement; /* its dispinfo block, or NULL */
};

struct map_patch_point {
    struct vec3 p;
    double texture[2]; /* in images, or texels: mapped_in_texels */
};

/* A curved surface: a grid of control points of quadratic Bezier pieces. */
struct map_patch {
    int id, line;
    const char *material;
    int columns, rows;              /* both odd, 3 or more */
    struct map_patch_point *points; /* [row * columns + column], in the level's arena */
    bool mapped_in_texels;          /* otherwise coordinates count whole images */
    int subdivisions[2];            /* fixed ones of a patchDef3; 0: adaptive */
    int contents, flags;            /* additional ones set in the file; usually 0 */
};

/* A file that was merged into another level: an instance, or a map of a manifest. Its ids were
 * offset by the shifts to stay unique. */
struct map_part {
    const char *file;
    const struct diag_where *placed_by; /* the func_instance; NULL: the manifest itself */
    const struct map_part *outer;       /* part that contains the func_instance, or NULL */
    int entity_shift, solid_shift, side_shift;
};

struct map_solid {
    int id, line;
    int entity;                  /* index of its entity */
    const struct map_part *part; /* or NULL: the source's own */
    bool turned;                 /* by the angles of its instance */
    struct map_side *sides;      /* stb_ds array */
};

struct map_entity {
    int id, line;
    const struct map_part *part; /* or NULL: the source's own */
    struct entity keys;          /* with "classname"; connections appended in order as keys */
    struct map_solid *solids;    /* stb_ds array */
    struct map_patch *patches;   /* stb_ds array */
    const struct kv *overlay_transition; /* its block of that name, or NULL */
};

struct level {
    const char *file;            /* for messages */
    int revision;                /* mapversion */
    bool escaped_quotes;         /* values may have them: ESCAPES_QUOTES */
    const char *instance_path;   /* a folder with instances besides those of the map; or NULL */
    bool counted_ids;            /* ids count from 0, as in a .map */
    struct map_entity *entities; /* stb_ds array; the first is worldspawn */
    struct bounds *cordons;      /* stb_ds array: the active boxes; everything outside is dropped */
    struct level **parts;        /* stb_ds array, owned: levels whose strings this one borrows */
    struct arena arena;
};

/* Locates an object for diagnostics. solid and side may be NULL. */
struct diag_where map_where(const struct level *level, const struct map_entity *entity,
                            const struct map_solid *solid, const struct map_side *side);

/* The map's name in the game: the file name without folders and extension. In the arena. */
const char *level_name(struct arena *arena, const char *file);

/* Bounds of the enclosed volume; empty if there is none. */
struct bounds map_solid_bounds(const struct map_solid *solid);

/* Parses a VMF. Hidden blocks are skipped. Invalid numbers, planes without three points and the
 * like are reported with line and ids, and the object is dropped; text that does not parse, or has
 * no world, fails. */
NODISCARD enum status vmf_parse(const char *text, size_t size, const char *name, struct diag *diag,
                                struct level *out);
/* The same; with `escaped_quotes` \" in a value is a quote (ENTITY_QUOTE) rather than its end. */
NODISCARD enum status vmf_parse_quotes(bool escaped_quotes, const char *text, size_t size,
                                       const char *name, struct diag *diag, struct level *out);

/* Parses a MAP as written by Radiant and TrenchBroom: classic, Valve 220 and brush primitives
 * (detected per side), patchDef2 and patchDef3. Classic axes are made explicit. Ids are the
 * editor's numbers: of an entity in the file, of a brush or patch in its entity, of a face in its
 * brush, all from 0. Reports and fails as vmf_parse does: unbalanced braces, or a missing world,
 * fail after all of the text was read; an invalid brush or patch is reported and dropped, as is a
 * face whose points are collinear. Materials get the prefix "textures/" and forward slashes.
 * lightmap_scale is 0. The worldspawn is moved to the front. */
NODISCARD enum status map_parse(const char *text, size_t size, const char *name, struct diag *diag,
                                struct level *out);

/* True if the text begins like a MAP: with a brace, where a VMF has a name. */
bool map_is_map(const char *text, size_t size);

void level_free(struct level *level);
void map_entity_free(struct map_entity *entity); /* frees its arrays */

#endif
