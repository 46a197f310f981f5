/* brushwork cubemaps: draws what env_cubemap entities reflect, and packs it into the map. */
#include "brushwork/cubemaps/cube_files.h"
#include "brushwork/packing/archive_edit.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/assets/content_roots.h"
#include "common/cli/program.h"
#include "common/core/strings.h"
#include "common/diag/codes/usage.def"

static const char details[] =
    "Draws the textures that env_cubemap entities reflect, as the game's buildcubemaps does, with "
    "no game: six faces around each, of the size that the entity has (32 pixels by default), with "
    "what brushwork render shows: lightmaps, textures, static props, the sky and the 3D skybox. "
    "They are packed into the map as materials/maps/MAP/cX_Y_Z.vtf and, if the map has HDR light, "
    "cX_Y_Z.hdr.vtf, in the place of those that it has: those of vbsp show the sky alone. "
    "cubemapdefault.vtf, which what has no cubemap reflects, shows the sky. MAP is the "
    "folder of the cubemaps that are there, else the name of the file.\n\n"
    "Versions are those that the branch's games read: 7.2 for VBSP 19, 7.5 for VBSP 21 but l4d2, "
    "else 7.4; before 7.5 a sphere map is the seventh face. LDR textures are DXT1 with gamma, HDR "
    "ones half-precision floats of linear light, in which 1 is white; smaller levels are means of "
    "light. Textures and models come from the map's packed files, --game and -insert_search_path. "
    "Materials reflect nothing, as in a game with mat_specular 0, unless --passes is 2 or more. "
    "Effects, overlays and sprites are not drawn. The result is the same for any number of "
    "threads.";

struct cubemaps_values {
    struct standard_options standard;
    const char *out, *map;
    struct cube_options cube;
    int version; /* 7.N; 0: auto */
    int format;  /* index in format_names */
};

static const char *const format_names[] = {"dxt1", "dxt5", "bgra8888", "bgr888", NULL};
static const enum vtf_format formats[] = {VTF_DXT1, VTF_DXT5, VTF_BGRA8888, VTF_BGR888};

#define FIELD(name) offsetof(struct cubemaps_values, name)

static const struct option_def cubemaps_options[] = {
    VERB_OUT(struct cubemaps_values, "output BSP (default: in place)"),
    {.name = "size",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.side),
     .max = CUBE_SIDE,
     .two_dashes = true,
     .help = "width and height of all faces in pixels, a power of two; 0: those of the entities"},
    {.name = "samples",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.samples),
     .min = 1,
     .max = 4096,
     .two_dashes = true,
     .help = "rays per pixel"},
    {.name = "passes",
     .argument = "N",
     .kind = OPTION_INT,
     .offset = FIELD(cube.passes),
     .min = 1,
     .max = 16,
     .two_dashes = true,
     .help = "draw all cubemaps N times: from the second time on, what is shiny reflects those of "
             "the time before"},
    {.name = "format",
     .argument = "FORMAT",
     .kind = OPTION_CHOICE,
     .choices = format_names,
     .offset = FIELD(format),
     .two_dashes = true,
     .help = "format of LDR textures"},
    {.name = "vtf-version",
     .argument = "N",
     .kind = OPTION_CHOICE,
     .choices = vtf_write_version_names,
     .offset = FIELD(version),
     .two_dashes = true,
     .use = OPTION_RARE,
     .help = "version of the textures; auto: as the branch's games have them"},
    {.name = "map",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     .offset = FIELD(map),
     .two_dashes = true,
     .help = "name of the map, if the BSP was renamed"},
    VERB_CONTENT(struct cubemaps_values),
    VERB_THREADS(struct cubemaps_values),
};

static int minor_version(const struct bsp_format *format, int chosen)
{
    if (chosen > 0)
        return chosen;
    if (format->version < 20)
        return 2;
    return format->version > 20 && !str_starts_nocase(format->target, "l4d") ? 5 : 4;
}

static enum status make_cubemaps(const struct program *program, struct archive_edit *edit)
{
    const struct cubemaps_values *values = program->values;
    struct cube_options options = values->cube;
    TRY(archive_edit_cubemap_folder(edit, values->map, &options.folder));
    options.standard = &values->standard;
    options.minor = minor_version(edit->bsp->format, values->version);
    options.format = formats[values->format];
    TRY(cube_files_make(program->env, edit, &options, false));
    if (edit->bsp->hdr.lighting.size)
        TRY(cube_files_make(program->env, edit, &options, true));
    return archive_edit_save(edit, program->console);
}

static enum status run_cubemaps(const struct program *program)
{
    const struct cubemaps_values *values = program->values;
    const char *path = program_file(program, 0, ".bsp");
    const char *out = values->out ? values->out : path;
    struct archive_edit edit;
    const char *wrong = NULL;
    if (values->cube.side & (values->cube.side - 1))
        wrong = "--size: a power of two is needed";
    else if (!values->out && strcmp(out, "-") == 0)
        wrong = "--out is required for a BSP from standard input";
    if (wrong) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL, "%s", wrong);
        return STATUS_USAGE;
    }
    if (strcmp(out, "-") == 0)
        console_quiet(program->console);
    console_stage(program->console, "cubemaps", path);
    enum status status = archive_edit_open(program->env, path, out, &edit);
    if (status == STATUS_OK)
        status = make_cubemaps(program, &edit);
    archive_edit_close(&edit);
    return status;
}

int verb_cubemaps(int argc, char **argv)
{
    struct cubemaps_values values = {.cube.samples = 64, .cube.passes = 1};
    const struct cubemaps_values defaults = values;
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("cubemaps")),
        .endings = "bsp",
        .details = details,
        .content = content_roots,
        .defaults = &defaults,
        .defs = cubemaps_options,
        .count = sizeof cubemaps_options / sizeof *cubemaps_options,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, run_cubemaps);
}
