#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/rare_lumps.h"
#include "common/bsp/water_overlay_records.h"
#include "common/bsp/worldlight.h"
#include "common/diff/diff.h"
#include "common/text/entities.h"
#include "tests/support/bsp_files.h"

static const char *const names[2] = {"a.bsp", "b.bsp"};

static struct bsp *read_own(void)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct env env = {.diag = diag, .fs = fs_disk(), .threads = 1};
    struct bsp *bsp = NULL;
    assert_int_equal(bsp_read_file(&env, OWN_BSP, &bsp), STATUS_OK);
    diag_free(diag);
    return bsp;
}

static void print_diff(const struct bsp_diff *diff)
{
    for (size_t i = 0; i < arrlenu(diff->sections); i++) {
        const struct bsp_diff_section *section = &diff->sections[i];
        if (!section->differing)
            continue;
        print_message("%s: %lld differ\n", section->name, (long long)section->differing);
        for (size_t k = 0; k < arrlenu(section->figures); k++)
            print_message("  %s %g\n", section->figures[k].name, section->figures[k].value);
        for (size_t k = 0; k < arrlenu(section->examples); k++)
            print_message("  %s\n", section->examples[k]);
    }
}

static struct bsp_diff compare(const struct bsp *a, const struct bsp *b)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bsp_diff_options options = bsp_diff_defaults();
    struct bsp_diff diff = {0};
    assert_int_equal(bsp_diff(a, b, names, &options, diag, &diff), STATUS_OK);
    diag_free(diag);
    return diff;
}

static void assert_same(const struct bsp *a, const struct bsp *b)
{
    struct bsp_diff diff = compare(a, b);
    if (!bsp_diff_is_same(&diff))
        print_diff(&diff);
    assert_true(bsp_diff_is_same(&diff));
    for (size_t i = 0; i < arrlenu(diff.sections); i++)
        assert_int_equal(arrlen(diff.sections[i].examples), 0);
    bsp_diff_free(&diff);
}

static const struct bsp_diff_section *section_of(const struct bsp_diff *diff, const char *name)
{
    for (size_t i = 0; i < arrlenu(diff->sections); i++)
        if (strcmp(diff->sections[i].name, name) == 0)
            return &diff->sections[i];
    fail_msg("no section %s", name);
    return NULL;
}

static double figure_of(const struct bsp_diff_section *section, const char *name)
{
    for (size_t i = 0; i < arrlenu(section->figures); i++)
        if (strcmp(section->figures[i].name, name) == 0)
            return section->figures[i].value;
    return 0;
}

static void file_is_the_same_as_itself(void **state)
{
    (void)state;
    struct bsp *a = read_own(), *b = read_own();
    assert_same(a, b);
    bsp_free(a);
    bsp_free(b);
}

static void compressed_copy_is_the_same(void **state)
{
    (void)state;
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bsp *a = read_own(), *b = read_own(), *copy = NULL;
    struct bytes out = {0};
    b->encoding.compressed = true;
    assert_int_equal(bsp_encode(b, NULL, "copy", diag, &out), STATUS_OK);
    assert_true((int64_t)out.size < a->layout.size);
    assert_int_equal(bsp_decode(out.data, out.size, "copy", diag, &copy), STATUS_OK);
    assert_same(a, copy);
    bytes_free(&out);
    bsp_free(a);
    bsp_free(b);
    bsp_free(copy);
    diag_free(diag);
}

/* The same map as another compile would number it: every list is reversed. */

#define REVERSE(array)                                                                             \
    do {                                                                                           \
        for (size_t i_ = 0, n_ = arrlenu(array); i_ < n_ / 2; i_++) {                              \
            unsigned char t_[sizeof *(array)];                                                     \
            memcpy(t_, &(array)[i_], sizeof t_);                                                   \
            (array)[i_] = (array)[n_ - 1 - i_];                                                    \
            memcpy(&(array)[n_ - 1 - i_], t_, sizeof t_);                                          \
        }                                                                                          \
    } while (0)

static int turned(ptrdiff_t count, int index)
{
    return index < 0 ? index : (int)count - 1 - index;
}

static void turn_texinfo(struct bsp *bsp)
{
    ptrdiff_t count = arrlen(bsp->texinfo);
    REVERSE(bsp->texinfo);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        bsp->faces[i].texinfo = turned(count, bsp->faces[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->faces_hdr); i++)
        bsp->faces_hdr[i].texinfo = turned(count, bsp->faces_hdr[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        bsp->brush_sides[i].texinfo = turned(count, bsp->brush_sides[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        bsp->overlays[i].texinfo = turned(count, bsp->overlays[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        bsp->water_overlays[i].texinfo = turned(count, bsp->water_overlays[i].texinfo);
}

static int turned_plane(const struct bsp *bsp, int plane)
{
    return (int)arrlen(bsp->planes) - 2 - (plane & ~1) + (plane & 1);
}

static void turn_planes(struct bsp *bsp)
{
    struct bsp_plane *planes = NULL;
    for (int i = 0; i < arrlen(bsp->planes); i++)
        arrput(planes, bsp->planes[turned_plane(bsp, i)]);
    arrfree(bsp->planes);
    bsp->planes = planes;
    struct bsp_face *lists[] = {bsp->faces, bsp->faces_hdr, bsp->original_faces};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < arrlenu(lists[k]); i++)
            lists[k][i].plane = turned_plane(bsp, lists[k][i].plane);
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        bsp->nodes[i].plane = turned_plane(bsp, bsp->nodes[i].plane);
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        bsp->brush_sides[i].plane = turned_plane(bsp, bsp->brush_sides[i].plane);
    for (size_t i = 0; i < arrlenu(bsp->area_portals); i++)
        bsp->area_portals[i].plane = turned_plane(bsp, bsp->area_portals[i].plane);
    for (size_t i = 0; i < arrlenu(bsp->occluder_polygons); i++)
        bsp->occluder_polygons[i].plane = turned_plane(bsp, bsp->occluder_polygons[i].plane);
}

static void turn_brushes(struct bsp *bsp)
{
    ptrdiff_t count = arrlen(bsp->brushes);
    REVERSE(bsp->brushes);
    for (size_t i = 0; i < arrlenu(bsp->leaf_brushes); i++)
        bsp->leaf_brushes[i] = turned(count, bsp->leaf_brushes[i]);
}

/* A face keeps its model: the order is reversed within each. */
static int turned_face(const struct bsp *bsp, int face)
{
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        const struct bsp_model *model = &bsp->models[i];
        if (face >= model->first_face && face < model->first_face + model->face_count)
            return 2 * model->first_face + model->face_count - 1 - face;
    }
    return face;
}

#define TURN_FACES(bsp, array)                                                                     \
    do {                                                                                           \
        for (int i_ = 0; i_ < arrlen(array); i_++) {                                               \
            int k_ = turned_face(bsp, i_);                                                         \
            unsigned char t_[sizeof *(array)];                                                     \
            if (k_ <= i_)                                                                          \
                continue;                                                                          \
            memcpy(t_, &(array)[i_], sizeof t_);                                                   \
            (array)[i_] = (array)[k_];                                                             \
            memcpy(&(array)[k_], t_, sizeof t_);                                                   \
        }                                                                                          \
    } while (0)

static void turn_normals(struct bsp *bsp)
{
    int32_t *indices = NULL;
    for (int i = 0; i < arrlen(bsp->faces); i++) {
        int face = turned_face(bsp, i), first = 0;
        for (int k = 0; k < face; k++)
            first += bsp->faces[k].edge_count;
        for (int k = 0; k < bsp->faces[face].edge_count; k++)
            arrput(indices, bsp->vertex_normal_indices[first + k]);
    }
    arrfree(bsp->vertex_normal_indices);
    bsp->vertex_normal_indices = indices;
}

static void turn_faces(struct bsp *bsp)
{
    turn_normals(bsp);
    TURN_FACES(bsp, bsp->faces);
    TURN_FACES(bsp, bsp->faces_hdr);
    TURN_FACES(bsp, bsp->face_ids);
    TURN_FACES(bsp, bsp->face_macro_texture);
    for (size_t i = 0; i < arrlenu(bsp->leaf_faces); i++)
        bsp->leaf_faces[i] = turned_face(bsp, bsp->leaf_faces[i]);
    for (size_t i = 0; i < arrlenu(bsp->displacements); i++)
        bsp->displacements[i].face = turned_face(bsp, bsp->displacements[i].face);
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        for (int k = 0; k < bsp->overlays[i].face_count; k++)
            bsp->overlays[i].faces[k] = turned_face(bsp, bsp->overlays[i].faces[k]);
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        for (int k = 0; k < bsp->water_overlays[i].face_count; k++)
            bsp->water_overlays[i].faces[k] = turned_face(bsp, bsp->water_overlays[i].faces[k]);
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        if (bsp->nodes[i].face_count)
            bsp->nodes[i].first_face =
                turned_face(bsp, bsp->nodes[i].first_face + bsp->nodes[i].face_count - 1);
}

/* Leaf 0 stays: it is the outside. */
static int turned_leaf(const struct bsp *bsp, int leaf)
{
    return leaf ? (int)arrlen(bsp->leaves) - leaf : 0;
}

#define TURN_LEAVES(bsp, array)                                                                    \
    do {                                                                                           \
        for (int i_ = 1; i_ < arrlen(array); i_++) {                                               \
            int k_ = turned_leaf(bsp, i_);                                                         \
            unsigned char t_[sizeof *(array)];                                                     \
            if (k_ <= i_)                                                                          \
                break;                                                                             \
            memcpy(t_, &(array)[i_], sizeof t_);                                                   \
            (array)[i_] = (array)[k_];                                                             \
            memcpy(&(array)[k_], t_, sizeof t_);                                                   \
        }                                                                                          \
    } while (0)

static void turn_leaves(struct bsp *bsp)
{
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        for (int k = 0; k < 2; k++) {
            int32_t *child = &bsp->nodes[i].children[k];
            *child = *child < 0 ? -1 - turned_leaf(bsp, -1 - *child) : *child;
        }
    for (size_t i = 0; i < arrlenu(bsp->ldr.ambient_index); i++) {
        struct bsp_ambient_index *ldr = &bsp->ldr.ambient_index[i];
        struct bsp_ambient_index *hdr = &bsp->hdr.ambient_index[i];
        ldr->first = ldr->count ? ldr->first : turned_leaf(bsp, ldr->first);
        hdr->first = hdr->count ? hdr->first : turned_leaf(bsp, hdr->first);
    }
    TURN_LEAVES(bsp, bsp->leaves);
    TURN_LEAVES(bsp, bsp->leaf_min_dist_to_water);
    TURN_LEAVES(bsp, bsp->ldr.ambient_index);
    TURN_LEAVES(bsp, bsp->hdr.ambient_index);
}

static void append_row(struct bytes *out, const unsigned char *row, int clusters)
{
    unsigned char turned_row[64] = {0};
    for (int i = 0; i < clusters; i++)
        if (row[i / 8] >> i % 8 & 1)
            turned_row[turned(clusters, i) / 8] |= (unsigned char)(1 << turned(clusters, i) % 8);
    for (int i = 0; i < (clusters + 7) / 8; i++) {
        bytes_u8(out, turned_row[i]);
        if (!turned_row[i])
            bytes_u8(out, 1);
    }
}

static void turn_clusters(struct bsp *bsp)
{
    int clusters = bsp_vis_clusters(bsp);
    struct bytes table = {0}, rows = {0};
    assert_in_range(clusters, 2, 512);
    bytes_u32(&table, (uint32_t)clusters);
    for (int i = 0; i < 2 * clusters; i++) {
        unsigned char row[64];
        bsp_vis_row(bsp, turned(clusters, i / 2), i % 2, row);
        bytes_u32(&table, (uint32_t)(4 + 8 * (size_t)clusters + rows.size));
        append_row(&rows, row, clusters);
    }
    bytes_append(&table, rows.data, rows.size);
    bytes_free(&rows);
    bytes_free(&bsp->visibility);
    bsp->visibility = table;
    struct bsp_light_set *sets[] = {&bsp->ldr, &bsp->hdr};
    for (int set = 0; set < 2; set++)
        for (size_t i = 0; i < arrlenu(sets[set]->worldlights); i++)
            sets[set]->worldlights[i].cluster = turned(clusters, sets[set]->worldlights[i].cluster);
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        bsp->leaves[i].cluster = turned(clusters, bsp->leaves[i].cluster);
}

static void turn_entities(struct bsp *bsp)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct entity_list list = {0};
    struct bytes text = {0};
    assert_int_equal(entities_parse(bsp->entities, arrlenu(bsp->entities), "map", diag, &list),
                     STATUS_OK);
    struct entity world = list.entities[0];
    arrdel(list.entities, 0);
    REVERSE(list.entities);
    arrins(list.entities, 0, world);
    entities_format(&list, &text);
    arrsetlen(bsp->entities, text.size);
    memcpy(bsp->entities, text.data, text.size);
    bytes_free(&text);
    entities_free(&list);
    diag_free(diag);
}

static void turn_lists(struct bsp *bsp)
{
    REVERSE(bsp->ldr.worldlights);
    REVERSE(bsp->overlays);
    REVERSE(bsp_rare(bsp)->overlay_fades);
    REVERSE(bsp_rare(bsp)->overlay_system_levels);
    REVERSE(bsp->occluders);
    REVERSE(bsp->original_faces);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        bsp->faces[i].original_face =
            turned(arrlen(bsp->original_faces), bsp->faces[i].original_face);
}

static void turn_names(struct bsp *bsp)
{
    REVERSE(bsp->texture_names);
    for (size_t i = 0; i < arrlenu(bsp->texdata); i++)
        bsp->texdata[i].name = turned(arrlen(bsp->texture_names), bsp->texdata[i].name);
    REVERSE(bsp->texdata);
    for (size_t i = 0; i < arrlenu(bsp->texinfo); i++)
        bsp->texinfo[i].texdata = turned(arrlen(bsp->texdata), bsp->texinfo[i].texdata);
}

static void renumbered_map_is_the_same(void **state)
{
    static void (*const turns[])(struct bsp *) = {turn_texinfo,  turn_planes, turn_brushes,
                                                  turn_faces,    turn_leaves, turn_clusters,
                                                  turn_entities, turn_lists,  turn_names};
    (void)state;
    struct bsp *a = read_own(), *all = read_own();
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct bsp *b = read_own();
        turns[i](b);
        turns[i](all);
        assert_same(a, b);
        bsp_free(b);
    }
    assert_same(a, all);
    assert_same(all, a);
    bsp_free(a);
    bsp_free(all);
}

/* Single changes: only their section reports them. */

static void change_a_key(struct bsp *bsp)
{
    static const char from[] = "\"origin\" \"", *at = NULL;
    for (size_t i = 0; i + sizeof from < arrlenu(bsp->entities) && !at; i++)
        if (memcmp(bsp->entities + i, from, sizeof from - 1) == 0)
            at = bsp->entities + i;
    assert_non_null(at);
    size_t place = (size_t)(at - bsp->entities) + sizeof from - 1;
    bsp->entities[place] = bsp->entities[place] == '9' ? '8' : '9';
    at = NULL;
}

static void fill_a_brush(struct bsp *bsp)
{
    bsp->brushes[3].contents ^= CONTENTS_PLAYERCLIP;
}

static void repaint_a_brush_side(struct bsp *bsp)
{
    struct bsp_brush_side *side = &bsp->brush_sides[bsp->brushes[3].first_side];
    for (int i = 0; i < arrlen(bsp->texinfo); i++)
        if (strcmp(bsp_texinfo_name(bsp, i), bsp_texinfo_name(bsp, side->texinfo)) != 0) {
            side->texinfo = i;
            return;
        }
}

static int lit_face(const struct bsp *bsp)
{
    for (int i = 0; i < arrlen(bsp->faces); i++)
        if (bsp->faces[i].light_offset > 0)
            return i;
    return 0;
}

static void light_a_luxel(struct bsp *bsp)
{
    unsigned char *luxel = bsp->ldr.lighting.data + bsp->faces[lit_face(bsp)].light_offset;
    luxel[3]++;
}

static void light_a_luxel_of_hdr(struct bsp *bsp)
{
    unsigned char *luxel = bsp->hdr.lighting.data + bsp->faces_hdr[lit_face(bsp)].light_offset;
    luxel[3]++;
}

static void darken_a_cube(struct bsp *bsp)
{
    bsp->ldr.ambient[20].cube[2].exponent--;
}

static void blind_a_cluster(struct bsp *bsp)
{
    unsigned char *row = bsp->visibility.data + load_u32(bsp->visibility.data + 4);
    assert_true(row[0] & 2);
    row[0] = (unsigned char)(row[0] & ~2u);
}

static void smooth_a_face(struct bsp *bsp)
{
    bsp->faces[7].smoothing_groups ^= 4;
}

static void dim_a_light(struct bsp *bsp)
{
    bsp->ldr.worldlights[2].intensity[1] *= 0.9f;
}

static void move_an_overlay(struct bsp *bsp)
{
    bsp->overlays[0].origin[0] += 5;
}

static void lift_a_displacement(struct bsp *bsp)
{
    struct bsp_disp_vertex *vertex = &bsp->disp_vertices[bsp->displacements[0].first_vertex + 5];
    vertex->vector[2] = 1;
    vertex->distance += 2;
}

static void key_an_area_portal(struct bsp *bsp)
{
    bsp->area_portals[1].key += 10;
}

static void flag_an_occluder(struct bsp *bsp)
{
    bsp->occluders[0].flags ^= 1;
}

static void widen_a_material(struct bsp *bsp)
{
    bsp->texdata[0].width *= 2;
}

static void raise_the_revision(struct bsp *bsp)
{
    bsp->revision++;
}

static void raise_the_flags(struct bsp *bsp)
{
    bsp->map_flags ^= 1;
}

static void add_a_cubemap(struct bsp *bsp)
{
    struct bsp_cubemap cubemap = {{10, 20, 30}, 6};
    arrput(bsp->cubemaps, cubemap);
}

static void flag_a_leaf(struct bsp *bsp)
{
    bsp->leaves[9].flags ^= LEAF_RADIAL;
}

static void carry_a_lump(struct bsp *bsp)
{
    bytes_append(&bsp->carried[LUMP_PHYSLEVEL].data, "abcd", 4);
}

static void turn_a_normal(struct bsp *bsp)
{
    int32_t first = bsp->vertex_normal_indices[0];
    for (int i = 0; i < arrlen(bsp->vertex_normals); i++)
        if (memcmp(&bsp->vertex_normals[i], &bsp->vertex_normals[first],
                   sizeof *bsp->vertex_normals) != 0)
            bsp->vertex_normal_indices[0] = i;
}

static const struct {
    void (*change)(struct bsp *bsp);
    const char *section, *figure;
} changes[] = {
    {change_a_key, "entities", "keys_changed"},
    {fill_a_brush, "brushes", "contents"},
    {repaint_a_brush_side, "brushes", "sides"},
    {light_a_luxel, "lightmaps", "luxels_differing"},
    {light_a_luxel_of_hdr, "lightmaps-hdr", "luxels_differing"},
    {darken_a_cube, "ambient", "cube_sides_differing"},
    {blind_a_cluster, "pvs", "pairs_only_in_a"},
    {smooth_a_face, "face-records", "smoothing"},
    {dim_a_light, "worldlights", "intensity"},
    {lift_a_displacement, "displacements", "shape"},
    {flag_an_occluder, "occluders", "changed"},
    {widen_a_material, "materials", "changed"},
    {raise_the_revision, "header", "revision"},
    {raise_the_flags, "map-flags", "changed"},
    {add_a_cubemap, "cubemaps", "only_in_b"},
    {flag_a_leaf, "leaves", "flags"},
    {carry_a_lump, "other-lumps", "bytes_differ"},
    {turn_a_normal, "normals", "faces_changed"},
};

static void every_change_is_found_alone(void **state)
{
    (void)state;
    struct bsp *a = read_own();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bsp *b = read_own();
        changes[i].change(b);
        struct bsp_diff diff = compare(a, b);
        const struct bsp_diff_section *section = section_of(&diff, changes[i].section);
        if (section->differing != 1 || figure_of(section, changes[i].figure) != 1)
            print_diff(&diff);
        assert_true(section->differing == 1);
        assert_true(figure_of(section, changes[i].figure) == 1);
        assert_int_equal(arrlen(section->examples), 1);
        for (size_t k = 0; k < arrlenu(diff.sections); k++)
            if (&diff.sections[k] != section && diff.sections[k].differing)
                fail_msg("change %zu: %s differs too", i, diff.sections[k].name);
        bsp_diff_free(&diff);
        bsp_free(b);
    }
    bsp_free(a);
}

/* A moved object is missing at its position, and new at another. */
static const struct {
    void (*move)(struct bsp *bsp);
    const char *section;
} moves[] = {{move_an_overlay, "overlays"}, {key_an_area_portal, "areaportals"}};

static void what_moves_is_in_one_map_only(void **state)
{
    (void)state;
    struct bsp *a = read_own();
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        struct bsp *b = read_own();
        moves[i].move(b);
        struct bsp_diff diff = compare(a, b);
        const struct bsp_diff_section *section = section_of(&diff, moves[i].section);
        assert_int_equal(section->differing, 2);
        assert_true(figure_of(section, "only_in_a") == 1);
        assert_true(figure_of(section, "only_in_b") == 1);
        bsp_diff_free(&diff);
        bsp_free(b);
    }
    bsp_free(a);
}

/* The brush gets planes of its own, 32 units up. */
static void moved_brush_is_told_with_its_place(void **state)
{
    (void)state;
    struct bsp *a = read_own(), *b = read_own();
    for (int i = 0; i < b->brushes[5].side_count; i++) {
        struct bsp_brush_side *side = &b->brush_sides[b->brushes[5].first_side + i];
        for (int k = 0; k < 2; k++) {
            struct bsp_plane plane = b->planes[side->plane ^ k];
            plane.dist += 32 * plane.normal[2];
            arrput(b->planes, plane);
        }
        side->plane = (int)arrlen(b->planes) - 2;
    }
    struct bsp_diff diff = compare(a, b);
    const struct bsp_diff_section *section = section_of(&diff, "brushes");
    assert_int_equal(section->differing, 2);
    assert_int_equal(arrlen(section->examples), 2);
    assert_non_null(strstr(section->examples[0], "only in A: brush 5 from "));
    assert_non_null(strstr(section->examples[1], "only in B: brush 5 from "));
    assert_int_equal(section_of(&diff, "faces")->differing, 0);
    bsp_diff_free(&diff);
    bsp_free(a);
    bsp_free(b);
}

static void pack(struct bsp *bsp, const char *name, const char *text)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct pakfile pakfile = {0};
    struct bytes out = {0};
    pakfile_put(&pakfile, "cfg/always.cfg", "echo", 4);
    pakfile_put(&pakfile, name, text, strlen(text));
    assert_int_equal(pakfile_encode(&pakfile, ZIP_STORED, NULL, diag, &out), STATUS_OK);
    bytes_free(&bsp->pakfile);
    bsp->pakfile = out;
    pakfile_free(&pakfile);
    diag_free(diag);
}

static void packed_files_compare_by_name_and_content(void **state)
{
    (void)state;
    struct bsp *a = read_own(), *b = read_own();
    pack(a, "materials/maps/one/x.vmt", "abc");
    pack(b, "Materials\\maps\\two\\x.vmt", "abc");
    assert_same(a, b);
    pack(b, "materials/maps/one/x.vmt", "abd");
    struct bsp_diff diff = compare(a, b);
    assert_true(figure_of(section_of(&diff, "pakfile"), "changed") == 1);
    assert_int_equal(section_of(&diff, "pakfile")->differing, 1);
    bsp_diff_free(&diff);
    pack(b, "materials/maps/one/y.vmt", "abc");
    diff = compare(a, b);
    assert_true(figure_of(section_of(&diff, "pakfile"), "only_in_a") == 1);
    assert_true(figure_of(section_of(&diff, "pakfile"), "only_in_b") == 1);
    bsp_diff_free(&diff);
    bytes_free(&b->pakfile);
    bytes_append(&b->pakfile, "no archive", 10);
    diff = compare(a, b);
    assert_true(figure_of(section_of(&diff, "pakfile"), "bytes_differ") == 1);
    bsp_diff_free(&diff);
    bsp_free(a);
    bsp_free(b);
}

static void set_entities(struct bsp *bsp, const char *text)
{
    arrsetlen(bsp->entities, strlen(text));
    memcpy(bsp->entities, text, strlen(text));
}

/* By number, in any order; by position; outputs in any order; numbers in any format. */
static void entities_are_matched_by_what_they_are(void **state)
{
    (void)state;
    struct bsp *a = read_own(), *b = read_own();
    set_entities(a, "{\n\"classname\" \"worldspawn\"\n}\n"
                    "{\n\"classname\" \"light\"\n\"hammerid\" \"7\"\n\"origin\" \"0 0 90\"\n}\n"
                    "{\n\"classname\" \"light\"\n\"hammerid\" \"8\"\n\"origin\" \"0 0 91\"\n}\n"
                    "{\n\"classname\" \"relay\"\n\"origin\" \"5 5 5\"\n\"out\" \"x\"\n\"out\" "
                    "\"y\"\n}\n");
    set_entities(b, "{\n\"classname\" \"worldspawn\"\n}\n"
                    "{\n\"out\" \"y\"\n\"OUT\" \"x\"\n\"origin\" \"5 5 5\"\n\"classname\" "
                    "\"relay\"\n}\n"
                    "{\n\"classname\" \"light\"\n\"hammerid\" \"8\"\n\"origin\" \"0 0 91.00\"\n}\n"
                    "{\n\"classname\" \"light\"\n\"hammerid\" \"7\"\n\"origin\" \"0.0 0 90\"\n}\n");
    assert_same(a, b);
    set_entities(b, "{\n\"classname\" \"worldspawn\"\n}\n"
                    "{\n\"out\" \"y\"\n\"out\" \"z\"\n\"origin\" \"5 5 5\"\n\"classname\" "
                    "\"relay\"\n}\n"
                    "{\n\"classname\" \"light\"\n\"hammerid\" \"8\"\n\"style\" \"1\"\n}\n");
    struct bsp_diff diff = compare(a, b);
    const struct bsp_diff_section *section = section_of(&diff, "entities");
    assert_int_equal(section->differing, 3);
    assert_true(figure_of(section, "changed") == 2);
    assert_true(figure_of(section, "only_in_a") == 1);
    assert_true(figure_of(section, "keys_changed") == 1);
    assert_true(figure_of(section, "keys_only_in_a") == 1);
    assert_true(figure_of(section, "keys_only_in_b") == 1);
    bsp_diff_free(&diff);
    bsp_free(a);
    bsp_free(b);
}

static void broken_entities_are_no_difference_but_a_failure(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp_diff_options options = bsp_diff_defaults();
    struct bsp *a = read_own(), *b = read_own();
    struct bsp_diff diff = {0};
    set_entities(b, "{\n\"classname\"");
    assert_int_equal(bsp_diff(a, b, names, &options, diag, &diff), STATUS_FAILED);
    assert_null(diff.sections);
    assert_true(diag_count(diag, DIAG_ERROR) > 0);
    bsp_free(a);
    bsp_free(b);
    diag_free(diag);
}

static void sections_and_examples_are_chosen(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp_diff_options options = bsp_diff_defaults();
    struct bsp *a = read_own(), *b = read_own();
    struct bsp_diff diff = {0};
    options.limit = 3;
    options.only = 1u << 1 | 1u << 2;
    for (int i = 10; i < arrlen(b->brushes); i++)
        b->brushes[i].contents ^= CONTENTS_PLAYERCLIP;
    assert_int_equal(bsp_diff(a, b, names, &options, diag, &diff), STATUS_OK);
    assert_int_equal(arrlen(diff.sections), 2);
    assert_string_equal(diff.sections[0].name, bsp_diff_section_name(1));
    assert_string_equal(diff.sections[1].name, "brushes");
    assert_int_equal(diff.sections[1].differing, arrlen(a->brushes) - 10);
    assert_int_equal(arrlen(diff.sections[1].examples), 3);
    bsp_diff_free(&diff);
    bsp_free(a);
    bsp_free(b);
    diag_free(diag);
}

/* A change below the tolerance is ignored. */
static void tolerances_hold(void **state)
{
    (void)state;
    struct bsp *a = read_own(), *b = read_own();
    for (size_t i = 0; i < arrlenu(b->vertices); i++)
        b->vertices[i].p[0] += 0.03f;
    for (size_t i = 0; i < arrlenu(b->ldr.worldlights); i++)
        b->ldr.worldlights[i].intensity[0] *= 1.002f;
    assert_same(a, b);
    bsp_free(a);
    bsp_free(b);
}

static void visit(void *context, const char *path, const struct bytes *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bsp *a = NULL, *b = NULL;
    (void)context;
    if (bsp_decode(file->data, file->size, path, diag, &a) == STATUS_OK) { /* some are refused */
        assert_int_equal(bsp_decode(file->data, file->size, path, diag, &b), STATUS_OK);
        assert_same(a, b);
    }
    bsp_free(a);
    bsp_free(b);
    diag_free(diag);
}

static void maps_of_the_corpus_are_the_same_as_themselves(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < BSP_CORPUS; i++)
        found += bsp_files_visit(bsp_corpus[i], visit, NULL);
    if (!found) {
        print_message("no corpus at %s\n", SHARED_DIR);
        skip();
    }
}

SUITE(test_bsp_diff)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_is_the_same_as_itself),
        cmocka_unit_test(compressed_copy_is_the_same),
        cmocka_unit_test(renumbered_map_is_the_same),
        cmocka_unit_test(every_change_is_found_alone),
        cmocka_unit_test(what_moves_is_in_one_map_only),
        cmocka_unit_test(moved_brush_is_told_with_its_place),
        cmocka_unit_test(packed_files_compare_by_name_and_content),
        cmocka_unit_test(entities_are_matched_by_what_they_are),
        cmocka_unit_test(broken_entities_are_no_difference_but_a_failure),
        cmocka_unit_test(sections_and_examples_are_chosen),
        cmocka_unit_test(tolerances_hold),
        cmocka_unit_test(maps_of_the_corpus_are_the_same_as_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
