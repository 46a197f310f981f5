/* brushwork pack: files and entities into a BSP. */
#include "brushwork/archive/archive_edit.h"
#include "brushwork/archive/pack_pk3.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/cli/program.h"
#include "common/core/array.h"

static const char details[] =
    "Changes the files that are packed in a BSP, and its entities. What is to be removed is "
    "removed "
    "first, then files are added in the order of a list, a folder and single ones. The BSP is "
    "written only when all of it can be done, in place or to --out; what is not changed keeps its "
    "bytes. Names of packed files have no case, and \\ is the same as /. FILE may be - for "
    "standard "
    "input, with --out.\n\n"
    "With --pk3 the BSP, which is one of Quake 3, stays as it is: it is put into an archive with "
    "all "
    "that it uses and the game does not have in packs of its own (pak0.pk3 and so on): shaders "
    "with "
    "the images of all their stages, sky boxes, models, sounds, music, .aas, .arena and levelshot. "
    "Scripts are trimmed to what is used. Two runs make the same archive.";

struct pack_values {
    struct standard_options standard;
    const char **add, **folders, **lists, **remove; /* stb_ds arrays; `add` has two an entry */
    const char *entities, *cubemaps, *map, *out, *pk3;
    const char **exclude; /* stb_ds array */
    bool replace, delete_cubemaps, compress, store, with_game;
};

#define FIELD(name) offsetof(struct pack_values, name)

static const struct option_def pack_options[] = {
    {.name = "add",
     .argument = "FILE NAME",
     .kind = OPTION_LIST,
     .offset = FIELD(add),
     .arity = 2,
     .two_dashes = true,
     .help = "pack the file under the name; may be given again"},
    {.name = "add-dir",
     .argument = "DIR",
     .kind = OPTION_LIST,
     .offset = FIELD(folders),
     .two_dashes = true,
     .help = "pack all files below the folder, named as they lie in it; may be given again"},
    {.name = "add-list",
     .argument = "LIST",
     .kind = OPTION_LIST,
     .offset = FIELD(lists),
     .two_dashes = true,
     .help = "pack the files of a list, which has two lines a file: its name, then where it lies; "
             "may be given again"},
    VERB_FLAG(struct pack_values, "replace", replace,
              "let files take the place of those that have their names"),
    {.name = "remove",
     .argument = "NAME",
     .kind = OPTION_LIST,
     .offset = FIELD(remove),
     .two_dashes = true,
     .help = "remove the packed file of that name; may be given again"},
    {.name = "entities",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = FIELD(entities),
     .two_dashes = true,
     .help = "take the entities from a text, as brushwork unpack --entities writes it"},
    {.name = "cubemaps",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     .offset = FIELD(cubemaps),
     .two_dashes = true,
     .help = "pack the cubemaps (cX_Y_Z.vtf) that lie below the folder, in the place of others"},
    {.name = "map",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(map),
     .two_dashes = true,
     .help = "the map whose the cubemaps are, where the BSP has another name than it had"},
    VERB_FLAG(struct pack_values, "delete-cubemaps", delete_cubemaps,
              "remove the textures that the game took at the map's cubemaps"),
    VERB_FLAG(struct pack_values, "compress-pakfile", compress,
              "pack all files by LZMA, which the engine unpacks since 2013"),
    VERB_FLAG(struct pack_values, "store", store, "pack all files without compression"),
    {.name = "pk3",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .offset = FIELD(pk3),
     .two_dashes = true,
     .help = "write the map of Quake 3 and all that it uses to this archive"},
    {.name = "exclude",
     .argument = "LIST",
     .kind = OPTION_LIST,
     .offset = FIELD(exclude),
     .two_dashes = true,
     .help =
         "with --pk3: leave out what a list names, a file or shader a line, with * and ?; may be "
         "given again"},
    VERB_FLAG(struct pack_values, "with-game", with_game,
              "with --pk3: take along what the game has in packs of its own, too"),
    {.name = "game",
     .argument = "GAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(standard.game),
     .help = "with --pk3: the game whose files the map uses: openarena, quake3, or its folder"},
    VERB_QUAKE3_PATHS(struct pack_values),
    VERB_OUT(struct pack_values, "where to write the BSP; in place if not given"),
    VERB_QUIET(struct pack_values, VERB_QUIET_WARNINGS),
    VERB_JSON(struct pack_values, VERB_JSON_DIAGNOSTICS),
};

static enum status check_command(const struct program *program, const char *out)
{
    const struct pack_values *values = program->values;
    bool some = values->add || values->folders || values->lists || values->remove ||
                values->entities || values->cubemaps || values->delete_cubemaps ||
                values->compress || values->store;
    const char *wrong = NULL;
    if (values->pk3 && some)
        wrong = "--pk3 leaves the BSP as it is: no option that changes it goes with it";
    else if (values->pk3)
        return STATUS_OK;
    else if (values->exclude || values->with_game)
        wrong = "--exclude and --with-game say what goes into a --pk3, of which there is none";
    else if (!some)
        wrong = "nothing to do: no option says what to change";
    else if (values->compress && values->store)
        wrong = "--compress-pakfile and --store are one against the other";
    else if (values->map && !values->cubemaps)
        wrong = "--map says whose the --cubemaps are, of which there are none";
    else if (!values->out && strcmp(out, "-") == 0)
        wrong = "--out must say where a BSP from standard input goes";
    if (!wrong)
        return STATUS_OK;
    (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
    return STATUS_USAGE;
}

static void keep(enum status *status, enum status of_step)
{
    if (of_step != STATUS_OK)
        *status = of_step;
}

static enum status remove_files(const struct pack_values *values, struct archive_edit *edit)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(values->remove); i++)
        keep(&status, archive_edit_remove(edit, values->remove[i]));
    if (values->delete_cubemaps)
        keep(&status, archive_edit_delete_cubemaps(edit));
    return status;
}

static enum status add_files(const struct pack_values *values, struct archive_edit *edit)
{
    enum status status = STATUS_OK;
    edit->replace = values->replace;
    for (size_t i = 0; i < arrlenu(values->lists); i++)
        keep(&status, archive_edit_add_list(edit, values->lists[i]));
    for (size_t i = 0; i < arrlenu(values->folders); i++)
        keep(&status, archive_edit_add_folder(edit, values->folders[i]));
    for (size_t i = 0; i + 1 < arrlenu(values->add); i += 2)
        keep(&status, archive_edit_add(edit, values->add[i], values->add[i + 1]));
    if (values->cubemaps)
        keep(&status, archive_edit_put_cubemaps(edit, values->cubemaps, values->map));
    if (values->entities)
        keep(&status, archive_edit_put_entities(edit, values->entities));
    return status;
}

static enum status change(const struct pack_values *values, struct archive_edit *edit)
{
    enum status status = remove_files(values, edit);
    keep(&status, add_files(values, edit));
    if (status == STATUS_OK && (values->compress || values->store))
        status = archive_edit_recode(edit, values->compress ? ZIP_LZMA : ZIP_STORED);
    return status;
}

static enum status pack(const struct program *program)
{
    const struct pack_values *values = program->values;
    const char *path = program->result->operands[0];
    const char *out = values->out ? values->out : path;
    struct archive_edit edit;
    TRY(check_command(program, path));
    if (values->pk3)
        return pack_pk3(program, path,
                        &(struct pack_pk3){&values->standard, values->pk3, values->exclude,
                                           arrlenu(values->exclude), values->with_game});
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    enum status status = archive_edit_open(program->env, path, &edit);
    if (status == STATUS_OK)
        status = change(values, &edit);
    if (status == STATUS_OK)
        status = archive_edit_save(&edit, out, program->console);
    archive_edit_close(&edit);
    return status;
}

int verb_pack(int argc, char **argv)
{
    struct pack_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_pack]),
        .details = details,
        .defs = pack_options,
        .count = sizeof pack_options / sizeof *pack_options,
        .min_operands = 1,
        .max_operands = 1,
    };
    int status = program_run(&table, &values, &values.standard, argc, argv, pack);
    arrfree(values.add);
    arrfree(values.folders);
    arrfree(values.lists);
    arrfree(values.remove);
    arrfree(values.exclude);
    return status;
}
