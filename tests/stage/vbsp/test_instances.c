/* Instances: positions and names of merged objects. */
#include "tests/support/suite.h"

#include "common/core/strings.h"
#include "common/diag/codes/fgd.def"
#include "common/diag/codes/instances.def"
#include "common/diag/codes/level_solids.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/level/instances/instance.h"

struct fixture {
    struct diag *diag;
    struct fs *fs;
    struct env env;
    struct assets *assets;
    struct level level, whole;
    enum diag_severity missing;
    enum status status;
};

#define AXES                                                                                       \
    "uaxis \"[1 0 0 8] 0.25\" vaxis \"[0 -1 0 -5] 0.5\" lightmapscale 16 material dev/floor }\n"

/* A wedge-like block from (0 0 0) to (64 32 16), its sides numbered from 101. */
static const char block[] = "solid { id 7\n"
                            "side { id 101 plane \"(0 32 16) (64 32 16) (64 0 16)\" " AXES
                            "side { id 102 plane \"(0 0 0) (64 0 0) (64 32 0)\" " AXES
                            "side { id 103 plane \"(0 32 16) (0 0 16) (0 0 0)\" " AXES
                            "side { id 104 plane \"(64 32 0) (64 0 0) (64 0 16)\" " AXES
                            "side { id 105 plane \"(64 32 16) (0 32 16) (0 32 0)\" " AXES
                            "side { id 106 plane \"(64 0 0) (0 0 0) (0 0 16)\" " AXES "}\n";

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){
        .diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .missing = DIAG_ERROR};
    fixture.env = (struct env){.diag = fixture.diag, .fs = fixture.fs, .threads = 1};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    level_free(&f->whole);
    level_free(&f->level);
    assets_free(f->assets);
    fs_memory_free(f->fs);
    diag_free(f->diag);
    return 0;
}

static void put(struct fixture *f, const char *path, const char *text)
{
    assert_int_equal(f->fs->ops->write(f->fs, path, text, strlen(text)), 0);
}

/* A file with the world's solids and entities given. */
static void put_map(struct fixture *f, const char *path, const char *solids, const char *entities)
{
    struct bytes text = {0};
    bytes_append_text(&text, "world { id 1 classname worldspawn\n%s}\n%s", solids, entities);
    assert_int_equal(f->fs->ops->write(f->fs, path, text.data, text.size), 0);
    bytes_free(&text);
}

/* The map: a block, and the entities given. */
static void put_main(struct fixture *f, const char *entities)
{
    put_map(f, "maps/main.vmf", block, entities);
}

/* The instance "a", without solids. */
static void put_instance(struct fixture *f, const char *entities)
{
    put_map(f, "maps/a.vmf", "", entities);
}

static enum status complete(struct fixture *f, const char *game)
{
    struct bytes text = {0};
    assert_int_equal(fs_load(f->fs, f->diag, "maps/main.vmf", &text), STATUS_OK);
    assert_int_equal(
        vmf_parse((const char *)text.data, text.size, "maps/main.vmf", f->diag, &f->level),
        STATUS_OK);
    bytes_free(&text);
    struct assets_options look_up = {.game = game};
    assert_int_equal(assets_open(&f->env, &look_up, &f->assets), STATUS_OK);
    f->status = level_complete(&f->env, f->assets, &f->level, f->missing, &f->whole);
    return f->status;
}

static const struct entity *find(const struct fixture *f, const char *classname)
{
    for (size_t i = 0; i < arrlenu(f->whole.entities); i++)
        if (entity_is(&f->whole.entities[i].keys, classname))
            return &f->whole.entities[i].keys;
    fail_msg("no %s", classname);
    return NULL;
}

#define assert_key(f, classname, key, value)                                                       \
    assert_string_equal(entity_value(find(f, classname), key), value)

static void assert_near(double a, double b)
{
    if (fabs(a - b) > 1e-6)
        fail_msg("%g is not %g", a, b);
}

static double texel(const struct map_texture_axis *axis, struct vec3 point)
{
    return vec3_dot(axis->axis, point) / axis->scale + axis->shift;
}

static void solids_are_moved_with_their_textures(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance file inst/a origin \"100 200 300\" angles "
                "\"20 75 -40\" }\n");
    put_map(f, "maps/inst/a.vmf", block, "");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    const struct map_solid *solids = f->whole.entities[0].solids;
    assert_int_equal(arrlen(solids), 2);
    assert_int_equal(solids[1].id, 14);
    for (int i = 0; i < 6; i++) {
        const struct map_side *from = &solids[0].sides[i], *to = &solids[1].sides[i];
        assert_int_equal(to->id, from->id + 106);
        for (int j = 0; j < 3; j++) {
            assert_near(texel(&to->u, to->points[j]), texel(&from->u, from->points[j]));
            assert_near(texel(&to->v, to->points[j]), texel(&from->v, from->points[j]));
            assert_near(vec3_distance(to->points[j], to->points[(j + 1) % 3]),
                        vec3_distance(from->points[j], from->points[(j + 1) % 3]));
        }
    }
}

/* Yaw turns x to y; pitch lowers the nose; right angles leave no crumbs. */
static void angles_turn_as_the_games_do(void **state)
{
    struct fixture *f = *state;
    put_main(f,
             "entity { id 50 classname func_instance file a origin \"8 0 0\" angles \"0 90 0\" }\n"
             "entity { id 51 classname func_instance file b angles \"90 0 0\" }\n");
    put_instance(
        f, "entity { id 2 classname info_a origin \"10 2 3\" angles \"0 15 0\" }\n"
           "entity { id 3 classname info_b origin \"0 0 0\" }\n"
           "entity { id 4 classname light_spot origin \"0 0 0\" angles \"-60 10 0\" pitch -60 }\n");
    put_map(f, "maps/b.vmf", "",
            "entity { id 2 classname info_c origin \"10 2 3\" angles \"0 0 0\" }\n"
            "entity { id 3 classname light_environment angles \"0 0 0\" pitch -30 }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_key(f, "info_a", "origin", "6 10 3");
    assert_key(f, "info_a", "angles", "0 105 0");
    assert_key(f, "info_b", "origin", "8 0 0");
    assert_key(f, "info_b", "angles", "0 90 0");
    assert_key(f, "light_spot", "pitch", "-60");
    assert_key(f, "light_spot", "angles", "-60 100 0");
    assert_key(f, "info_c", "origin", "3 2 -10");
    assert_key(f, "info_c", "angles", "90 0 0");
    /* The light shone 30 degrees below the horizon; turned by 90 more it comes back from below. */
    assert_key(f, "light_environment", "pitch", "-60");
    assert_key(f, "light_environment", "angles", "-60 180 180");
}

/* A model stays as drawn about its origin, and its entity turns it. */
static void models_are_turned_by_their_angles(void **state)
{
    struct fixture *f = *state;
    struct bytes text = {0};
    bytes_append_text(&text, "entity { id 9 classname func_door origin \"32 16 8\" %s}\n", block);
    bytes_append_text(&text, "entity { id 10 classname func_brush %s}\n", block);
    bytes_append_text(&text, "entity { id 11 classname func_detail %s}\n%c", block, 0);
    put_main(
        f,
        "entity { id 50 classname func_instance file a origin \"100 0 0\" angles \"0 90 0\" }\n");
    put_instance(f, (const char *)text.data);
    bytes_free(&text);
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_key(f, "func_door", "origin", "84 32 8");
    assert_key(f, "func_door", "angles", "0 90 0");
    assert_key(f, "func_brush", "origin", "100 0 0");
    static const double lows[3][2] = {{84 - 32, 32 - 16}, {100, 0}, {100 - 32, 0}};
    for (int i = 0; i < 3; i++) {
        const struct map_entity *entity = &f->whole.entities[2 + i];
        struct bounds bounds = map_solid_bounds(&entity->solids[0]);
        assert_near(bounds.mins.x, lows[i][0]);
        assert_near(bounds.mins.y, lows[i][1]);
        assert_int_equal(entity->solids[0].entity, 2 + i);
    }
    assert_false(entity_has(find(f, "func_detail"), "angles"));
}

static const char named[] =
    "entity { id 2 classname info_a targetname one parentname @all target !self }\n"
    "entity { id 3 classname info_b targetname two target one\n"
    "  connections { OnA \"one\x1bKill\x1b\x1b"
    "0\x1b-1\" OnB \"@all,Kill,,0,-1\" OnC \"one,Kill,,0,-1\" } }\n";

static void names_get_the_style_of_the_instance(void **state)
{
    static const struct {
        const char *keys, *name, *output;
    } styles[] = {
        {"targetname in fixup_style 0", "in-one",
         "in-one\x1bKill\x1b\x1b"
         "0\x1b-1"},
        {"targetname in fixup_style 1", "one-in",
         "one-in\x1bKill\x1b\x1b"
         "0\x1b-1"},
        {"targetname in fixup_style 2", "one",
         "one\x1bKill\x1b\x1b"
         "0\x1b-1"},
        {"", "InstanceAuto1-one",
         "InstanceAuto1-one\x1bKill\x1b\x1b"
         "0\x1b-1"},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct fixture *f = *state;
        struct bytes text = {0};
        bytes_append_text(&text, "entity { id 50 classname func_instance file a %s }\n%c",
                          styles[i].keys, 0);
        put_main(f, (const char *)text.data);
        bytes_free(&text);
        put_instance(f, named);
        assert_int_equal(complete(f, NULL), STATUS_OK);
        assert_key(f, "info_a", "targetname", styles[i].name);
        assert_key(f, "info_a", "parentname", "@all");
        assert_key(f, "info_a", "target", "!self");
        assert_key(f, "info_b", "target", styles[i].name);
        assert_key(f, "info_b", "OnA", styles[i].output);
        assert_key(f, "info_b", "OnB", "@all,Kill,,0,-1");
        char commas[64];
        snprintf(commas, sizeof commas, "%s,Kill,,0,-1", styles[i].name);
        assert_key(f, "info_b", "OnC", commas);
        if (i + 1 < sizeof styles / sizeof *styles) {
            teardown(state);
            setup(state);
        }
    }
}

enum { OUTPUTS = 500, PARTS = 5 };

/* The output of a number, with commas or ESC. */
static void put_output(struct bytes *text, int number)
{
    char separator = number % 2 ? ',' : '\x1b';
    bytes_append_text(text, "OnTrigger \"door%d%cOpen%cslowly%c%d%c-1\"\n", number, separator,
                      separator, separator, number, separator);
}

/* Splits a value as the games do: at ESC where there is one, else at commas. Changes it. */
static void split(char *value, const char *parts[PARTS])
{
    const char separator[] = {strchr(value, 0x1b) ? 0x1b : ',', 0};
    int count = 0;
    for (char *at = value; at && count < PARTS; count++) {
        parts[count] = at;
        at = strpbrk(at, separator);
        if (at)
            *at++ = 0;
    }
    assert_int_equal(count, PARTS);
}

static void outputs_of_nested_instances_keep_their_parts(void **state)
{
    struct fixture *f = *state;
    struct bytes text = {0};
    put_main(f, "entity { id 50 classname func_instance file a targetname out }\n");
    put_instance(f, "entity { id 60 classname func_instance file b targetname in }\n");
    bytes_append_text(&text, "entity { id 2 classname logic_relay connections {\n");
    for (int i = 0; i < OUTPUTS; i++)
        put_output(&text, i);
    bytes_append_text(&text, "} }\n%c", 0);
    put_map(f, "maps/b.vmf", "", (const char *)text.data);
    bytes_free(&text);
    assert_int_equal(complete(f, NULL), STATUS_OK);
    const struct entity *relay = find(f, "logic_relay");
    int found = 0;
    for (size_t i = 0; i < arrlenu(relay->pairs); i++) {
        char value[64], name[64], delay[16];
        const char *parts[PARTS];
        if (strcmp(relay->pairs[i].key, "OnTrigger") != 0)
            continue;
        snprintf(value, sizeof value, "%s", relay->pairs[i].value);
        snprintf(name, sizeof name, "out-in-door%d", found);
        snprintf(delay, sizeof delay, "%d", found++);
        split(value, parts);
        const char *const expected[PARTS] = {name, "Open", "slowly", delay, "-1"};
        for (int k = 0; k < PARTS; k++)
            assert_string_equal(parts[k], expected[k]);
    }
    assert_int_equal(found, OUTPUTS);
}

/* A block turned by 45 degrees, from x = -low to high and y = -half to half before that. */
static void put_diamond(struct text_map *map, double low, double high, double half)
{
    const double corners[4][2] = {{-low, -half}, {high, -half}, {high, half}, {-low, half}};
    double p[4][2];
    for (int i = 0; i < 4; i++) {
        p[i][0] = (corners[i][0] - corners[i][1]) * sqrt(0.5);
        p[i][1] = (corners[i][0] + corners[i][1]) * sqrt(0.5);
    }
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < 4; i++) {
        const double *a = p[i], *b = p[(i + 1) % 4];
        text_map_side(map, (const double[9]){a[0], a[1], 0, b[0], b[1], 0, b[0], b[1], 64}, "wall");
    }
    for (int i = 0; i < 2; i++) {
        double z = i ? 64 : 0;
        const double *a = p[i ? 2 : 0], *b = p[1], *c = p[i ? 0 : 2];
        text_map_side(map, (const double[9]){a[0], a[1], z, b[0], b[1], z, c[0], c[1], z}, "wall");
    }
    bytes_append_text(&map->text, "}\n");
}

/* The slope of a turned block is 0.006 off a whole distance: it is snapped, a drawn one is not. */
static void turned_planes_are_snapped(void **state)
{
    struct text_map map;
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        text_map_init(&map);
        text_map_room(&map, vec3(-256, -256, 0), vec3(256, 256, 128));
        text_map_entity(&map, "info_player_start", "origin \"200 200 16\"");
        text_map_entity(&map, "func_instance", turned ? "file a angles \"0 45 0\"" : "file a");
        struct text_map part;
        text_map_init(&part);
        if (turned)
            text_map_box(&part, vec3(-32.006, -20.3, 0), vec3(31.994, 20.3, 64), "wall");
        else
            put_diamond(&part, 32.006, 31.994, 20.3);
        bytes_append_text(&part.text, "}\n%c", 0);
        text_map_put(&map, "maps/a.vmf", (const char *)part.text.data);
        text_map_free(&part);
        text_map_compile(&map, STATUS_OK);
        int whole = 0, near = 0;
        for (size_t i = 0; i < arrlenu(map.bsp->planes); i++) {
            const struct bsp_plane *plane = &map.bsp->planes[i];
            double dist = fabs((double)plane->dist);
            if (plane->type <= 2 || dist < 31 || dist > 33)
                continue;
            whole += dist == 32;
            near += fabs(dist - 32) > 0.001;
        }
        assert_true(turned ? whole >= 2 && near == 0 : whole == 0 && near >= 2);
        text_map_free(&map);
    }
}

static void outputs_cross_the_border(void **state)
{
    struct fixture *f = *state;
    put_main(
        f, "entity { id 50 classname func_instance targetname in file a\n"
           "  connections { \"instance:one;OnDone\" \"lamp,Toggle,,0,-1\" \"instance:no;OnDone\" "
           "\"lamp,Toggle,,0,-1\" } }\n"
           "entity { id 51 classname info_main connections { OnA \"in\x1binstance:two;Kill\x1b\x1b"
           "0\x1b-1\" OnB \"in,instance:no;Kill,,0,-1\" OnC \"in,FireUser1,a:b,0,-1\" } }\n");
    put_instance(f, named);
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_key(f, "info_a", "OnDone", "lamp,Toggle,,0,-1");
    assert_key(f, "info_main", "OnA",
               "in-two\x1bKill\x1b\x1b"
               "0\x1b-1");
    assert_key(f, "info_main", "OnB", "in,instance:no;Kill,,0,-1");
    assert_key(f, "info_main", "OnC", "in,FireUser1,a:b,0,-1");
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_OUTPUT), 2);
}

static void variables_are_replaced(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance targetname in file outer\n"
                "replace01 \"$a 1 2 3\" replace02 \"$ab long\" replace03 \"$none\" }\n");
    put_map(
        f, "maps/outer.vmf", "",
        "entity { id 2 classname func_instance_parms parm1 \"$a string 9\" parm2 \"$who "
        "target_destination lamp\" parm3 \"$empty string\" }\n"
        "entity { id 3 classname info_a k1 $a k2 \"x$ab,$A\" k3 \"[$none]\" target $who k4 "
        "$empty }\n"
        "entity { id 4 classname func_instance targetname sub file inner replace1 \"$in $a\" }\n");
    put_map(f, "maps/inner.vmf", "",
            "entity { id 3 classname info_b targetname x k1 \"$in;$a\" }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_key(f, "info_a", "k1", "1 2 3");
    assert_key(f, "info_a", "k2", "xlong,1 2 3");
    assert_key(f, "info_a", "k3", "[]");
    assert_key(f, "info_a", "k4", "$empty");
    assert_key(f, "info_a", "target", "in-lamp");
    assert_key(f, "info_b", "k1", "1 2 3;$a");
    assert_key(f, "info_b", "targetname", "in-sub-x");
}

static void an_fgd_says_what_keys_are(void **state)
{
    struct fixture *f = *state;
    put(f, "game/gameinfo.txt",
        "GameInfo { GameData a.fgd FileSystem { SearchPaths { Game |gameinfo_path|. } } }");
    put(f, "game/bin/a.fgd",
        "@include \"base.fgd\"\n@PointClass base(B) = info_a [ where(vector) : "
        "\"\" who(target_name_or_class) : \"\" killtarget(string) : \"\" ]");
    put(f, "game/bin/base.fgd", "@BaseClass = B [ friend(target_destination) : \"\" ]");
    put_main(f, "entity { id 50 classname func_instance targetname in file a origin \"0 0 5\" }\n");
    put_instance(
        f, "entity { id 2 classname info_a origin \"1 1 1\" where \"1 2 3\" friend x who info_a "
           "killtarget y filtername z targetname t }\n"
           "entity { id 3 classname info_b friend x killtarget y who z }\n");
    assert_int_equal(complete(f, "game"), STATUS_OK);
    assert_key(f, "info_a", "origin", "1 1 6");
    assert_key(f, "info_a", "where", "1 2 8");
    assert_key(f, "info_a", "friend", "in-x");
    assert_key(f, "info_a", "who", "info_a");
    assert_key(f, "info_a", "killtarget", "y"); /* the FGD calls it text */
    assert_key(f, "info_a", "filtername", "z"); /* or does not know it */
    assert_key(f, "info_a", "targetname", "in-t");
    assert_key(f, "info_b", "friend", "x"); /* of its class it knows nothing */
    assert_key(f, "info_b", "killtarget", "in-y");
    assert_int_equal(diag_entries(f->diag), 0);
}

/* Without an FGD the names of the file tell which values are names. */
static void names_of_the_file_tell_what_names_are(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance targetname in file a origin \"0 0 5\" }\n");
    put_instance(f,
                 "entity { id 2 classname logic_relay targetname Nm }\n"
                 "entity { id 3 classname info_a targetname light }\n"
                 "entity { id 4 classname info_a targetname 3 }\n"
                 "entity { id 6 classname info_a targetname @all }\n"
                 "entity { id 5 classname info_b Filter01 nm altpath NM m_iszEntity \"n*\" "
                 "all \"*\" shared @all other m filterclass light own info_a number 3 path a/nm "
                 "model nm.mdl targetpoint \"64 0 0\" attach \"1 2 3\" killtarget elsewhere }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    static const struct key_value keys[] = {
        {"Filter01", "in-nm"},     {"altpath", "in-NM"},
        {"m_iszEntity", "in-n*"},  {"all", "*"},
        {"shared", "@all"},        {"other", "m"},
        {"filterclass", "light"},  {"own", "info_a"},
        {"number", "3"},           {"path", "a/nm"},
        {"model", "nm.mdl"},       {"attach", "1 2 8"},
        {"targetpoint", "64 0 5"}, {"killtarget", "in-elsewhere"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_key(f, "info_b", keys[i].key, keys[i].value);
    assert_int_equal(diag_entries(f->diag), 1);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_NAMES_GUESSED), 1);
    assert_non_null(strstr(diag_entry(f->diag, 0)->message, "3 values, first \"nm\" of Filter01"));
}

/* Lists, parameters of outputs, and names that a nested instance gives. */
static void more_values_hold_names(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance targetname in file a }\n");
    put_instance(
        f, "entity { id 2 classname logic_relay targetname Nm }\n"
           "entity { id 3 classname info_a targetname 01_door }\n"
           "entity { id 4 classname func_instance targetname sub file inner }\n"
           "entity { id 6 classname func_instance targetname post file inner fixup_style 1 }\n"
           "entity { id 5 classname info_b list \"nm, 01_door\" some \"nm @all !self n*\" "
           "only \"@all !self\" digits 01_door filter sub-lamp after lamp-post loose lamp-sub "
           "target \"nm 01_door\" text \"wait for the nm\" half \"nm x\" "
           "OnA \"nm,SetParent,01_door,0,-1\" OnB \"sub-lamp\x1bSetTarget\x1bnm\x1b"
           "0.5\x1b-1\" OnC \"!self,SetAnimation,nm,0,-1\" OnD \"x,AddOutput,target nm,0,-1\" "
           "OnE \"x,AddOutput,OnOpen nm:Close::0:1,0,-1\" OnF \"x,SetParent,@all,0,-1\" "
           "OnG \"x,SetParent,2,0,-1\" OnH \"x,AddOutput,speed 5,0,-1\" OnI \"x,Open,,0,-1\" }\n");
    put_map(f, "maps/inner.vmf", "", "entity { id 2 classname info_c targetname lamp }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    static const struct key_value keys[] = {
        {"list", "in-nm, in-01_door"},
        {"some", "in-nm @all !self in-n*"},
        {"only", "@all !self"},
        {"digits", "in-01_door"},
        {"filter", "in-sub-lamp"},
        {"after", "in-lamp-post"},
        {"loose", "lamp-sub"},
        {"target", "in-nm in-01_door"},
        {"text", "wait for the nm"},
        {"half", "nm x"},
        {"OnA", "in-nm,SetParent,in-01_door,0,-1"},
        {"OnB", "in-sub-lamp\x1bSetTarget\x1bin-nm\x1b"
                "0.5\x1b-1"},
        {"OnC", "!self,SetAnimation,nm,0,-1"},
        {"OnD", "in-x,AddOutput,target in-nm,0,-1"},
        {"OnE", "in-x,AddOutput,OnOpen in-nm:Close::0:1,0,-1"},
        {"OnF", "in-x,SetParent,@all,0,-1"},
        {"OnG", "in-x,SetParent,2,0,-1"},
        {"OnH", "in-x,AddOutput,speed 5,0,-1"},
        {"OnI", "in-x,Open,,0,-1"},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_key(f, "info_b", keys[i].key, keys[i].value);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_NAMES_GUESSED), 1);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_NAMES_LEFT), 1);
    assert_int_equal(diag_entries(f->diag), 2);
    assert_non_null(strstr(diag_entry(f->diag, 1)->message, "2 values, first \"nm x\" of half"));
}

static void a_missing_fgd_is_reported(void **state)
{
    struct fixture *f = *state;
    put(f, "game/gameinfo.txt", "GameInfo { GameData no.fgd }");
    put_main(f, "entity { id 50 classname func_instance file a }\n");
    put_instance(f, named);
    assert_int_equal(complete(f, "game"), STATUS_OK);
    assert_int_equal(diag_count_code(f->diag, DIAG_FGD_MISSING), 1);
    assert_key(f, "info_b", "target", "InstanceAuto1-one");
}

static void numbers_stay_unique(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance file a angles \"0 90 0\" }\n"
                "entity { id 51 classname info_node nodeid 12 }\n"
                "entity { id 52 classname func_instance file a }\n");
    put_map(f, "maps/a.vmf", block,
            "entity { id 2 classname info_overlay sides \"104 3 101\" BasisU \"1 0 0\" BasisOrigin "
            "\"1 2 3\" targetname o }\n"
            "entity { id 3 classname info_node_link nodeid 4 StartNode 4 EndNode 1 }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_key(f, "info_overlay", "sides", "210 207");
    assert_key(f, "info_overlay", "BasisU", "0 1 0");
    assert_key(f, "info_overlay", "BasisOrigin", "-2 1 3");
    assert_key(f, "info_node_link", "StartNode", "16");
    assert_key(f, "info_node_link", "EndNode", "13");
    const struct map_entity *second = &f->whole.entities[arrlen(f->whole.entities) - 2];
    assert_int_equal(second->id, 2 + 52 + 3);
    assert_string_equal(entity_value(&second->keys, "sides"), "316 313");
}

static void overlays_of_water_are_turned(void **state)
{
    struct fixture *f = *state;
    put_main(
        f, "entity { id 50 classname func_instance file a origin \"0 0 9\" angles \"0 90 0\" }\n");
    put_map(
        f, "maps/a.vmf", block,
        "entity { id 2 classname info_overlay_transition sides 101 overlaytransition {\n"
        "overlaydata { material dev/red BasisOrigin \"1 2 3\" BasisV \"0 1 0\" uv0 \"1 2 3\" sides "
        "\"102 999\" } } }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    const struct kv *data = f->whole.entities[2].overlay_transition;
    assert_non_null(data);
    data = kv_find(data, "overlaydata");
    assert_string_equal(kv_value(data, "BasisOrigin"), "-2 1 12");
    assert_string_equal(kv_value(data, "BasisV"), "-1 0 0");
    assert_string_equal(kv_value(data, "uv0"), "1 2 3");
    assert_string_equal(kv_value(data, "sides"), "208");
    assert_key(f, "info_overlay_transition", "sides", "207");
}

static void displacements_are_turned(void **state)
{
    struct fixture *f = *state;
    put_main(
        f, "entity { id 50 classname func_instance file a origin \"0 0 4\" angles \"0 90 0\" }\n");
    struct bytes text = {0};
    const char *end = strstr(block, "side { id 102");
    bytes_append_text(&text, "%.*s", (int)(end - block - 2), block);
    bytes_append_text(&text,
                      "dispinfo { power 2 startposition \"[0 32 16]\" normals { row0 \"0 0 1 "
                      "1 0 0\" } distances { row0 \"3 4\" } }\n }\n%s%c",
                      end, 0);
    put_map(f, "maps/a.vmf", (const char *)text.data, "");
    bytes_free(&text);
    assert_int_equal(complete(f, NULL), STATUS_OK);
    const struct kv *info = f->whole.entities[0].solids[1].sides[0].displacement;
    assert_non_null(info);
    double n[6];
    assert_int_equal(str_to_doubles(kv_value(info, "startposition"), n, 6), 3);
    assert_near(n[0], -32);
    assert_near(n[1], 0);
    assert_near(n[2], 20);
    assert_int_equal(str_to_doubles(kv_value(kv_find(info, "normals"), "row0"), n, 6), 6);
    assert_near(n[2], 1);
    assert_near(n[4], 1);
    assert_string_equal(kv_value(kv_find(info, "distances"), "row0"), "3 4");
}

/* As warnings, the rest is placed. */
static void missing_files_can_be_warnings(void **state)
{
    struct fixture *f = *state;
    f->missing = DIAG_WARNING;
    put_main(f, "entity { id 50 classname func_instance file no1 }\n"
                "entity { id 51 classname func_instance file a }\n");
    put_instance(f, "entity { id 4 classname func_instance file sub/no2 }\n"
                    "entity { id 5 classname info_a }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_int_equal(diag_count(f->diag, DIAG_ERROR), 0);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_MISSING), 2);
    assert_int_equal(diag_entry(f->diag, 0)->severity, DIAG_WARNING);
    (void)find(f, "info_a");
}

static void every_missing_file_is_reported(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance file no1 }\n"
                "entity { id 51 classname func_instance file a }\n"
                "entity { id 52 classname func_instance file no1.vmf }\n"
                "entity { id 53 classname func_instance file \"\" }\n");
    put_instance(f, "entity { id 4 classname func_instance file sub/no2 }\n");
    assert_int_equal(complete(f, NULL), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_MISSING), 2);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_NO_FILE), 1);
    const struct diag_entry *first = diag_entry(f->diag, 1), *last = diag_entry(f->diag, 2);
    assert_non_null(strstr(first->message, "\"no1.vmf\", used by 2 func_instances (entity 50 of "
                                           "maps/main.vmf, entity 52 of maps/main.vmf)"));
    assert_non_null(strstr(last->message, "sub/no2.vmf"));
    assert_string_equal(last->where.file, "maps/a.vmf");
    assert_int_equal(last->where.entity_id, 4);
    assert_int_equal(last->where.placed_by->entity_id, 51);
    assert_string_equal(last->where.placed_by->file, "maps/main.vmf");
}

static void what_is_said_names_the_chain(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance file a }\n");
    put_instance(f, "entity { id 4 classname func_instance file b }\n");
    put_map(f, "maps/b.vmf", "solid { id 9 }\n", "entity { id 6 classname func_brush\n }\n");
    assert_int_equal(complete(f, NULL), STATUS_OK);
    assert_int_equal(diag_count_code(f->diag, DIAG_SOLID_SIDES), 1);
    const struct diag_where *parsed = &diag_entry(f->diag, 0)->where;
    const struct map_entity *brush = &f->whole.entities[arrlen(f->whole.entities) - 1];
    struct diag_where where = map_where(&f->whole, brush, NULL, NULL);
    assert_int_equal(where.entity_id, 6);
    const struct diag_where *const both[] = {parsed, &where};
    for (int i = 0; i < 2; i++) {
        assert_string_equal(both[i]->file, "maps/b.vmf");
        assert_string_equal(both[i]->placed_by->file, "maps/a.vmf");
        assert_int_equal(both[i]->placed_by->entity_id, 4);
        assert_string_equal(both[i]->placed_by->placed_by->file, "maps/main.vmf");
        assert_int_equal(both[i]->placed_by->placed_by->entity_id, 50);
        assert_null(both[i]->placed_by->placed_by->placed_by);
    }
}

static void recursion_is_refused(void **state)
{
    struct fixture *f = *state;
    put_main(f, "entity { id 50 classname func_instance file a }\n"
                "entity { id 51 classname func_instance file main }\n");
    put_instance(f, "entity { id 4 classname func_instance file b }\n");
    put_map(f, "maps/b.vmf", "", "entity { id 5 classname func_instance file a }\n");
    assert_int_equal(complete(f, NULL), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_RECURSION), 2);
    const char *message = diag_entry(f->diag, 1)->message;
    assert_string_equal(message, "maps/a.vmf in maps/b.vmf in maps/a.vmf");
}

static void multiplication_ends(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 8; i++) {
        struct bytes text = {0};
        for (int j = 0; j < 30; j++)
            bytes_append_text(&text, "entity { id %d classname func_instance file f%d }\n", j + 2,
                              i + 1);
        bytes_append_text(&text, "%c", 0);
        char path[32];
        snprintf(path, sizeof path, i ? "maps/f%d.vmf" : "maps/main.vmf", i);
        put_map(f, path, i ? "" : block, (const char *)text.data);
        bytes_free(&text);
    }
    put_map(f, "maps/f8.vmf", block, "");
    assert_int_equal(complete(f, NULL), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->diag, DIAG_INSTANCE_TOO_MANY), 1);
}

static void files_are_found_in_all_places(void **state)
{
    struct fixture *f = *state;
    put(f, "game/gameinfo.txt",
        "GameInfo { InstancePath \"inst\" FileSystem { SearchPaths { Game |gameinfo_path|. } } }");
    put_main(f, "entity { id 50 classname func_instance file \"Sub\\A.vmf\" }\n"
                "entity { id 51 classname func_instance file c }\n"
                "entity { id 52 classname func_instance file d }\n");
    put_map(f, "maps/sub/a.vmf", "", "entity { id 4 classname func_instance file b }\n");
    put_map(f, "maps/sub/b.vmf", "", "entity { id 4 classname info_b }\n");
    put_map(f, "game/inst/c.vmf", "", "entity { id 4 classname info_c }\n");
    put_map(f, "game/maps/d.vmf", "", "entity { id 4 classname info_d }\n");
    assert_int_equal(complete(f, "game"), STATUS_OK);
    (void)find(f, "info_b");
    (void)find(f, "info_c");
    (void)find(f, "info_d");
}

/* The same rooms, pasted and placed. */
static void make_room(struct text_map *map, bool placed)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    struct text_map part = {.luxel = 16, .ids = placed ? 0 : map->ids};
    text_map_box(&part, vec3(64, 64, 0), vec3(96, 128, 64), "wall");
    bytes_append_text(&part.text, "%c", 0);
    const char *solids = (const char *)part.text.data;
    const char *light = "light\" origin \"200 200 64\" _light \"1 2 3 4\" targetname \"lamp";
    if (!placed)
        bytes_append_text(&map->text, "%s", solids);
    map->ids = part.ids + 100;
    text_map_entity(map, "info_player_start", "origin \"32 32 32\"");
    if (placed) {
        struct bytes text = {0};
        bytes_append_text(
            &text, "world { id 1 classname worldspawn\n%s}\nentity { id 2 classname \"%s\" }",
            solids, light);
        assert_int_equal(map->fs->ops->write(map->fs, "maps/part.vmf", text.data, text.size), 0);
        bytes_free(&text);
        text_map_entity(map, "func_instance", "file part fixup_style 2");
    } else {
        bytes_append_text(&map->text, "}\nentity { id 900 classname \"%s\"\n", light);
    }
    bytes_free(&part.text);
    text_map_compile(map, STATUS_OK);
}

/* The file without its entities, which differ by their numbers. */
static void encode(struct text_map *map, struct bytes *out)
{
    arrsetlen(map->bsp->entities, 0);
    assert_int_equal(bsp_encode(map->bsp, bsp_format_find("sdk2013"), "a.bsp", map->diag, out),
                     STATUS_OK);
}

static void an_instance_at_the_origin_is_its_contents_pasted(void **state)
{
    (void)state;
    struct text_map pasted, placed;
    make_room(&pasted, false);
    make_room(&placed, true);
    struct bytes a = {0}, b = {0};
    encode(&pasted, &a);
    encode(&placed, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    bytes_free(&a);
    bytes_free(&b);
    assert_int_equal(arrlen(pasted.level.entities), arrlen(placed.level.entities));
    text_map_free(&pasted);
    text_map_free(&placed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

SUITE(test_instances)
{
    const struct CMUnitTest tests[] = {
        TEST(solids_are_moved_with_their_textures),
        TEST(angles_turn_as_the_games_do),
        TEST(models_are_turned_by_their_angles),
        TEST(names_get_the_style_of_the_instance),
        TEST(outputs_of_nested_instances_keep_their_parts),
        TEST(outputs_cross_the_border),
        cmocka_unit_test(turned_planes_are_snapped),
        TEST(variables_are_replaced),
        TEST(an_fgd_says_what_keys_are),
        TEST(names_of_the_file_tell_what_names_are),
        TEST(more_values_hold_names),
        TEST(a_missing_fgd_is_reported),
        TEST(numbers_stay_unique),
        TEST(overlays_of_water_are_turned),
        TEST(displacements_are_turned),
        TEST(every_missing_file_is_reported),
        TEST(missing_files_can_be_warnings),
        TEST(what_is_said_names_the_chain),
        TEST(recursion_is_refused),
        TEST(multiplication_ends),
        TEST(files_are_found_in_all_places),
        cmocka_unit_test(an_instance_at_the_origin_is_its_contents_pasted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
