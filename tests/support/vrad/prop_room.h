/* A dark room with a light and static props, whose models are made in memory. */
#ifndef TESTS_PROP_ROOM_H
#define TESTS_PROP_ROOM_H

#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/lumps/static_props.h"
#include "tests/support/model_files.h"
#include "tests/support/near.h"
#include "tests/support/physics_solids.h"
#include "tests/support/room_bsp.h"
#include "tests/support/vrad/on_ranks.h"

#define METRES  0.0254
#define LIGHT_Z 200.0

/* Of the light, at distance 1. */
#define INTENSITY 200e4

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"256 256 200\"\n"
                                   "\"_light\" \"255 255 255 200\"\n\"_quadratic_attn\" \"1\"\n}\n";

struct fixture {
    struct bsp *bsp;
    struct diag *diag;
    struct env env;
    struct vrad_options options;
    struct static_props props;
    int ranks; /* that light it; 0: no others */
};

/* A room of 512 x 512 x 256 without reflected light. */
static inline void begin(struct fixture *f)
{
    *f = (struct fixture){.bsp = room_new(vec3(512, 512, 256), 0, NULL),
                          .diag = diag_new(NULL, NULL),
                          .options = vrad_defaults};
    f->env = (struct env){.diag = f->diag, .threads = 2, .fs = fs_memory_new()};
    arrput(f->bsp->areas, (struct bsp_area){0}); /* without it other ranks refuse the file */
    f->options.bounce = 0;
    f->options.props.lighting = true;
}

static inline void end(struct fixture *f)
{
    static_props_free(&f->props);
    fs_memory_free(f->env.fs);
    bsp_free(f->bsp);
    diag_free(f->diag);
}

/* Compares runs: *first keeps the result of the first one, the others must have the same bytes. */
static inline void expect_same_pakfile(const struct fixture *f, struct bytes *first)
{
    const struct bytes *pakfile = &f->bsp->pakfile;
    if (!first->size)
        bytes_append(first, pakfile->data, pakfile->size);
    assert_int_equal(pakfile->size, first->size);
    assert_memory_equal(pakfile->data, first->data, first->size);
}

static inline void put_file(struct fixture *f, const char *name, const char *extension,
                            const struct bytes *data)
{
    char path[128];
    snprintf(path, sizeof path, "game/models/%s%s", name, extension);
    f->env.fs->ops->write(f->env.fs, path, data->data, data->size);
}

/* A model whose render mesh is a box with all normals up. The box of the MDL is `box` to each side;
 * 0: none. */
static inline void put_model(struct fixture *f, const char *name, int flags, double half, float box)
{
    const double sides[3] = {half, half, half};
    struct model_files files = model_files_box(48, flags, sides);
    for (size_t k = 0; k < 3; k++) {
        uint32_t low, high;
        const float mins = -box;
        memcpy(&low, &mins, sizeof low);
        memcpy(&high, &box, sizeof high);
        model_files_put(&files.mdl, 104 + 4 * k, low);
        model_files_put(&files.mdl, 116 + 4 * k, high);
    }
    put_file(f, name, ".mdl", &files.mdl);
    put_file(f, name, ".vvd", &files.vvd);
    put_file(f, name, ".dx90.vtx", &files.vtx);
    model_files_free(&files);
}

/* A collision model: a box, `half` to each side and `height` up and down. */
static inline void put_hull(struct fixture *f, const char *name, double half, double height)
{
    /* The file's y is the map's -z, and so on. */
    const float high[3] = {(float)(half * METRES), (float)(height * METRES),
                           (float)(half * METRES)};
    const float low[3] = {-high[0], -high[1], -high[2]};
    struct physics_solid solid = {.kind = PHYSICS_POLY, .radius = 1};
    struct bytes file = {0}, data = {0};
    physics_add_box(&solid, low, high, false, 0);
    for (size_t i = 0; i < arrlenu(solid.triangles); i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3 * HULL_BOX_TRIANGLES; j++) {
                const struct physics_triangle *other = &solid.triangles[j / 3];
                if (other->edges[j % 3].point == solid.triangles[i].edges[(k + 1) % 3].point &&
                    other->edges[(j + 1) % 3].point == solid.triangles[i].edges[k].point)
                    solid.triangles[i].edges[k].twin = j;
            }
    arrput(solid.nodes, physics_box_node(low, high, 0, 0));
    assert_int_equal(physics_solid_encode(&solid, NULL, f->diag, &data), STATUS_OK);
    bytes_u32(&file, 16);
    bytes_u32(&file, 0);
    bytes_u32(&file, 1);
    bytes_u32(&file, BOX_CHECKSUM);
    bytes_u32(&file, (uint32_t)data.size);
    bytes_append(&file, data.data, data.size);
    bytes_u8(&file, 0);
    put_file(f, name, ".phy", &file);
    bytes_free(&file);
    bytes_free(&data);
    physics_solid_free(&solid);
}

static inline struct static_prop *put_prop(struct fixture *f, const char *name, struct vec3 origin)
{
    struct static_prop prop = static_prop_default();
    char path[64];
    snprintf(path, sizeof path, "models/%s.mdl", name);
    size_t model = 0;
    while (model < arrlenu(f->props.models) && strcmp(f->props.models[model], path) != 0)
        model++;
    if (model == arrlenu(f->props.models)) {
        char *copy = memory_zalloc(sizeof path, 1);
        strcpy(copy, path);
        arrput(f->props.models, copy);
    }
    for (int k = 0; k < 3; k++)
        prop.origin[k] = (float)origin.e[k];
    prop.model = (int32_t)model;
    prop.solid = STATIC_PROP_SOLID_MODEL;
    arrput(f->props.props, prop);
    return &arrlast(f->props.props);
}

static inline void put_game_lump(struct fixture *f, uint32_t id, int version, struct bytes data)
{
    const struct bsp_game_lump lump = {.id = id, .version = (uint16_t)version, .data = data};
    arrput(f->bsp->game_lumps, lump);
}

static inline void light(struct fixture *f, const char *entities)
{
    static const char *const folders[] = {"game"};
    const struct assets_options look_up = {.search_paths = folders, .search_path_count = 1};
    struct assets *assets;
    if (arrlen(f->props.props)) {
        struct bytes data = {0};
        struct record_range_error range_error;
        assert_true(
            static_props_encode(&f->props, STATIC_PROP_6, ORDER_LITTLE, &data, &range_error));
        put_game_lump(f, STATIC_PROPS_ID, 6, data);
    }
    room_set_entities(f->bsp, entities);
    struct bytes nothing = {0};
    bytes_append(&nothing, "x", 1);
    f->env.fs->ops->write(f->env.fs, "game/x", nothing.data, nothing.size);
    bytes_free(&nothing);
    assert_int_equal(assets_open(&f->env, &look_up, &assets), STATUS_OK);
    assert_int_equal(vrad_run_on_ranks(f->ranks, &f->env, &f->options, assets, f->bsp), STATUS_OK);
    assets_free(assets);
}

/* Reads a file of the map's pakfile into *out; false, and empty, when there is none. */
static inline bool unpack(const struct fixture *f, const char *name, struct bytes *out)
{
    struct pakfile pakfile;
    *out = (struct bytes){0};
    assert_int_equal(pakfile_decode(&f->bsp->pakfile, NULL, f->diag, &pakfile), STATUS_OK);
    const struct pakfile_file *file = pakfile_find(&pakfile, name);
    if (file)
        assert_int_equal(pakfile_extract(file, NULL, f->diag, out), STATUS_OK);
    pakfile_free(&pakfile);
    return file;
}

/* Light as stored with a prop. */
static inline int stored(double value)
{
    return (int)(255 * 0.5 * pow(fmax(value, 0) / 255, 1 / 2.2) + 0.5);
}

/* Allows one step of rounding. */
static inline void expect_stored(int got, double value)
{
    assert_in_range(got + 1, stored(value), stored(value) + 2);
}

/* The light at the middle of the floor, and the size of its shadow there. */
#define UNDER (INTENSITY / (LIGHT_Z * LIGHT_Z))

static inline double middle_of_floor(const struct fixture *f)
{
    return room_grey(f->bsp, ROOM_FLOOR, 16, 16);
}

/* 64 units from the middle: in the shadow of a box of 40 units to each side at height 100, outside
 * that of one of 8. */
static inline double beside_middle(const struct fixture *f)
{
    return room_grey(f->bsp, ROOM_FLOOR, 20, 16);
}

static inline double direct_light_at(double x, double y, double z)
{
    double up = LIGHT_Z - z, square = x * x + y * y + up * up;
    return INTENSITY * up / (square * sqrt(square));
}

#endif
