/* brushwork pack: edits the packed files and entities of a BSP. */
#include "brushwork/archive/lump_files.h"
#include "brushwork/archive/pack_pk3.h"
#include "brushwork/packing/pack_auto.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/diag/codes/usage.def"

static const char details[] =
    "Changes the packed files and the entities of a BSP. Files are removed first, then added: "
    "lists, folders, single files. The BSP is written, in place or to --out, only if everything "
    "succeeds; unchanged data keeps its bytes. Names of packed files are case-insensitive, and "
    "\\ is the same as /. FILE may be - for standard input, with --out.\n\n"
    "With --auto, all files are added that the map uses and a player does not have: materials of "
    "faces, overlays, decals, props and the sky with their textures, models with all their files, "
    "materials of their skins and gibs, sounds of soundscripts, soundscapes, scenes and response "
    "rules, particle systems, scripts, colour correction, and files of the name of the map. What "
    "players have is known from -game: archives (.vpk) but those in custom/, and folders of other "
    "games. Loose files of the game's own folder, of custom/ and of -insert_search_path are "
    "yours, unless --stock names them. A table tells why each file is used, what is missing, what "
    "is packed and needless. Packed files stay as they are, but with --prune those that nothing "
    "uses or that are copies of the game's are removed. With --dry-run nothing is written.\n\n"
    "With --pk3, a Quake 3 BSP is left unchanged and packed into an archive together with all "
    "files that it uses and that are not in the game's own packs (pak0.pk3 and so on): shaders "
    "with the images of all stages, sky boxes, models, sounds, music, .aas, .arena and "
    "levelshot. Shader scripts are reduced to what is used. The archive is reproducible. Several "
    "BSPs share one "
    "archive, in which each file is once and each map has its own script.";

struct pack_values {
    struct standard_options standard;
    const char **add, **folders, **lists, **remove; /* stb_ds arrays; `add` has two per entry */
    const char *entities, *lumps, *lightmaps, *cubemaps, *map, *out, *pk3;
    const char **exclude; /* stb_ds array */
    const char **stock;   /* the same */
    bool auto_add, prune, dry_run, replace, delete_cubemaps, compress, store, with_game;
};

#define FIELD(name) offsetof(struct pack_values, name)

static const struct option_def pack_options[] = {
    VERB_FLAG(struct pack_values, "auto", auto_add,
              "add all files that the map uses and the game does not have; with -game"),
    VERB_FLAG(struct pack_values, "prune", prune,
              "with --auto: remove packed files that nothing uses or the game has, too; never "
              "cubemaps"),
    VERB_FLAG(struct pack_values, "dry-run", dry_run,
              "with --auto and --pk3: print what would be added, and write nothing"),
    VERB_STOCK(struct pack_values,
               .help = "with --auto: players have these files, too: those of a folder, of a .vpk, "
                       "or of a list with a name a line; repeatable"),
    {.name = "add",
     .argument = "FILE NAME",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(add),
     .arity = 2,
     .two_dashes = true,
     .help = "add a file under this name; repeatable"},
    {.name = "add-dir",
     .argument = "DIR",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(folders),
     .two_dashes = true,
     .help = "add all files below a folder under their relative paths; repeatable"},
    {.name = "add-list",
     .argument = "LIST",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(lists),
     .two_dashes = true,
     .help = "add the files of a list, with two lines per file: its name in the BSP, then its "
             "path; repeatable"},
    VERB_FLAG(struct pack_values, "replace", replace, "replace existing files of the same name"),
    {.name = "remove",
     .argument = "NAME",
     .kind = OPTION_LIST,
     .offset = FIELD(remove),
     .two_dashes = true,
     .help = "remove a packed file; repeatable"},
    {.name = "entities",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(entities),
     .two_dashes = true,
     .help = "replace the entities by a text, as written by brushwork unpack --entities"},
    {.name = "lumps",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(lumps),
     .two_dashes = true,
     .help = "Quake 3: replace the lumps of which the folder has JSON, as written by brushwork "
             "unpack --lumps"},
    {.name = "lightmaps",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(lightmaps),
     .two_dashes = true,
     .help = "Quake 3: replace the lightmap pages of which the folder has an image, as written by "
             "brushwork unpack --lightmaps"},
    {.name = "cubemaps",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(cubemaps),
     .two_dashes = true,
     .help = "add the cubemaps (cX_Y_Z.vtf) below a folder, replacing existing ones"},
    {.name = "map",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(map),
     .two_dashes = true,
     .help = "name of the map for --cubemaps and --auto, if the BSP was renamed"},
    VERB_FLAG(struct pack_values, "delete-cubemaps", delete_cubemaps,
              "remove the textures of env_cubemap entities"),
    VERB_FLAG(struct pack_values, "compress-pakfile", compress,
              "compress all files with LZMA (engine of 2013 or later)"),
    VERB_FLAG(struct pack_values, "store", store, "store all files uncompressed"),
    {.name = "pk3",
     .argument = "FILE",
     .endings = "pk3",
     .kind = OPTION_TEXT,
     .path = OPTION_WRITES,
     .offset = FIELD(pk3),
     .two_dashes = true,
     .help = "write a Quake 3 map and the files that it uses to this archive"},
    {.name = "exclude",
     .argument = "LIST",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(exclude),
     .two_dashes = true,
     .help =
         "with --pk3: exclude the files and shaders in a list, one pattern per line, with * and ?; "
         "repeatable"},
    VERB_FLAG(struct pack_values, "with-game", with_game,
              "with --pk3: include files from the game's own packs"),
    {.name = "game",
     .argument = "GAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(standard.game),
     .help = "with --auto: the folder with gameinfo.txt; with --pk3: the game: openarena, quake3, "
             "or its folder"},
    {.name = "insert_search_path",
     .argument = "DIR",
     .endings = "vpk pk3",
     .kind = OPTION_LIST,
     .path = OPTION_READS,
     .offset = FIELD(standard.search_paths),
     .help = "folder, .vpk or .pk3 with files of your own, searched before the game; repeatable"},
    VERB_QUAKE3_PATHS(struct pack_values),
    VERB_OUT(struct pack_values, "output BSP (default: in place)"),
};

static enum status check_command(const struct program *program, const char *out)
{
    const struct pack_values *values = program->values;
    bool some = values->auto_add || values->add || values->folders || values->lists ||
                values->remove || values->entities || values->lumps || values->lightmaps ||
                values->cubemaps || values->delete_cubemaps || values->compress || values->store;
    const char *wrong = NULL;
    if (values->pk3 && some)
        wrong = "--pk3 cannot be combined with options that change the BSP";
    else if (values->pk3 && (values->prune || values->stock))
        wrong = "--prune and --stock require --auto";
    else if (values->pk3)
        return STATUS_OK;
    else if (arrlenu(program->result->operands) > 1)
        wrong = "several BSPs require --pk3";
    else if (values->exclude || values->with_game)
        wrong = "--exclude and --with-game require --pk3";
    else if (!some)
        wrong = "nothing to do: no option changes the BSP";
    else if (values->compress && values->store)
        wrong = "--compress-pakfile and --store are mutually exclusive";
    else if (values->map && !values->cubemaps && !values->auto_add)
        wrong = "--map requires --cubemaps or --auto";
    else if (!values->auto_add && (values->dry_run || values->prune || values->stock))
        wrong = "--prune and --stock require --auto, --dry-run that or --pk3";
    else if (!values->out && !values->dry_run && strcmp(out, "-") == 0)
        wrong = "--out is required for a BSP from standard input";
    if (!wrong)
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
    return STATUS_USAGE;
}

static void keep_failure(enum status *status, enum status of_step)
{
    if (of_step != STATUS_OK)
        *status = of_step;
}

static enum status remove_files(const struct pack_values *values, struct archive_edit *edit)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(values->remove); i++)
        keep_failure(&status, archive_edit_remove(edit, values->remove[i]));
    if (values->delete_cubemaps)
        keep_failure(&status, archive_edit_delete_cubemaps(edit));
    return status;
}

static enum status add_files(const struct pack_values *values, struct archive_edit *edit)
{
    enum status status = STATUS_OK;
    edit->replace = values->replace;
    for (size_t i = 0; i < arrlenu(values->lists); i++)
        keep_failure(&status, archive_edit_add_list(edit, values->lists[i]));
    for (size_t i = 0; i < arrlenu(values->folders); i++)
        keep_failure(&status, archive_edit_add_folder(edit, values->folders[i]));
    for (size_t i = 0; i + 1 < arrlenu(values->add); i += 2)
        keep_failure(&status, archive_edit_add(edit, values->add[i], values->add[i + 1]));
    if (values->cubemaps)
        keep_failure(&status, archive_edit_put_cubemaps(edit, values->cubemaps, values->map));
    size_t count;
    if (values->lumps)
        keep_failure(&status, lump_files_read(edit->env, edit->bsp, LUMP_FILES_JSON,
                                              edit->where.file, values->lumps, &count));
    if (values->lightmaps)
        keep_failure(&status, lump_files_read(edit->env, edit->bsp, LUMP_FILES_LIGHTMAPS,
                                              edit->where.file, values->lightmaps, &count));
    if (values->entities)
        keep_failure(&status, archive_edit_put_entities(edit, values->entities));
    return status;
}

/* After all others, so that what they add is known. The table goes where no map is written to. */
static enum status add_used(const struct program *program, struct archive_edit *edit)
{
    const struct pack_values *values = program->values;
    const struct pack_auto_options options = {.standard = &values->standard,
                                              .map = values->map,
                                              .stock = values->stock,
                                              .stock_count = arrlenu(values->stock),
                                              .prune = values->prune};
    struct pack_auto_result result = {0};
    enum status status = archive_edit_settle(edit);
    if (status == STATUS_OK)
        status = pack_auto(edit, &options, &result);
    bool is_shown =
        !values->standard.console.quiet && (values->dry_run || strcmp(edit->out, "-") != 0);
    if (status == STATUS_OK && values->standard.console.json && is_shown)
        pack_auto_print_json(&result, edit->where.file, stdout);
    else if (status == STATUS_OK && is_shown)
        pack_auto_print(&result, stdout);
    pack_auto_free(&result);
    if (status == STATUS_OK)
        status = print_flush(program->env->diag);
    return status;
}

static enum status edit_archive(const struct program *program, struct archive_edit *edit)
{
    const struct pack_values *values = program->values;
    enum status status = remove_files(values, edit);
    keep_failure(&status, add_files(values, edit));
    if (status == STATUS_OK && values->auto_add)
        status = add_used(program, edit);
    if (status == STATUS_OK && (values->compress || values->store))
        status = archive_edit_recode(edit, values->compress ? ZIP_LZMA : ZIP_STORED);
    return status;
}

static enum status pack_maps(const struct program *program)
{
    const struct pack_values *values = program->values;
    const char **paths = NULL;
    for (size_t i = 0; i < arrlenu(program->result->operands); i++)
        arrput(paths, program_file(program, i, ".bsp"));
    enum status status = pack_pk3(
        program, paths, arrlenu(paths),
        &(struct pack_pk3_options){&values->standard, values->pk3, values->exclude,
                                   arrlenu(values->exclude), values->with_game, values->dry_run});
    arrfree(paths);
    return status;
}

static enum status pack(const struct program *program)
{
    const struct pack_values *values = program->values;
    const char *path = program_file(program, 0, ".bsp");
    const char *out = values->out ? values->out : path;
    struct archive_edit edit;
    TRY(check_command(program, path));
    if (strcmp(values->pk3 ? values->pk3 : out, "-") == 0 ||
        ((values->pk3 || values->auto_add) && values->standard.console.json))
        console_quiet(program->console);
    if (values->pk3)
        return pack_maps(program);
    enum status status = archive_edit_open(program->env, path, out, &edit);
    if (status == STATUS_OK)
        status = edit_archive(program, &edit);
    if (status == STATUS_OK && !values->dry_run)
        status = archive_edit_save(&edit, program->console);
    archive_edit_close(&edit);
    return status;
}

int verb_pack(int argc, char **argv)
{
    struct pack_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("pack")),
        .endings = "bsp",
        .details = details,
        .defs = pack_options,
        .count = sizeof pack_options / sizeof *pack_options,
        .content = content_roots,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, pack);
    arrfree(values.add);
    arrfree(values.folders);
    arrfree(values.lists);
    arrfree(values.remove);
    arrfree(values.exclude);
    arrfree(values.stock);
    return status;
}
