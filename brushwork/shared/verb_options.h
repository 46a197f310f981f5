/* Internal: options that many verbs share. The first argument is the struct of the verb's
 * values. */
#ifndef BRUSHWORK_SHARED_VERB_OPTIONS_H
#define BRUSHWORK_SHARED_VERB_OPTIONS_H

#include "common/cli/options.h"

/* clang-format off */
#define VERB_FLAG(values, flag, member, what)                                                      \
    {.name = (flag), .kind = OPTION_FLAG, .offset = offsetof(values, member), .two_dashes = true,  \
     .help = (what)}

#define VERB_RARE_FLAG(values, flag, member, what)                                                 \
    {.name = (flag), .kind = OPTION_FLAG, .offset = offsetof(values, member), .two_dashes = true,  \
     .use = OPTION_RARE, .help = (what)}

#define VERB_OUT(values, what)                                                                     \
    {.name = "out", .alias = "o", .argument = "FILE", .kind = OPTION_TEXT,                         \
     .path = OPTION_WRITES, .offset = offsetof(values, out), .two_dashes = true, .help = (what)},  \
    {.name = "output", .argument = "FILE", .kind = OPTION_TEXT,                                    \
     .path = OPTION_WRITES, .offset = offsetof(values, out), .two_dashes = true}

/* An older map of a comparison, for picture_against. */
#define VERB_AGAINST(values, what)                                                                 \
    {.name = "against", .argument = "OLD.bsp", .endings = "bsp bmx", .kind = OPTION_TEXT,          \
     .path = OPTION_READS, .offset = offsetof(values, against), .two_dashes = true,                \
     .help = (what)}

/* Content that players have, for pack_auto. */
#define VERB_STOCK(values, ...)                                                                    \
    {.name = "stock", .argument = "DIR|VPK|LIST", .kind = OPTION_LIST, .path = OPTION_READS,       \
     .offset = offsetof(values, stock), .two_dashes = true, __VA_ARGS__}

/* Search paths of Quake 3. */
#define VERB_QUAKE3_PATHS(values)                                                                  \
    {.name = "fs_basepath", .argument = "DIR", .kind = OPTION_LIST,                                \
     .offset = offsetof(values, standard.base_paths), .use = OPTION_RARE,                          \
     .help = "Quake 3: folder that contains game folders; repeatable"},                            \
    {.name = "fs_game", .argument = "NAME", .kind = OPTION_LIST,                                   \
     .offset = offsetof(values, standard.mods), .use = OPTION_RARE,                                \
     .help = "Quake 3: game folder of a mod; repeatable"},                                         \
    {.name = "fs_basegame", .argument = "NAME", .kind = OPTION_TEXT,                               \
     .offset = offsetof(values, standard.base_game), .use = OPTION_RARE,                           \
     .help = "Quake 3: base game folder"},                                                         \
    {.name = "fs_pakpath", .argument = "DIR", .endings = "pk3", .kind = OPTION_LIST,               \
     .path = OPTION_READS, .offset = offsetof(values, standard.pak_paths), .use = OPTION_RARE,     \
     .help = "Quake 3: folder or pack searched before all others; repeatable"},                    \
    {.name = "fs_forbiddenpath", .argument = "PATTERN", .kind = OPTION_LIST,                       \
     .offset = offsetof(values, standard.forbidden), .use = OPTION_RARE,                           \
     .help = "Quake 3: ignore packs whose names match PATTERN (* and ?); repeatable"}

/* Where textures and models of a picture are searched. */
#define VERB_CONTENT(values)                                                                       \
    {.name = "game", .alias = "vproject", .argument = "DIR", .kind = OPTION_TEXT,                  \
     .offset = offsetof(values, standard.game),                                                    \
     .help = "game folder with gameinfo.txt, searched for textures and models, or the name of a "  \
             "game that Steam has (tf); for Quake 3: openarena, quake3, or the folder of the "     \
             "game"},                                                                              \
    {.name = "insert_search_path", .argument = "DIR", .endings = "vpk pk3", .kind = OPTION_LIST,   \
     .path = OPTION_READS, .offset = offsetof(values, standard.search_paths), .use = OPTION_RARE,  \
     .help = "folder, .vpk or .pk3 searched before the game; repeatable"},                         \
    VERB_QUAKE3_PATHS(values)

/* Of a picture: how it is lit and made. */
#define VERB_HDR(values, member)                                                                   \
    VERB_FLAG(values, "hdr", member,                                                               \
              "use the HDR lighting if the map has both (default: only without LDR)")
/* The images of its textures. `member` has texture_size and quality. */
#define VERB_TEXTURES(values, member)                                                              \
    {.name = "texture-size", .argument = "N", .kind = OPTION_INT,                                  \
     .offset = offsetof(values, member.texture_size), .min = 1, .max = 1024, .two_dashes = true,   \
     .help = "largest width and height of textures, in pixels"},                                   \
    {.name = "quality", .argument = "N", .kind = OPTION_INT,                                       \
     .offset = offsetof(values, member.quality), .min = 1, .max = 100, .two_dashes = true,         \
     .help = "quality of textures without transparency, which are stored as JPEG"}
#define VERB_OPEN(values)                                                                          \
    VERB_FLAG(values, "open", open,                                                                \
              "show the page in your browser: that of the variable BROWSER, or of the desktop")
#define VERB_THREADS(values)                                                                       \
    {.name = "threads", .argument = "N", .kind = OPTION_INT,                                       \
     .offset = offsetof(values, standard.console.threads), .max = 1024,                            \
     .help = "number of threads, 0: one per CPU; does not affect the result"}
/* clang-format on */

#endif
