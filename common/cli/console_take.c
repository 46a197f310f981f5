/* The messages and output of other processes that work for this one. */
#include "common/cli/console_internal.h"
#include "common/core/array.h"

bool console_shows_text(const struct console *console)
{
    const struct console_options *options = &console->options;
    return options->diagnostics_file ? !options->json : options->diagnostics == DIAG_AS_TEXT;
}

const struct diag *console_all_messages(struct console *console)
{
    const struct diag *own = console->env.diag;
    if (!console->taken)
        return own;
    for (; console->own_taken < diag_entries(own); console->own_taken++) {
        const struct diag_entry *entry = diag_entry(own, console->own_taken);
        (void)diag_report_as(console->taken, entry->severity, entry->code, &entry->where, "%s",
                             entry->message);
    }
    return console->taken;
}

void console_take(struct console *console, const struct diag_entry *entry)
{
    pthread_mutex_lock(&console->lock);
    if (!console->taken)
        console->taken = diag_new(NULL, NULL);
    (void)diag_report_as(console->taken, entry->severity, entry->code, &entry->where, "%s",
                         entry->message);
    const bool has_terminal = !console->options.host;
    for (size_t i = has_terminal && console_shows_text(console); i < arrlenu(console->writers); i++)
        diag_writer_entry(console->writers[i], entry);
    pthread_mutex_unlock(&console->lock);
}

static void put(FILE *file, const struct bytes *text)
{
    if (!file || !text->size)
        return;
    fwrite(text->data, 1, text->size, file);
    fflush(file);
}

void console_pass_on(struct console *console, const struct bytes *out, const struct bytes *err)
{
    pthread_mutex_lock(&console->lock);
    console_clear_bar(console);
    put(console->out, out);
    put(console->log, out);
    if (console_shows_text(console))
        put(console->err, err);
    pthread_mutex_unlock(&console->lock);
}
