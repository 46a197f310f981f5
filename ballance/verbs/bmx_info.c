/* brushwork bmx info: the content of a BM file. */
#include <stdlib.h>
#include <string.h>

#include "ballance/bmx/names.h"
#include "ballance/verbs/bmx.h"
#include "brushwork/shared/verb_options.h"
#include "common/core/array.h"

enum { NAME_WIDTH = 36 };

static const char details[] =
    "Prints version, comment and bounds of each BM file, its components by kind, its objects with "
    "their meshes and groups, its meshes with the number of their faces, materials, textures and "
    "archive members, and the number of findings of check. The exit status is 1 if a file has an "
    "error, which is reported. With --json, prints one JSON object per line and file on standard "
    "output. FILE may be - for standard input.";

struct info_values {
    struct standard_options standard;
};

/* A group and its number of objects. */
struct group {
    const struct bmx_text *name;
    size_t object, count;
};

struct info {
    const struct bmx_input *input;
    size_t components[BMX_COMPONENTS];
    struct group *groups; /* stb_ds array, sorted by name */
    const char *comment;
    struct arena arena;
};

static int compare_names(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    int order = bmx_text_compare(left->name, right->name);
    if (order)
        return order;
    return (left->object > right->object) - (left->object < right->object);
}

static void gather_groups(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    size_t last = 0;
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        for (size_t k = 0; k < arrlenu(bmx->objects[i].groups); k++)
            arrput(info->groups, ((struct group){&bmx->objects[i].groups[k], i, 1}));
    if (!info->groups)
        return;
    qsort(info->groups, arrlenu(info->groups), sizeof *info->groups, compare_names);
    for (size_t i = 1; i < arrlenu(info->groups); i++) {
        struct group *group = &info->groups[last], *next = &info->groups[i];
        if (bmx_text_compare(group->name, next->name) != 0) {
            info->groups[++last] = *next;
        } else {
            group->count += group->object != next->object;
            group->object = next->object;
        }
    }
    arrsetlen(info->groups, last + 1);
}

static void gather(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    info->comment = arena_strndup(
        &info->arena, bmx->comment.size ? (const char *)bmx->comment.data : "", bmx->comment.size);
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        if (bmx->objects[i].is_component && bmx->objects[i].mesh < BMX_COMPONENTS)
            info->components[bmx->objects[i].mesh]++;
    gather_groups(info);
}

static void print_count(const char *name, size_t count)
{
    size_t length = strlen(name);
    fputs("  ", stdout);
    print_safely(*name ? name : "(no name)", stdout);
    printf("%*s %7zu\n", length < NAME_WIDTH ? (int)(NAME_WIDTH - length) : 0, "", count);
}

static void print_summary(const struct info *info)
{
    const struct bmx_input *input = info->input;
    const struct bmx *bmx = input->bmx;
    const struct bmx_stats *stats = &input->stats;
    print_safely(input->path, stdout);
    printf(": BM 1.4, %zu bytes\ncomment     ", input->bytes);
    print_safely(*info->comment ? info->comment : "(none)", stdout);
    printf("\nobjects     %zu (components %zu, hidden %zu)\n", arrlenu(bmx->objects),
           stats->components, stats->hidden);
    printf("meshes      %zu (faces %zu, positions %zu, texture coordinates %zu, normals %zu)\n",
           arrlenu(bmx->meshes), stats->faces, stats->positions, stats->uvs, stats->normals);
    printf("materials   %zu\n", arrlenu(bmx->materials));
    printf("textures    %zu (embedded %zu)\n", arrlenu(bmx->textures), stats->internal_textures);
    if (stats->has_bounds)
        printf("bounds      %g %g %g to %g %g %g\n", stats->mins[0], stats->mins[1], stats->mins[2],
               stats->maxs[0], stats->maxs[1], stats->maxs[2]);
    printf("findings    errors %zu, warnings %zu\n", input->findings.by_severity[DIAG_ERROR],
           input->findings.by_severity[DIAG_WARNING]);
}

/* The name of a block for display, or a stand-in for one that does not exist. */
static const char *name_of(struct info *info, enum bmx_kind kind, uint32_t block)
{
    const struct bmx *bmx = info->input->bmx;
    return block < bmx_count(bmx, kind) ? bmx_text_utf8(bmx_name(bmx, kind, block), &info->arena)
                                        : NULL;
}

static const char *model_of(struct info *info, const struct bmx_object *object)
{
    if (object->is_component)
        return object->mesh < BMX_COMPONENTS ? bmx_component(object->mesh) : NULL;
    return name_of(info, BMX_MESH, object->mesh);
}

static void print_name(const char *before, const char *name)
{
    fputs(before, stdout);
    print_safely(name ? name : "(invalid)", stdout);
}

static void print_objects(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    if (arrlenu(bmx->objects))
        puts("\nobjects");
    for (uint32_t i = 0; i < arrlenu(bmx->objects); i++) {
        const struct bmx_object *object = &bmx->objects[i];
        print_name("  ", name_of(info, BMX_OBJECT, i));
        print_name(object->is_component ? ": component " : ": mesh ", model_of(info, object));
        for (size_t k = 0; k < arrlenu(object->groups); k++)
            print_name(k ? ", " : "; groups ", bmx_text_utf8(&object->groups[k], &info->arena));
        puts(object->is_hidden ? "; hidden" : "");
    }
}

static void print_meshes(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    if (arrlenu(bmx->meshes))
        puts("\nmeshes                                   faces");
    for (uint32_t i = 0; i < arrlenu(bmx->meshes); i++)
        print_count(name_of(info, BMX_MESH, i), arrlenu(bmx->meshes[i].faces));
}

static void print_materials(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    if (arrlenu(bmx->materials))
        puts("\nmaterials");
    for (uint32_t i = 0; i < arrlenu(bmx->materials); i++) {
        print_name("  ", name_of(info, BMX_MATERIAL, i));
        if (bmx->materials[i].use_texture)
            print_name(": texture ", name_of(info, BMX_TEXTURE, bmx->materials[i].texture));
        puts("");
    }
}

static void print_textures(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    if (arrlenu(bmx->textures))
        puts("\ntextures");
    for (size_t i = 0; i < arrlenu(bmx->textures); i++) {
        const struct bmx_texture *texture = &bmx->textures[i];
        fputs("  ", stdout);
        print_safely(bmx_text_utf8(&texture->name, &info->arena), stdout);
        fputs(": ", stdout);
        print_safely(bmx_text_utf8(&texture->file_name, &info->arena), stdout);
        puts(texture->is_external ? ", external" : "");
    }
}

static size_t member_size(const struct bmx *bmx, const struct bmx_member *member)
{
    if (member->role == BMX_ROLE_FILE)
        return member->data.size;
    struct bytes part = {0};
    bmx_encode_role(bmx, member->role, &part);
    size_t size = part.size;
    bytes_free(&part);
    return size;
}

static void print_text(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    print_summary(info);
    if (info->input->stats.components)
        puts("\ncomponents");
    for (unsigned i = 0; i < BMX_COMPONENTS; i++)
        if (info->components[i])
            print_count(bmx_component(i), info->components[i]);
    if (info->groups)
        puts("\ngroups");
    for (size_t i = 0; i < arrlenu(info->groups); i++)
        print_count(bmx_text_utf8(info->groups[i].name, &info->arena), info->groups[i].count);
    print_objects(info);
    print_meshes(info);
    print_materials(info);
    print_textures(info);
    puts("\nmembers                                  bytes");
    for (size_t i = 0; i < arrlenu(bmx->members); i++)
        print_count(bmx->members[i].name, member_size(bmx, &bmx->members[i]));
}

static void set_count(json_t *object, const char *key, size_t count)
{
    json_object_set_new(object, key, json_integer((json_int_t)count));
}

static json_t *json_groups(struct info *info)
{
    json_t *groups = json_array();
    for (size_t i = 0; i < arrlenu(info->groups); i++) {
        json_t *group = json_object();
        json_object_set_new(group, "name",
                            bmx_json_text(bmx_text_utf8(info->groups[i].name, &info->arena)));
        set_count(group, "objects", info->groups[i].count);
        json_array_append_new(groups, group);
    }
    return groups;
}

/* A name, or null for a block that does not exist. */
static void set_name(json_t *object, const char *key, const char *name)
{
    json_object_set_new(object, key, name ? bmx_json_text(name) : json_null());
}

static json_t *json_object_list(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    json_t *list = json_array();
    for (uint32_t i = 0; i < arrlenu(bmx->objects); i++) {
        const struct bmx_object *object = &bmx->objects[i];
        json_t *item = json_object(), *groups = json_array();
        set_name(item, "name", name_of(info, BMX_OBJECT, i));
        set_name(item, object->is_component ? "component" : "mesh", model_of(info, object));
        json_object_set_new(item, "hidden", json_boolean(object->is_hidden));
        for (size_t k = 0; k < arrlenu(object->groups); k++)
            json_array_append_new(groups,
                                  bmx_json_text(bmx_text_utf8(&object->groups[k], &info->arena)));
        json_object_set_new(item, "groups", groups);
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *json_mesh_list(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    json_t *list = json_array();
    for (uint32_t i = 0; i < arrlenu(bmx->meshes); i++) {
        json_t *item = json_object();
        set_name(item, "name", name_of(info, BMX_MESH, i));
        set_count(item, "vertices", arrlenu(bmx->meshes[i].positions));
        set_count(item, "faces", arrlenu(bmx->meshes[i].faces));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *json_material_list(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    json_t *list = json_array();
    for (uint32_t i = 0; i < arrlenu(bmx->materials); i++) {
        json_t *item = json_object();
        set_name(item, "name", name_of(info, BMX_MATERIAL, i));
        if (bmx->materials[i].use_texture)
            set_name(item, "texture", name_of(info, BMX_TEXTURE, bmx->materials[i].texture));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *json_textures(struct info *info)
{
    const struct bmx *bmx = info->input->bmx;
    json_t *textures = json_array();
    for (size_t i = 0; i < arrlenu(bmx->textures); i++) {
        const struct bmx_texture *texture = &bmx->textures[i];
        json_t *object = json_object();
        json_object_set_new(object, "name",
                            bmx_json_text(bmx_text_utf8(&texture->name, &info->arena)));
        json_object_set_new(object, "file",
                            bmx_json_text(bmx_text_utf8(&texture->file_name, &info->arena)));
        json_object_set_new(object, "external", json_boolean(texture->is_external));
        json_array_append_new(textures, object);
    }
    return textures;
}

static json_t *json_members(const struct bmx *bmx)
{
    json_t *members = json_array();
    for (size_t i = 0; i < arrlenu(bmx->members); i++) {
        json_t *member = json_object();
        json_object_set_new(member, "name", bmx_json_text(bmx->members[i].name));
        set_count(member, "bytes", member_size(bmx, &bmx->members[i]));
        json_array_append_new(members, member);
    }
    return members;
}

static json_t *json_bounds(const struct bmx_stats *stats)
{
    if (!stats->has_bounds)
        return json_null();
    return json_pack("{s:[f,f,f],s:[f,f,f]}", "mins", stats->mins[0], stats->mins[1],
                     stats->mins[2], "maxs", stats->maxs[0], stats->maxs[1], stats->maxs[2]);
}

static void set_counts(json_t *object, const struct bmx_input *input)
{
    const struct bmx_stats *stats = &input->stats;
    set_count(object, "bytes", input->bytes);
    set_count(object, "objects", arrlenu(input->bmx->objects));
    set_count(object, "components", stats->components);
    set_count(object, "hidden", stats->hidden);
    set_count(object, "meshes", arrlenu(input->bmx->meshes));
    set_count(object, "materials", arrlenu(input->bmx->materials));
    set_count(object, "internal_textures", stats->internal_textures);
    set_count(object, "vertices", stats->positions);
    set_count(object, "texture_coordinates", stats->uvs);
    set_count(object, "normals", stats->normals);
    set_count(object, "faces", stats->faces);
    set_count(object, "winding_agree", stats->with_normals);
    set_count(object, "winding_disagree", stats->against_normals);
    set_count(object, "errors", input->findings.by_severity[DIAG_ERROR]);
    set_count(object, "warnings", input->findings.by_severity[DIAG_WARNING]);
}

static void print_object(struct info *info)
{
    const struct bmx_input *input = info->input;
    json_t *object = print_json_object(), *kinds = json_object();
    json_object_set_new(object, "file", bmx_json_text(input->path));
    json_object_set_new(object, "bm_version", json_integer(BMX_VERSION));
    json_object_set_new(object, "comment", bmx_json_text(info->comment));
    set_counts(object, input);
    json_object_set_new(object, "bounds", json_bounds(&input->stats));
    for (unsigned i = 0; i < BMX_COMPONENTS; i++)
        if (info->components[i])
            set_count(kinds, bmx_component(i), info->components[i]);
    json_object_set_new(object, "component_kinds", kinds);
    json_object_set_new(object, "groups", json_groups(info));
    json_object_set_new(object, "object_list", json_object_list(info));
    json_object_set_new(object, "mesh_list", json_mesh_list(info));
    json_object_set_new(object, "material_list", json_material_list(info));
    json_object_set_new(object, "textures", json_textures(info));
    json_object_set_new(object, "members", json_members(input->bmx));
    print_json_line(object, stdout);
}

static void show_bmx(const struct bmx_input *input, bool json)
{
    struct info info = {.input = input};
    gather(&info);
    if (json)
        print_object(&info);
    else
        print_text(&info);
    arrfree(info.groups);
    arena_free(&info.arena);
}

static enum status show_file(const struct program *program, const char *path, bool *is_second)
{
    const struct info_values *values = program->values;
    struct bmx_input input = {0};
    TRY(bmx_input_read(program->env, path, &input));
    if (input.bmx && !values->standard.console.json && *is_second)
        puts("");
    if (input.bmx)
        show_bmx(&input, values->standard.console.json);
    *is_second |= input.bmx != NULL;
    enum status status = bmx_report_errors(&input.findings, path, program->env->diag);
    bmx_input_free(&input);
    return status;
}

static enum status show(const struct program *program)
{
    enum status status = STATUS_OK;
    bool is_second = false;
    console_quiet(program->console);
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        if (show_file(program, program_file(program, i, ".bmx"), &is_second) != STATUS_OK)
            status = STATUS_FAILED;
    TRY(print_flush(program->env->diag));
    return status;
}

int bmx_verb_info(int argc, char **argv)
{
    struct info_values values = {0};
    const struct option_table table = {
        VERB_PAGE(bmx_verb("info")), .endings = "bmx",         .details = details,
        .min_operands = 1,           .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, show);
}
