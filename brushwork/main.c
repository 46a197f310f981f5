#include "brushwork/shared/verb_table.h"
#include "brushwork/verbs.h"

static const struct verb verbs[] = {
    {"bmx", NULL, "look into BM files, check, unpack, pack and compare them", verb_bmx},
    {"build", NULL, "compile a map in one go: BSP, visibility and light", verb_build},
    {"bspzip", NULL, "take the command lines of Valve's bspzip", verb_bspzip},
    {"checksum", NULL, "print the checksum that the engine compares", verb_checksum},
    {"convert", NULL, "write a BSP for another branch of the engine", verb_convert},
    {"diff", NULL, "tell what two BSPs say differently", verb_diff},
    {"info", NULL, "tell what a BSP holds", verb_info},
    {"pack", NULL, "put files and entities into a BSP", verb_pack},
    {"render", NULL, "draw a picture of a BSP with its light", verb_render},
    {"texdata", NULL, "make a catalogue of the materials of BSP files", verb_texdata},
    {"unpack", NULL, "take files, entities and lumps out of a BSP", verb_unpack},
    {"verify", NULL, "check every index and invariant of a BSP", verb_verify},
};

static const struct verb_table table = {
    .program = "brushwork",
    .summary = "compile maps into BSP files, and look into them",
    .operands = "FILE",
    .more = "The stages are programs of their own too: vbsp, vvis, vrad.\n",
    .see_also = "vbsp 1 ,\n.Xr vrad 1 ,\n.Xr vvis 1",
    .verbs = verbs,
    .count = sizeof verbs / sizeof *verbs,
    .has_pages = true,
};

int main(int argc, char **argv)
{
    return verb_table_run(&table, argc, argv);
}
