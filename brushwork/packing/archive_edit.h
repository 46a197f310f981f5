/* Internal: edits the packed files and the entities of a BSP, for pack and bspzip.
 *
 * Functions that take several files continue after one fails, so that all errors are reported at
 * once. Nothing is written before archive_edit_save. */
#ifndef BRUSHWORK_PACKING_ARCHIVE_EDIT_H
#define BRUSHWORK_PACKING_ARCHIVE_EDIT_H

#include "brushwork/shared/archive.h"
#include "common/bsp/codec/format.h"
#include "common/cli/console.h"
#include "common/core/arena.h"

struct archive_edit {
    const struct env *env;
    const char *out; /* the file to write; may be the one that is read */
    struct fs_hold *hold;
    struct diag_where where;
    struct bsp *bsp;
    struct pakfile pakfile;
    bool is_read, is_changed; /* the pakfile */
    uint32_t flags_of_files;  /* map flags for the files that it had (map_flags.h) */
    bool replace; /* overwrite existing files; otherwise they are reported (PAK_PRESENT) */
    enum zip_method method; /* of new files; initially that of the existing ones */
    size_t added, replaced, removed;
    struct arena arena;
};

/* Reads the BSP, which is held until archive_edit_close if it is also the output. Free with
 * archive_edit_close, also after a failure. */
NODISCARD enum status archive_edit_open(const struct env *env, const char *path, const char *out,
                                        struct archive_edit *edit);
/* Edits a BSP in memory, which stays the caller's; nothing is saved. `path` is for messages. End
 * with archive_edit_finish, or with archive_edit_abandon after a failure. */
void archive_edit_begin(const struct env *env, struct bsp *bsp, const char *path,
                        struct archive_edit *edit);
NODISCARD enum status archive_edit_finish(struct archive_edit *edit);
void archive_edit_abandon(struct archive_edit *edit);

/* Encodes the pakfile as it is now into the lump, so that readers of the lump see what was added.
 */
NODISCARD enum status archive_edit_settle(struct archive_edit *edit);

/* Reads the directory of the packed files, if that has not been done. */
NODISCARD enum status archive_edit_need_pakfile(struct archive_edit *edit);
/* Packs the file at `from` as `name`; `\` in it becomes `/`. */
NODISCARD enum status archive_edit_add(struct archive_edit *edit, const char *from,
                                       const char *name);
/* Packs bytes under a safe name, in the place of a file of that name. */
NODISCARD enum status archive_edit_put(struct archive_edit *edit, const char *name,
                                       const struct bytes *data);
/* Packs all files below a folder, under their relative paths. */
NODISCARD enum status archive_edit_add_folder(struct archive_edit *edit, const char *folder);
/* Packs the files of a list, with two lines per file: its name in the BSP, then its path. */
NODISCARD enum status archive_edit_add_list(struct archive_edit *edit, const char *list);
/* Reports PAK_MISSING if there is no file of that name. */
NODISCARD enum status archive_edit_remove(struct archive_edit *edit, const char *name);

/* Packs all cubemaps below a folder as materials/maps/MAP/..., replacing existing ones. If `map`
 * is NULL, files in such a folder keep it; others go to the folder of the map's existing
 * cubemaps, else to that of its file name. */
NODISCARD enum status archive_edit_put_cubemaps(struct archive_edit *edit, const char *folder,
                                                const char *map);
/* Gives that folder, without a slash at its end: in the arena of the edit. */
NODISCARD enum status archive_edit_cubemap_folder(struct archive_edit *edit, const char *map,
                                                  const char **out);
NODISCARD enum status archive_edit_delete_cubemaps(struct archive_edit *edit);

/* Replaces the entities by a text, which must parse and begin with worldspawn. */
NODISCARD enum status archive_edit_put_entities(struct archive_edit *edit, const char *from);

/* Sets the compression of all files, packed and new. */
NODISCARD enum status archive_edit_recode(struct archive_edit *edit, enum zip_method method);

/* Writes the output and reports it on the console; an unchanged pakfile keeps its bytes. */
NODISCARD enum status archive_edit_save(struct archive_edit *edit, struct console *console);
void archive_edit_close(struct archive_edit *edit);

#endif
