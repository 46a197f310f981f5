/* FGDs: types of keys. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/diag/codes/fgd.def"
#include "common/io/fs.h"
#include "common/text/fgd.h"

struct fixture {
    struct diag *diag;
    struct fgd *fgd;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.diag = diag_new(NULL, NULL), .fgd = fgd_new()};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    fgd_free(f->fgd);
    diag_free(f->diag);
    return 0;
}

static void parse(struct fixture *f, const char *text)
{
    fgd_parse(f->fgd, text, strlen(text), "a.fgd", NULL, NULL, f->diag);
}

static void keys_have_their_types(void **state)
{
    struct fixture *f = *state;
    parse(
        f,
        "// a comment\n"
        "@mapsize(-16384, 16384)\n"
        "@MaterialExclusion [ \"debug\" \"dev\" ]\n"
        "@AutoVisGroup = \"Sound\" [ \"Ambient\" [ \"ambient_generic\" ] ]\n"
        "@BaseClass = Named [ targetname(target_source) : \"Name\" : : \"What it \" + \n"
        "  \"is called.\" ]\n"
        "@BaseClass base(Named) color(255 0 0) = Placed [ origin(origin) readonly : \"Where\" ]\n"
        "@PointClass base(Placed, Angles) halfgridsnap studio(\"a.mdl\") = thing : \"A \" + \"b\"\n"
        "[\n"
        "  other(target_destination) : \"Other\" : -1 : \"text\"\n"
        "  filter(filterclass) : \"Filter\"\n"
        "  whoever(target_name_or_class) : \"Who\"\n"
        "  point(vector) : \"Point\" : \"0 0 0\"\n"
        "  hinge(axis) : \"Axis\"\n"
        "  angles(angle) : \"Angles\" : \"0 0 0\"\n"
        "  pitch(angle_negative_pitch) : \"Pitch\" : 0\n"
        "  sides(sidelist) : \"Sides\"\n"
        "  noise(sound) : \"Noise\"\n"
        "  node(node_dest) : \"Node\" :\n"
        "  many(choices) : \"Many\" : 0 : \"d\" = [ 0 : \"No\" 1 : \"Yes\" : \"longer\" ]\n"
        "  spawnflags(flags) = [ 1 : \"One\" : 1 2 : \"Two\" : 0 ]\n"
        "  linedivider(string) : \"\" : \"\"\n"
        "  input Kill(void) : \"Removes it.\"\n"
        "  output OnUser1(void) : \"Told.\"\n"
        "  last(*target_destination) report : \"Last\"\n"
        "]\n");
    static const struct {
        const char *key;
        enum fgd_type type;
    } expected[] = {
        {"targetname", FGD_NAME},
        {"ORIGIN", FGD_POINT},
        {"other", FGD_NAME},
        {"filter", FGD_NAME},
        {"whoever", FGD_NAME_OR_CLASS},
        {"point", FGD_POINT},
        {"hinge", FGD_AXIS},
        {"angles", FGD_ANGLES},
        {"pitch", FGD_NEGATIVE_PITCH},
        {"sides", FGD_SIDES},
        {"node", FGD_NODE},
        {"noise", FGD_SOUND},
        {"many", FGD_PLAIN},
        {"spawnflags", FGD_PLAIN},
        {"linedivider", FGD_PLAIN},
        {"last", FGD_NAME},
        {"Kill", FGD_UNKNOWN},
        {"OnUser1", FGD_UNKNOWN},
        {"missing", FGD_UNKNOWN},
    };
    assert_int_equal(diag_entries(f->diag), 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(fgd_key_type(f->fgd, "Thing", expected[i].key), expected[i].type);
    assert_true(fgd_has_class(f->fgd, "THING"));
    assert_false(fgd_has_class(f->fgd, "ambient_generic"));
}

static void own_keys_and_later_classes_win(void **state)
{
    struct fixture *f = *state;
    parse(f, "@BaseClass = A [ k(target_destination) : \"\" ]\n"
             "@PointClass base(A) = b [ k(string) : \"\" ]\n"
             "@PointClass base(A) = c [ ]\n"
             "@PointClass base(A) = d [ ]\n"
             "@PointClass = d [ ]\n"
             "@PointClass = e [ ]\n"
             "@exclude e\n");
    assert_int_equal(fgd_key_type(f->fgd, "b", "k"), FGD_PLAIN);
    assert_int_equal(fgd_key_type(f->fgd, "c", "k"), FGD_NAME);
    assert_int_equal(fgd_key_type(f->fgd, "d", "k"), FGD_UNKNOWN);
    assert_false(fgd_has_class(f->fgd, "e"));
    assert_true(fgd_has_class(f->fgd, "A") && fgd_has_class(f->fgd, "b"));
    assert_true(fgd_has_class(f->fgd, "c") && fgd_has_class(f->fgd, "d"));
}

static void classes_have_the_inputs_of_their_bases(void **state)
{
    struct fixture *f = *state;
    parse(f, "@BaseClass = Named [ input Kill(void) : \"Removes it\" ]\n"
             "@SolidClass base(Named) = door : \"\" [ input Open(void) output OnOpen(void) "
             "open(string) : \"x\" ]\n"
             "@PointClass = point : \"\" [ input(string) : \"A key\" ]\n");
    assert_int_equal(diag_entries(f->diag), 0);
    assert_true(fgd_has_input(f->fgd, "DOOR", "open"));
    assert_true(fgd_has_input(f->fgd, "door", "Kill"));
    assert_false(fgd_has_input(f->fgd, "door", "OnOpen"));
    assert_false(fgd_has_input(f->fgd, "point", "Kill"));
    assert_true(fgd_is_solid_class(f->fgd, "door"));
    assert_false(fgd_is_solid_class(f->fgd, "point"));
}

static void bases_may_go_round(void **state)
{
    struct fixture *f = *state;
    parse(f, "@BaseClass base(B, B) = A [ ]\n@BaseClass base(A, A) = B [ ]\n");
    assert_int_equal(fgd_key_type(f->fgd, "A", "k"), FGD_UNKNOWN);
}

static void damage_is_told_once_and_skipped(void **state)
{
    struct fixture *f = *state;
    parse(f, "@PointClass = a [ k(target_source) : \"\" ) ]\n"
             "@PointClass b [ ]\n"
             "@PointClass = c [ k(target_source) ]\n"
             "@PointClass = d [ k(target_source");
    assert_int_equal(diag_count_code(f->diag, DIAG_FGD_SYNTAX), 1);
    assert_int_equal(diag_entry(f->diag, 0)->where.line, 1);
    assert_int_equal(fgd_key_type(f->fgd, "a", "k"), FGD_NAME);
    assert_int_equal(fgd_key_type(f->fgd, "c", "k"), FGD_NAME);
}

static bool include(void *context, const char *from, const char *name, struct bytes *out)
{
    int *count = context;
    ++*count;
    assert_non_null(from);
    if (strcmp(name, "base.fgd") == 0)
        bytes_append_text(out, "@BaseClass = A [ k(vector) : \"\" ]");
    if (strcmp(name, "again.fgd") == 0)
        bytes_append_text(out, "@include \"again.fgd\"");
    return out->size > 0;
}

static void includes_are_followed(void **state)
{
    struct fixture *f = *state;
    const char *text = "@include \"base.fgd\"\n@include \"no.fgd\"\n@include \"again.fgd\"\n"
                       "@PointClass base(A) = b [ ]\n";
    int count = 0;
    fgd_parse(f->fgd, text, strlen(text), "a.fgd", include, &count, f->diag);
    assert_int_equal(fgd_key_type(f->fgd, "b", "k"), FGD_POINT);
    assert_int_equal(diag_count_code(f->diag, DIAG_FGD_INCLUDE), 2); /* not found; too deep */
    assert_int_equal(diag_entry(f->diag, 0)->where.line, 2);
    assert_in_range(count, 3, 40);
}

static void real_ones_parse(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"generated/game/dev.fgd", "refs/game_extra/dev.fgd",
                                        "assets/scripts/minigolf.fgd"};
    for (int i = 0; i < 3; i++) {
        char path[512];
        snprintf(path, sizeof path, SHARED_DIR "/corpus/%s", names[i]);
        struct bytes text = {0};
        if (fs_disk()->ops->read(fs_disk(), path, &text) != 0) {
            print_message("no %s\n", path);
            skip();
        }
        fgd_parse(f->fgd, (const char *)text.data, text.size, path, NULL, NULL, f->diag);
        bytes_free(&text);
    }
    assert_int_equal(diag_count_code(f->diag, DIAG_FGD_SYNTAX), 0);
    assert_int_equal(fgd_key_type(f->fgd, "light_spot", "pitch"), FGD_NEGATIVE_PITCH);
    assert_true(fgd_has_class(f->fgd, "golfhole"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_fgd)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_have_their_types),
        TEST(own_keys_and_later_classes_win),
        TEST(bases_may_go_round),
        TEST(classes_have_the_inputs_of_their_bases),
        TEST(damage_is_told_once_and_skipped),
        TEST(includes_are_followed),
        TEST(real_ones_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
