#include "brushwork/report/report_build.h"

#include <errno.h>

#include "brushwork/many/child_run.h"
#include "brushwork/shared/child_words.h"
#include "brushwork/shared/temporary_folder.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/file_report.h"

static enum status make_folder(const struct program *program, const char *source,
                               struct arena *arena, struct report_build *out)
{
    out->folder = temporary_folder_make(arena, "report");
    if (!out->folder)
        return file_unwritten(program->env->diag, "TMPDIR", "%s", str_error(errno).text);
    out->bsp = arena_printf(arena, "%s.bsp", temporary_folder_stem(arena, out->folder, source));
    out->messages = arena_printf(arena, "%s/build.json", out->folder);
    return STATUS_OK;
}

static char **arguments_of(const struct standard_options *standard, const char *source,
                           const char *const *more, struct arena *arena,
                           const struct report_build *build)
{
    const char **words = NULL;
    arrput(words, "brushwork");
    arrput(words, "build");
    child_words(&words, arena, standard);
    child_cache_words(&words, arena, &standard->cache);
    for (size_t i = 0; i < arrlenu(more); i++)
        arrput(words, more[i]);
    child_word(&words, "-o", build->bsp);
    child_word(&words, "--diagnostics", "json");
    child_word(&words, "--diagnostics-file", build->messages);
    arrput(words, "-q");
    child_word(&words, "--", source);
    char **argv = child_arguments(arena, words);
    arrfree(words);
    return argv;
}

enum status report_build(const struct program *program, const struct standard_options *standard,
                         const char *source, const char *const *words, struct arena *arena,
                         struct report_build *out)
{
    TRY(make_folder(program, source, arena, out));
    char **argv = arguments_of(standard, source, words, arena, out);
    out->status = child_run(
        program, &(struct child_task){
                     .name = "build", .source = source, .words = argv, .messages = out->messages});
    arrfree(argv);
    return out->status == STATUS_LEAK ? STATUS_OK : out->status;
}

enum status report_build_vbsp(const struct program *program,
                              const struct standard_options *standard, const char *source,
                              const char *target, struct arena *arena, struct report_build *out)
{
    const char **words = NULL;
    arrput(words, "--until");
    arrput(words, "vbsp");
    arrput(words, "--no-leak-picture");
    if (target) {
        arrput(words, "--target");
        arrput(words, target);
    }
    enum status status = report_build(program, standard, source, words, arena, out);
    arrfree(words);
    return status;
}

void report_build_end(const struct env *env, struct report_build *build)
{
    if (build->folder)
        temporary_folder_remove(env, build->folder);
}
