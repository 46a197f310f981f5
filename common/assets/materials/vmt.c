#include "common/assets/materials/vmt.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/materials.def"
#include "common/diag/codes/syntax.def"

/* Real games nest patches three deep. More than this is a cycle. */
#define MAX_PATCHES 16
/* A patch changes a few keys; each costs a search of the base. */
#define MAX_CHANGES 1024

struct loader {
    vmt_include *include;
    void *context;
    struct arena *arena;
    struct diag *diag;
    int patches;
    bool goes_without; /* a patch is read without its base, too */
    bool lacks_base;   /* which has happened */
};

static bool broken(const struct loader *loader, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool broken(const struct loader *loader, const char *file, int line, const char *format, ...)
{
    struct diag_where where = {.file = file, .line = line};
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(loader->arena, format, args);
    va_end(args);
    diag_report(loader->diag, DIAG_VMT_BROKEN, &where, "%s", message);
    return false;
}

/* An invalid material only affects that material, not the whole compile: a warning. */
static struct kv *parse_text(const struct loader *loader, const char *text, size_t size,
                             const char *file)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct kv *root;
    enum status status = kv_parse(text, size, file, KV_LENIENT, loader->arena, diag, &root);
    for (size_t i = 0; i < diag_entries(diag); i++) {
        const struct diag_entry *entry = diag_entry(diag, i);
        if (entry->code == DIAG_TEXT_REPAIRED)
            diag_report(loader->diag, entry->code, &entry->where, "%s", entry->message);
        else
            broken(loader, file, entry->where.line, "%s", entry->message);
    }
    diag_free(diag);
    if (status != STATUS_OK)
        return NULL;
    for (struct kv *node = root->children; node; node = node->next)
        if (!node->value)
            return node;
    broken(loader, file, 1, "no material block");
    return NULL;
}

static struct kv *find(struct kv *block, const char *key)
{
    for (struct kv *node = block->children; node; node = node->next)
        if (str_equal_nocase(node->key, key))
            return node;
    return NULL;
}

static void append(struct kv *block, struct kv *node)
{
    struct kv **tail = &block->children;
    while (*tail)
        tail = &(*tail)->next;
    node->next = NULL;
    *tail = node;
}

/* `insert` sets a key in any case, `replace` only one that exists in the base. */
static bool apply_patch(const struct loader *loader, struct kv *base, struct kv *changes,
                        bool insert, const char *file)
{
    int count = 0;
    for (struct kv *node = changes->children, *next; node; node = next) {
        if (++count > MAX_CHANGES)
            return broken(loader, file, node->line, "patch with more than %d keys", MAX_CHANGES);
        next = node->next;
        struct kv *old = find(base, node->key);
        if (old) {
            old->value = node->value;
            old->children = node->children;
        } else if (insert) {
            append(base, node);
        }
    }
    return true;
}

static struct kv *load_base(struct loader *loader, struct kv *patch, const char *file);

/* Returns the root block of a file with its patches applied, or NULL. */
static struct kv *resolve(struct loader *loader, const char *text, size_t size, const char *file)
{
    struct kv *root = parse_text(loader, text, size, file);
    if (!root || !str_equal_nocase(root->key, "patch"))
        return root;
    struct kv *base = load_base(loader, root, file);
    if (!base)
        return NULL;
    for (struct kv *node = root->children; node; node = node->next) {
        bool insert = str_equal_nocase(node->key, "insert");
        if (node->value || !(insert || str_equal_nocase(node->key, "replace")))
            continue;
        if (!apply_patch(loader, base, node, insert || loader->lacks_base, file))
            return NULL;
    }
    return base;
}

static struct kv *without_base(struct loader *loader, const struct kv *patch)
{
    struct kv *base = ARENA_NEW(loader->arena, struct kv);
    base->key = patch->key;
    base->line = patch->line;
    loader->lacks_base = true;
    return base;
}

static struct kv *load_base(struct loader *loader, struct kv *patch, const char *file)
{
    const char *path = kv_value(patch, "include");
    if (!path) {
        broken(loader, file, patch->line, "patch without an \"include\" key");
        return NULL;
    }
    if (++loader->patches > MAX_PATCHES) {
        broken(loader, file, patch->line, "circular include of patches");
        return NULL;
    }
    struct bytes bytes = {0};
    struct kv *base = NULL;
    bool is_read = loader->include && loader->include(loader->context, path, &bytes);
    if (!is_read && loader->goes_without)
        base = without_base(loader, patch);
    else if (!is_read)
        broken(loader, file, patch->line, "patched material \"%.200s\" not found", path);
    else
        base = resolve(loader, (const char *)bytes.data, bytes.size,
                       arena_strdup(loader->arena, path));
    bytes_free(&bytes);
    return base;
}

/* Evaluates the condition before the `?` of a conditional key, for a PC. */
static bool prefix_holds(const char *text, size_t length)
{
    bool negated = length && text[0] == '!';
    text += negated;
    length -= negated;
    bool holds = (length == 4 && str_starts_nocase(text, "srgb")) ||
                 (length == 3 && str_starts_nocase(text, "hdr"));
    return holds != negated;
}

/* "srgb?$alpha" becomes "$alpha" when the condition holds, else it is removed. */
static void settle_conditional_keys(struct kv *root)
{
    for (struct kv **at = &root->children; *at;) {
        struct kv *node = *at;
        const char *mark = strchr(node->key, '?');
        if (mark && !prefix_holds(node->key, (size_t)(mark - node->key))) {
            *at = node->next;
            continue;
        }
        if (mark)
            node->key = mark + 1;
        at = &node->next;
    }
}

static const char *shader_name(struct arena *arena, const char *key)
{
    char *name = arena_strdup(arena, key);
    for (char *at = name; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return str_starts_nocase(name, "sdk_") ? name + 4 : name;
}

bool vmt_parse(const char *text, size_t size, const char *name, vmt_include *include, void *context,
               struct arena *arena, struct diag *diag, struct vmt *out)
{
    struct loader loader = {.include = include, .context = context, .arena = arena, .diag = diag};
    struct kv *root = resolve(&loader, text, size, name);
    if (!root)
        return false;
    settle_conditional_keys(root);
    *out = (struct vmt){shader_name(arena, root->key), root};
    return true;
}

const struct kv *vmt_parse_all(const char *text, size_t size, const char *name,
                               vmt_include *include, void *context, struct arena *arena,
                               struct diag *diag)
{
    struct loader loader = {
        .include = include, .context = context, .arena = arena, .diag = diag, .goes_without = true};
    return resolve(&loader, text, size, name);
}

/* Returns true for blocks for current hardware: "LightmappedGeneric_DX9", "Water_HDR_DX9",
 * ">=dx90". */
static bool is_current_hardware(const char *key)
{
    return str_ends_nocase(key, "_dx9") || str_ends_nocase(key, "_dx90") ||
           str_starts_nocase(key, ">=dx9");
}

const char *vmt_value(const struct vmt *vmt, const char *key)
{
    const char *value = kv_value(vmt->keys, key);
    for (const struct kv *node = vmt->keys->children; node && !value; node = node->next)
        if (!node->value && is_current_hardware(node->key))
            value = kv_value(node, key);
    return value;
}

bool vmt_flag(const struct vmt *vmt, const char *key)
{
    const char *value = vmt_value(vmt, key);
    double number;
    return value && str_to_doubles(value, &number, 1) == 1 && number != 0;
}

double vmt_number(const struct vmt *vmt, const char *key, double usual)
{
    const char *value = vmt_value(vmt, key);
    double number;
    return value && str_to_doubles(value, &number, 1) == 1 && isfinite(number) ? number : usual;
}

bool vmt_colour(const struct vmt *vmt, const char *key, double out[3])
{
    const char *text = vmt_value(vmt, key);
    double read[3];
    if (!text || str_to_doubles(text + strspn(text, "{"), read, 3) != 3)
        return false;
    for (int k = 0; k < 3; k++)
        out[k] = text[0] == '{' ? read[k] / 255 : read[k];
    return true;
}

/* context: address of the array of mounts. */
static bool include_file(void *context, const char *path, struct bytes *out)
{
    struct mount *const *mounts = *(struct mount *const *const *)context;
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, path);
    bool found = clean && mounts_read(mounts, clean, out);
    arena_free(&scratch);
    return found;
}

bool vmt_load(struct mount *const *mounts, const char *name, struct arena *arena, struct diag *diag,
              struct vmt *out)
{
    const char *clean = asset_material_name(arena, name);
    if (!clean)
        return false;
    const char *file = arena_printf(arena, "materials/%s.vmt", clean);
    struct bytes text = {0};
    bool loaded =
        mounts_read(mounts, file, &text) && vmt_parse((const char *)text.data, text.size, file,
                                                      include_file, &mounts, arena, diag, out);
    bytes_free(&text);
    return loaded;
}
