/* Internal: an open BSP, and what has been made of it so far. */
#ifndef LIBRARY_BSP_H
#define LIBRARY_BSP_H

#include "common/bsp/bsp.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/text/entities.h"
#include "library/session.h"

struct lightmap {
    int face; /* of Source; of Quake 3: the page */
    struct brushwork_lightmap info;
};

struct brushwork_bsp {
    struct brushwork_session *session;
    char *name; /* owned */
    struct bsp *bsp;
    struct entity_list entities;
    bool entities_changed;
    /* read on demand */
    struct pakfile pakfile;
    bool has_pakfile, pakfile_changed;
    /* made on demand */
    bool has_mesh, use_hdr;
    struct brushwork_mesh mesh;
    struct brushwork_vertex *vertices; /* stb_ds arrays, that the mesh shows */
    uint32_t *indices;
    struct brushwork_face *faces;
    bool has_lightmaps;
    struct lightmap *lightmaps;          /* stb_ds array */
    int *face_lightmaps;                 /* stb_ds array: one per face of Source, -1: none */
    char material_name[SHADER_NAME + 1]; /* of Quake 3: the last that was asked for */
};

/* session_enter, call_begin and session_look with the session of the BSP, which may be NULL. */
NODISCARD enum brushwork_status bsp_enter(struct brushwork_bsp *bsp);
NODISCARD enum brushwork_status bsp_begin(struct brushwork_bsp *bsp, struct call *call);
NODISCARD bool bsp_look(const struct brushwork_bsp *bsp);

/* Makes the list of lightmaps. */
void bsp_need_lightmaps(struct brushwork_bsp *bsp);

void bsp_drop_mesh(struct brushwork_bsp *bsp);
void bsp_drop_lightmaps(struct brushwork_bsp *bsp);

#endif
