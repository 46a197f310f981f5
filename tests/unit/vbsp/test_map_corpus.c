/* The .map sources of OpenArena's community maps, where they are installed, against the maps that
 * were compiled of them; and those of the corpus. */
#include "tests/support/suite.h"

#include "common/core/strings.h"
#include "common/geom/plane.h"
#include "common/io/zip.h"
#include "tests/support/bsp_files.h"
#include "tests/support/vbsp/map_text.h"

#define ARCHIVE "/usr/share/games/openarena/baseoa/z_oacmp-volume1-v3.pk3"
#define Q3MAPS  SHARED_DIR "/corpus/q3maps"

enum { FILE_MAX = 64 << 20, OACMP_MAPS = 13 };

/* Image sizes from which the one is taken that fits most vertices of a shader: those of today's
 * packages are not always those of the day. */
enum { SIZES = 8, MIN_SIZE = 16 };

struct archive {
    struct bytes file;
    struct zip zip;
    struct diag *diag;
};

static bool open_archive(struct archive *archive)
{
    *archive = (struct archive){.diag = diag_new(bsp_print_entry, NULL)};
    if (fs_disk()->ops->read(fs_disk(), ARCHIVE, &archive->file) != 0)
        return false;
    struct diag_where where = {.file = ARCHIVE};
    assert_int_equal(
        zip_read(archive->file.data, archive->file.size, &where, archive->diag, &archive->zip),
        STATUS_OK);
    return true;
}

static void close_archive(struct archive *archive)
{
    zip_free(&archive->zip);
    bytes_free(&archive->file);
    diag_free(archive->diag);
}

static struct bytes take(struct archive *archive, const char *name)
{
    struct bytes out = {0};
    struct diag_where where = {.file = ARCHIVE};
    for (size_t i = 0; i < arrlenu(archive->zip.members); i++)
        if (str_equal_nocase(archive->zip.members[i].name, name))
            assert_int_equal(
                zip_unpack(&archive->zip.members[i], FILE_MAX, &where, archive->diag, &out),
                STATUS_OK);
    if (!out.size)
        fail_msg("%s is not in the archive", name);
    return out;
}

static struct map_text parsed(const struct bytes *text, const char *name)
{
    struct map_text out = {.diag = diag_new(bsp_print_entry, NULL)};
    out.status = map_parse((const char *)text->data, text->size, name, out.diag, &out.map);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(diag_entries(out.diag), 0);
    return out;
}

/* Lines that begin with the word, after blanks. */
static size_t count_lines(const struct bytes *text, const char *word)
{
    size_t count = 0, length = strlen(word);
    bool begins = true;
    for (size_t i = 0; i + length <= text->size; i++) {
        unsigned char c = text->data[i];
        count += begins && memcmp(text->data + i, word, length) == 0;
        begins = c == '\n' || (begins && c <= ' ');
    }
    return count;
}

static void same_counts(const struct map_text *map, const struct bytes *text)
{
    size_t solids = 0, patches = 0, sides = 0;
    for (size_t i = 0; i < arrlenu(map->map.entities); i++) {
        const struct map_entity *entity = &map->map.entities[i];
        solids += arrlenu(entity->solids);
        patches += arrlenu(entity->patches);
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            sides += arrlenu(entity->solids[j].sides);
    }
    assert_int_equal(arrlen(map->map.entities), count_lines(text, "\"classname\""));
    assert_int_equal(patches, count_lines(text, "patchDef2"));
    assert_int_equal(solids + patches, count_lines(text, "// brush"));
    /* Lines that begin with a point: "( ( " is a patch's. */
    assert_int_equal(sides, count_lines(text, "( ") - count_lines(text, "( ( ") - patches);
}

/* Faces and vertices of one shader of the world. */
struct candidate {
    const struct map_side *side;
    struct plane plane;
};

struct tally {
    size_t vertices, matched;
};

static struct candidate *faces_of(const struct level *map, const char *shader)
{
    struct candidate *out = NULL;
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        for (size_t j = 0; j < arrlenu(map->entities[i].solids); j++) {
            const struct map_side *sides = map->entities[i].solids[j].sides;
            for (size_t k = 0; k < arrlenu(sides); k++) {
                const struct vec3 *p = sides[k].points;
                struct candidate face = {.side = &sides[k]};
                if (str_equal_nocase(sides[k].material, shader) &&
                    plane_from_points(p[0], p[1], p[2], &face.plane))
                    arrput(out, face);
            }
        }
    }
    return out;
}

static bool within(double a, double b)
{
    double off = a - b;
    return fabs(off - rint(off)) < 1e-4; /* the compiler moves coordinates by whole images */
}

/* A bit for each pair of sizes with which one of the faces gives the vertex its coordinates. */
static uint64_t fitting_sizes(const struct candidate *faces, const struct bsp_draw_vertex *vertex)
{
    struct vec3 p = vec3_from_floats(vertex->p), n = vec3_from_floats(vertex->normal);
    uint64_t fits = 0;
    for (size_t i = 0; i < arrlenu(faces); i++) {
        if (fabs(plane_distance(&faces[i].plane, p)) > 0.05 ||
            vec3_dot(faces[i].plane.normal, n) < 0.9999)
            continue;
        double u = map_coordinate(&faces[i].side->u, p), v = map_coordinate(&faces[i].side->v, p);
        for (int j = 0; j < SIZES * SIZES; j++)
            if (within(u / (MIN_SIZE << j % SIZES), (double)vertex->texture[0]) &&
                within(v / (MIN_SIZE << j / SIZES), (double)vertex->texture[1]))
                fits |= UINT64_C(1) << j;
    }
    return fits;
}

/* A shader's image has one size: that with which most of its vertices fit. */
static void match_shader(const struct level *map, const struct bsp *bsp, int shader,
                         struct tally *tally)
{
    struct candidate *faces = faces_of(map, bsp->shaders[shader].name);
    size_t counts[SIZES * SIZES] = {0}, vertices = 0, max = 0;
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_surface *surface = &bsp->surfaces[bsp->models[0].first_face + i];
        if (surface->shader != shader || surface->type != SURFACE_PLANAR)
            continue;
        for (int j = 0; j < surface->vertex_count; j++) {
            uint64_t fits = fitting_sizes(faces, &bsp->draw_vertices[surface->first_vertex + j]);
            for (int k = 0; k < SIZES * SIZES; k++)
                counts[k] += fits >> k & 1;
            vertices++;
        }
    }
    for (int k = 0; k < SIZES * SIZES; k++)
        max = counts[k] > max ? counts[k] : max;
    tally->vertices += vertices;
    tally->matched += max;
    arrfree(faces);
}

static bool same_patch(const struct map_patch *patch, const struct bsp *bsp,
                       const struct bsp_surface *surface)
{
    const struct bsp_draw_vertex *vertices = &bsp->draw_vertices[surface->first_vertex];
    if (patch->columns != surface->patch_size[0] || patch->rows != surface->patch_size[1] ||
        !str_equal_nocase(patch->material, bsp->shaders[surface->shader].name))
        return false;
    for (int i = 0; i < patch->columns * patch->rows; i++) {
        struct vec3 p = vec3_from_floats(vertices[i].p);
        if (vec3_distance(p, patch->points[i].p) > 0.01 ||
            !within(patch->points[i].texture[0], (double)vertices[i].texture[0]) ||
            !within(patch->points[i].texture[1], (double)vertices[i].texture[1]))
            return false;
    }
    return true;
}

static void match_patches(const struct level *map, const struct bsp *bsp, struct tally *tally)
{
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_surface *surface = &bsp->surfaces[bsp->models[0].first_face + i];
        if (surface->type != SURFACE_PATCH)
            continue;
        bool found = false;
        for (size_t j = 0; j < arrlenu(map->entities) && !found; j++)
            for (size_t k = 0; k < arrlenu(map->entities[j].patches) && !found; k++)
                found = same_patch(&map->entities[j].patches[k], bsp, surface);
        tally->vertices++;
        tally->matched += found;
    }
}

static void match_map(struct archive *archive, const char *name, struct tally *faces,
                      struct tally *patches)
{
    char path[256];
    struct bsp *bsp;
    snprintf(path, sizeof path, "sources/maps/%s.map", name);
    struct bytes text = take(archive, path);
    snprintf(path, sizeof path, "maps/%s.bsp", name);
    struct bytes file = take(archive, path);
    struct map_text map = parsed(&text, name);
    same_counts(&map, &text);
    assert_int_equal(bsp_decode(file.data, file.size, path, archive->diag, &bsp), STATUS_OK);
    for (int i = 0; i < (int)arrlen(bsp->shaders); i++)
        match_shader(&map.map, bsp, i, faces);
    match_patches(&map.map, bsp, patches);
    bsp_free(bsp);
    map_text_free(&map);
    bytes_free(&text);
    bytes_free(&file);
}

static void sources_agree_with_what_was_compiled_of_them(void **state)
{
    (void)state;
    static const char *const names[OACMP_MAPS] = {
        "oacmpctf1", "oacmpctf2", "oacmpctf3", "oacmpdm1", "oacmpdm10", "oacmpdm2", "oacmpdm3",
        "oacmpdm4",  "oacmpdm5",  "oacmpdm6",  "oacmpdm7", "oacmpdm8",  "oacmpdm9",
    };
    struct archive archive;
    if (!open_archive(&archive)) {
        print_message("no maps at %s\n", ARCHIVE);
        close_archive(&archive);
        skip();
    }
    struct tally all_faces = {0}, all_patches = {0};
    for (int i = 0; i < OACMP_MAPS; i++) {
        struct tally faces = {0}, patches = {0};
        match_map(&archive, names[i], &faces, &patches);
        print_message("%s: %zu of %zu vertices, %zu of %zu patches\n", names[i], faces.matched,
                      faces.vertices, patches.matched, patches.vertices);
        all_faces.matched += faces.matched;
        all_faces.vertices += faces.vertices;
        all_patches.matched += patches.matched;
        all_patches.vertices += patches.vertices;
    }
    print_message("all: %zu of %zu vertices, %zu of %zu patches\n", all_faces.matched,
                  all_faces.vertices, all_patches.matched, all_patches.vertices);
    /* The compiler of the day moved vertices that are off the grid to eighths of a unit after it
     * had mapped them; one image is 48 texels high; two patches are not as their source has them.
     */
    assert_true(all_faces.vertices > 190000);
    assert_true(all_faces.matched * 1000 >= all_faces.vertices * 987);
    assert_true(all_patches.matched + 2 >= all_patches.vertices);
    close_archive(&archive);
}

static bool read_file(const char *path, struct bytes *out)
{
    *out = (struct bytes){0};
    return fs_disk()->ops->read(fs_disk(), path, out) == 0;
}

/* Each of the three points of each face, 64 texels being one. */
static void same_mapping(const struct level *a, const struct level *b)
{
    assert_int_equal(arrlen(a->entities), arrlen(b->entities));
    for (size_t i = 0; i < arrlenu(a->entities); i++) {
        assert_int_equal(arrlen(a->entities[i].solids), arrlen(b->entities[i].solids));
        for (size_t j = 0; j < arrlenu(a->entities[i].solids); j++) {
            const struct map_solid *s = &a->entities[i].solids[j], *t = &b->entities[i].solids[j];
            assert_int_equal(arrlen(s->sides), arrlen(t->sides));
            for (size_t k = 0; k < arrlenu(s->sides) * 3; k++) {
                const struct map_side *p = &s->sides[k / 3], *q = &t->sides[k / 3];
                struct vec3 at = p->points[k % 3];
                assert_string_equal(p->material, q->material);
                assert_true(vec3_distance(at, q->points[k % 3]) <= 0);
                assert_float_equal(map_coordinate(&p->u, at) / 64, map_coordinate(&q->u, at) / 64,
                                   1e-5);
                assert_float_equal(map_coordinate(&p->v, at) / 64, map_coordinate(&q->v, at) / 64,
                                   1e-5);
            }
        }
    }
}

static void a_map_and_its_valve_twin_map_alike(void **state)
{
    (void)state;
    struct archive archive;
    struct bytes valve;
    if (!open_archive(&archive) || !read_file(Q3MAPS "/oacmpdm8_v220.map", &valve)) {
        print_message("no maps at %s or %s\n", ARCHIVE, Q3MAPS);
        close_archive(&archive);
        skip();
    }
    struct bytes classic = take(&archive, "sources/maps/oacmpdm8.map");
    struct map_text a = parsed(&classic, "classic"), b = parsed(&valve, "valve");
    same_mapping(&a.map, &b.map);
    map_text_free(&a);
    map_text_free(&b);
    bytes_free(&classic);
    bytes_free(&valve);
    close_archive(&archive);
}

static void maps_of_the_corpus_parse(void **state)
{
    (void)state;
    static const char *const paths[] = {Q3MAPS "/feature_rooms.map", Q3MAPS "/oacmpdm8_v220.map",
                                        SHARED_DIR "/corpus/ibsp/mp_lobby.map"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct bytes text;
        if (!read_file(paths[i], &text)) {
            print_message("no corpus at %s\n", SHARED_DIR);
            skip();
        }
        struct map_text map = parsed(&text, paths[i]);
        assert_int_equal(arrlen(map.map.entities), count_lines(&text, "\"classname\""));
        map_text_free(&map);
        bytes_free(&text);
    }
}

SUITE(test_map_corpus)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_agree_with_what_was_compiled_of_them),
        cmocka_unit_test(a_map_and_its_valve_twin_map_alike),
        cmocka_unit_test(maps_of_the_corpus_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
