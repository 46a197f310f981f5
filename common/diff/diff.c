#include "common/diff/diff.h"

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

enum families {
    OF_SOURCE = 1 << ENGINE_SOURCE,
    OF_QUAKE3 = 1 << ENGINE_QUAKE3,
    OF_ALL = (1 << ENGINE_FAMILIES) - 1,
};

static const struct {
    const char *name;
    diff_section_function *compare;
    unsigned families;
} sections[] = {
    {"header", diff_header, OF_ALL},
    {"entities", diff_entities, OF_ALL},
    {"brushes", diff_brushes, OF_ALL},
    {"planes", diff_plane_set, OF_ALL},
    {"models", diff_models, OF_ALL},
    {"faces", diff_faces, OF_SOURCE},
    {"face-records", diff_face_records, OF_SOURCE},
    {"original-faces", diff_original_faces, OF_SOURCE},
    {"primitives", diff_primitives, OF_SOURCE},
    {"normals", diff_normals, OF_SOURCE},
    {"materials", diff_materials, OF_SOURCE},
    {"texinfo", diff_texinfo, OF_SOURCE},
    {"tree", diff_tree, OF_ALL},
    {"leaves", diff_leaves, OF_ALL},
    {"pvs", diff_pvs, OF_ALL},
    {"pas", diff_pas, OF_SOURCE},
    {"areas", diff_areas, OF_SOURCE},
    {"areaportals", diff_area_portals, OF_SOURCE},
    {"leaf-water", diff_leaf_water, OF_SOURCE},
    {"lightmaps", diff_lightmaps, OF_SOURCE},
    {"lightmaps-hdr", diff_lightmaps_hdr, OF_SOURCE},
    {"ambient", diff_ambient, OF_SOURCE},
    {"ambient-hdr", diff_ambient_hdr, OF_SOURCE},
    {"worldlights", diff_worldlights, OF_SOURCE},
    {"worldlights-hdr", diff_worldlights_hdr, OF_SOURCE},
    {"displacements", diff_displacements, OF_SOURCE},
    {"overlays", diff_overlays, OF_SOURCE},
    {"water-overlays", diff_water_overlays, OF_SOURCE},
    {"cubemaps", diff_cubemaps, OF_SOURCE},
    {"occluders", diff_occluders, OF_SOURCE},
    {"static-props", diff_static_props, OF_SOURCE},
    {"detail-props", diff_detail_props, OF_SOURCE},
    {"game-lumps", diff_game_lumps, OF_SOURCE},
    {"physics", diff_physics, OF_SOURCE},
    {"pakfile", diff_pakfile, OF_SOURCE},
    {"map-flags", diff_map_flags, OF_SOURCE},
    {"shaders", diff_shaders, OF_QUAKE3},
    {"surfaces", diff_surfaces, OF_QUAKE3},
    {"effects", diff_effects, OF_QUAKE3},
    {"surface-light", diff_pages, OF_QUAKE3},
    {"light-grid", diff_grid, OF_QUAKE3},
    {"other-lumps", diff_carried, OF_ALL},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

struct bsp_diff_options bsp_diff_defaults(void)
{
    return (struct bsp_diff_options){
        .distance = 0.1, .light = 0.01, .limit = 10, .samples = 10000, .seed = 1};
}

const char *bsp_diff_section_name(size_t index)
{
    return index < SECTIONS ? sections[index].name : NULL;
}

void diff_count(struct comparison *c, size_t a, size_t b)
{
    c->section->count[0] = (int64_t)a;
    c->section->count[1] = (int64_t)b;
}

void diff_figure(struct comparison *c, const char *name, double value)
{
    if (value != 0)
        arrput(c->section->figures, ((struct bsp_diff_figure){name, value}));
}

void diff_differ(struct comparison *c, const char *name, size_t count)
{
    diff_figure(c, name, (double)count);
    c->section->differing += (int64_t)count;
}

bool diff_wants_example(const struct comparison *c)
{
    return arrlenu(c->section->examples) < c->options->limit;
}

void diff_tell(struct comparison *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&c->out->arena, format, args);
    va_end(args);
    arrput(c->section->examples, text);
}

/* Rounds to a thousandth, without trailing zeros and -0. */
const char *diff_point_text(struct comparison *c, struct vec3 at)
{
    double rounded[3];
    for (int k = 0; k < 3; k++)
        rounded[k] = round(at.e[k] * 1000) / 1000 + 0.0;
    return arena_printf(&c->scratch, "%.8g %.8g %.8g", rounded[0], rounded[1], rounded[2]);
}

/* Alternates between A and B, so that the examples show both. */
void diff_unmatched(struct comparison *c, const struct diff_match *match, diff_describe *describe)
{
    static const char *const figures[2] = {"only_in_a", "only_in_b"};
    size_t at[2] = {0, 0}, missing[2] = {0, 0};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < arrlenu(match->to[side]); i++)
            missing[side] += match->to[side][i] < 0;
    for (int side = 0; side < 2; side++)
        diff_differ(c, figures[side], missing[side]);
    size_t shown = missing[0] + missing[1];
    for (int side = 0; shown && diff_wants_example(c); side = !side) {
        const int32_t *to = match->to[side];
        while (at[side] < arrlenu(to) && to[at[side]] >= 0)
            at[side]++;
        if (at[side] == arrlenu(to))
            continue;
        DIFF_EXAMPLE(c, "only in %c: %s", 'A' + side, describe(c, side, (int)at[side]));
        at[side]++;
        shown--;
    }
}

bool diff_alike_all(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!diff_alike((double)a[i], (double)b[i]))
            return false;
    return true;
}

static const char *title_of(const struct bsp *bsp)
{
    return bsp->format ? bsp->format->title : "made in memory";
}

void diff_header(struct comparison *c)
{
    const struct bsp *a = c->bsp[0], *b = c->bsp[1];
    diff_count(c, 1, 1);
    if (strcmp(title_of(a), title_of(b)) != 0) {
        diff_differ(c, "version", 1);
        DIFF_EXAMPLE(c, "version: %s in A, %s in B", title_of(a), title_of(b));
    }
    if (a->format && b->format && strcmp(a->format->target, b->format->target) != 0) {
        diff_differ(c, "target", 1);
        DIFF_EXAMPLE(c, "target: %s in A, %s in B", a->format->target, b->format->target);
    }
    if (a->revision != b->revision) {
        diff_differ(c, "revision", 1);
        DIFF_EXAMPLE(c, "revision: %d in A, %d in B", a->revision, b->revision);
    }
}

void diff_map_flags(struct comparison *c)
{
    uint32_t a = c->bsp[0]->map_flags, b = c->bsp[1]->map_flags;
    diff_count(c, 1, 1);
    if (a == b)
        return;
    diff_differ(c, "changed", 1);
    DIFF_EXAMPLE(c, "map flags: 0x%x in A, 0x%x in B", a, b);
}

static void compare_sections(struct comparison *c)
{
    unsigned a = 1U << c->bsp[0]->engine->family, b = 1U << c->bsp[1]->engine->family;
    for (size_t i = 0; i < SECTIONS; i++) {
        if (c->options->only && !(c->options->only >> i & 1))
            continue;
        if (!(sections[i].families & a) || !(sections[i].families & b))
            continue;
        arrput(c->out->sections, ((struct bsp_diff_section){.name = sections[i].name}));
        c->section = &arrlast(c->out->sections);
        sections[i].compare(c);
        arena_reset(&c->scratch);
    }
}

static void comparison_free(struct comparison *c)
{
    struct diff_match *matches[] = {&c->entity_match, &c->models,  &c->faces,
                                    &c->surfaces,     &c->brushes, &c->displacements};
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++)
        diff_match_free(matches[i]);
    for (int side = 0; side < 2; side++) {
        entities_free(&c->entities[side]);
        arrfree(c->polygons[side]);
    }
    diff_trees_free(&c->trees);
    arrfree(c->samples);
    arena_free(&c->scratch);
}

enum status bsp_diff(const struct bsp *a, const struct bsp *b, const char *const names[2],
                     const struct bsp_diff_options *options, struct diag *diag,
                     struct bsp_diff *out)
{
    struct comparison c = {
        .bsp = {a, b}, .names = names, .options = options, .diag = diag, .out = out};
    enum status status = diff_read_entities(&c);
    if (status == STATUS_OK) {
        diff_match_entities(&c);
        compare_sections(&c);
    }
    comparison_free(&c);
    return status;
}

void bsp_diff_free(struct bsp_diff *diff)
{
    for (size_t i = 0; i < arrlenu(diff->sections); i++) {
        arrfree(diff->sections[i].figures);
        arrfree(diff->sections[i].examples);
    }
    arrfree(diff->sections);
    arrfree(diff->entities);
    arena_free(&diff->arena);
}

bool bsp_diff_is_same(const struct bsp_diff *diff)
{
    for (size_t i = 0; i < arrlenu(diff->sections); i++)
        if (diff->sections[i].differing)
            return false;
    return true;
}
