#include "common/core/array.h"
#include "common/diag/codes/areas.def"
#include "common/diag/diag_property.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/portals/area_portals.h"

/* Paths are searched for this many areaportals; of the others only the leak is reported. */
enum { FOLLOWED = 16 };

struct checker {
    const struct compile *compile;
    struct tree *tree;
    struct vec3 **path;
    int followed;
    size_t not_followed;
};

static struct diag_where where_of(const struct compile *compile, const struct area_portal *portal)
{
    return brush_where(compile, portal->brush, NULL);
}

/* An areaportal is an entity or a brush of the world. */
static const char *name_of(const struct compile *compile, const struct area_portal *portal)
{
    const struct compile_entity *entity = &compile->entities[portal->brush->entity];
    return entity->use == USE_AREAPORTAL ? entity_value(&entity->keys, "classname") : "areaportal";
}

static void report_leak(struct checker *checker, const struct area_portal *portal, int number,
                        struct area_leak *leak)
{
    struct diag_where where = where_of(checker->compile, portal);
    where.has_point = true;
    memcpy(where.point, leak->gap.center.e, sizeof where.point);
    struct arena scratch = {0};
    struct diag_property *properties = NULL;
    const char *pointfile = checker->compile->options->pointfile;
    leak_gap_attach(checker->compile, &leak->gap, CONTENTS_SOLID | CONTENTS_AREAPORTAL, false,
                    &scratch, &properties);
    if (pointfile && !*checker->path) /* the file shows the first */
        arrput(properties, ((struct diag_property){.name = DIAG_OF_POINTFILE, .text = pointfile}));
    where.properties = properties;
    where.property_count = arrlenu(properties);
    diag_report(
        checker->compile->env->diag, DIAG_AREAPORTAL_LEAK, &where,
        "the two sides of %s %d are connected; the narrowest gap on the way around it is %s",
        name_of(checker->compile, portal), number,
        leak_gap_text(checker->compile, &leak->gap, CONTENTS_SOLID | CONTENTS_AREAPORTAL,
                      &scratch));
    arrfree(properties);
    arena_free(&scratch);
    if (!*checker->path) {
        *checker->path = leak->path;
        leak->path = NULL;
    }
}

static void check_portal(struct checker *checker, int number, const struct area_portal *portal)
{
    struct diag *diag = checker->compile->env->diag;
    struct diag_where where = where_of(checker->compile, portal);
    if (portal->touches_more) {
        diag_report(diag, DIAG_AREAPORTAL_MANY_AREAS, &where,
                    "areaportal %d separates areas %d and %d only", number, portal->areas[0],
                    portal->areas[1]);
    } else if (!portal->has_leaf) {
        diag_report(diag, DIAG_AREAPORTAL_UNUSED, &where,
                    "areaportal %d is in solid or outside the map", number);
    } else if (!portal->areas[1] && checker->followed == FOLLOWED) {
        checker->not_followed++;
    } else if (!portal->areas[1]) {
        struct area_leak leak;
        checker->followed++;
        if (area_leak_find(checker->compile, checker->tree, number, &leak))
            report_leak(checker, portal, number, &leak);
        else
            diag_report(diag, DIAG_AREAPORTAL_UNUSED, &where,
                        "areaportal %d has open space on one side only", number);
        area_leak_free(&leak);
    }
}

void areas_check(const struct compile *compile, struct tree *tree, const struct areas *areas,
                 struct vec3 **path)
{
    struct checker checker = {.compile = compile, .tree = tree, .path = path};
    for (int i = 1; i < (int)arrlen(areas->portals); i++)
        check_portal(&checker, i, &areas->portals[i]);
    if (checker.not_followed)
        diag_report(compile->env->diag, DIAG_AREAPORTAL_LEAK,
                    &(struct diag_where){.file = compile->level->file},
                    "%zu more areaportal%s separate%s no areas", checker.not_followed,
                    checker.not_followed == 1 ? "" : "s", checker.not_followed == 1 ? "s" : "");
}
