#include "common/assets/shaders/shader_script.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/shaders.def"

/* --- shader script --- */

enum word_kind { WORD_END, WORD_OPEN, WORD_CLOSE, WORD_TEXT };

struct word {
    enum word_kind kind;
    bool starts_line; /* first word on its line */
    const char *text;
    size_t length;
    int line;
};

struct reader {
    const char *at, *end;
    int line;
    bool inside; /* something was read already */
};

static bool skip_comment(struct reader *reader)
{
    if (reader->end - reader->at < 2 || reader->at[0] != '/')
        return false;
    if (reader->at[1] == '/') {
        while (reader->at < reader->end && *reader->at != '\n')
            reader->at++;
        return true;
    }
    if (reader->at[1] != '*')
        return false;
    reader->at += 2;
    while (reader->at < reader->end &&
           !(*reader->at == '*' && reader->end - reader->at > 1 && reader->at[1] == '/'))
        reader->line += *reader->at++ == '\n';
    reader->at = reader->end - reader->at < 2 ? reader->end : reader->at + 2;
    return true;
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        if ((unsigned char)*reader->at <= ' ')
            reader->line += *reader->at++ == '\n';
        else if (!skip_comment(reader))
            return;
    }
}

static struct word next_word(struct reader *reader)
{
    int line = reader->line;
    skip_blanks(reader);
    struct word word = {.text = reader->at, .line = reader->line};
    word.starts_line = reader->line != line || !reader->inside;
    reader->inside = true;
    if (reader->at == reader->end)
        return word;
    word.kind = WORD_TEXT;
    if (*reader->at == '"') {
        const char *stop = ++reader->at;
        while (stop < reader->end && *stop != '"' && *stop != '\n')
            stop++;
        word.text = reader->at;
        word.length = (size_t)(stop - reader->at);
        reader->at = stop + (stop < reader->end && *stop == '"');
        return word;
    }
    while (reader->at < reader->end && (unsigned char)*reader->at > ' ')
        reader->at++;
    word.length = (size_t)(reader->at - word.text);
    if (word.length == 1 && (*word.text == '{' || *word.text == '}'))
        word.kind = *word.text == '{' ? WORD_OPEN : WORD_CLOSE;
    return word;
}

const char *shader_clean_name(struct arena *arena, const char *name)
{
    static const char *const extensions[] = {".tga", ".jpg", ".jpeg", ".png", ".bmp"};
    const char *clean = asset_name(arena, name);
    for (size_t i = 0; clean && i < sizeof extensions / sizeof *extensions; i++)
        if (str_ends_nocase(clean, extensions[i]) && strlen(clean) > strlen(extensions[i]))
            return arena_strndup(arena, clean, strlen(clean) - strlen(extensions[i]));
    return clean;
}

struct adding {
    struct shader_scripts *scripts;
    struct diag *diag;
    const char *file;
    bool listed;
};

static void report(const struct adding *job, int line, const char *what, const struct word *word)
{
    const struct diag_where where = {.file = job->file, .line = line};
    int length = word->length < 64 ? (int)word->length : 64;
    (void)diag_report(job->diag, DIAG_SHADER_SCRIPT, &where, "%s \"%.*s\"", what, length,
                      word->text);
}

static void keep(const struct adding *job, const struct word *name,
                 const struct shader_block *block)
{
    struct shader_scripts *scripts = job->scripts;
    struct arena_mark mark = arena_mark(&scripts->arena);
    const char *text = arena_strndup(&scripts->arena, name->text, name->length);
    const char *clean = shader_clean_name(&scripts->arena, text);
    if (!clean) {
        report(job, name->line, "invalid shader name", name);
    } else if (shgeti(scripts->blocks, clean) >= 0) {
        struct shader_block *first = &shgetp(scripts->blocks, clean)->value;
        scripts->duplicates++;
        if (!first->again_in)
            first->again_in = job->file;
    } else {
        shput(scripts->blocks, clean, *block);
        scripts->shaders++;
    }
    arena_release(&scripts->arena, mark);
}

/* Returns true when a shader starts with this word, so that the previous one lacks its closing
 * brace: a path alone on its line, followed by a brace. */
static bool starts_shader(const struct reader *reader, const struct word *word)
{
    struct reader ahead = *reader;
    return word->kind == WORD_TEXT && word->starts_line && memchr(word->text, '/', word->length) &&
           next_word(&ahead).kind == WORD_OPEN;
}

/* Reads up to the brace that closes a block, or to the start of the next shader. */
static void read_block_text(const struct adding *job, struct reader *reader,
                            const struct word *name)
{
    struct shader_block block = {.file = job->file,
                                 .line = name->line,
                                 .text = reader->at,
                                 .text_line = reader->line,
                                 .listed = job->listed};
    int depth = 1;
    while (depth) {
        struct reader before = *reader;
        struct word word = next_word(reader);
        bool next = starts_shader(reader, &word);
        block.size = (size_t)(before.at - block.text);
        if (word.kind == WORD_END || next || (word.kind == WORD_OPEN && depth == 2)) {
            report(job, word.line, "missing '}' of", name);
            if (next || word.kind == WORD_END)
                *reader = before;
            if (next || word.kind == WORD_END)
                break;
        }
        if (word.kind == WORD_OPEN && depth < 2)
            depth++;
        if (word.kind == WORD_CLOSE)
            depth--;
    }
    keep(job, name, &block);
}

static void read_shaders(const struct adding *job, struct reader reader)
{
    struct word name = next_word(&reader);
    while (name.kind != WORD_END) {
        struct word open = name.kind == WORD_TEXT ? next_word(&reader) : name;
        if (name.kind != WORD_TEXT) {
            report(job, name.line, "expected a shader name, found", &name);
        } else if (open.kind != WORD_OPEN) {
            report(job, name.line, "missing '{' after", &name);
            name = open;
            continue;
        } else {
            read_block_text(job, &reader, &name);
        }
        name = next_word(&reader);
    }
}

void shader_scripts_add(struct shader_scripts *scripts, struct bytes *text, const char *file,
                        bool listed, struct diag *diag)
{
    static const unsigned char mark[3] = {0xEF, 0xBB, 0xBF};
    if (!scripts->blocks)
        sh_new_strdup(scripts->blocks);
    struct adding job = {scripts, diag, arena_strdup(&scripts->arena, file), listed};
    arrput(scripts->texts, *text);
    size_t skip = text->size >= 3 && memcmp(text->data, mark, 3) == 0 ? 3 : 0;
    const char *start = text->data ? (const char *)text->data + skip : "";
    read_shaders(&job, (struct reader){start, start + (text->size - skip), 1, false});
    scripts->files++;
    *text = (struct bytes){0};
}

const struct shader_block *shader_scripts_find(const struct shader_scripts *scripts,
                                               const char *clean_name)
{
    struct shader_cell *blocks = scripts->blocks;
    const struct shader_cell *cell = blocks ? shgetp_null(blocks, clean_name) : NULL;
    return cell ? &cell->value : NULL;
}

void shader_scripts_free(struct shader_scripts *scripts)
{
    for (size_t i = 0; i < arrlenu(scripts->texts); i++)
        bytes_free(&scripts->texts[i]);
    arrfree(scripts->texts);
    shfree(scripts->blocks);
    arena_free(&scripts->arena);
    *scripts = (struct shader_scripts){0};
}

struct shader_cursor shader_cursor(const struct shader_block *block)
{
    return (struct shader_cursor){.at = block->text,
                                  .end = block->size ? block->text + block->size : block->text,
                                  .line = block->text_line,
                                  .stage = -1};
}

/* Fills in the words on the first one's line. */
static void read_words(struct reader *reader, struct arena *arena, struct word word,
                       struct shader_directive *out)
{
    struct bytes rest = {0};
    do {
        const char *text = arena_strndup(arena, word.text, word.length);
        if (out->count)
            bytes_append_text(&rest, "%s%s", out->count > 1 ? " " : "", text);
        if (out->count < SHADER_MAX_WORDS)
            out->words[out->count++] = text;
        struct reader before = *reader;
        word = next_word(reader);
        if (word.kind != WORD_TEXT || word.starts_line)
            *reader = before;
    } while (word.kind == WORD_TEXT && !word.starts_line);
    bytes_u8(&rest, 0);
    out->rest = arena_strdup(arena, (const char *)rest.data);
    bytes_free(&rest);
}

bool shader_next_directive(struct shader_cursor *cursor, struct arena *arena,
                           struct shader_directive *out)
{
    struct reader reader = {cursor->at, cursor->end, cursor->line, false};
    struct word word = next_word(&reader);
    while (word.kind == WORD_OPEN || word.kind == WORD_CLOSE) {
        cursor->stage += word.kind == WORD_OPEN;
        cursor->depth = word.kind == WORD_OPEN;
        word = next_word(&reader);
    }
    *out = (struct shader_directive){
        .line = word.line, .depth = cursor->depth, .stage = cursor->stage};
    if (word.kind == WORD_TEXT)
        read_words(&reader, arena, word, out);
    cursor->at = reader.at;
    cursor->line = reader.line;
    return word.kind == WORD_TEXT;
}

/* --- custom parms --- */

enum { CONTENTS_BLOCK, SURFACE_BLOCK }; /* in the order of the file */

/* A hexadecimal number of 32 bits, with or without 0x. */
static bool read_flags(const char *text, int *out)
{
    char *end;
    uint64_t number = strtoull(text, &end, 16);
    if (*text == '-' || *text == '+' || end == text || *end || number > UINT32_MAX)
        return false;
    *out = (int)(uint32_t)number;
    return true;
}

void custom_parms_read(const char *text, size_t size, const char *file, struct arena *arena,
                       struct diag *diag, struct custom_parm **out)
{
    const struct shader_block whole = {.text = text, .size = size, .text_line = 1};
    struct shader_cursor cursor = shader_cursor(&whole);
    struct shader_directive line;
    while (size && shader_next_directive(&cursor, arena, &line)) {
        struct custom_parm parm = {.name = line.words[0]};
        int flags;
        bool known = line.depth == 1 && line.stage <= SURFACE_BLOCK;
        if (known && line.count == 2 && read_flags(line.words[1], &flags)) {
            *(line.stage == CONTENTS_BLOCK ? &parm.contents : &parm.surface) = flags;
            arrput(*out, parm);
            continue;
        }
        struct diag_where where = {.file = file, .line = line.line};
        (void)diag_report(diag, DIAG_CUSTOM_PARMS, &where,
                          known ? "\"%s\" needs a hexadecimal number" : "\"%s\" is in no block",
                          line.words[0]);
    }
}

const struct custom_parm *custom_parms_find(const struct custom_parm *parms, const char *name)
{
    for (size_t i = 0; i < arrlenu(parms); i++)
        if (str_equal_nocase(parms[i].name, name))
            return &parms[i];
    return NULL;
}
