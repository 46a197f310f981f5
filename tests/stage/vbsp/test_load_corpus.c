/* load_map on real maps, compared with the output of Valve's vbsp. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/context.h"
#include "vbsp/target/source/emit/emit.h"

#define CORPUS SHARED_DIR "/corpus/"

/* Maps without instances. */
static const struct pair {
    const char *path;
    int alike; /* brushes whose sides and bevels are Valve's one by one: the rest have its noise */
    bool old;  /* of tools that wrote neither hammerid nor mapversion */
} pairs[] = {
    {"vmf/t01_box_hdr/testmap", 6, false},
    {"vmf/t03_physcollide/test_physcollide", 9, false},
    {"vmf/t04_disp_decompile/test_displacement_decompile", 6, false},
    {"vmf/t06_hysteria_test/test", 12, false},
    {"vmf/t08_synthroom/testmap_synth", 10, false},
    {"vmf/s01_scoutie_c1/c1", 46, false},
    {"vmf/s03_traininggnd_water/trainingground", 41, false},
    {"vmf/s04_rc_pyramid/rc_pyramid", 83, true},
    {"vmf/s07_rc_jumpers7/test_jumpers", 29, true},
    {"vmf/s09_who_hostel/hostel", 114, false},
    {"vmf/m01_tf2_dotf/dotf_test", 164, false},
    {"vmf/m02_tf2_edgebug/jump_edgebugtest", 12, false},
    {"vmf/m03_tf2_jump_byte/jump_byte_a3", 330, false},
    {"vmf/m06_station_leak_disp/stationbattleground", 118, false},
    {"vmf/l01_gateway_hdr/testmap", 532, false},
    {"vmf/l02_pcollab26_areaportals/pcollab_26_iambread_test", 815, false},
    {"generated/mid", 763, false},
    {"generated/big", 2110, false},
    {"generated/pillars9", 45, false},
    {"refs/plain", 72, false},
    {"refs/disp", 6, false},
    {"refs/detail", 14, false},
    {"refs/texlight", 20, false},
    {"refs/water", 29, false},
};

/* Maps that only have to load. */
static const char *const others[] = {
    "generated/ents",
    "generated/inst/sub",
    "refs/portal",
    "refs/inst/inner",
    "refs/inst/outer",
    "vmf_only/x04_rd_til1_midnightport/rd-til1midnightport",
    "vmf_only/x04_rd_til1_midnightport/instances/tilarus01_marinehints",
    "vmf_only/x06_rd_bonus2_instances/rd-bonus_mission2",
    "vmf_only/x06_rd_bonus2_instances/instances/door_normal_02",
    "vmf_only/x06_rd_bonus2_instances/instances/landingbay_storageshelf_small",
    "vmf_only/x12_occluders/test_occluders",
    "vmf_only/x13_areaportals/test_areaportals",
    "vmf_only/x14_cubemaps/test_cubemaps",
    "vmf_only/x15_displacements/test_displacements",
    "vmf_only/x16_ladders_css/test_css_ladders",
};

struct fixture {
    struct diag *diag;
    struct env env;
    struct vbsp_options options;
    struct level level;
    struct compile compile;
    struct bsp *reference;
};

static bool have_corpus(void)
{
    struct fs *fs = fs_disk();
    return fs->ops->kind(fs, CORPUS "vmf") == FS_DIRECTORY;
}

static void load(struct fixture *f, const char *path)
{
    char name[512], texdata[512];
    *f = (struct fixture){.diag = diag_new(NULL, NULL)};
    f->env = (struct env){.diag = f->diag, .fs = fs_disk(), .threads = 1};
    f->options = vbsp_defaults;
    snprintf(name, sizeof name, CORPUS "%s.vmf", path);
    snprintf(texdata, sizeof texdata, CORPUS "%s.texdata.tsv", path);
    struct bytes text = {0};
    assert_int_equal(fs_load(f->env.fs, f->diag, name, &text), STATUS_OK);
    assert_int_equal(vmf_parse((const char *)text.data, text.size, name, f->diag, &f->level),
                     STATUS_OK);
    bytes_free(&text);
    const char *catalogues[] = {texdata};
    bool pair = f->env.fs->ops->kind(f->env.fs, texdata) == FS_FILE;
    bool ours = !pair && !str_starts_nocase(path, "vmf_only");
    struct assets_options options = {.game = ours ? CORPUS "generated/game" : NULL,
                                     .texdata = catalogues,
                                     .texdata_count = pair};
    f->compile = (struct compile){
        .env = &f->env, .options = &f->options, .level = &f->level, .bsp = bsp_new()};
    assert_int_equal(assets_open(&f->env, &options, &f->compile.assets), STATUS_OK);
    assert_int_equal(load_map(&f->compile), STATUS_OK);
}

static void unload(struct fixture *f)
{
    compile_free(&f->compile);
    bsp_free(f->compile.bsp);
    bsp_free(f->reference);
    assets_free(f->compile.assets);
    level_free(&f->level);
    diag_free(f->diag);
}

static void read_reference(struct fixture *f, const char *path)
{
    char name[512];
    snprintf(name, sizeof name, CORPUS "%s.bsp", path);
    assert_int_equal(bsp_read_file(&f->env, name, &f->reference), STATUS_OK);
}

static struct plane wide_plane(const struct bsp_plane *plane)
{
    return (struct plane){
        vec3((double)plane->normal[0], (double)plane->normal[1], (double)plane->normal[2]),
        (double)plane->dist};
}

static bool same_plane(const struct plane *a, const struct plane *b, double turn, double move)
{
    struct vec3 off = vec3_sub(a->normal, b->normal);
    return fabs(off.x) < turn && fabs(off.y) < turn && fabs(off.z) < turn &&
           fabs(a->dist - b->dist) < move;
}

/* Tolerances of equal drawn planes, and of copies made by Valve's rounding, whose floats put bevels
 * beside sides and other bevels that they should equal. */
#define TURN       1e-4
#define MOVE       0.03
#define TURN_NOISE 1e-3
#define MOVE_NOISE 1

struct sides {
    const struct compile *compile;
    const struct bsp *bsp;
    const struct map_brush *ours;
    const struct bsp_brush *theirs;
};

static const struct plane *our_plane(const struct sides *sides, int i)
{
    return &sides->compile->planes.planes[sides->ours->sides[i].plane];
}

static const struct bsp_brush_side *their_side(const struct sides *sides, int i)
{
    return &sides->bsp->brush_sides[sides->theirs->first_side + i];
}

static struct plane their_plane(const struct sides *sides, int i)
{
    return wide_plane(&sides->bsp->planes[their_side(sides, i)->plane]);
}

/* The sides that were drawn: the same planes in the same order, with the same flags. */
static void compare_drawn_sides(const struct sides *sides)
{
    int ours = 0, theirs = 0;
    for (;; ours++, theirs++) {
        while (ours < sides->ours->side_count && sides->ours->sides[ours].bevel)
            ours++;
        while (theirs < sides->theirs->side_count && their_side(sides, theirs)->bevel)
            theirs++;
        if (ours >= sides->ours->side_count || theirs >= sides->theirs->side_count)
            break;
        struct plane plane = their_plane(sides, theirs);
        assert_true(same_plane(our_plane(sides, ours), &plane, TURN, MOVE));
        const struct brush_side *side = &sides->ours->sides[ours];
        int flags = sides->compile->texinfos.items[side->record_texinfo].flags;
        int expected = sides->bsp->texinfo[their_side(sides, theirs)->texinfo].flags;
        if (side->material->origin != MATERIAL_MISSING)
            assert_int_equal(flags | SURFACE_LIGHT, expected | SURFACE_LIGHT);
    }
    assert_int_equal(ours, sides->ours->side_count);
    assert_int_equal(theirs, sides->theirs->side_count);
}

/* The first six are axial and in their places; behind them, each of one stands in the other but for
 * noise. Returns whether there was none. */
static bool compare_planes(const struct sides *sides)
{
    bool clean = sides->ours->side_count == sides->theirs->side_count;
    for (int i = 0; i < sides->ours->side_count; i++) {
        bool found = false;
        for (int j = 0; j < sides->theirs->side_count; j++) {
            struct plane plane = their_plane(sides, j);
            bool near = same_plane(our_plane(sides, i), &plane, TURN_NOISE, MOVE_NOISE);
            found |= near && (i >= 6 || i == j);
        }
        assert_true(found);
    }
    for (int i = 0; i < sides->theirs->side_count; i++) {
        struct plane plane = their_plane(sides, i);
        bool found = false;
        for (int j = 0; j < sides->ours->side_count; j++)
            found |= same_plane(our_plane(sides, j), &plane, TURN_NOISE, MOVE_NOISE);
        assert_true(found);
    }
    for (int i = 0; clean && i < sides->ours->side_count; i++) {
        struct plane plane = their_plane(sides, i);
        clean = same_plane(our_plane(sides, i), &plane, TURN, MOVE) &&
                sides->ours->sides[i].bevel == (their_side(sides, i)->bevel != 0);
    }
    return clean;
}

static int compare_brushes(const struct fixture *f)
{
    const struct compile *compile = &f->compile;
    int alike = 0;
    assert_int_equal(arrlenu(compile->brushes), arrlenu(f->reference->brushes));
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        struct sides sides = {compile, f->reference, compile->brushes[i],
                              &f->reference->brushes[i]};
        assert_int_equal(sides.ours->number, i);
        /* A catalogue does not know which material makes ladders. */
        assert_int_equal(sides.ours->contents | CONTENTS_LADDER,
                         sides.theirs->contents | CONTENTS_LADDER);
        compare_drawn_sides(&sides);
        alike += compare_planes(&sides);
    }
    return alike;
}

static const struct brush_side *find_side(const struct compile *compile, int id)
{
    for (int kind = 0; kind < 2; kind++) {
        struct map_brush *const *brushes = kind ? compile->displacement_brushes : compile->brushes;
        for (size_t i = 0; i < arrlenu(brushes); i++)
            for (int j = 0; j < brushes[i]->side_count; j++)
                if (brushes[i]->sides[j].map_side &&
                    (uint16_t)brushes[i]->sides[j].map_side->id == id)
                    return &brushes[i]->sides[j];
    }
    return NULL;
}

/* Byte by byte, but for the sign of zeros. */
static void compare_vectors(const float ours[2][4], const float theirs[2][4])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            assert_true(ours[i][j] == theirs[i][j]);
}

/* The map's own patches of a material are "maps/<map>/<material>_x_y_z" and the like. Catalogues do
 * not tell all that makes one; but those that are made are the same. */
static bool same_material(const char *ours, const char *theirs)
{
    if (str_starts_nocase(theirs, "maps/") && !str_starts_nocase(ours, "maps/")) {
        const char *rest = strchr(theirs + 5, '/');
        return rest && str_starts_nocase(rest + 1, ours);
    }
    return str_equal_nocase(ours, theirs);
}

/* The texinfo of faces, found by the editor's number of their side. Sky faces all share one, and so
 * do sides that are not drawn. */
static int compare_texinfo(const struct fixture *f)
{
    const struct bsp *bsp = f->reference;
    int compared = 0;
    const struct brush_side *side = NULL;
    for (size_t i = 0; i < arrlenu(bsp->face_ids); i++) {
        const struct bsp_face *face = &bsp->faces[i];
        if (!side || !side->map_side || (uint16_t)side->map_side->id != bsp->face_ids[i])
            side = find_side(&f->compile, bsp->face_ids[i]);
        const struct bsp_texinfo *theirs = &bsp->texinfo[face->texinfo];
        if (!side || (theirs->flags & (SURFACE_SKY | SURFACE_SKY2D)))
            continue;
        const struct bsp_texinfo *ours = &f->compile.texinfos.items[side->record_texinfo];
        compare_vectors(ours->texture, theirs->texture);
        compare_vectors(ours->lightmap, theirs->lightmap);
        const char *name = bsp->texture_names[bsp->texdata[theirs->texdata].name];
        assert_true(same_material(f->compile.texinfos.names[ours->texdata], name) ||
                    (theirs->flags & SURFACE_WARP));
        compared++;
    }
    return compared;
}

static void compare_models(const struct fixture *f)
{
    int models = 0;
    for (size_t i = 0; i < arrlenu(f->compile.entities); i++)
        models += f->compile.entities[i].model >= 0;
    assert_int_equal(models, arrlenu(f->reference->models));
}

static void compare_cubemaps(const struct fixture *f)
{
    const struct bsp_cubemap *ours = f->compile.bsp->cubemaps, *theirs = f->reference->cubemaps;
    assert_int_equal(arrlenu(ours), arrlenu(theirs));
    for (size_t i = 0; i < arrlenu(ours); i++) {
        assert_memory_equal(ours[i].origin, theirs[i].origin, sizeof ours[i].origin);
        assert_int_equal(ours[i].size, theirs[i].size);
    }
}

static void drop_new_keys(struct entity_list *list)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        entity_remove(&list->entities[i], "hammerid");
        entity_remove(&list->entities[i], "mapversion");
    }
}

/* The lump that we make for the faces of the reference must be the one that it has. */
static void compare_entities(struct fixture *f, bool old)
{
    struct bsp *ours = f->compile.bsp;
    f->compile.bsp = f->reference;
    char *expected = f->reference->entities;
    f->reference->entities = NULL;
    entities_finish(&f->compile);
    char *made = f->reference->entities;
    f->reference->entities = expected;
    f->compile.bsp = ours;
    struct entity_list lists[2];
    char *const texts[2] = {made, expected};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(entities_parse(texts[i], arrlenu(texts[i]), "lump", f->diag, &lists[i]),
                         STATUS_OK);
        if (old)
            drop_new_keys(&lists[i]);
    }
    assert_int_equal(arrlenu(lists[0].entities), arrlenu(lists[1].entities));
    for (size_t i = 0; i < arrlenu(lists[0].entities); i++) {
        const struct key_value *a = lists[0].entities[i].pairs, *b = lists[1].entities[i].pairs;
        assert_int_equal(arrlenu(a), arrlenu(b));
        for (size_t j = 0; j < arrlenu(a); j++) {
            assert_string_equal(a[j].key, b[j].key);
            assert_string_equal(a[j].value, b[j].value);
        }
    }
    entities_free(&lists[0]);
    entities_free(&lists[1]);
    arrfree(made);
}

static void maps_load_as_valve_loads_them(void **state)
{
    (void)state;
    if (!have_corpus()) {
        print_message("no corpus in " SHARED_DIR ": skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct fixture f;
        load(&f, pairs[i].path);
        read_reference(&f, pairs[i].path);
        print_message("%s: ", pairs[i].path);
        int alike = compare_brushes(&f);
        assert_true(alike >= pairs[i].alike);
        int faces = compare_texinfo(&f);
        compare_models(&f);
        compare_cubemaps(&f);
        compare_entities(&f, pairs[i].old);
        print_message("%td brushes, %d side by side the same; texinfo of %d of %td faces; "
                      "%td entities\n",
                      arrlen(f.compile.brushes), alike, faces, arrlen(f.reference->faces),
                      arrlen(f.compile.entities));
        unload(&f);
    }
}

static void other_maps_load(void **state)
{
    (void)state;
    if (!have_corpus()) {
        print_message("no corpus in " SHARED_DIR ": skipped\n");
        skip();
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct fixture f;
        load(&f, others[i]);
        entities_finish(&f.compile);
        assert_true(arrlen(f.compile.bsp->entities) > 0);
        size_t solids = 0;
        for (size_t j = 0; j < arrlenu(f.level.entities); j++)
            solids += arrlenu(f.level.entities[j].solids);
        print_message("%s: %zu solids, %td brushes, %td with displacements, %zu warnings\n",
                      others[i], solids, arrlen(f.compile.brushes),
                      arrlen(f.compile.displacement_brushes), diag_count(f.diag, DIAG_WARNING));
        assert_int_equal(diag_count(f.diag, DIAG_ERROR), 0);
        unload(&f);
    }
}

SUITE(test_load_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_load_as_valve_loads_them),
        cmocka_unit_test(other_maps_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
