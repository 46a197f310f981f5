/* The samples of the corpus: the codes in their manifest, and the same bytes again. */
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdio.h>

#include "tests/support/bmx_files.h"

#define CORPUS SHARED_DIR "/corpus/bmx/"

/* Each member of the model has the bytes that it had in the archive. */
static void members_are_the_same(const struct bytes *file, const struct bmx *bmx, struct diag *diag)
{
    struct zip zip = {0};
    assert_int_equal(zip_read(file->data, file->size, NULL, diag, &zip), STATUS_OK);
    assert_int_equal(arrlenu(zip.members), arrlenu(bmx->members));
    for (size_t i = 0; i < arrlenu(zip.members); i++) {
        const struct bmx_member *member = &bmx->members[i];
        struct bytes was = {0}, is = {0};
        assert_int_equal(zip_unpack(&zip.members[i], BMX_MEMBER_MAX, NULL, diag, &was), STATUS_OK);
        if (member->role == BMX_ROLE_FILE)
            bytes_append(&is, member->data.data, member->data.size);
        else
            bmx_encode_role(bmx, member->role, &is);
        assert_string_equal(zip.members[i].name, member->name);
        assert_int_equal(was.size, is.size);
        if (was.size)
            assert_memory_equal(was.data, is.data, was.size);
        bytes_free(&was);
        bytes_free(&is);
    }
    zip_free(&zip);
}

static void same_after_writing(const struct bmx *bmx, struct diag *diag)
{
    struct bytes file = {0};
    struct bmx_findings findings = {0};
    assert_int_equal(bmx_encode(bmx, "again", diag, &file), STATUS_OK);
    struct bmx *again = bmx_look(file.data, file.size, &findings);
    assert_non_null(again);
    assert_true(bmx_same_members(bmx, again));
    members_are_the_same(&file, again, diag);
    bmx_free(again);
    bmx_findings_free(&findings);
    bytes_free(&file);
}

static bool has_finding(const struct bmx_findings *findings, const char *name)
{
    for (size_t i = 0; i < arrlenu(findings->list); i++)
        if (strcmp(bmx_code_name(findings->list[i].code), name) == 0)
            return true;
    return false;
}

static void codes_are_told(const char *path, const struct bmx_findings *findings, json_t *about)
{
    size_t i;
    json_t *code;
    json_array_foreach(json_object_get(about, "codes"), i, code)
    {
        if (!has_finding(findings, json_string_value(code)))
            fail_msg("%s: no %s", path, json_string_value(code));
    }
    for (i = 0; i < arrlenu(findings->list); i++) {
        const char *name = bmx_code_name(findings->list[i].code);
        bool told = false;
        size_t k;
        json_array_foreach(json_object_get(about, "codes"), k, code) told |=
            strcmp(json_string_value(code), name) == 0;
        if (!told)
            fail_msg("%s: %s without a reason", path, name);
    }
    assert_int_equal(!findings->by_severity[DIAG_ERROR],
                     json_is_true(json_object_get(about, "ok")));
}

static void sample(const char *name, json_t *about)
{
    char path[1024];
    struct bytes file = {0};
    struct bmx_findings findings = {0};
    struct diag *diag = diag_new(NULL, NULL);
    snprintf(path, sizeof path, CORPUS "%s", name);
    assert_int_equal(fs_disk()->ops->read(fs_disk(), path, &file), 0);
    struct bmx *bmx = bmx_look(file.data, file.size, &findings);
    codes_are_told(path, &findings, about);
    if (bmx && !bmx->incomplete) {
        members_are_the_same(&file, bmx, diag);
        same_after_writing(bmx, diag);
    }
    assert_true(bmx || findings.by_severity[DIAG_ERROR]);
    bmx_free(bmx);
    bmx_findings_free(&findings);
    bytes_free(&file);
    diag_free(diag);
}

static void samples_have_their_codes_and_bytes(void **state)
{
    (void)state;
    json_t *manifest = json_load_file(CORPUS "manifest.json", 0, NULL), *about;
    const char *name;
    if (!manifest) {
        puts("skipped: no " CORPUS "manifest.json");
        skip();
    }
    json_object_foreach(manifest, name, about) sample(name, about);
    assert_int_equal(json_object_size(manifest), 65);
    json_decref(manifest);
}

SUITE(test_bmx_samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_their_codes_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
