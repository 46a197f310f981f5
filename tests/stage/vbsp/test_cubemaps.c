/* Cubemaps and materials made for the map: compiled in memory, probed by position. */
#include "tests/support/suite.h"

#include "common/assets/textures/vtf.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/diag/codes/overlays.def"
#include "common/diag/codes/replacements.def"
#include "tests/support/texture_files.h"
#include "tests/support/vbsp/text_map.h"

#define GAMEINFO "GameInfo { FileSystem { SearchPaths { Game |gameinfo_path|. } } }"

/* A block on the floor; the id of its top. */
static int put_block(struct text_map *map, struct vec3 low, struct vec3 high, const char *material)
{
    int first = map->ids;
    text_map_box(map, low, high, material);
    return first + 2;
}

static void add_file(struct text_map *map, const char *name, const char *text)
{
    assert_int_equal(fs_store(map->fs, map->diag, name, text, strlen(text)), STATUS_OK);
}

static const char *material_at(const struct text_map *map, struct vec3 point, struct vec3 normal)
{
    int face = text_map_face_at(map, point, normal);
    assert_true(face >= 0);
    return bsp_texinfo_name(map->bsp, map->bsp->faces[face].texinfo);
}

/* A packed file in *out, which the caller frees; false when there is none of that name. */
static bool packed(const struct text_map *map, const char *name, struct bytes *out)
{
    struct diag_where where = {.file = "test.bsp"};
    struct pakfile pakfile;
    *out = (struct bytes){0};
    assert_int_equal(pakfile_decode(&map->bsp->pakfile, &where, map->diag, &pakfile), STATUS_OK);
    const struct pakfile_file *file = pakfile_find(&pakfile, name);
    if (file)
        assert_int_equal(pakfile_extract(file, &where, map->diag, out), STATUS_OK);
    pakfile_free(&pakfile);
    return file != NULL;
}

static void expect_packed(const struct text_map *map, const char *name, const char *expected)
{
    struct bytes text;
    assert_true(packed(map, name, &text));
    bytes_append(&text, "", 1);
    assert_string_equal((const char *)text.data, expected);
    bytes_free(&text);
}

static const struct vec3 up = {.x = 0, .y = 0, .z = 1};

static void test_nearest_in_front(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"100 224 64.7\"");
    text_map_entity(&map, "env_cubemap", "origin \"500 224 64\"");
    text_map_finish(&map, "20 20 96");
    /* The east side has the near one behind it. */
    assert_string_equal(material_at(&map, vec3(256, 224, 16), vec3(1, 0, 0)),
                        "maps/test/mirror_500_224_64");
    assert_string_equal(material_at(&map, vec3(192, 224, 16), vec3(-1, 0, 0)),
                        "maps/test/mirror_100_224_64");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "maps/test/mirror_100_224_64");
    expect_packed(&map, "materials/maps/test/mirror_500_224_64.vmt",
                  "\"patch\"\r\n{\r\n\t\"include\"\t\t\"materials/mirror.vmt\"\r\n"
                  "\t\"replace\"\r\n\t{\r\n\t\t\"$envmap\"\t\t\"maps/test/c500_224_64\"\r\n"
                  "\t}\r\n}\r\n");
    assert_int_equal(text_map_faces(&map, 0, "mirror", NULL), 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAPS_MISSING), 1);
    text_map_free(&map);
}

static void test_listed_sides_come_first(void **state)
{
    (void)state;
    struct text_map map;
    char keys[96];
    text_map_start_room(&map, vec3(512, 512, 128));
    int top = put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"100 224 64\"");
    snprintf(keys, sizeof keys, "origin \"500 224 64\" sides \"%d\"", top);
    text_map_entity(&map, "env_cubemap", keys);
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "maps/test/mirror_500_224_64");
    assert_string_equal(material_at(&map, vec3(224, 192, 16), vec3(0, -1, 0)),
                        "maps/test/mirror_100_224_64");
    text_map_free(&map);
}

static void test_without_cubemaps(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes text;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "mirror");
    assert_false(packed(&map, "materials/maps/test/cubemapdefault.vtf", &text));
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAPS_MISSING), 0);
    text_map_free(&map);
}

/* A model is drawn at its entity's origin, regardless of how its brushes are stored. */
static void test_models_are_where_they_are_drawn(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    text_map_entity(&map, "env_cubemap", "origin \"20 20 64\"");
    text_map_entity(&map, "env_cubemap", "origin \"400 400 64\"");
    text_map_entity(&map, "func_brush", "origin \"380 380 40\"");
    text_map_box(&map, vec3(350, 350, 16), vec3(410, 410, 32), "mirror");
    text_map_finish(&map, "20 20 96");
    /* West and south have only the far one in front. */
    assert_int_equal(text_map_faces(&map, 1, "maps/test/mirror_20_20_64", NULL), 2);
    assert_int_equal(text_map_faces(&map, 1, "maps/test/mirror_400_400_64", NULL), 4);
    text_map_free(&map);
}

/* Water whose own surface mirrors nothing, with a bottom that does. */
static void test_dependents(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "Lake");
    add_file(&map, "mod/gameinfo.txt", GAMEINFO);
    add_file(&map, "mod/materials/lake.vmt",
             "Water { %compilewater 1 $bottommaterial deep $crackmaterial lake }");
    add_file(&map, "mod/materials/deep.vmt",
             "Water { %compilewater 1 $envmap env_cubemap $fallbackmaterial lake }");
    map.game = "mod";
    text_map_entity(&map, "env_cubemap", "origin \"100 224 64\"");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "maps/test/lake_100_224_64");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), vec3(0, 0, -1)),
                        "maps/test/deep_100_224_64");
    expect_packed(&map, "materials/maps/test/lake_100_224_64.vmt",
                  "\"patch\"\r\n{\r\n\t\"include\"\t\t\"materials/Lake.vmt\"\r\n"
                  "\t\"replace\"\r\n\t{\r\n\t\t\"$bottommaterial\"\t\t"
                  "\"maps/test/deep_100_224_64\"\r\n\t}\r\n}\r\n");
    text_map_free(&map);
}

/* One cubemap with a box, one that names none of the map. */
static void test_boxes(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    put_block(&map, vec3(392, 392, 0), vec3(456, 456, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"224 224 64\" cubemapbounds Room");
    text_map_entity(&map, "env_cubemap", "origin \"424 424 64\" cubemapbounds none");
    text_map_entity(&map, "parallax_obb", "targetname room");
    text_map_box(&map, vec3(0, 64, 0), vec3(512, 320, 128), "tools/toolstrigger");
    text_map_finish(&map, "20 20 96");
    expect_packed(&map, "materials/maps/test/mirror_224_224_64.vmt",
                  "\"patch\"\r\n{\r\n\t\"include\"\t\t\"materials/mirror.vmt\"\r\n"
                  "\t\"replace\"\r\n\t{\r\n\t\t\"$envmap\"\t\t\"maps/test/c224_224_64\"\r\n"
                  "\t}\r\n\t\"insert\"\r\n\t{\r\n\t\t\"$envmapparallax\"\t\t\"1\"\r\n"
                  "\t\t\"$envmapparallaxobb1\"\t\t\"[0.001953125 0 0 0]\"\r\n"
                  "\t\t\"$envmapparallaxobb2\"\t\t\"[0 0.00390625 0 -0.25]\"\r\n"
                  "\t\t\"$envmapparallaxobb3\"\t\t\"[0 0 0.0078125 0]\"\r\n"
                  "\t\t\"$envmaporigin\"\t\t\"[224 224 64]\"\r\n\t}\r\n}\r\n");
    expect_packed(&map, "materials/maps/test/mirror_424_424_64.vmt",
                  "\"patch\"\r\n{\r\n\t\"include\"\t\t\"materials/mirror.vmt\"\r\n"
                  "\t\"replace\"\r\n\t{\r\n\t\t\"$envmap\"\t\t\"maps/test/c424_424_64\"\r\n"
                  "\t}\r\n}\r\n");
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAP_BOX), 1);
    assert_int_equal(arrlen(map.bsp->models), 1);
    text_map_free(&map);
}

/* A solid between z = 0 and 128, with four upright sides through pairs of corners; its top rises to
 * `high` above the first two. */
static void put_prism(struct text_map *map, const double corners[4][2], double high)
{
    const double *a = corners[0], *b = corners[1], *c = corners[2];
    const double top[9] = {a[0], a[1], high, b[0], b[1], high, c[0], c[1], 128};
    const double floor[9] = {c[0], c[1], 0, b[0], b[1], 0, a[0], a[1], 0};
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    text_map_side(map, top, "tools/toolstrigger");
    text_map_side(map, floor, "tools/toolstrigger");
    for (int i = 0; i < 4; i++) {
        const double *from = corners[i], *to = corners[(i + 1) % 4];
        const double side[9] = {from[0], from[1], 0, to[0], to[1], 0, to[0], to[1], 128};
        text_map_side(map, side, "tools/toolstrigger");
    }
    bytes_append_text(&map->text, "}\n");
}

/* Turned about z, by the angle of a triangle of 3, 4 and 5; 500 long and 250 wide. */
static const double turned[4][2] = {{349, 474}, {499, 274}, {99, -26}, {-51, 174}};

static void test_turned_box(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes vmt;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"224 224 64\" cubemapbounds box");
    text_map_entity(&map, "parallax_obb", "targetname box");
    put_prism(&map, turned, 128);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAP_BOX), 0);
    assert_true(packed(&map, "materials/maps/test/mirror_224_224_64.vmt", &vmt));
    bytes_append(&vmt, "", 1);
    assert_non_null(strstr((const char *)vmt.data, "obb1\"\t\t\"[0.0016 0.0012 0 -0.1272]\""));
    assert_non_null(strstr((const char *)vmt.data, "obb2\"\t\t\"[-0.0024 0.0032 0 0.3208]\""));
    assert_non_null(strstr((const char *)vmt.data, "obb3\"\t\t\"[0 0 0.0078125 0]\""));
    bytes_free(&vmt);
    text_map_free(&map);
}

/* A parallax_obb of two brushes, and one whose top is oblique. */
static void test_boxes_that_are_none(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "mirror");
    text_map_entity(&map, "env_cubemap", "origin \"224 224 64\" cubemapbounds two");
    text_map_entity(&map, "env_cubemap", "origin \"24 24 64\" cubemapbounds oblique");
    text_map_entity(&map, "parallax_obb", "targetname two");
    text_map_box(&map, vec3(0, 64, 0), vec3(512, 320, 128), "tools/toolstrigger");
    text_map_box(&map, vec3(0, 320, 0), vec3(512, 400, 128), "tools/toolstrigger");
    text_map_entity(&map, "parallax_obb", "targetname oblique");
    put_prism(&map, turned, 144);
    text_map_finish(&map, "20 20 96");
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAP_BOX), 2);
    text_map_free(&map);
}

static void test_long_names(void **state)
{
    (void)state;
    struct text_map map;
    char name[128], vmt[192];
    text_map_start_room(&map, vec3(512, 512, 128));
    memset(name, 'a', 115);
    name[115] = '\0';
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), name);
    snprintf(vmt, sizeof vmt, "mod/materials/%s.vmt", name);
    add_file(&map, "mod/gameinfo.txt", GAMEINFO);
    add_file(&map, vmt, "LightmappedGeneric { $envmap env_cubemap }");
    map.game = "mod";
    text_map_entity(&map, "env_cubemap", "origin \"100 224 64\"");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), name);
    assert_int_equal(diag_count_code(map.diag, DIAG_MATERIAL_NAME_LONG), 1);
    text_map_free(&map);
}

/* A flat side shows the first texture of a blend, and reflects as that would. */
static void test_flat_blend(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "nature/Grass");
    add_file(&map, "mod/gameinfo.txt", GAMEINFO);
    add_file(&map, "mod/materials/nature/grass.vmt",
             "WorldVertexTransition { $basetexture a $basetexture2 b $bumpmap2 c\n"
             "$basetexturetransform2 scale\n"
             "WorldVertexTransition_DX8 { $basetexture d }\n"
             "Proxies { Sine { min 0 } } $surfaceprop grass }");
    map.game = "mod";
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up),
                        "maps/test/nature/grass_wvt_patch");
    expect_packed(&map, "materials/maps/test/nature/grass_wvt_patch.vmt",
                  "\"LightmappedGeneric\"\r\n{\r\n\t\"$basetexture\"\t\t\"a\"\r\n"
                  "\t\"$basetexturetransform2\"\t\t\"scale\"\r\n"
                  "\t\"Proxies\"\r\n\t{\r\n\t\t\"Sine\"\r\n\t\t{\r\n\t\t\t\"min\"\t\t\"0\"\r\n"
                  "\t\t}\r\n\t}\r\n\t\"$surfaceprop\"\t\t\"grass\"\r\n}\r\n");
    text_map_free(&map);
}

static void test_flat_blend_of_a_catalogue(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "meadow");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "maps/test/meadow_wvt_patch");
    expect_packed(&map, "materials/maps/test/meadow_wvt_patch.vmt",
                  "\"LightmappedGeneric\"\r\n{\r\n\t\"$basetexture\"\t\t\"grass/dry\"\r\n}\r\n");
    text_map_free(&map);
}

static void test_flat_blend_of_which_nothing_is_known(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "nature/blendsand");
    put_block(&map, vec3(292, 192, 0), vec3(356, 256, 32), "NATURE/BlendSand");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up), "nature/blendsand");
    assert_int_equal(diag_count_code(map.diag, DIAG_BLEND_UNKNOWN), 1);
    text_map_free(&map);
}

static void test_flat_blend_that_mirrors(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start_room(&map, vec3(512, 512, 128));
    put_block(&map, vec3(192, 192, 0), vec3(256, 256, 32), "grass");
    add_file(&map, "mod/gameinfo.txt", GAMEINFO);
    add_file(&map, "mod/materials/grass.vmt",
             "WorldVertexTransition { $basetexture a $basetexture2 b $envmap env_cubemap }");
    map.game = "mod";
    text_map_entity(&map, "env_cubemap", "origin \"100 224 64\"");
    text_map_finish(&map, "20 20 96");
    assert_string_equal(material_at(&map, vec3(224, 224, 32), up),
                        "maps/test/grass_wvt_patch_100_224_64");
    expect_packed(&map, "materials/maps/test/grass_wvt_patch_100_224_64.vmt",
                  "\"patch\"\r\n{\r\n\t\"include\"\t\t\"materials/maps/test/grass_wvt_patch.vmt\""
                  "\r\n\t\"replace\"\r\n\t{\r\n\t\t\"$envmap\"\t\t\"maps/test/c100_224_64\"\r\n"
                  "\t}\r\n}\r\n");
    text_map_free(&map);
}

/* BGR888: of one red, with green in the lower left quarter. */
static void add_sky_texture(struct text_map *map, const char *name, uint8_t red, uint8_t green)
{
    struct bytes vtf = {0};
    bytes_append(&vtf, "VTF", 4);
    const uint32_t head[] = {7, 2, 80, 16 | 16 << 16, 0, 1, 0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        bytes_u32(&vtf, head[i]);
    bytes_fill(&vtf, 0, 16);
    bytes_f32(&vtf, 1);
    bytes_u32(&vtf, 3);
    bytes_u8(&vtf, 1);
    bytes_fill(&vtf, 255, 4);
    bytes_fill(&vtf, 0, 2);
    bytes_u16(&vtf, 1);
    bytes_fill(&vtf, 0, 15);
    for (int i = 0; i < 16 * 16; i++) {
        bytes_u8(&vtf, 0);
        bytes_u8(&vtf, i / 16 >= 8 && i % 16 < 8 ? green : 0);
        bytes_u8(&vtf, red);
    }
    assert_int_equal(fs_store(map->fs, map->diag, name, vtf.data, vtf.size), STATUS_OK);
    bytes_free(&vtf);
}

static void start_under_sky(struct text_map *map)
{
    static const char *const sides[] = {"rt", "lf", "bk", "ft", "up", "dn"};
    char name[64], text[96];
    text_map_init(map);
    bytes_append_text(&map->text, "skyname clear\n");
    text_map_room(map, vec3(-256, 0, 0), vec3(512, 512, 128));
    add_file(map, "mod/gameinfo.txt", GAMEINFO);
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "mod/materials/skybox/clear%s.vmt", sides[i]);
        snprintf(text, sizeof text, "Sky { $basetexture s%d %s }", i,
                 i == 2 ? "$hdrcompressedtexture h" : "");
        add_file(map, name, text);
        snprintf(name, sizeof name, "mod/materials/s%d.vtf", i);
        add_sky_texture(map, name, i == 4 ? 255 : 0, i == 0 ? 255 : 0);
    }
    map->game = "mod";
    text_map_entity(map, "env_cubemap", "origin \"-100 224 64\"");
}

/* Light of the HDR texture: 0.5 of red, by alpha and the range of its format. */
static void expect_hdr(const struct text_map *map, double red)
{
    struct bytes vtf;
    int width, height;
    assert_true(packed(map, "materials/maps/test/cubemapdefault.hdr.vtf", &vtf));
    assert_int_equal(vtf.size, 76528);
    float *light =
        vtf_read_light(vtf.data, vtf.size, (struct vtf_place){.face = 2}, &width, &height);
    assert_non_null(light);
    assert_true(fabs((double)light[0] - red) < 1e-2);
    memory_free(light);
    bytes_free(&vtf);
}

static void test_default_pictures(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes vtf;
    struct vtf_header header;
    const uint8_t compressed[4] = {128, 0, 0, 128};
    start_under_sky(&map);
    put_vtf(map.fs, "mod/materials/h.vtf", 1, 1, TEXTURE_RGBA, compressed);
    text_map_finish(&map, "20 20 96");
    expect_hdr(&map, 8 * (128 / 255.0) * (128 / 255.0));
    assert_true(packed(&map, "materials/maps/test/cubemapdefault.vtf", &vtf));
    bytes_free(&vtf);
    assert_true(packed(&map, "materials/maps/test/c-100_224_64.vtf", &vtf));
    assert_int_equal(vtf.size, 28753);
    assert_true(vtf_read_header(vtf.data, vtf.size, &header));
    assert_int_equal(header.width, 32);
    assert_int_equal(header.mips, 6);
    assert_int_equal(header.format, 3);
    assert_true(fabs((double)header.reflectivity[0] - 1.0 / 6) < 1e-6);
    /* The smallest copies, one pixel of blue, green, red a face: only the fifth looks up. */
    for (int face = 0; face < 6; face++)
        assert_int_equal(vtf.data[88 + face * 3 + 2], face == 4 ? 255 : 0);
    /* The sphere map has the sky above in its middle, and at its rim what is below. */
    assert_int_equal(vtf.data[vtf.size - 1], 0);
    assert_int_equal(vtf.data[vtf.size - 3 * 32 * 32 + 3 * (16 * 32 + 16) + 2], 255);
    /* Below on the left, looked at to the east, is on the upper right of the face. */
    const unsigned char *face = vtf.data + vtf.size - (size_t)(7 * 3 * 32 * 32);
    for (int i = 0; i < 4; i++)
        assert_int_equal(face[3 * (32 * (i / 2 ? 24 : 8) + (i % 2 ? 24 : 8)) + 1],
                         i == 1 ? 255 : 0);
    bytes_free(&vtf);
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAPS_MISSING), 0);
    text_map_free(&map);
}

/* A sky that names HDR textures which are missing has those of LDR in both files. */
static void test_default_pictures_without_hdr(void **state)
{
    (void)state;
    struct text_map map;
    start_under_sky(&map);
    text_map_finish(&map, "20 20 96");
    expect_hdr(&map, 0);
    text_map_free(&map);
}

static void test_options_of_default_pictures(void **state)
{
    (void)state;
    struct text_map map;
    struct bytes vtf;
    struct vtf_header header;
    start_under_sky(&map);
    map.options.default_cubemap_side = 4;
    text_map_finish(&map, "20 20 96");
    assert_true(packed(&map, "materials/maps/test/cubemapdefault.vtf", &vtf));
    assert_true(vtf_read_header(vtf.data, vtf.size, &header));
    assert_int_equal(header.width, 4);
    bytes_free(&vtf);
    text_map_free(&map);
    start_under_sky(&map);
    map.options.no_default_cubemap = true;
    text_map_finish(&map, "20 20 96");
    assert_false(packed(&map, "materials/maps/test/cubemapdefault.vtf", &vtf));
    assert_false(packed(&map, "materials/maps/test/c-100_224_64.vtf", &vtf));
    assert_int_equal(diag_count_code(map.diag, DIAG_CUBEMAPS_MISSING), 0);
    text_map_free(&map);
}

SUITE(test_cubemaps)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_in_front),
        cmocka_unit_test(test_listed_sides_come_first),
        cmocka_unit_test(test_without_cubemaps),
        cmocka_unit_test(test_models_are_where_they_are_drawn),
        cmocka_unit_test(test_dependents),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_turned_box),
        cmocka_unit_test(test_boxes_that_are_none),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_flat_blend),
        cmocka_unit_test(test_flat_blend_of_a_catalogue),
        cmocka_unit_test(test_flat_blend_of_which_nothing_is_known),
        cmocka_unit_test(test_flat_blend_that_mirrors),
        cmocka_unit_test(test_default_pictures),
        cmocka_unit_test(test_default_pictures_without_hdr),
        cmocka_unit_test(test_options_of_default_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
