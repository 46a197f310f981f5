#include "view/pack/structure.h"

#include <math.h>

#include "common/bsp/codec/limit_report.h"
#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/bsp/sidecar/prt.h"
#include "common/bsp/verify/verify.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/diag_json.h"

static void put_portal(const struct prt_portal *portal, struct bytes *portals, struct bytes *points)
{
    enum { POINT = 3 * sizeof(float) };
    bytes_i32(portals, portal->clusters[0]);
    bytes_i32(portals, portal->clusters[1]);
    bytes_u32(portals, (uint32_t)(points->size / POINT));
    bytes_u32(portals, (uint32_t)portal->winding->count);
    for (int i = 0; i < portal->winding->count; i++)
        for (int k = 0; k < 3; k++)
            bytes_f32(points, (float)portal->winding->points[i].e[k]);
}

void view_portals_pack(const struct bsp *bsp, const struct bytes *text, struct view_data *data)
{
    struct bytes portals = {0}, points = {0};
    struct prt prt = {0};
    struct diag *quiet = diag_new(NULL, NULL); /* a map without its portals can be seen */
    int clusters = bsp_vis_is_valid(bsp) ? bsp_vis_clusters(bsp) : 0;
    if (text->size &&
        prt_parse((const char *)text->data, text->size, "portals", quiet, &prt) == STATUS_OK)
        for (size_t i = 0; i < arrlenu(prt.portals) && prt.cluster_count == clusters; i++)
            put_portal(&prt.portals[i], &portals, &points);
    view_data_stream(data, "portals", &portals, 4 * sizeof(int32_t));
    view_data_stream(data, "portalPoints", &points, 3 * sizeof(float));
    prt_free(&prt);
    diag_free(quiet);
    bytes_free(&portals);
    bytes_free(&points);
}

enum { WORD = 4, MAX_ROWS = 64 << 20 /* bytes of all rows */ };

static void put_stream(struct view_data *data, const char *name, struct bytes *bytes, size_t words)
{
    view_data_stream(data, name, bytes, words * WORD);
    bytes_free(bytes);
}

static void put_floats(const float *values, size_t count, struct bytes *out)
{
    for (size_t i = 0; i < count; i++)
        bytes_f32(out, isfinite(values[i]) ? values[i] : 0);
}

static void put_ints(const int32_t *values, size_t count, struct bytes *out)
{
    for (size_t i = 0; i < count; i++)
        bytes_i32(out, values[i]);
}

/* --- the tree --- */

static void pack_tree(const struct bsp *bsp, struct view_data *data)
{
    struct bytes planes = {0}, nodes = {0}, leaves = {0};
    for (size_t i = 0; i < arrlenu(bsp->planes); i++) {
        put_floats(bsp->planes[i].normal, 3, &planes);
        put_floats(&bsp->planes[i].dist, 1, &planes);
    }
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++) {
        bytes_i32(&nodes, bsp->nodes[i].plane);
        put_ints(bsp->nodes[i].children, 2, &nodes);
    }
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        const int32_t row[7] = {leaf->contents,    leaf->cluster,     leaf->area,
                                leaf->first_brush, leaf->brush_count, leaf->first_face,
                                leaf->face_count};
        put_ints(row, 7, &leaves);
        put_ints(leaf->mins, 3, &leaves);
        put_ints(leaf->maxs, 3, &leaves);
    }
    put_stream(data, "planes", &planes, 4);
    put_stream(data, "nodes", &nodes, 3);
    put_stream(data, "leaves", &leaves, 13);
}

static void pack_lists(const struct bsp *bsp, struct view_data *data)
{
    struct bytes faces = {0}, brushes = {0};
    put_ints(bsp->leaf_faces, arrlenu(bsp->leaf_faces), &faces);
    put_ints(bsp->leaf_brushes, arrlenu(bsp->leaf_brushes), &brushes);
    put_stream(data, "leafFaces", &faces, 1);
    put_stream(data, "leafBrushes", &brushes, 1);
}

static void pack_brushes(const struct bsp *bsp, struct view_data *data)
{
    struct bytes brushes = {0}, sides = {0}, models = {0};
    for (size_t i = 0; i < arrlenu(bsp->brushes); i++) {
        const struct bsp_brush *brush = &bsp->brushes[i];
        bool ibsp = arrlen(bsp->shaders) > 0;
        bytes_i32(&brushes, brush->first_side);
        bytes_i32(&brushes, brush->side_count);
        bytes_i32(&brushes, ibsp ? bsp->shaders[brush->shader].contents : brush->contents);
    }
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        bytes_i32(&sides, bsp->brush_sides[i].plane);
    for (size_t i = 0; i < arrlenu(bsp->models); i++) {
        bytes_i32(&models, bsp->models[i].head_node);
        bytes_i32(&models, bsp->models[i].first_brush);
        bytes_i32(&models, bsp->models[i].brush_count);
        put_floats(bsp->models[i].mins, 3, &models);
        put_floats(bsp->models[i].maxs, 3, &models);
    }
    put_stream(data, "brushes", &brushes, 3);
    put_stream(data, "sides", &sides, 1);
    put_stream(data, "models", &models, 9);
}

static void pack_rows(const struct bsp *bsp, struct view_data *data)
{
    int clusters = bsp_vis_is_valid(bsp) ? bsp_vis_clusters(bsp) : 0;
    size_t row = ((size_t)clusters + 7) / 8;
    struct bytes rows = {0};
    if (clusters <= 0 || row * (size_t)clusters > MAX_ROWS)
        return;
    for (int i = 0; i < clusters; i++)
        bsp_vis_row(bsp, i, false, bytes_extend(&rows, row));
    view_data_stream(data, "rows", &rows, row);
    bytes_free(&rows);
}

/* --- faces --- */

static float units_per_luxel(const struct bsp_texinfo *texinfo)
{
    const float *v = texinfo->lightmap[0];
    float size = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return size > 0 ? 1 / size : 0;
}

static void put_face(const struct bsp *bsp, const struct bsp_face *face, int side_id,
                     struct bytes *out)
{
    static const struct bsp_texinfo none = {.texdata = -1};
    const struct bsp_texinfo *texinfo = face->texinfo >= 0 ? &bsp->texinfo[face->texinfo] : &none;
    bytes_i32(out, side_id);
    bytes_i32(out, texinfo->texdata >= 0 ? bsp->texdata[texinfo->texdata].name : -1);
    bytes_i32(out, face->lightmap_size[0] + 1);
    bytes_i32(out, face->lightmap_size[1] + 1);
    bytes_append(out, face->styles, BSP_FACE_STYLES);
    bytes_i32(out, texinfo->flags);
    bytes_i32(out, face->light_offset >= 0);
    bytes_f32(out, units_per_luxel(texinfo));
    put_floats(&face->area, 1, out);
    bytes_i32(out, face->texinfo);
}

static float page_luxel(const struct bsp_surface *surface)
{
    const float *v = surface->lightmap_vectors[0];
    float size = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return surface->type == SURFACE_PLANAR && isfinite(size) ? size : 0;
}

static void put_surface(const struct bsp *bsp, const struct bsp_surface *surface, struct bytes *out)
{
    bytes_i32(out, -1);
    bytes_i32(out, surface->shader);
    bytes_i32(out, surface->lightmap_size[0]);
    bytes_i32(out, surface->lightmap_size[1]);
    bytes_u32(out, surface->lightmap >= 0 ? 0xffffff00u : 0xffffffffu);
    bytes_i32(out, bsp->shaders[surface->shader].surface_flags);
    bytes_i32(out, surface->lightmap >= 0);
    bytes_f32(out, page_luxel(surface));
    bytes_f32(out, 0);
    bytes_i32(out, -1);
}

static void pack_faces(const struct map_scene *scene, struct view_data *data)
{
    const struct bsp *bsp = scene->bsp;
    const struct bsp_face *faces = bsp_faces_of(bsp, scene->light);
    struct bytes out = {0};
    for (size_t i = 0; i < arrlenu(bsp->faces) && arrlen(bsp->surfaces) == 0; i++)
        put_face(bsp, &faces[i], i < arrlenu(bsp->face_ids) ? bsp->face_ids[i] : -1, &out);
    for (size_t i = 0; i < arrlenu(bsp->surfaces); i++)
        put_surface(bsp, &bsp->surfaces[i], &out);
    put_stream(data, "faces", &out, 10);
}

static void pack_names(const struct bsp *bsp, struct view_data *data)
{
    json_t *names = json_array();
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        json_array_append_new(names, diag_json_text(bsp->texture_names[i]));
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++) {
        char name[SHADER_NAME + 1] = {0};
        memcpy(name, bsp->shaders[i].name, SHADER_NAME);
        json_array_append_new(names, diag_json_text(name));
    }
    json_object_set_new(data->head, "names", names);
}

/* --- lights --- */

static void pack_lights(const struct bsp_light_set *light, struct view_data *data)
{
    struct bytes out = {0};
    for (size_t i = 0; i < arrlenu(light->worldlights); i++) {
        const struct bsp_worldlight *from = &light->worldlights[i];
        const float numbers[6] = {from->stopdot,  from->stopdot2, from->exponent,
                                  from->constant, from->linear,   from->quadratic};
        bytes_i32(&out, from->type);
        bytes_i32(&out, from->style);
        bytes_i32(&out, from->cluster);
        put_floats(from->origin, 3, &out);
        put_floats(from->intensity, 3, &out);
        put_floats(from->normal, 3, &out);
        put_floats(numbers, 6, &out);
    }
    put_stream(data, "lights", &out, 18);
}

void view_structure_pack(const struct map_scene *scene, struct view_data *data)
{
    pack_tree(scene->bsp, data);
    pack_lists(scene->bsp, data);
    pack_brushes(scene->bsp, data);
    pack_rows(scene->bsp, data);
    pack_faces(scene, data);
    pack_names(scene->bsp, data);
    pack_lights(scene->light, data);
}

/* --- texts --- */

/* More than any leak has. */
enum { MAX_POINTS = 100000, LINE = 256 };

void view_entities_pack(const struct entity_list *entities, struct view_data *data)
{
    json_t *list = json_array();
    for (size_t i = 0; i < arrlenu(entities->entities); i++) {
        const struct entity *entity = &entities->entities[i];
        json_t *row = json_array();
        for (size_t k = 0; k < arrlenu(entity->pairs); k++) {
            json_array_append_new(row, diag_json_text(entity->pairs[k].key));
            json_array_append_new(row, diag_json_text(entity->pairs[k].value));
        }
        json_array_append_new(list, row);
    }
    json_object_set_new(data->head, "entities", list);
}

/* ---- checks ---- */

static json_t *limits_of(const struct bsp *bsp)
{
    struct limit_report report;
    json_t *rows = json_array();
    limit_report_make(bsp, bsp->format, &report);
    const struct limit_use **uses = limit_report_by_fullness(&report);
    for (size_t i = 0; i < arrlenu(uses); i++) {
        json_t *row = json_array();
        json_array_append_new(row, json_string(uses[i]->limit->name));
        json_array_append_new(row, json_integer(uses[i]->used));
        json_array_append_new(row, json_integer(uses[i]->limit->maximum));
        json_array_append_new(rows, row);
    }
    arrfree(uses);
    limit_report_free(&report);
    return rows;
}

static json_t *fault_of(const struct diag_entry *entry)
{
    const struct diag_info *info = diag_info(entry->code);
    json_t *row = json_object();
    json_object_set_new(row, "code", json_string(info->code));
    json_object_set_new(row, "title", json_string(info->title));
    json_object_set_new(row, "message", diag_json_text(entry->message));
    if (entry->where.has_point)
        json_object_set_new(row, "point", view_numbers(entry->where.point, 3));
    return row;
}

void view_checks_pack(const struct bsp *bsp, const char *name, struct view_data *data)
{
    struct diag *diag = diag_new(NULL, NULL);
    json_t *faults = json_array();
    (void)!bsp_verify(bsp, name, diag); /* a map with faults can be seen */
    for (size_t i = 0; i < diag_entries(diag); i++)
        json_array_append_new(faults, fault_of(diag_entry(diag, i)));
    diag_free(diag);
    json_object_set_new(data->head, "faults", faults);
    json_object_set_new(data->head, "limits", bsp->format ? limits_of(bsp) : json_array());
}

/* ---- the leak ---- */

void view_leak_pack(const struct bytes *text, struct view_data *data)
{
    json_t *points = json_array();
    const char *at = text->size ? (const char *)text->data : "", *end = at + text->size;
    while (at < end && json_array_size(points) < 3 * MAX_POINTS) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        char line[LINE] = {0};
        double numbers[3];
        if (length >= sizeof line)
            break;
        memcpy(line, at, length);
        if (str_to_doubles(line, numbers, 3) != 3)
            break;
        json_t *three = view_numbers(numbers, 3);
        json_array_extend(points, three);
        json_decref(three);
        at += length + 1;
    }
    json_object_set_new(data->head, "leak", points);
}
