/* Internal: the presets of a build, as its command line names them. */
#ifndef BRUSHWORK_SHARED_PRESET_H
#define BRUSHWORK_SHARED_PRESET_H

enum build_preset { PRESET_PREVIEW, PRESET_FAST, PRESET_NORMAL, PRESET_FINAL, BUILD_PRESETS };

/* By enum build_preset, then NULL. */
extern const char *const build_preset_names[];

#endif
