#include "ballance/verbs/bmx_convert.h"

#include <string.h>

#include "ballance/bmx/material_table.h"
#include "ballance/level/bmx_level.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/exports.def"
#include "common/io/fs.h"
#include "vbsp/files.h"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/write/level_write.h"

/* --- to bmx --- */

bool is_bmx(const char *name)
{
    return str_ends_nocase(name, BALLANCE_ENDING) || str_equal_nocase(name, &BALLANCE_ENDING[1]);
}

enum status convert_to_bmx(const struct program *program, const struct standard_options *standard,
                           const struct ballance_options *options, const char *out)
{
    const struct env *env = program->env;
    struct level level;
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    TRY(fs_prepare_output(env->fs, env->diag, out));
    TRY(vbsp_read_level(env, program->result->operands[0], &level));
    const struct ballance_job job = {.env = env,
                                     .standard = standard,
                                     .options = *options,
                                     .level = &level,
                                     .missing_instances = DIAG_ERROR,
                                     .path = out};
    enum status status = ballance_convert(&job);
    if (status == STATUS_OK)
        console_say(program->console, "wrote %s", out);
    level_free(&level);
    return status;
}

/* --- from bmx --- */

struct conversion {
    const struct program *program;
    const struct from_bmx_options *options;
    const char *in, *out;
    struct arena arena;
    struct level level;
    struct bmx_level_files files;
};

/* --- text --- */

/* The sizes that the table of materials names, in which texture axes count. */
static void image_size(void *context, const char *material, int size[2])
{
    static const char prefix[] = "textures/";
    const struct material_table *table = context;
    if (strncmp(material, prefix, sizeof prefix - 1) == 0)
        material += sizeof prefix - 1;
    int found = material_table_find(table, material);
    size[0] = size[1] = MATERIAL_TABLE_TEXTURE_SIZE;
    if (found < 0 || !table->materials[found].use_texture)
        return;
    const uint32_t *known = table->images[table->materials[found].texture].size;
    for (int k = 0; k < 2; k++)
        size[k] = known[k] ? (int)known[k] : size[k];
}

static enum status read_table(struct conversion *conversion, struct material_table *table)
{
    const struct bmx_level_file *file = &conversion->files.list[conversion->files.table];
    const char *text =
        arena_strndup(&conversion->arena, (const char *)file->data.data, file->data.size);
    return material_table_parse(table, text, file->data.size, file->path,
                                conversion->program->env->diag);
}

static void report_sheared(struct conversion *conversion, size_t count)
{
    if (count)
        (void)diag_report(conversion->program->env->diag, DIAG_EXPORT_LOSS,
                          &(struct diag_where){.file = conversion->in},
                          count == 1
                              ? "%zu side with a sheared texture, which the form cannot express"
                              : "%zu sides with sheared textures, which the form cannot express",
                          count);
}

static enum status write_text(struct conversion *conversion, struct bytes *text)
{
    struct material_table table = {0};
    const struct level_write_options write = {.form = conversion->options->form,
                                              .image_size = image_size,
                                              .context = &table,
                                              .game = "Ballance"};
    enum status status = read_table(conversion, &table);
    if (status == STATUS_OK && conversion->options->vmf) {
        adapt_to_source(&conversion->level, conversion->program->env->diag);
        level_write_vmf(&conversion->level, &write, text);
    } else if (status == STATUS_OK) {
        if (write.form == MAP_FORM_VALVE)
            entity_set(&conversion->level.entities[0].keys, &conversion->arena, "mapversion",
                       "220");
        report_sheared(conversion, level_write_map(&conversion->level, &write, text));
    }
    material_table_free(&table);
    return status;
}

/* --- files --- */

static const char *path_of(struct conversion *conversion, const char *path)
{
    return arena_printf(&conversion->arena, "%s/%s",
                        path_folder(&conversion->arena, conversion->out), path);
}

/* All files are known to be writable before the first is written. */
static enum status store_files(struct conversion *conversion, const struct bytes *text)
{
    const struct env *env = conversion->program->env;
    bool alone = strcmp(conversion->out, "-") == 0;
    size_t count = alone ? 0 : arrlenu(conversion->files.list);
    const struct bmx_level_file *list = conversion->files.list;
    TRY(env_may_write(env));
    for (size_t i = 0; i < count; i++)
        TRY(fs_prepare_output(env->fs, env->diag, path_of(conversion, list[i].path)));
    for (size_t i = 0; i < count; i++)
        TRY(env_store(env, path_of(conversion, list[i].path), list[i].data.data,
                      list[i].data.size));
    TRY(env_store(env, conversion->out, text->data, text->size));
    console_say(conversion->program->console, "wrote %s (%zu bytes)%s", conversion->out, text->size,
                alone ? "" : arena_printf(&conversion->arena, ", %zu files beside it", count));
    return STATUS_OK;
}

/* --- */

static void tell(const struct conversion *conversion)
{
    size_t brushes = 0, models = 0;
    for (size_t i = 0; i < arrlenu(conversion->level.entities); i++) {
        const struct map_entity *entity = &conversion->level.entities[i];
        brushes += arrlenu(entity->solids);
        models += entity_is(&entity->keys, "misc_model") || entity_is(&entity->keys, "prop_static");
    }
    console_say(conversion->program->console, "entities %zu, brushes %zu, models %zu",
                arrlenu(conversion->level.entities), brushes, models);
}

static enum status judge_losses(const struct conversion *conversion, size_t before)
{
    struct diag *diag = conversion->program->env->diag;
    size_t losses = diag_count(diag, DIAG_WARNING) - before;
    if (!losses || !conversion->options->strict)
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_TARGET, &(struct diag_where){.file = conversion->in},
                       "data would be lost (%zu warning%s); nothing written", losses,
                       losses == 1 ? "" : "s");
}

/* The level has the name of its map. */
static const char *level_name_of(struct conversion *conversion)
{
    const char *path = strcmp(conversion->out, "-") == 0 ? conversion->in : conversion->out;
    return strcmp(path, "-") == 0 ? "level" : level_name(&conversion->arena, path);
}

static enum status convert(struct conversion *conversion, const struct bytes *file)
{
    struct diag *diag = conversion->program->env->diag;
    const struct from_bmx_options *options = conversion->options;
    struct bytes text = {0};
    size_t before = diag_count(diag, DIAG_WARNING);
    const struct bmx_level_options level = {.name = level_name_of(conversion),
                                            .prisms = options->prisms,
                                            .engine =
                                                options->vmf ? &engine_source : &engine_quake3,
                                            .max_pieces = (size_t)options->max_pieces};
    enum status status = bmx_level_read(file->data, file->size, &level, conversion->in, diag,
                                        &conversion->level, &conversion->files);
    if (status == STATUS_OK)
        status = write_text(conversion, &text);
    if (status == STATUS_OK)
        status = judge_losses(conversion, before);
    if (status == STATUS_OK) {
        tell(conversion);
        status = store_files(conversion, &text);
    }
    bytes_free(&text);
    return status;
}

enum status convert_from_bmx(const struct program *program, const struct bytes *file,
                             const struct from_bmx_options *options, const char *in,
                             const char *out)
{
    struct conversion conversion = {.program = program, .options = options, .in = in, .out = out};
    enum status status = convert(&conversion, file);
    level_free(&conversion.level);
    bmx_level_files_free(&conversion.files);
    arena_free(&conversion.arena);
    return status;
}
