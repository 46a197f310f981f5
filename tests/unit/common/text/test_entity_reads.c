/* Questions to entities, and other entities that answer them the same way or another. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "common/text/entity_patch.h"
#include "common/text/entity_reads.h"

#define WORLD "{\n\"classname\" \"worldspawn\"\n\"mapversion\" \"3\"\n}\n"
#define LIGHT "{\n\"classname\" \"light\"\n\"origin\" \"0 0 8\"\n\"_light\" \"9 9 9 9\"\n}\n"
#define RELAY                                                                                      \
    "{\n\"classname\" \"logic_relay\"\n\"origin\" \"0 0 9\"\n\"OnTrigger\" \"a,b,,0,-1\"\n}\n"

static void parse(const char *text, struct entity_list *out)
{
    struct diag *diag = diag_new(NULL, NULL);
    *out = (struct entity_list){0};
    assert_int_equal(entities_parse(text, strlen(text), "map", diag, out), STATUS_OK);
    diag_free(diag);
}

/* A stage that asks lights for their origin and light, and what they aim at for its origin. */
static void ask(const struct entity_view *view)
{
    const struct entity_filter light = {.key = "classname", .value = "light", .is_prefix = true};
    const struct entity *entity = NULL;
    while ((entity = entity_view_next(view, entity_query_of(&light), entity))) {
        struct vec3 origin;
        (void)entity_vector(entity, "origin", &origin);
        (void)entity_value(entity, "_LIGHT");
        const struct entity_filter named = {.key = "TargetName",
                                            .value = entity_value(entity, "target")};
        if (!*named.value)
            continue;
        const struct entity *target = entity_view_next(view, entity_query_of(&named), NULL);
        if (target)
            (void)entity_vector(target, "origin", &origin);
    }
}

static void noted(const char *text, struct bytes *out)
{
    struct entity_reads *reads = entity_reads_new();
    struct entity_view *view;
    struct diag *diag = diag_new(NULL, NULL);
    assert_int_equal(entity_view_parse(text, strlen(text), "map", diag, &view), STATUS_OK);
    entity_view_watch(view, reads);
    ask(view);
    entity_reads_write(reads, out);
    entity_view_free(view);
    entity_reads_free(reads);
    diag_free(diag);
}

static bool tells_the_same(const char *text, const char *other)
{
    unsigned char hashes[2][SHA256_SIZE];
    const char *texts[] = {text, other};
    struct bytes questions = {0};
    noted(text, &questions);
    for (int i = 0; i < 2; i++) {
        struct byte_reader from = byte_reader(questions.data, questions.size);
        struct entity_questions *read = entity_questions_read(&from);
        struct entity_list list;
        parse(texts[i], &list);
        assert_non_null(read);
        assert_int_equal(from.at, from.size);
        entity_questions_answer(read, &list, hashes[i]);
        entities_free(&list);
        entity_questions_free(read);
    }
    bytes_free(&questions);
    return memcmp(hashes[0], hashes[1], SHA256_SIZE) == 0;
}

static void only_what_was_asked_counts(void **state)
{
    (void)state;
    static const struct {
        const char *other;
        bool same;
    } cases[] = {
        {WORLD LIGHT RELAY, true},
        /* an output, a key and an origin that nobody asked for */
        {WORLD LIGHT "{\n\"classname\" \"logic_relay\"\n\"origin\" \"1 0 9\"\n}\n", true},
        {"{\n\"classname\" \"worldspawn\"\n\"mapversion\" \"4\"\n}\n" LIGHT RELAY, true},
        {WORLD "{\n\"classname\" \"light\"\n\"name\" \"x\"\n\"origin\" \"0 0 8\"\n\"_light\" \"9 9 "
               "9 9\"\n"
               "}\n" RELAY,
         true},
        /* one that was */
        {WORLD
         "{\n\"classname\" \"light\"\n\"origin\" \"0 0 7\"\n\"_light\" \"9 9 9 9\"\n}\n" RELAY,
         false},
        {WORLD "{\n\"classname\" \"light\"\n\"_light\" \"9 9 9 9\"\n}\n" RELAY, false},
        {WORLD "{\n\"classname\" \"light\"\n\"origin\" \"\"\n\"_light\" \"9 9 9 9\"\n}\n" RELAY,
         false},
        /* entities that no query matches: another class, order or number */
        {WORLD LIGHT "{\n\"classname\" \"logic_auto\"\n}\n", true},
        {WORLD RELAY LIGHT, true},
        {WORLD LIGHT RELAY RELAY, true},
        {WORLD LIGHT, true},
        /* those that one does */
        {WORLD LIGHT LIGHT RELAY, false},
        {WORLD RELAY, false},
        {WORLD LIGHT "{\n\"classname\" \"light_spot\"\n}\n", false},
        /* the world is seen in any case */
        {"", false},
        {RELAY LIGHT, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tells_the_same(WORLD LIGHT RELAY, cases[i].other), cases[i].same);
}

#define AIMED "{\n\"classname\" \"light\"\n\"origin\" \"0 0 8\"\n\"target\" \"Lamp\"\n}\n"
#define TARGET(name, origin)                                                                       \
    "{\n\"classname\" \"info_target\"\n\"targetname\" \"" name "\"\n\"origin\" \"" origin "\"\n}"  \
    "\n"

static void what_a_light_aims_at_counts(void **state)
{
    (void)state;
    static const char map[] = WORLD AIMED TARGET("lamp", "1 2 3") RELAY;
    assert_true(tells_the_same(map, WORLD AIMED RELAY TARGET("LAMP", "1 2 3") RELAY));
    assert_true(tells_the_same(map, WORLD TARGET("other", "4 5 6") AIMED TARGET("lamp", "1 2 3")));
    assert_false(tells_the_same(map, WORLD AIMED TARGET("lamp", "1 2 4") RELAY));
    assert_false(tells_the_same(map, WORLD AIMED TARGET("lamp2", "1 2 3") RELAY));
    assert_false(tells_the_same(map, WORLD TARGET("lamp", "9 9 9") AIMED TARGET("lamp", "1 2 3")));
    /* looked for in vain */
    assert_true(tells_the_same(WORLD AIMED, WORLD TARGET("other", "1 2 3") AIMED));
    assert_false(tells_the_same(WORLD AIMED, WORLD AIMED TARGET("lamp", "1 2 3")));
}

static void an_absent_key_is_an_answer(void **state)
{
    (void)state;
    static const char without[] = WORLD "{\n\"classname\" \"light\"\n\"origin\" \"0 0 8\"\n}\n";
    static const char empty[] =
        WORLD "{\n\"classname\" \"light\"\n\"origin\" \"0 0 8\"\n\"_light\" \"\"\n}\n";
    assert_true(tells_the_same(without, without));
    assert_false(tells_the_same(without, empty));
}

static void other_questions_are_refused(void **state)
{
    (void)state;
    static const unsigned char bad[][16] = {{1},
                                            {1, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 'c'},
                                            {1, 0, 0, 0, 3, 0, 0, 0, 'a', '\n', 'c'},
                                            {0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'a'},
                                            {9, 9, 9, 9, 9}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct byte_reader from = byte_reader(bad[i], 15);
        assert_null(entity_questions_read(&from));
    }
}

/* The text of filters, each with another key, or of questions to one class. */
static bool reads_so_many(uint32_t filters, uint32_t questions)
{
    struct bytes text = {0};
    char note[32];
    bytes_u32(&text, filters);
    for (uint32_t i = 0; i < filters; i++) {
        snprintf(note, sizeof note, "=k%u\nv", i);
        bytes_sized_text(&text, note);
    }
    bytes_u32(&text, questions);
    for (uint32_t i = 0; i < questions; i++) {
        snprintf(note, sizeof note, "k%u\nlight", i);
        bytes_sized_text(&text, note);
    }
    struct byte_reader from = byte_reader(text.data, text.size);
    struct entity_questions *read = entity_questions_read(&from);
    bool fits = read != NULL;
    entity_questions_free(read);
    bytes_free(&text);
    return fits;
}

/* Each costs a look at all entities. */
static void more_questions_than_a_stage_has_are_refused(void **state)
{
    (void)state;
    assert_true(reads_so_many(64, 1024));
    assert_false(reads_so_many(65, 0));
    assert_false(reads_so_many(0, 1025));
}

static char *copy(const char *text)
{
    char *array = NULL;
    arrsetlen(array, strlen(text));
    memcpy(array, text, strlen(text));
    return array;
}

static bool patch(const char *before, const char *after, const char *other, const char *wanted)
{
    struct bytes change = {0};
    struct bytes questions = {0};
    noted(before, &questions);
    bool fits =
        entity_patch_make(&questions, before, strlen(before), after, strlen(after), &change);
    bytes_free(&questions);
    assert_true(fits || change.size == 0);
    if (fits) {
        struct byte_reader from = byte_reader(change.data, change.size);
        char *text = copy(other);
        fits = entity_patch_apply(&from, &text);
        if (fits) {
            assert_int_equal(arrlenu(text), strlen(wanted));
            assert_memory_equal(text, wanted, arrlenu(text));
        } else {
            assert_memory_equal(text, other, arrlenu(text));
        }
        arrfree(text);
    }
    bytes_free(&change);
    return fits;
}

static void changes_are_made_to_other_entities(void **state)
{
    (void)state;
#define OTHER "{\n\"classname\" \"logic_relay\"\n\"x\" \"y\"\n}\n"
#define LIT   "{\n\"classname\" \"worldspawn\"\n\"mapversion\" \"3\"\n\"lit\" \"1\"\n}\n"
    assert_true(patch(WORLD LIGHT RELAY, WORLD LIGHT RELAY, "no entities", "no entities"));
    assert_true(patch(WORLD LIGHT RELAY, WORLD RELAY, WORLD LIGHT OTHER, WORLD OTHER));
    assert_true(patch(WORLD LIGHT RELAY, LIT LIGHT RELAY, WORLD LIGHT OTHER, LIT LIGHT OTHER));
    /* to other entities that are not seen */
    assert_true(patch(WORLD LIGHT RELAY, LIT RELAY, WORLD OTHER OTHER LIGHT, LIT OTHER OTHER));
    assert_true(patch(WORLD LIGHT RELAY, WORLD RELAY, WORLD LIGHT, WORLD));
    /* one that is not seen does not leave */
    assert_false(patch(WORLD LIGHT RELAY, WORLD LIGHT, WORLD LIGHT RELAY, ""));
    /* of another kind, or to another number */
    assert_false(patch(WORLD LIGHT, WORLD LIGHT RELAY, WORLD LIGHT, ""));
    assert_false(patch(WORLD LIGHT, WORLD OTHER, WORLD LIGHT, ""));
    assert_false(patch(WORLD LIGHT, WORLD, WORLD LIGHT LIGHT, ""));
    assert_false(patch(WORLD LIGHT, WORLD, "{ broken", ""));
}

SUITE(test_entity_reads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_was_asked_counts),
        cmocka_unit_test(what_a_light_aims_at_counts),
        cmocka_unit_test(an_absent_key_is_an_answer),
        cmocka_unit_test(more_questions_than_a_stage_has_are_refused),
        cmocka_unit_test(other_questions_are_refused),
        cmocka_unit_test(changes_are_made_to_other_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
