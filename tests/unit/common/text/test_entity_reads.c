/* Questions to entities, and other entities that answer them the same way or another. */
#include "tests/support/suite.h"

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

/* A stage that asks all for their class, and lights for their origin and light. */
static void ask(const struct entity_list *list)
{
    for (size_t i = 0; i < arrlenu(list->entities); i++) {
        struct vec3 origin;
        if (!entity_is(&list->entities[i], "light"))
            continue;
        (void)entity_vector(&list->entities[i], "origin", &origin);
        (void)entity_value(&list->entities[i], "_LIGHT");
    }
}

static void noted(const char *text, struct bytes *out)
{
    struct entity_reads *reads = entity_reads_new();
    struct entity_list list;
    parse(text, &list);
    entity_reads_watch(reads, &list);
    ask(&list);
    entity_reads_write(reads, out);
    entities_free(&list);
    entity_reads_free(reads);
}

static bool tells_the_same(const char *text, const char *other)
{
    unsigned char hashes[2][SHA256_SIZE];
    const char *texts[] = {text, other};
    struct bytes questions = {0};
    noted(text, &questions);
    for (int i = 0; i < 2; i++) {
        struct byte_reader from = byte_reader(questions.data, questions.size);
        struct entity_list list;
        parse(texts[i], &list);
        assert_true(entity_reads_answer(&from, &list, hashes[i]));
        entities_free(&list);
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
        /* another class, order or number */
        {WORLD LIGHT "{\n\"classname\" \"logic_auto\"\n}\n", false},
        {WORLD RELAY LIGHT, false},
        {WORLD LIGHT RELAY RELAY, false},
        {WORLD LIGHT, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tells_the_same(WORLD LIGHT RELAY, cases[i].other), cases[i].same);
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
    static const unsigned char bad[][12] = {
        {1}, {1, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 'c'}, {9, 9, 9, 9, 9}};
    struct entity_list list;
    unsigned char hash[SHA256_SIZE];
    parse(WORLD, &list);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct byte_reader from = byte_reader(bad[i], 11);
        assert_false(entity_reads_answer(&from, &list, hash));
    }
    entities_free(&list);
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
    bool fits = entity_patch_make(before, strlen(before), after, strlen(after), &change);
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
        cmocka_unit_test(an_absent_key_is_an_answer),
        cmocka_unit_test(other_questions_are_refused),
        cmocka_unit_test(changes_are_made_to_other_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
