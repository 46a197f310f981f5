#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/text/steam_libraries.h"

/* The folders between |, or the code of the failure. */
static void check_folders(const char *text, const char *expected)
{
    struct arena arena = {0};
    struct diag *diag = diag_new(NULL, NULL);
    const char **folders = NULL;
    struct bytes found = {0};
    enum status status =
        steam_libraries_parse(text, strlen(text), "libraryfolders.vdf", &arena, diag, &folders);
    for (size_t i = 0; i < arrlenu(folders); i++)
        bytes_append_text(&found, "%s%s", i ? "|" : "", folders[i]);
    if (status != STATUS_OK)
        bytes_append_text(&found, "%s", diag_info(diag_entry(diag, 0)->code)->code);
    bytes_append(&found, "", 1);
    assert_string_equal((const char *)found.data, expected);
    arrfree(folders);
    bytes_free(&found);
    diag_free(diag);
    arena_free(&arena);
}

static void folders_have_blocks(void **state)
{
    (void)state;
    check_folders("\"libraryfolders\" { \"0\" { \"path\" \"/home/a b/Steam\" \"label\" \"x\" "
                  "\"apps\" { \"440\" \"1\" } } \"12\" { \"path\" \"/mnt/games\" } }",
                  "/home/a b/Steam|/mnt/games");
}

static void folders_of_the_older_form_are_paths(void **state)
{
    (void)state;
    check_folders("\"LibraryFolders\"\r\n{\r\n\"TimeNextStatsReport\" \"160\"\r\n"
                  "\"1\" \"D:\\\\Games\\\\Steam\"\r\n\"2\" \"E:\\Steam\"\r\n}\r\n",
                  "D:/Games/Steam|E:/Steam");
}

static void other_keys_and_empty_paths_are_none(void **state)
{
    (void)state;
    check_folders("\"libraryfolders\" { \"contentstatsid\" \"-1\" \"1a\" \"/b\" "
                  "\"1\" \"\" \"2\" { \"label\" \"x\" } }",
                  "");
    check_folders("", "C003");
    check_folders("\"other\" { \"1\" \"/a\" }", "");
    check_folders("\"libraryfolders\" \"/a\"", "");
}

SUITE(test_steam_libraries)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_have_blocks),
        cmocka_unit_test(folders_of_the_older_form_are_paths),
        cmocka_unit_test(other_keys_and_empty_paths_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
