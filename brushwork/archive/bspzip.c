/* brushwork bspzip: the command lines of Valve's bspzip. */
#include <string.h>

#include "brushwork/packing/archive_edit.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/diag/codes/usage.def"
#include "common/io/fs.h"

static const char details[] =
    "Emulates the command line of Valve's bspzip, for scripts and programs that call it, with "
    "the same order of arguments: -addlist map.bsp files.txt new.bsp. Input and output may be "
    "the same file. Existing packed files are replaced. -deletecubemaps removes only what "
    "-extractcubemaps extracts. brushwork pack and brushwork unpack have more options.";

enum command {
    EXTRACT,
    EXTRACT_FILES,
    LIST,
    ADD_FILE,
    ADD_LIST,
    ADD_OR_UPDATE_LIST,
    EXTRACT_CUBEMAPS,
    DELETE_CUBEMAPS,
    REPACK,
    COMMANDS
};

struct bspzip_values {
    struct standard_options standard;
    bool commands[COMMANDS];
    bool compress;
};

#define COMMAND(number, text, what)                                                                \
    {.name = (text),                                                                               \
     .kind = OPTION_FLAG,                                                                          \
     .offset = offsetof(struct bspzip_values, commands) + (number) * sizeof(bool),                 \
     .help = (what)}

static const struct option_def bspzip_options[] = {
    COMMAND(EXTRACT, "extract", "BSP ZIP: extract the packed files as a zip archive"),
    COMMAND(EXTRACT_FILES, "extractfiles", "BSP DIR: extract the packed files into a folder"),
    COMMAND(LIST, "dir", "BSP: list the packed files"),
    COMMAND(ADD_FILE, "addfile", "BSP NAME FILE NEWBSP: add a file under this name"),
    COMMAND(
        ADD_LIST, "addlist",
        "BSP LIST NEWBSP: add the files of a list, with two lines per file: its name in the BSP, "
        "then its path"),
    COMMAND(ADD_OR_UPDATE_LIST, "addorupdatelist", "BSP LIST NEWBSP: the same as -addlist"),
    COMMAND(EXTRACT_CUBEMAPS, "extractcubemaps", "BSP DIR: extract the cubemaps into a folder"),
    COMMAND(DELETE_CUBEMAPS, "deletecubemaps", "BSP: remove the cubemaps"),
    COMMAND(REPACK, "repack", "BSP: decompress all lumps and packed files"),
    {.name = "compress",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct bspzip_values, compress),
     .help = "with -repack: compress with LZMA instead"},
    {.name = "game",
     .alias = "vproject",
     .argument = "DIR",
     .kind = OPTION_IGNORED_ARG,
     .help = "no content of a game is needed"},
};

static const struct {
    size_t operands;
    const char *usage;
} shapes[COMMANDS] = {
    [EXTRACT] = {2, "-extract BSP ZIP"},
    [EXTRACT_FILES] = {2, "-extractfiles BSP DIR"},
    [LIST] = {1, "-dir BSP"},
    [ADD_FILE] = {4, "-addfile BSP NAME FILE NEWBSP"},
    [ADD_LIST] = {3, "-addlist BSP LIST NEWBSP"},
    [ADD_OR_UPDATE_LIST] = {3, "-addorupdatelist BSP LIST NEWBSP"},
    [EXTRACT_CUBEMAPS] = {2, "-extractcubemaps BSP DIR"},
    [DELETE_CUBEMAPS] = {1, "-deletecubemaps BSP"},
    [REPACK] = {1, "-repack [-compress] BSP"},
};

struct job {
    const struct program *program;
    const struct env *env;
    const char **operands;
    const char *bsp, *out; /* with extension */
    struct arena arena;
};

static enum status find_command(const struct program *program, enum command *command)
{
    const struct bspzip_values *values = program->values;
    int found = 0;
    for (int i = 0; i < COMMANDS; i++)
        if (values->commands[i]) {
            *command = (enum command)i;
            found++;
        }
    size_t operands = arrlenu(program->result->operands);
    if (found == 1 && operands == shapes[*command].operands &&
        (!values->compress || *command == REPACK))
        return STATUS_OK;
    if (found == 1)
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "wrong number of arguments; usage: bspzip %s", shapes[*command].usage);
    else
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "use one of -extract, -extractfiles, -dir, -addfile, -addlist, "
                          "-addorupdatelist, -extractcubemaps, -deletecubemaps and -repack");
    return STATUS_USAGE;
}

/* Commands that read. */

static enum status write_zip(const struct job *job, const struct archive *archive)
{
    const struct diag_where where = {.file = job->bsp};
    struct diag *diag = job->env->diag;
    struct bytes empty = {0};
    if (archive->lump.size)
        return env_store(job->env, job->operands[1], archive->lump.data, archive->lump.size);
    enum status status = pakfile_encode(&archive->pakfile, ZIP_STORED, &where, diag, &empty);
    if (status == STATUS_OK)
        status = env_store(job->env, job->operands[1], empty.data, empty.size);
    bytes_free(&empty);
    return status;
}

static enum status print_names(const struct job *job, const struct archive *archive)
{
    console_quiet(job->program->console);
    for (size_t i = 0; i < arrlenu(archive->pakfile.files); i++) {
        print_safely(archive->pakfile.files[i].name, stdout);
        putchar('\n');
    }
    return print_flush(job->env->diag);
}

static enum status extract(const struct job *job, const struct archive *archive,
                           archive_filter *filter)
{
    const struct diag_where where = {.file = job->bsp};
    struct archive_tally tally;
    TRY(archive_check_size(&archive->pakfile, filter, &where, job->env->diag));
    TRY(archive_check_targets(job->env, &archive->pakfile, filter, job->operands[1], true));
    return archive_extract(job->env, &archive->pakfile, job->bsp, filter, job->operands[1], &tally);
}

static enum status run_read_command(const struct job *job, enum command command)
{
    struct archive archive;
    enum status status = archive_open_damaged(job->env, job->bsp, &archive);
    if (status == STATUS_OK)
        status = archive_read_pakfile(job->env, &archive);
    if (status == STATUS_OK && command == EXTRACT)
        status = write_zip(job, &archive);
    else if (status == STATUS_OK && command == LIST)
        status = print_names(job, &archive);
    else if (status == STATUS_OK)
        status = extract(job, &archive, command == EXTRACT_CUBEMAPS ? archive_is_cubemap : NULL);
    archive_close(&archive);
    return status;
}

static enum status prepare(const struct job *job, enum command command)
{
    struct fs *fs = job->env->fs;
    if (command == EXTRACT)
        return fs_prepare_output(fs, job->env->diag, job->operands[1]);
    if (command == EXTRACT_FILES || command == EXTRACT_CUBEMAPS)
        return fs_prepare_folder(fs, job->env->diag, job->operands[1]);
    return STATUS_OK; /* archive_edit_open does */
}

/* Commands that write. */

static enum status repack(const struct job *job, struct archive_edit *edit)
{
    const struct bspzip_values *values = job->program->values;
    edit->bsp->encoding.compressed = values->compress;
    return archive_edit_recode(edit, values->compress ? ZIP_LZMA : ZIP_STORED);
}

static enum status edit_archive(const struct job *job, enum command command)
{
    struct archive_edit edit;
    enum status status = archive_edit_open(job->env, job->bsp, job->out, &edit);
    edit.replace = true;
    if (status == STATUS_OK && command == ADD_FILE)
        status = archive_edit_add(&edit, job->operands[2], job->operands[1]);
    else if (status == STATUS_OK && command == DELETE_CUBEMAPS)
        status = archive_edit_delete_cubemaps(&edit);
    else if (status == STATUS_OK && command == REPACK)
        status = repack(job, &edit);
    else if (status == STATUS_OK)
        status = archive_edit_add_list(&edit, job->operands[1]);
    if (status == STATUS_OK)
        status = archive_edit_save(&edit, job->program->console);
    archive_edit_close(&edit);
    return status;
}

static enum status bspzip(const struct program *program)
{
    enum command command = COMMANDS;
    TRY(find_command(program, &command));
    struct job job = {
        .program = program, .env = program->env, .operands = program->result->operands};
    bool looks = command <= LIST || command == EXTRACT_CUBEMAPS;
    job.bsp = path_of_operand(&job.arena, job.env->fs, job.operands[0], ".bsp");
    job.out = job.bsp;
    if (command == ADD_FILE || command == ADD_LIST || command == ADD_OR_UPDATE_LIST)
        job.out = path_of_operand(&job.arena, job.env->fs,
                                  job.operands[shapes[command].operands - 1], ".bsp");
    enum status status = prepare(&job, command);
    if (status == STATUS_OK)
        status = looks ? run_read_command(&job, command) : edit_archive(&job, command);
    arena_free(&job.arena);
    return status;
}

int verb_bspzip(int argc, char **argv)
{
    struct bspzip_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("bspzip")),
        .endings = "bsp txt zip",
        .details = details,
        .defs = bspzip_options,
        .count = sizeof bspzip_options / sizeof *bspzip_options,
        .min_operands = 1,
        .max_operands = 4,
    };
    return program_run(&table, &values, &values.standard, argc, argv, bspzip);
}
