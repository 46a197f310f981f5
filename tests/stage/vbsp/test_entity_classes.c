/* Brush entities whose class determines the contents of their brushes. */
#include "tests/support/suite.h"

#include "tests/support/vbsp/text_map.h"

/* A room with one entity of one box in it. */
static void compile_room(struct text_map *map, const char *classname, const char *material)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(map, classname, "");
    text_map_box(map, vec3(64, 64, 0), vec3(192, 192, 48), material);
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    text_map_compile(map, STATUS_OK);
}

static int contents_of(const struct text_map *map, int model, struct vec3 point)
{
    int node = map->bsp->models[model].head_node;
    while (node >= 0) {
        const struct bsp_node *record = &map->bsp->nodes[node];
        const struct bsp_plane *plane = &map->bsp->planes[record->plane];
        double distance = -(double)plane->dist;
        for (int i = 0; i < 3; i++)
            distance += (double)plane->normal[i] * point.e[i];
        node = record->children[distance < 0];
    }
    return bsp_brush_contents_at(map->bsp, -1 - node, point);
}

static void test_func_water_is_a_model_of_water(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_water", "water");
    assert_int_equal(arrlen(map.bsp->models), 2);
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)),
                     CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    assert_int_equal(contents_of(&map, 0, vec3(100, 100, 20)), 0);
    assert_true(text_map_faces(&map, 1, "water", NULL) > 0);
    assert_true(text_map_faces(&map, 1, "under", NULL) > 0);
    text_map_free(&map);
}

static void test_func_water_of_another_material(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_water", "wall");
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)),
                     CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    text_map_free(&map);
}

/* Only the world has detail. */
static void test_no_model_is_detail(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_brush", "tools/toolsblock_los");
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)), CONTENTS_BLOCKLOS);
    text_map_free(&map);
    compile_room(&map, "func_detail", "tools/toolsblock_los");
    assert_int_equal(contents_of(&map, 0, vec3(100, 100, 20)), CONTENTS_BLOCKLOS | CONTENTS_DETAIL);
    text_map_free(&map);
}

SUITE(test_entity_classes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_func_water_is_a_model_of_water),
        cmocka_unit_test(test_func_water_of_another_material),
        cmocka_unit_test(test_no_model_is_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
