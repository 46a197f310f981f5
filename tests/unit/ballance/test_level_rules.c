#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "ballance/bmx/check.h"
#include "ballance/bmx/level_rules.h"
#include "ballance/bmx/names.h"
#include "common/diag/codes/ballance_levels.def"
#include "tests/support/bmx_files.h"

/* Adds an object with groups in one text, separated by spaces. */
static struct bmx_object *add_object(struct bmx *bmx, const char *name, const char *groups)
{
    struct bmx_object object = {.name = bmx_text_make(name),
                                .matrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 8, 0, 0, 1}};
    char copy[128], *rest = copy;
    snprintf(copy, sizeof copy, "%s", groups);
    for (char *group; (group = strtok_r(rest, " ", &rest));)
        arrput(object.groups, bmx_text_make(group));
    int component = bmx_component_of(name);
    object.is_component = component >= 0;
    object.mesh = component >= 0 ? (uint32_t)component : 0;
    arrput(bmx->objects, object);
    return &arrlast(bmx->objects);
}

/* A level of two sectors without a finding; its first object is a floor. */
static struct bmx *sound_level(void)
{
    struct bmx *bmx = bmx_level();
    for (int k = 0; k < 3; k++)
        bmx->materials[0].emissive[k] = 1;
    add_object(bmx, "PS_FourFlames_01", "PS_Levelstart");
    add_object(bmx, "PE_Balloon_01", "PE_Levelende");
    add_object(bmx, "PC_TwoFlames_01", "PC_Checkpoints");
    add_object(bmx, "PR_Resetpoint_01", "PR_Resetpoints Sector_01");
    add_object(bmx, "PR_Resetpoint_02", "PR_Resetpoints Sector_02");
    add_object(bmx, "P_Box_01", "P_Box Sector_02");
    add_object(bmx, "Stopper", "Phys_FloorStopper Sound_HitID_01");
    return bmx;
}

/* Expects this finding and no other, with the text; frees the model. */
static void expect(struct bmx *bmx, int code, const char *object, const char *text)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    bmx_check_model(bmx, &findings, &stats);
    assert_int_equal(findings.by_severity[DIAG_ERROR], 0);
    bmx_findings_free(&findings);
    findings = (struct bmx_findings){0};
    bmx_check_level(bmx, &findings);
    if (arrlenu(findings.list) != 1)
        for (size_t i = 0; i < arrlenu(findings.list); i++)
            print_message("%s %s %s\n", bmx_code_name(findings.list[i].code),
                          findings.list[i].object, findings.list[i].text);
    assert_int_equal(arrlenu(findings.list), 1);
    assert_string_equal(bmx_code_name(findings.list[0].code), bmx_code_name(code));
    assert_string_equal(findings.list[0].object, object);
    assert_string_equal(findings.list[0].text, text);
    bmx_findings_free(&findings);
    bmx_free(bmx);
}

static struct bmx_object *object_of(struct bmx *bmx, const char *name)
{
    struct bmx_text text = bmx_text_make(name);
    size_t i = 0;
    while (bmx_text_compare(&bmx->objects[i].name, &text) != 0)
        i++;
    bmx_text_free(&text);
    return &bmx->objects[i];
}

static void rename_group(struct bmx *bmx, const char *name, size_t number, const char *group)
{
    struct bmx_text *text = &object_of(bmx, name)->groups[number];
    bmx_text_free(text);
    *text = bmx_text_make(group);
}

static void rename_object(struct bmx *bmx, const char *name, const char *other)
{
    struct bmx_text *text = &object_of(bmx, name)->name;
    bmx_text_free(text);
    *text = bmx_text_make(other);
}

static void a_sound_level_has_no_finding(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    struct bmx_findings findings = {0};
    bmx_check_level(bmx, &findings);
    assert_int_equal(arrlenu(findings.list), 0);
    bmx_findings_free(&findings);
    bmx_free(bmx);
}

static void start_and_end_are_single(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    add_object(bmx, "Mark", "PS_Levelstart");
    expect(bmx, DIAG_BMX_L_START, "PS_Levelstart", "2 objects");
    bmx = sound_level();
    rename_object(bmx, "PE_Balloon_01", "Balloon");
    object_of(bmx, "Balloon")->is_component = 0;
    object_of(bmx, "Balloon")->mesh = 0;
    rename_group(bmx, "Balloon", 0, "Nothing");
    expect(bmx, DIAG_BMX_L_END, "PE_Levelende", "no object");
}

static void sectors_are_counted(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    add_object(bmx, "Floor", "Sector_2");
    expect(bmx, DIAG_BMX_L_SECTOR_NAME, "Sector_2", "expected Sector_02");
    bmx = sound_level();
    add_object(bmx, "Floor", "Sector_x");
    expect(bmx, DIAG_BMX_L_SECTOR_NAME, "Sector_x", "expected Sector_01 and so on");
    bmx = sound_level();
    rename_group(bmx, "PR_Resetpoint_02", 1, "Sector_03");
    rename_group(bmx, "P_Box_01", 1, "Sector_03");
    rename_object(bmx, "PR_Resetpoint_02", "PR_Resetpoint_03");
    add_object(bmx, "PC_TwoFlames_02", "PC_Checkpoints");
    add_object(bmx, "PR_Resetpoint_02", "PR_Resetpoints Sector_01");
    struct bmx_findings findings = {0};
    bmx_check_level(bmx, &findings);
    assert_int_equal(bmx_finding_count(&findings, DIAG_BMX_L_SECTOR_GAP), 1);
    assert_int_equal(bmx_finding_count(&findings, DIAG_BMX_L_COMPONENT_SECTOR), 1);
    assert_int_equal(arrlenu(findings.list), 2);
    bmx_findings_free(&findings);
    bmx_free(bmx);
}

static void many_sectors_are_told(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    for (int i = 3; i <= 9; i++) {
        char name[32], groups[64];
        snprintf(name, sizeof name, "PR_Resetpoint_%02d", i);
        snprintf(groups, sizeof groups,
                 i < 9 ? "PR_Resetpoints Sector_%02d" : "PR_Resetpoints Sector_%d", i);
        add_object(bmx, name, groups);
        snprintf(name, sizeof name, "PC_TwoFlames_%02d", i - 1);
        add_object(bmx, name, "PC_Checkpoints");
    }
    expect(bmx, DIAG_BMX_L_SECTOR_MANY, "", "9");
    bmx = bmx_level();
    add_object(bmx, "PS_FourFlames_01", "PS_Levelstart");
    add_object(bmx, "PE_Balloon_01", "PE_Levelende");
    add_object(bmx, "PR_Resetpoint_01", "PR_Resetpoints Sector_01");
    expect(bmx, DIAG_BMX_L_SECTOR_ONE, "", "");
}

static void points_are_numbered_and_as_many_as_sectors(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    rename_object(bmx, "PC_TwoFlames_01", "PC_TwoFlames_02");
    expect(bmx, DIAG_BMX_L_NUMBER, "object PC_TwoFlames_02",
           "expected one each of 01 to 01 in PC_Checkpoints, at 8 0 0");
    bmx = sound_level();
    add_object(bmx, "PC_TwoFlames_02", "PC_Checkpoints");
    expect(bmx, DIAG_BMX_L_COUNT, "PC_Checkpoints", "2 objects, with 2 sectors");
}

static void components_are_in_their_groups(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    rename_group(bmx, "P_Box_01", 0, "P_Dome");
    expect(bmx, DIAG_BMX_L_COMPONENT_GROUP, "object P_Box_01", "not in P_Box, at 8 0 0");
    bmx = sound_level();
    arrput(object_of(bmx, "P_Box_01")->groups, bmx_text_make("Sector_01"));
    expect(bmx, DIAG_BMX_L_COMPONENT_SECTOR, "object P_Box_01", "in 2 sectors, at 8 0 0");
    bmx = sound_level();
    rename_group(bmx, "P_Box_01", 1, "Shadow");
    expect(bmx, DIAG_BMX_L_COMPONENT_SECTOR, "object P_Box_01", "in 0 sectors, at 8 0 0");
}

static void physics_needs_faces_without_scale(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    add_object(bmx, "P_Dome_01", "P_Dome Sector_01 Phys_Floors");
    expect(bmx, DIAG_BMX_L_PHYS_MESH, "object P_Dome_01", "at 8 0 0");
    bmx = sound_level();
    bmx->objects[0].matrix[5] = 2;
    expect(bmx, DIAG_BMX_L_PHYS_SCALE, "object A_Floor_01", "at 5 0 7");
    bmx = sound_level();
    rename_group(bmx, "Stopper", 0, "Shadow");
    arrput(bmx->meshes[0].positions, ((struct bmx_point){{0}}));
    expect(bmx, DIAG_BMX_L_PHYS_LOOSE, "object A_Floor_01", "1, at 5 0 7");
}

static void stoppers_rails_and_sides(void **state)
{
    (void)state;
    struct bmx *bmx = sound_level();
    add_object(bmx, "Stopper_02", "Phys_FloorStopper");
    expect(bmx, DIAG_BMX_L_STOPPERS, "", "2 objects");
    bmx = sound_level();
    add_object(bmx, "Rail", "Phys_FloorRails");
    expect(bmx, DIAG_BMX_L_RAIL, "object Rail", "stone.png, at 8 0 0");
    bmx = sound_level();
    bmx_text_free(&bmx->textures[0].file_name);
    bmx->textures[0].file_name = bmx_text_make("Floor_Side.bmp");
    bmx->textures[0].is_external = 1;
    bmx->materials[0].emissive[1] = 0.5F;
    expect(bmx, DIAG_BMX_L_SIDE_DARK, "material Stone", "emissive 1 0.5 1");
}

SUITE(test_level_rules)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_level_has_no_finding),
        cmocka_unit_test(start_and_end_are_single),
        cmocka_unit_test(sectors_are_counted),
        cmocka_unit_test(many_sectors_are_told),
        cmocka_unit_test(points_are_numbered_and_as_many_as_sectors),
        cmocka_unit_test(components_are_in_their_groups),
        cmocka_unit_test(physics_needs_faces_without_scale),
        cmocka_unit_test(stoppers_rails_and_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
