#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/syntax.def"
#include "common/diag/codes/vmf.def"
#include "common/geom/plane.h"
#include "common/io/fs.h"
#include "vbsp/level/level.h"

struct fixture {
    struct diag *diag;
    struct level map;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->diag = diag_new(NULL, NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    level_free(&fixture->map);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

static enum status parse(struct fixture *fixture, const char *text, size_t size)
{
    level_free(&fixture->map);
    diag_free(fixture->diag);
    fixture->diag = diag_new(NULL, NULL);
    return vmf_parse(text, size, "test.vmf", fixture->diag, &fixture->map);
}

#define SIDE_KEYS(id, plane, rest)                                                                 \
    "\tside\n\t{\n\t\t\"id\" \"" id "\"\n\t\t\"plane\" \"" plane                                   \
    "\"\n\t\t\"material\" \"A/B\"\n" rest "\t}\n"
#define AXES           "\t\t\"uaxis\" \"[1 0 0 8] 0.25\"\n\t\t\"vaxis\" \"[0 -1 0 -3.5] 0.5\"\n"
#define SCALE          "\t\t\"lightmapscale\" \"32\"\n"
#define SIDE(id)       SIDE_KEYS(id, "(0 0 64) (0 64 64) (64 64 64)", AXES SCALE)
#define SIDES          SIDE("11") SIDE("12") SIDE("13")
#define WORLD(in)      "world\n{\n\t\"id\" \"1\"\n\t\"mapversion\" \"77\"\n" in "}\n"
#define SOLID(in)      "\tsolid\n\t{\n\t\"id\" \"10\"\n" in "\t}\n"
#define PARSE(f, text) parse(f, text, sizeof(text) - 1)

/* One warning of that code, its ids and line; the map itself is read. */
static void expect_warning(const struct fixture *fixture, int code, int solid, int side, int line)
{
    assert_int_equal(diag_entries(fixture->diag), 1);
    const struct diag_entry *entry = diag_entry(fixture->diag, 0);
    assert_int_equal(entry->code, code);
    assert_int_equal(entry->severity, DIAG_WARNING);
    assert_string_equal(entry->where.file, "test.vmf");
    assert_int_equal(entry->where.solid_id, solid);
    assert_int_equal(entry->where.side_id, side);
    assert_int_equal(entry->where.line, line);
}

static void a_whole_map(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        PARSE(
            f,
            "versioninfo\n{\n\t\"mapversion\" \"3\"\n}\n" WORLD(SOLID(
                SIDE_KEYS("11", "(-0.5 0 64) (0 64 64) (64 64 1e2)",
                          AXES SCALE
                          "\"smoothing_groups\" \"4294967295\" \"contents\" "
                          "\"2\" \"flags\" \"128\" dispinfo { power 3 }") SIDE("12") SIDE("13")
                    SIDE("14"))) "entity\n{\n\t\"id\" \"5\"\n\t\"classname\" "
                                 "\"func_x\"\n\tconnections\n\t{\n\t\t"
                                 "\"OnA\" \"b\"\n\t\t\"OnA\" \"c\"\n\t}\n\t\"late\" \"1\"\n" SOLID(
                                     SIDES SIDE(
                                         "14")) "\teditor\n\t{\n\t\t\"color\" \"1 2 3\"\n\t}\n}\n"),
        STATUS_OK);
    assert_int_equal(diag_entries(f->diag), 0);
    assert_int_equal(f->map.revision, 77);
    assert_int_equal(arrlen(f->map.entities), 2);
    const struct map_entity *world = &f->map.entities[0], *brush = &f->map.entities[1];
    assert_int_equal(world->id, 1);
    assert_true(entity_is(&world->keys, "worldspawn"));
    assert_false(entity_has(&world->keys, "id"));
    assert_int_equal(arrlen(world->solids), 1);
    const struct map_side *side = &world->solids[0].sides[0];
    assert_int_equal(side->id, 11);
    assert_int_equal(side->line, 12);
    assert_float_equal(side->points[0].x, -0.5, 0);
    assert_float_equal(side->points[2].z, 100, 0);
    assert_string_equal(side->material, "A/B");
    assert_float_equal(side->u.shift, 8, 0);
    assert_float_equal(side->v.axis.y, -1, 0);
    assert_float_equal(side->v.shift, -3.5, 0);
    assert_float_equal(side->v.scale, 0.5, 0);
    assert_float_equal(side->lightmap_scale, 32, 0);
    assert_int_equal(side->smoothing_groups, 0xFFFFFFFFu);
    assert_int_equal(side->contents, 2);
    assert_int_equal(side->flags, 128);
    assert_string_equal(kv_value(side->displacement, "power"), "3");
    assert_null(world->solids[0].sides[1].displacement);

    assert_int_equal(brush->id, 5);
    assert_int_equal(brush->solids[0].entity, 1);
    static const char *const pairs[] = {"classname", "func_x", "OnA", "b", "OnA", "c", "late", "1"};
    assert_int_equal(arrlen(brush->keys.pairs), 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(brush->keys.pairs[i].key, pairs[2 * i]);
        assert_string_equal(brush->keys.pairs[i].value, pairs[2 * i + 1]);
    }
    struct diag_where where = map_where(&f->map, brush, &brush->solids[0], NULL);
    assert_int_equal(where.entity_id, 5);
    assert_int_equal(where.solid_id, 10);
    assert_int_equal(where.side_id, 0);
}

static void hidden_is_left_out(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        PARSE(f, WORLD("hidden\n{\n" SOLID(SIDES SIDE("1")) "}\n" SOLID(SIDES SIDE(
                     "2") "editor { visgroupid 4 visgroupshown 0 }\n")) "hidden { entity { "
                                                                        "classname x } }\n"
                                                                        "entity { classname y "
                                                                        "hidden {" SOLID(
                                                                            SIDES SIDE("1")) "} }"),
        STATUS_OK);
    assert_int_equal(diag_entries(f->diag), 0);
    assert_int_equal(arrlen(f->map.entities), 2);
    assert_int_equal(arrlen(f->map.entities[0].solids), 1);
    assert_true(entity_is(&f->map.entities[1].keys, "y"));
    assert_int_equal(arrlen(f->map.entities[1].solids), 0);
}

/* A side that is broken so drops its solid alone. */
#define BAD_SIDE(side) WORLD(SOLID(SIDES side) "solid\n{\n\"id\" \"20\"\n" SIDES SIDE("14") "}\n")

static void bad_planes_drop_the_solid(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = {
        BAD_SIDE(SIDE_KEYS("99", "(nan 0 64) (0 64 64) (64 64 64)", AXES SCALE)),
        BAD_SIDE(SIDE_KEYS("99", "(0 0 64) (0 inf 64) (64 64 64)", AXES SCALE)),
        BAD_SIDE(SIDE_KEYS("99", "(0 0 64) (0 64 64) (64 64 1e30)", AXES SCALE)),
        BAD_SIDE(SIDE_KEYS("99", "(0 0 64) (0 64 64) (64 64)", AXES SCALE)),
        BAD_SIDE(SIDE_KEYS("99", "", AXES SCALE)),
        BAD_SIDE("\tside\n\t{\n\t\t\"id\" \"99\"\n\t}\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(parse(f, texts[i], strlen(texts[i])), STATUS_OK);
        expect_warning(f, DIAG_SIDE_PLANE, 10, 99, 35);
        assert_int_equal(arrlen(f->map.entities[0].solids), 1);
        assert_int_equal(f->map.entities[0].solids[0].id, 20);
    }
    assert_int_equal(PARSE(f, WORLD(SOLID(SIDES))), STATUS_OK);
    expect_warning(f, DIAG_SOLID_SIDES, 10, 0, 5);
    assert_int_equal(arrlen(f->map.entities[0].solids), 0);
}

/* Points that only define a plane: near ones of the same plane take their place. */
static void points_of_planes_may_be_far(void **state)
{
    struct fixture *fixture = *state;
    static const char text[] = WORLD(SOLID(
        SIDE_KEYS("14", "(0 0 64) (0 128000000 64) (128000000 128000000 64)", AXES SCALE) SIDES));
    assert_int_equal(PARSE(fixture, text), STATUS_OK);
    assert_int_equal(diag_entries(fixture->diag), 0);
    const struct map_side *far = &fixture->map.entities[0].solids[0].sides[0];
    const struct map_side *near = &fixture->map.entities[0].solids[0].sides[1];
    struct plane planes[2];
    assert_true(plane_from_points(far->points[0], far->points[1], far->points[2], &planes[0]));
    assert_true(plane_from_points(near->points[0], near->points[1], near->points[2], &planes[1]));
    assert_true(vec3_distance(planes[0].normal, planes[1].normal) <= 0);
    assert_true(planes[0].dist == planes[1].dist);
    for (int i = 0; i < 9; i++)
        assert_true(fabs(far->points[i / 3].e[i % 3]) <= MAP_POINT_LIMIT);
}

static void other_faults_are_mended(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        PARSE(f, BAD_SIDE(SIDE_KEYS("99", "(0 0 0) (0 0 1) (0 1 1)",
                                    "\"uaxis\" \"[1 0 0 0] 0\" \"vaxis\" \"[0 1 0 0] 1\"" SCALE))),
        STATUS_OK);
    expect_warning(f, DIAG_SIDE_AXES, 10, 99, 35);
    const struct map_side *side = &f->map.entities[0].solids[0].sides[3];
    assert_float_equal(side->u.axis.y, 1, 0);
    assert_float_equal(side->v.axis.z, -1, 0);
    assert_float_equal(side->u.scale, 0.25, 0);

    /* Once for a file, with the first place. */
    assert_int_equal(PARSE(f, BAD_SIDE(SIDE_KEYS("99", "(0 0 0) (0 0 1) (0 1 1)",
                                                 AXES "\"lightmapscale\" \"0\"\n")
                                           SIDE_KEYS("100", "(0 0 0) (0 0 1) (0 1 1)", AXES))),
                     STATUS_OK);
    expect_warning(f, DIAG_LIGHTMAP_SCALE, 10, 99, 35);
    assert_float_equal(f->map.entities[0].solids[0].sides[4].lightmap_scale, 0, 0);

    assert_int_equal(PARSE(f, WORLD("") "entity\n{\n\"id\" \"8\"\n}\n"), STATUS_OK);
    assert_int_equal(diag_count_code(f->diag, DIAG_ENTITY_CLASSNAME), 1);
    assert_int_equal(diag_entry(f->diag, 0)->where.entity_id, 8);
    assert_int_equal(arrlen(f->map.entities), 1);
    assert_int_equal(PARSE(f, WORLD("") WORLD("") "entity { classname worldspawn }"), STATUS_OK);
    assert_int_equal(diag_count_code(f->diag, DIAG_WORLD_TWICE), 2);
    assert_int_equal(arrlen(f->map.entities), 1);

    /* In a BSP the pairs are in another order, and the first counts. */
    assert_int_equal(PARSE(f, "world { classname a classname b } "
                              "entity { classname light a 1 classname worldspawn }"),
                     STATUS_OK);
    assert_int_equal(arrlen(f->map.entities), 2);
    assert_int_equal(arrlen(f->map.entities[0].keys.pairs), 1);
    assert_true(entity_is(&f->map.entities[0].keys, "worldspawn"));
    assert_int_equal(arrlen(f->map.entities[1].keys.pairs), 2);
    assert_true(entity_is(&f->map.entities[1].keys, "light"));
}

static void what_is_no_map_fails(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *text;
        int code;
    } cases[] = {
        {"", DIAG_VMF_NOT},
        {"\x13\x80\xFFnoise{", DIAG_VMF_NOT},
        {"{\n\"classname\" \"worldspawn\"\n}", DIAG_VMF_NOT},
        {"VBSP 20", DIAG_VMF_NOT},
        {"versioninfo { } entity { classname x }", DIAG_VMF_NO_WORLD},
        {"\"world\" \"x\" a { }", DIAG_VMF_NOT},
        {"a { } \"world\" \"x\"", DIAG_VMF_NO_WORLD},
        {"world\n{\n", DIAG_TEXT_SYNTAX},
        {"world { } }", DIAG_TEXT_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(f, cases[i].text, strlen(cases[i].text)), STATUS_FAILED);
        assert_int_equal(diag_entries(f->diag), 1);
        assert_int_equal(diag_entry(f->diag, 0)->code, cases[i].code);
        assert_null(f->map.entities);
    }
}

/* Real maps. */

static struct bytes load(const char *path)
{
    struct bytes bytes = {0};
    if (fs_disk()->ops->read(fs_disk(), path, &bytes) != 0)
        bytes_free(&bytes);
    return bytes;
}

/* Solids that become brushes: those without a displacement. */
static int count_brushes(const struct level *map, int *displacements)
{
    int brushes = 0;
    *displacements = 0;
    for (ptrdiff_t i = 0; i < arrlen(map->entities); i++) {
        const struct map_entity *entity = &map->entities[i];
        for (ptrdiff_t j = 0; j < arrlen(entity->solids); j++) {
            int here = 0;
            for (ptrdiff_t k = 0; k < arrlen(entity->solids[j].sides); k++)
                here += entity->solids[j].sides[k].displacement != NULL;
            *displacements += here;
            brushes += here == 0;
        }
    }
    return brushes;
}

/* Records in a lump of a compiled map. */
static int lump_records(const struct bytes *bsp, int lump, uint32_t size)
{
    const unsigned char *entry = bsp->data + 8 + 16 * lump;
    uint32_t whole = load_u32(entry + 12);
    return (int)((whole ? whole : load_u32(entry + 4)) / size);
}

#define CORPUS SHARED_DIR "/corpus/"

static void pairs_agree_with_their_bsp(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {
        "vmf/l01_gateway_hdr/testmap",
        "vmf/l02_pcollab26_areaportals/pcollab_26_iambread_test",
        "vmf/m01_tf2_dotf/dotf_test",
        "vmf/m02_tf2_edgebug/jump_edgebugtest",
        "vmf/m03_tf2_jump_byte/jump_byte_a3",
        "vmf/m06_station_leak_disp/stationbattleground",
        "vmf/s01_scoutie_c1/c1",
        "vmf/s03_traininggnd_water/trainingground",
        "vmf/s04_rc_pyramid/rc_pyramid",
        "vmf/s07_rc_jumpers7/test_jumpers",
        "vmf/s09_who_hostel/hostel",
        "vmf/t01_box_hdr/testmap",
        "vmf/t03_physcollide/test_physcollide",
        "vmf/t04_disp_decompile/test_displacement_decompile",
        "vmf/t06_hysteria_test/test",
        "vmf/t08_synthroom/testmap_synth",
        "generated/big",
        "generated/mid",
        "generated/pillars9",
        "refs/detail", /* not portal and ents: they have instances */
        "refs/disp",
        "refs/plain",
        "refs/texlight",
        "refs/water",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512];
        snprintf(path, sizeof path, CORPUS "%s.vmf", names[i]);
        struct bytes vmf = load(path);
        snprintf(path, sizeof path, CORPUS "%s.bsp", names[i]);
        struct bytes bsp = load(path);
        if (!vmf.data || bsp.size < 1036) {
            print_message("skipped: no %s\n", path);
            bytes_free(&vmf);
            bytes_free(&bsp);
            skip();
        }
        assert_int_equal(parse(f, (char *)vmf.data, vmf.size), STATUS_OK);
        assert_int_equal(diag_entries(f->diag), 0);
        int displacements, brushes = count_brushes(&f->map, &displacements);
        if (brushes != lump_records(&bsp, 18, 12) || displacements != lump_records(&bsp, 26, 176) ||
            f->map.revision != (int)load_u32(bsp.data + 1032))
            fail_msg("%s: %d brushes, %d displacements, revision %d; the bsp has %d, %d, %u",
                     names[i], brushes, displacements, f->map.revision, lump_records(&bsp, 18, 12),
                     lump_records(&bsp, 26, 176), load_u32(bsp.data + 1032));
        bytes_free(&vmf);
        bytes_free(&bsp);
    }
}

static void read_folder(void *context, const char *name, bool is_directory);

struct folder {
    struct fixture *fixture;
    const char *path;
    int maps;
};

static void visit(struct fixture *fixture, const char *path, int *maps)
{
    struct folder folder = {fixture, path, 0};
    fs_disk()->ops->list(fs_disk(), path, read_folder, &folder);
    *maps += folder.maps;
}

static void read_folder(void *context, const char *name, bool is_directory)
{
    struct folder *folder = context;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    size_t length = strlen(name);
    if ((is_directory && strcmp(name, "hostile") == 0) || strcmp(name, "c07_quotes_esc.vmf") == 0) {
        return; /* maps with faults, and one with quotes inside of a value */
    } else if (is_directory) {
        visit(folder->fixture, path, &folder->maps);
    } else if (length > 4 && strcmp(name + length - 4, ".vmf") == 0) {
        struct bytes vmf = load(path);
        if (parse(folder->fixture, (char *)vmf.data, vmf.size) != STATUS_OK ||
            diag_entries(folder->fixture->diag) != 0)
            fail_msg("%s does not read clean", path);
        bytes_free(&vmf);
        folder->maps++;
    }
}

/* Few keys and many of an entity are looked for in different ways. */
static void of_equal_keys_the_last_value_counts(void **state)
{
    struct fixture *f = *state;
    static const int counts[] = {9, 99};
    for (size_t i = 0; i < 2; i++) {
        struct bytes text = {0};
        char line[64];
        bytes_append(&text, "world { id 1 classname worldspawn ", 34);
        for (int k = 0; k < 2 * counts[i]; k++) {
            int size = snprintf(line, sizeof line, "%s%d v%d ", k < counts[i] ? "Key" : "kEY",
                                k % counts[i], k);
            bytes_append(&text, line, (size_t)size);
        }
        bytes_append(&text, "}", 1);
        assert_int_equal(parse(f, (char *)text.data, text.size), STATUS_OK);
        const struct entity *world = &f->map.entities[0].keys;
        assert_int_equal(arrlen(world->pairs), counts[i] + 1);
        for (int k = 0; k < counts[i]; k++) {
            (void)snprintf(line, sizeof line, "v%d", counts[i] + k);
            assert_string_equal(world->pairs[1 + k].value, line);
            assert_int_equal(world->pairs[1 + k].key[0], 'K');
        }
        bytes_free(&text);
    }
}

static void every_map_reads_clean(void **state)
{
    int maps = 0;
    visit(*state, SHARED_DIR "/corpus", &maps);
    if (!maps) {
        print_message("skipped: no corpus\n");
        skip();
    }
    assert_true(maps >= 33);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_vmf)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_map),
        TEST(hidden_is_left_out),
        TEST(bad_planes_drop_the_solid),
        TEST(points_of_planes_may_be_far),
        TEST(other_faults_are_mended),
        TEST(what_is_no_map_fails),
        TEST(pairs_agree_with_their_bsp),
        TEST(of_equal_keys_the_last_value_counts),
        TEST(every_map_reads_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
