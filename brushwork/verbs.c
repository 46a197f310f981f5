#include "brushwork/verbs.h"

#include "common/core/strings.h"

#define VERB(name, operands, summary) verb_function verb_##name;
#include "brushwork/verbs.def"
#undef VERB

static const struct verb rows[] = {
#define VERB(name, operands, summary) {"brushwork " #name, #name, operands, summary, verb_##name},
#include "brushwork/verbs.def"
#undef VERB
};

/* Sources are compiled, and BSPs shown. */
static const char *verb_for(const char *file)
{
    static const char *const endings[][2] = {
        {".vmf", "build"}, {".vmm", "build"}, {".map", "build"}, {".bsp", "info"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(file, endings[i][0]))
            return endings[i][1];
    return NULL;
}

const struct verb_table brushwork_verbs = {
    .verb_for = verb_for,
    .program = "brushwork",
    .summary = "compile maps into BSP files and inspect them",
    .operands = "FILE",
    .more = "The stages are also separate programs: vbsp, vvis and vrad.",
    .see_also = "vbsp 1 ,\n.Xr vrad 1 ,\n.Xr vvis 1",
    .verbs = rows,
    .count = sizeof rows / sizeof *rows,
    .has_pages = true,
};

const struct verb *brushwork_verb(const char *name)
{
    return verb_named(rows, sizeof rows / sizeof *rows, name);
}
