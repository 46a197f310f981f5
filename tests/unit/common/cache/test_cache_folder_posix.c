/* The cache in a folder: values come back whole or not at all, and no fault of an entry or of the
 * disk does more than be told once. */
#include "tests/support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cache/cache.h"
#include "common/cache/cache_entry.h"
#include "common/cache/cache_folder.h"
#include "common/core/array.h"
#include "common/diag/codes/cache.def"
#include "tests/support/faulty_fs.h"

enum { PROCESSES = 8, ROUNDS = 40, KEYS = 12 };

struct world {
    struct env env;
    struct cache_options options;
};

static struct world new_world(struct fs *fs)
{
    return (struct world){.env = {.diag = diag_new(NULL, NULL), .fs = fs, .threads = 1},
                          .options = {.place = "cache"}};
}

static void free_world(struct world *world)
{
    diag_free(world->env.diag);
    fs_memory_free(world->env.fs);
}

static struct cache_key key_of(const char *kind, int number)
{
    struct cache_key key = {.kind = kind};
    sha256_of(&number, sizeof number, key.hash);
    return key;
}

/* Of little use to compress. */
static struct bytes value_of(size_t size, unsigned char first)
{
    struct bytes value = {0};
    uint32_t state = first + 1u;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        bytes_u8(&value, (unsigned char)(state >> 24));
    }
    return value;
}

static void put(struct world *world, const struct cache_key *key, size_t size, unsigned char first)
{
    struct cache *cache = cache_open(&world->env, &world->options);
    struct bytes value = value_of(size, first);
    cache_put(cache, key, &value);
    bytes_free(&value);
    cache_close(cache);
}

/* Returns false if there is none; what there is must be that of put. */
static bool get(struct world *world, const struct cache_key *key, size_t size, unsigned char first)
{
    struct cache *cache = cache_open(&world->env, &world->options);
    struct bytes value = value_of(size, first), found = {0};
    bytes_append(&found, "before", 6);
    bool there = cache_get(cache, key, &found);
    assert_int_equal(found.size, 6 + (there ? size : 0));
    assert_memory_equal(found.data, "before", 6);
    assert_true(!there || memcmp(found.data + 6, value.data ? value.data : (void *)"", size) == 0);
    bytes_free(&value);
    bytes_free(&found);
    cache_close(cache);
    return there;
}

static size_t told(const struct world *world, int code)
{
    return diag_count_code(world->env.diag, code);
}

static void path_of(const struct cache_key *key, char *out)
{
    char name[CACHE_PATH_SIZE];
    cache_entry_path(key, name);
    snprintf(out, 2 * CACHE_PATH_SIZE, "cache/%s", name);
}

static void what_was_put_comes_back(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key a = key_of("a", 1), same_hash = key_of("b", 1), other = key_of("a", 2),
                           empty = key_of("a", 3);
    assert_false(get(&world, &a, 1000, 5));
    put(&world, &a, 1000, 5);
    assert_true(get(&world, &a, 1000, 5));
    assert_false(get(&world, &same_hash, 0, 0));
    assert_false(get(&world, &other, 0, 0));
    put(&world, &a, 20, 9);
    assert_true(get(&world, &a, 20, 9));
    put(&world, &empty, 0, 0);
    assert_true(get(&world, &empty, 0, 0));
    assert_int_equal(diag_count(world.env.diag, DIAG_WARNING), 0);
    free_world(&world);
}

static void no_place_is_no_cache(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("a", 1);
    world.options.place = "";
    assert_null(cache_open(&world.env, &world.options));
    world.options.place = NULL;
    assert_null(cache_open(&world.env, &world.options));
    put(&world, &key, 10, 1);
    assert_false(get(&world, &key, 10, 1));
    cache_report_counts(NULL);
    free_world(&world);
}

/* Writes the bytes in the place of an entry: they are found, told, removed and made again. */
static void poison(struct world *world, const struct cache_key *key, const void *data, size_t size)
{
    char path[2 * CACHE_PATH_SIZE];
    path_of(key, path);
    size_t before = told(world, DIAG_CACHE_DAMAGED);
    struct fs *fs = world->env.fs;
    assert_int_equal(fs->ops->write(fs, path, data, size), 0);
    assert_false(get(world, key, 100, 3));
    assert_int_equal(told(world, DIAG_CACHE_DAMAGED), before + 1);
    assert_int_equal(fs->ops->kind(fs, path), FS_ABSENT);
    put(world, key, 100, 3);
    assert_true(get(world, key, 100, 3));
}

static struct bytes entry_of(const struct world *world, const struct cache_key *key)
{
    char path[2 * CACHE_PATH_SIZE];
    struct bytes copy = {0};
    path_of(key, path);
    const struct bytes *file = fs_memory_file(world->env.fs, path);
    assert_non_null(file);
    bytes_append(&copy, file->data, file->size);
    return copy;
}

static void each_flipped_bit_is_found(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("vvis-component", 1);
    put(&world, &key, 100, 3);
    struct bytes entry = entry_of(&world, &key);
    assert_int_equal(entry.size, CACHE_HEADER_SIZE + 100);
    for (size_t bit = 0; bit < 8 * entry.size; bit++) {
        entry.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        poison(&world, &key, entry.data, entry.size);
        entry.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    bytes_free(&entry);
    free_world(&world);
}

static void each_cut_and_tail_is_found(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("vvis-component", 1);
    put(&world, &key, 100, 3);
    struct bytes entry = entry_of(&world, &key);
    for (size_t size = 0; size < entry.size; size++)
        poison(&world, &key, entry.data, size);
    bytes_u8(&entry, 0);
    poison(&world, &key, entry.data, entry.size);
    bytes_free(&entry);
    free_world(&world);
}

static void entries_of_others_are_found(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("a", 1), other = key_of("a", 2), kind = key_of("b", 1);
    put(&world, &key, 100, 3);
    put(&world, &other, 100, 3);
    put(&world, &kind, 100, 3);
    struct bytes of_other = entry_of(&world, &other), of_kind = entry_of(&world, &kind);
    poison(&world, &key, of_other.data, of_other.size);
    poison(&world, &key, of_kind.data, of_kind.size);
    bytes_free(&of_other);
    bytes_free(&of_kind);
    free_world(&world);
}

/* A size of which no file is. */
static void a_false_size_costs_nothing(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("a", 1);
    put(&world, &key, 100, 3);
    struct bytes entry = entry_of(&world, &key);
    for (size_t at = 48; at <= 56; at += 8) {
        unsigned char before[8];
        memcpy(before, entry.data + at, sizeof before);
        memset(entry.data + at, 0xff, sizeof before);
        poison(&world, &key, entry.data, entry.size);
        memset(entry.data + at, 0, sizeof before);
        poison(&world, &key, entry.data, entry.size);
        memcpy(entry.data + at, before, sizeof before);
    }
    bytes_free(&entry);
    free_world(&world);
}

static void damage_is_told_once_a_run(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    char path[2 * CACHE_PATH_SIZE];
    struct bytes found = {0};
    for (int i = 0; i < 3; i++) {
        const struct cache_key key = key_of("a", i);
        path_of(&key, path);
        assert_int_equal(world.env.fs->ops->write(world.env.fs, path, "x", 1), 0);
    }
    struct cache *cache = cache_open(&world.env, &world.options);
    for (int i = 0; i < 3; i++) {
        const struct cache_key key = key_of("a", i);
        assert_false(cache_get(cache, &key, &found));
    }
    cache_close(cache);
    assert_int_equal(told(&world, DIAG_CACHE_DAMAGED), 1);
    assert_int_equal(told(&world, DIAG_CACHE_UNUSED), 0);
    free_world(&world);
}

/* A folder in the place of an entry, or a file in that of a folder: told once, and nothing else. */
static void what_is_in_the_way_stays(void **state)
{
    (void)state;
    static const char *const in_the_way[] = {"%s/file", "cache/a"};
    for (size_t i = 0; i < 2; i++) {
        struct world world = new_world(fs_memory_new());
        const struct cache_key key = key_of("a", 1);
        struct bytes found = {0};
        char path[2 * CACHE_PATH_SIZE], file[3 * CACHE_PATH_SIZE];
        path_of(&key, path);
        if (i == 0)
            snprintf(file, sizeof file, "%s/file", path);
        else
            snprintf(file, sizeof file, "%s", in_the_way[i]);
        assert_int_equal(world.env.fs->ops->write(world.env.fs, file, "x", 1), 0);
        struct cache *cache = cache_open(&world.env, &world.options);
        const struct bytes value = {.data = (unsigned char *)"value", .size = 5};
        for (int round = 0; round < 3; round++) {
            assert_false(cache_get(cache, &key, &found));
            cache_put(cache, &key, &value);
        }
        cache_close(cache);
        assert_int_equal(told(&world, DIAG_CACHE_UNUSED), 1);
        assert_int_equal(diag_count(world.env.diag, DIAG_ERROR), 0);
        assert_non_null(fs_memory_file(world.env.fs, file));
        free_world(&world);
    }
}

static void a_failing_disk_is_told_once(void **state)
{
    (void)state;
    struct fs *memory = fs_memory_new();
    struct world world = new_world(memory);
    const struct cache_key key = key_of("a", 1);
    put(&world, &key, 100, 3);
    for (long at = 1; at < 20; at++) {
        struct faulty_fs faulty = faulty_fs(memory, EIO);
        faulty.fails_at = at;
        world.env.fs = &faulty.base;
        size_t before = diag_count(world.env.diag, DIAG_WARNING);
        struct cache *cache = cache_open(&world.env, &world.options);
        struct bytes found = {0};
        bool there = cache_get(cache, &key, &found);
        assert_true(faulty.failed || there);
        assert_false(faulty.failed && there);
        assert_false(cache_get(cache, &key, &found) && faulty.failed);
        assert_int_equal(diag_count(world.env.diag, DIAG_WARNING), before + faulty.failed);
        bytes_free(&found);
        cache_close(cache);
        if (!faulty.failed)
            break;
    }
    assert_int_equal(told(&world, DIAG_CACHE_DAMAGED), 0);
    assert_true(told(&world, DIAG_CACHE_UNUSED) > 1);
    world.env.fs = memory;
    assert_true(get(&world, &key, 100, 3));
    free_world(&world);
}

static void what_was_used_last_stays(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    world.options.max_bytes = 4 * (CACHE_HEADER_SIZE + 1000);
    struct cache_key keys[6];
    for (int i = 0; i < 4; i++) {
        keys[i] = key_of(i % 2 ? "a" : "b", i);
        put(&world, &keys[i], 1000, 1);
    }
    for (int i = 0; i < 4; i++)
        assert_true(get(&world, &keys[i == 0 ? 2 : i == 2 ? 0 : i], 1000, 1));
    /* By use: 2, 1, 0, 3. */
    keys[4] = key_of("c", 4);
    put(&world, &keys[4], 1000, 1);
    assert_false(get(&world, &keys[2], 1000, 1));
    assert_false(get(&world, &keys[1], 1000, 1)); /* a tenth is kept free */
    assert_true(get(&world, &keys[0], 1000, 1));
    assert_true(get(&world, &keys[3], 1000, 1));
    assert_true(get(&world, &keys[4], 1000, 1));
    /* One that is larger than all is not kept, and drives out none. */
    keys[5] = key_of("c", 5);
    put(&world, &keys[5], 5000, 1);
    assert_false(get(&world, &keys[5], 5000, 1));
    assert_true(get(&world, &keys[0], 1000, 1));
    assert_int_equal(diag_count(world.env.diag, DIAG_WARNING), 0);
    free_world(&world);
}

static void foreign_files_are_never_removed(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cache/map.vmf",
        "cache/a/readme",
        "cache/a/0/notes.txt",
        "cache/a/0/"
        "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "cache/a/01/"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "cache/A/0/"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "cache/a/0/"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef."
        "brushwork-1-0123456789abcdef-abcdef",
        "cache/a/0/"
        "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"};
    struct world world = new_world(fs_memory_new());
    struct fs *fs = world.env.fs;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(fs->ops->write(fs, names[i], "foreign", 7), 0);
    world.options.max_bytes = 300;
    for (int i = 0; i < 8; i++) {
        const struct cache_key key = key_of("a", i);
        put(&world, &key, 100, 1);
    }
    struct cache_listing listing;
    int error;
    assert_int_equal(cache_list(fs, "cache", &listing), 0);
    assert_int_equal(arrlen(listing.files), 1);
    assert_int_equal(cache_trim(fs, &listing, 0, &error), 1);
    assert_int_equal(error, 0);
    cache_listing_free(&listing);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(fs_memory_file(fs, names[i]));
    free_world(&world);
}

static void read_only_changes_nothing(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("a", 1), other = key_of("a", 2);
    struct fs *fs = world.env.fs;
    struct fs_info before, after;
    char path[2 * CACHE_PATH_SIZE];
    path_of(&key, path);
    put(&world, &key, 100, 3);
    assert_int_equal(fs->ops->info(fs, path, &before), 0);
    world.options.read_only = true;
    world.options.max_bytes = 10;
    assert_true(get(&world, &key, 100, 3));
    put(&world, &other, 100, 3);
    assert_false(get(&world, &other, 100, 3));
    assert_int_equal(fs->ops->info(fs, path, &after), 0);
    assert_int_equal(before.modified, after.modified);
    assert_int_equal(fs->ops->write(fs, path, "x", 1), 0);
    assert_false(get(&world, &key, 100, 3));
    assert_non_null(fs_memory_file(fs, path));
    free_world(&world);
}

static void a_bound_of_memory_is_not_reached_by_the_cache(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    const struct cache_key key = key_of("a", 1);
    put(&world, &key, 1 << 20, 3);
    struct cache *cache = cache_open(&world.env, &world.options);
    struct bytes found = {0};
    memory_set_limit(memory_used() + (2 << 20));
    assert_false(cache_get(cache, &key, &found));
    memory_set_limit(0);
    assert_true(cache_get(cache, &key, &found));
    bytes_free(&found);
    cache_close(cache);
    assert_int_equal(diag_count(world.env.diag, DIAG_WARNING), 0);
    free_world(&world);
}

/* One of several processes that read, write and remove entries of the same keys. */
static int share(const char *folder, unsigned seed)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
    const struct cache_options options = {.place = folder, .max_bytes = 40000};
    for (int i = 0; i < ROUNDS; i++) {
        struct cache *cache = cache_open(&env, &options);
        seed = seed * 1103515245u + 12345u;
        int number = (int)(seed >> 16) % KEYS;
        const struct cache_key key = key_of("shared", number);
        size_t size = (size_t)(2000 + 500 * number);
        struct bytes value = value_of(size, (unsigned char)number), found = {0};
        if (cache_get(cache, &key, &found) && !bytes_equal(&value, &found))
            return 1;
        cache_put(cache, &key, &value);
        bytes_free(&value);
        bytes_free(&found);
        cache_close(cache);
    }
    return diag_count(env.diag, DIAG_WARNING) ? 2 : 0;
}

static void remove_all(const char *folder)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void processes_share_a_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_cache_XXXXXX";
    assert_non_null(mkdtemp(folder));
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(share(folder, i + 1));
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    struct cache_listing listing;
    assert_int_equal(cache_list(fs_disk(), folder, &listing), 0);
    assert_true(arrlen(listing.files) > 0);
    assert_true(cache_listing_bytes(&listing) <= 40000);
    for (size_t i = 0; i < arrlenu(listing.files); i++)
        assert_int_equal(cache_file_check(fs_disk(), &listing.files[i]), CACHE_WHOLE);
    cache_listing_free(&listing);
    remove_all(folder);
}

static void put_on_disk(const char *folder, const struct cache_key *key)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_disk(), .threads = 1};
    const struct cache_options options = {.place = folder};
    const struct bytes value = {.data = (unsigned char *)"value", .size = 5};
    struct cache *cache = cache_open(&env, &options);
    cache_put(cache, key, &value);
    cache_close(cache);
    assert_int_equal(diag_count(env.diag, DIAG_WARNING), 0);
    diag_free(env.diag);
}

static mode_t mode_of(const char *folder, const char *below)
{
    char path[3 * CACHE_PATH_SIZE];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, below);
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

/* Whoever may use the folder may use what is in it, whatever the umask of those who add to it. */
static void permissions_are_those_of_the_folder(void **state)
{
    (void)state;
    static const mode_t folders[][3] = {
        {0700, 0700, 0600}, {0755, 0755, 0644}, {02775, 02775, 0664}, {0777, 0777, 0666}};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[] = "/tmp/brushwork_cache_XXXXXX", name[CACHE_PATH_SIZE];
        const struct cache_key key = key_of("vbsp", 1);
        assert_non_null(mkdtemp(folder));
        assert_int_equal(chmod(folder, folders[i][0]), 0);
        mode_t before = umask(i % 2 ? 022 : 077);
        put_on_disk(folder, &key);
        umask(before);
        cache_entry_path(&key, name);
        assert_int_equal(mode_of(folder, name), folders[i][2]);
        assert_int_equal(mode_of(folder, CACHE_TAG), folders[i][2]);
        name[strlen("vbsp/0")] = 0;
        assert_int_equal(mode_of(folder, name), folders[i][1]);
        assert_int_equal(mode_of(folder, "vbsp"), folders[i][1]);
        remove_all(folder);
    }
}

static void clear(const char *folder)
{
    struct cache_listing listing;
    int error;
    assert_int_equal(cache_list(fs_disk(), folder, &listing), 0);
    (void)cache_clear(fs_disk(), folder, &listing, &error);
    assert_int_equal(error, 0);
    cache_listing_free(&listing);
}

static void write_below(const char *folder, const char *name)
{
    char path[3 * CACHE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(fs_disk()->ops->write(fs_disk(), path, "mine", 4), 0);
}

/* Entries, what a killed run has left, their folders and the tag go; what is of others stays. */
static void clear_leaves_nothing_of_the_cache(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_cache_XXXXXX", name[CACHE_PATH_SIZE], left[300];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 20; i++) {
        const struct cache_key key = key_of(i % 2 ? "vbsp" : "vrad-inputs", i);
        put_on_disk(folder, &key);
        cache_entry_path(&key, name);
    }
    /* Of a system that is not this one: a day old. */
    snprintf(left, sizeof left, "%s.brushwork-1-0123456789abcdef-abcdef", name);
    write_below(folder, left);
    char path[3 * CACHE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, left);
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    clear(folder);
    assert_int_equal(rmdir(folder), 0);

    assert_int_equal(mkdir(folder, 0700), 0);
    const struct cache_key key = key_of("vbsp", 1);
    put_on_disk(folder, &key);
    static const char *const names[] = {
        "vbsp/notes", "CACHEDIR.TAG",
        /* of another store, whose entries have such names too */
        "sha256/0/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
    snprintf(path, sizeof path, "%s/sha256/0", folder);
    assert_int_equal(fs_disk()->ops->make_folder(fs_disk(), path), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_below(folder, names[i]);
    clear(folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)mode_of(folder, names[i]);
    cache_entry_path(&key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(access(path, F_OK), -1);
    remove_all(folder);
}

/* A value that is larger than those of its kind is none, and costs nothing. */
static void larger_values_than_a_kind_has_are_damage(void **state)
{
    (void)state;
    struct world world = new_world(fs_memory_new());
    struct cache_key key = key_of("a", 1);
    put(&world, &key, 1000, 5);
    key.max = 1000;
    assert_true(get(&world, &key, 1000, 5));
    key.max = 999;
    assert_false(get(&world, &key, 1000, 5));
    assert_int_equal(told(&world, DIAG_CACHE_DAMAGED), 1);
    put(&world, &key, 1000, 5);
    key.max = 0;
    assert_false(get(&world, &key, 1000, 5));
    free_world(&world);
}

static void use_is_a_time_of_the_disk(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_cache_XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_standard(), .threads = 1};
    const struct cache_options options = {.place = folder};
    const struct cache_key key = key_of("a", 1);
    const struct bytes value = {.data = (unsigned char *)"value", .size = 5};
    struct bytes found = {0};
    struct cache *cache = cache_open(&env, &options);
    cache_put(cache, &key, &value);
    char name[CACHE_PATH_SIZE], path[2 * CACHE_PATH_SIZE];
    cache_entry_path(&key, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_true(cache_get(cache, &key, &found));
    struct fs_info info;
    assert_int_equal(fs_disk()->ops->info(fs_disk(), path, &info), 0);
    assert_true(info.modified > INT64_C(1000000000) * 1000000000);
    bytes_free(&found);
    cache_close(cache);
    snprintf(path, sizeof path, "%s/CACHEDIR.TAG", folder);
    assert_int_equal(access(path, F_OK), 0);
    diag_free(env.diag);
    remove_all(folder);
}

static void a_place_is_told_without_its_password(void **state)
{
    (void)state;
    static const char *const places[][2] = {
        {"http://host/cache", "http://host/cache"},
        {"http://me:secret@host:80/cache", "http://host:80/cache"},
        {"https://me:s@cret@host/a@b", "https://host/a@b"},
        {"http://host/a@b", "http://host/a@b"},
        {"/folder/with@sign", "/folder/with@sign"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char text[100];
        cache_place_text(places[i][0], text, sizeof text);
        assert_string_equal(text, places[i][1]);
    }
    assert_true(cache_is_address("http://host"));
    assert_false(cache_is_address("/folder"));
}

SUITE(test_cache_folder_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_comes_back),
        cmocka_unit_test(no_place_is_no_cache),
        cmocka_unit_test(each_flipped_bit_is_found),
        cmocka_unit_test(each_cut_and_tail_is_found),
        cmocka_unit_test(entries_of_others_are_found),
        cmocka_unit_test(a_false_size_costs_nothing),
        cmocka_unit_test(damage_is_told_once_a_run),
        cmocka_unit_test(what_is_in_the_way_stays),
        cmocka_unit_test(a_failing_disk_is_told_once),
        cmocka_unit_test(what_was_used_last_stays),
        cmocka_unit_test(foreign_files_are_never_removed),
        cmocka_unit_test(read_only_changes_nothing),
        cmocka_unit_test(a_bound_of_memory_is_not_reached_by_the_cache),
        cmocka_unit_test(processes_share_a_folder),
        cmocka_unit_test(permissions_are_those_of_the_folder),
        cmocka_unit_test(clear_leaves_nothing_of_the_cache),
        cmocka_unit_test(larger_values_than_a_kind_has_are_damage),
        cmocka_unit_test(use_is_a_time_of_the_disk),
        cmocka_unit_test(a_place_is_told_without_its_password),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
