/* Inside brushwork: changing the packed files and the entities of a BSP, for pack and bspzip.
 *
 * Each function that takes several files goes on after one that fails, so that all faults are told
 * at once; nothing is written before archive_edit_save. */
#ifndef BRUSHWORK_ARCHIVE_ARCHIVE_EDIT_H
#define BRUSHWORK_ARCHIVE_ARCHIVE_EDIT_H

#include "brushwork/shared/archive.h"
#include "common/bsp/codec/format.h"
#include "common/cli/console.h"
#include "common/core/arena.h"

struct archive_edit {
    const struct env *env;
    struct diag_where where;
    struct bsp *bsp;
    struct pakfile pakfile;
    bool is_read, is_changed; /* the pakfile */
    bool replace;             /* files may take the place of others; else that is PAK_PRESENT */
    enum zip_method method;   /* of new files; at first as the others have it */
    size_t added, replaced, removed;
    struct arena arena;
};

/* Reads the BSP. Free with archive_edit_close, also after a failure. */
NODISCARD enum status archive_edit_open(const struct env *env, const char *path,
                                        struct archive_edit *edit);
/* Packs the file at `from` under `name`, of which `\` is `/`. */
NODISCARD enum status archive_edit_add(struct archive_edit *edit, const char *from,
                                       const char *name);
/* All files below a folder, named as they lie in it. */
NODISCARD enum status archive_edit_add_folder(struct archive_edit *edit, const char *folder);
/* A text with two lines a file: its name, then where it lies. */
NODISCARD enum status archive_edit_add_list(struct archive_edit *edit, const char *list);
/* PAK_MISSING where there is none of that name. */
NODISCARD enum status archive_edit_remove(struct archive_edit *edit, const char *name);

/* Packs the cubemaps that lie anywhere below a folder, in the place of others: below
 * materials/maps/MAP. Where `map` is NULL, names that begin so stay, and the others go where the
 * map has cubemaps already, else to its file's name. */
NODISCARD enum status archive_edit_put_cubemaps(struct archive_edit *edit, const char *folder,
                                                const char *map);
NODISCARD enum status archive_edit_delete_cubemaps(struct archive_edit *edit);

/* Takes the entities from a text, which must parse and begin with worldspawn. */
NODISCARD enum status archive_edit_put_entities(struct archive_edit *edit, const char *from);

/* Packs all files anew that are packed by another method, and the new ones by this. */
NODISCARD enum status archive_edit_recode(struct archive_edit *edit, enum zip_method method);

/* Writes the BSP and tells so; a pakfile that nobody changed has the same bytes. */
NODISCARD enum status archive_edit_save(struct archive_edit *edit, const char *path,
                                        struct console *console);
void archive_edit_close(struct archive_edit *edit);

#endif
