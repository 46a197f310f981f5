/* Levels made of BM files. */
#ifndef TESTS_VBSP_BMX_MADE_H
#define TESTS_VBSP_BMX_MADE_H

#include "ballance/level/bmx_level.h"
#include "tests/support/bmx_cells.h"

struct made {
    struct diag *diag;
    struct bmx *bmx;
    struct level level;
    struct bmx_level_files files;
};

static inline void make_with(struct made *made, struct bmx *bmx,
                             const struct bmx_level_options *options)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    *made = (struct made){.diag = diag_new(NULL, NULL), .bmx = bmx};
    bmx_check_model(bmx, &findings, &stats);
    assert_int_equal(findings.by_severity[DIAG_ERROR], 0);
    bmx_level_make(bmx, options, "level.bmx", made->diag, &made->level, &made->files);
    bmx_findings_free(&findings);
}

static inline void make_of_mesh(struct made *made, struct bmx_mesh *mesh)
{
    make_with(made, bmx_of_mesh(mesh), &(struct bmx_level_options){.name = "level"});
}

static inline void make_of_cells(struct made *made, const struct cell_grid *grid)
{
    struct bmx_mesh mesh = {0};
    put_cells(&mesh, grid);
    make_of_mesh(made, &mesh);
}

static inline void made_free(struct made *made)
{
    level_free(&made->level);
    bmx_level_files_free(&made->files);
    bmx_free(made->bmx);
    diag_free(made->diag);
}

#endif
