/* One session and several threads, or a callback: calls are refused, and nothing else happens. */
#include "tests/support/suite.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/library_session.h"

enum { THREADS = 4, ROUNDS = 200 };

static struct brushwork_bsp *open_map(struct test_session *test, const char *map)
{
    struct brushwork_bsp *bsp;
    session_open(test);
    assert_int_equal(session_build(test, map), BRUSHWORK_OK);
    assert_int_equal(brushwork_bsp_open(test->session, "out.bsp", &bsp), BRUSHWORK_OK);
    return bsp;
}

/* Callbacks. */

struct inside {
    struct brushwork_session *session;
    struct brushwork_bsp *bsp;
    int calls;
    bool is_wrong;
};

/* All that a callback may not do to its session. */
static void try_everything(struct inside *inside)
{
    struct brushwork_session *session = inside->session;
    struct brushwork_bsp *bsp = inside->bsp, *opened = bsp;
    struct brushwork_lightmap info;
    const void *view;
    void *data;
    size_t size;
    const enum brushwork_status statuses[] = {
        brushwork_session_free(session),
        brushwork_session_messages(session, NULL, NULL),
        brushwork_session_progress(session, NULL, NULL),
        brushwork_session_use_memory(session),
        brushwork_run(session, "vbsp", NULL, 0),
        brushwork_file_put(session, "a", "b", 1),
        brushwork_file_get(session, "out.bsp", &view, &size),
        brushwork_bsp_open(session, "out.bsp", &opened),
        brushwork_bsp_read(session, "a", 1, "b", &opened),
        brushwork_bsp_close(bsp),
        brushwork_bsp_write(bsp, "a"),
        brushwork_bsp_save(bsp, &data, &size),
        brushwork_bsp_verify(bsp),
        brushwork_entity_add(bsp, NULL),
        brushwork_entity_remove(bsp, 1),
        brushwork_pair_add(bsp, 0, "a", "b"),
        brushwork_entity_set(bsp, 0, "a", "b"),
        brushwork_entity_unset(bsp, 0, "classname"),
        brushwork_bsp_use_hdr(bsp, 1),
        brushwork_lightmap_info(bsp, 0, &info),
        brushwork_packed_count(bsp, &size),
        brushwork_packed_get(bsp, "a", &data, &size),
        brushwork_packed_put(bsp, "a", "b", 1),
        brushwork_packed_remove(bsp, "a"),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        inside->is_wrong |= statuses[i] != BRUSHWORK_BUSY;
    inside->is_wrong |= opened || brushwork_entity_count(bsp) || brushwork_pair_count(bsp, 0) ||
                        brushwork_pair_key(bsp, 0, 0) || brushwork_pair_value(bsp, 0, 0) ||
                        brushwork_entity_get(bsp, 0, "classname") || brushwork_bsp_mesh(bsp) ||
                        *brushwork_material_name(bsp, 0) || brushwork_lightmap_count(bsp) ||
                        brushwork_lightmap_pixels(bsp, 0, 0) || brushwork_packed_name(bsp, 0);
    inside->calls++;
}

static void message_inside(void *context, const struct brushwork_message *message)
{
    (void)message;
    try_everything(context);
}

static void progress_inside(void *context, const struct brushwork_progress *progress)
{
    (void)progress;
    try_everything(context);
}

static void callbacks_are_refused_in_calls(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    struct inside inside = {test.session, bsp, 0, false};
    assert_int_equal(brushwork_session_messages(test.session, message_inside, &inside),
                     BRUSHWORK_OK);
    assert_int_equal(brushwork_entity_set(bsp, 0, "a", "\""), BRUSHWORK_USAGE);
    assert_int_equal(brushwork_bsp_write(bsp, NULL), BRUSHWORK_USAGE);
    assert_int_equal(brushwork_packed_remove(bsp, "absent"), BRUSHWORK_FAILED);
    assert_int_equal(inside.calls, 3);
    assert_false(inside.is_wrong);
    assert_string_equal(brushwork_entity_get(bsp, 0, "classname"), "worldspawn");
    assert_int_equal(brushwork_bsp_close(bsp), BRUSHWORK_OK);
    assert_int_equal(brushwork_session_free(test.session), BRUSHWORK_OK);
}

static void callbacks_are_refused_in_runs(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    struct inside inside = {test.session, bsp, 0, false};
    assert_int_equal(brushwork_session_progress(test.session, progress_inside, &inside),
                     BRUSHWORK_OK);
    assert_int_equal(session_build(&test, "two_rooms.vmf"), BRUSHWORK_OK);
    assert_true(inside.calls > 10);
    assert_false(inside.is_wrong);
    assert_int_equal(brushwork_bsp_close(bsp), BRUSHWORK_OK);
    assert_int_equal(brushwork_session_free(test.session), BRUSHWORK_OK);
}

/* Threads. */

struct shared {
    struct brushwork_session *session;
    struct brushwork_bsp *bsp;
    const void *file;
    size_t size;
    atomic_int next, wrong, done, refused;
};

static void note(struct shared *shared, enum brushwork_status status)
{
    atomic_fetch_add(status == BRUSHWORK_OK     ? &shared->done
                     : status == BRUSHWORK_BUSY ? &shared->refused
                                                : &shared->wrong,
                     1);
}

static void change(struct shared *shared, int round)
{
    struct brushwork_bsp *bsp = shared->bsp, *opened;
    void *data;
    size_t size;
    note(shared, brushwork_entity_set(bsp, 0, "key", round % 2 ? "one" : "two"));
    note(shared, brushwork_pair_add(bsp, 1, "Out", "a"));
    note(shared, brushwork_entity_unset(bsp, 1, "Out"));
    note(shared, brushwork_entity_add(bsp, NULL));
    note(shared, brushwork_bsp_use_hdr(bsp, round % 2));
    (void)brushwork_bsp_mesh(bsp);
    brushwork_free(brushwork_lightmap_pixels(bsp, 0, 0));
    note(shared, brushwork_packed_put(bsp, "a.txt", "text", 4));
    enum brushwork_status status = brushwork_bsp_save(bsp, &data, &size);
    note(shared, status);
    brushwork_free(data);
    status = brushwork_bsp_read(shared->session, shared->file, shared->size, "again", &opened);
    note(shared, status);
    while (opened && brushwork_bsp_close(opened) == BRUSHWORK_BUSY)
        ;
}

static void *change_all(void *context)
{
    for (int round = 0; round < ROUNDS / 4; round++)
        change(context, round);
    return NULL;
}

static void *look_at_all(void *context)
{
    static const double origin[3];
    struct shared *shared = context;
    const struct brushwork_bsp *bsp = shared->bsp;
    for (int round = 0; round < ROUNDS; round++) {
        const char *name = brushwork_entity_get(bsp, 0, "classname");
        note(shared, name ? BRUSHWORK_OK : BRUSHWORK_BUSY);
        if (name && strcmp(name, "worldspawn") != 0)
            note(shared, BRUSHWORK_FAILED);
        (void)brushwork_entity_count(bsp);
        (void)brushwork_pair_count(bsp, 1);
        (void)brushwork_leaf_cluster(bsp, brushwork_leaf_at(bsp, origin));
        (void)brushwork_contents_at(bsp, origin);
    }
    return NULL;
}

/* Runs the functions at once, THREADS threads each, on one BSP. */
static struct shared at_once(void *(*first)(void *), void *(*second)(void *))
{
    struct test_session test;
    struct shared shared = {.bsp = open_map(&test, "two_rooms.vmf")};
    pthread_t threads[2 * THREADS];
    void *file;
    shared.session = test.session;
    assert_int_equal(brushwork_bsp_save(shared.bsp, &file, &shared.size), BRUSHWORK_OK);
    shared.file = file;
    for (int i = 0; i < 2 * THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i % 2 ? first : second, &shared), 0);
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    brushwork_free(file);
    assert_string_equal(brushwork_entity_get(shared.bsp, 0, "classname"), "worldspawn");
    assert_int_equal(brushwork_bsp_close(shared.bsp), BRUSHWORK_OK);
    assert_int_equal(brushwork_session_free(test.session), BRUSHWORK_OK);
    return shared;
}

static void threads_that_change_a_bsp_are_refused_or_served(void **state)
{
    (void)state;
    struct shared shared = at_once(change_all, look_at_all);
    assert_int_equal(shared.wrong, 0);
    assert_true(shared.done > 0);
}

static void threads_that_only_look_are_never_refused(void **state)
{
    (void)state;
    struct shared shared = at_once(look_at_all, look_at_all);
    assert_int_equal(shared.wrong, 0);
    assert_int_equal(shared.refused, 0);
    assert_int_equal(shared.done, 2 * THREADS * ROUNDS);
}

/* Forks. */

static void a_fork_works_with_copies(void **state)
{
    (void)state;
    struct test_session test;
    struct brushwork_bsp *bsp = open_map(&test, "two_rooms.vmf");
    pid_t child = fork();
    if (child == 0) {
        bool is_fine = brushwork_entity_set(bsp, 0, "a", "b") == BRUSHWORK_OK &&
                       session_build(&test, "two_rooms.vmf") == BRUSHWORK_OK &&
                       brushwork_bsp_close(bsp) == BRUSHWORK_OK;
        _exit(is_fine ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_null(brushwork_entity_get(bsp, 0, "a"));
    assert_int_equal(brushwork_bsp_close(bsp), BRUSHWORK_OK);
    assert_int_equal(brushwork_session_free(test.session), BRUSHWORK_OK);
}

SUITE(test_library_threads)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(callbacks_are_refused_in_calls),
        cmocka_unit_test(callbacks_are_refused_in_runs),
        cmocka_unit_test(threads_that_change_a_bsp_are_refused_or_served),
        cmocka_unit_test(threads_that_only_look_are_never_refused),
        cmocka_unit_test(a_fork_works_with_copies),
    };
    return cmocka_run_group_tests_name("threads of the library", cases, NULL, NULL);
}
