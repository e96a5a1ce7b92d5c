/* Lal split */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/stream.h"
#include "program/inputs.h"
#include "program/program.h"

enum { AT_PARAGRAPH, AT_LINE };
/* Bytes of a block, and the largest number of five digits. */
enum { BLOCK_SIZE = 1 << 16, PARTS_MOST = 99999 };
#define STANDARD_INPUT "/dev/stdin" /* stands for "-", which is no name for parts */

typedef struct Fields {
    const char *out_dir, *parts_of;
    int at;
} Fields;

static const Option SPLIT_OPTIONS[] = {
    { "out_dir", OPT_STRING, offsetof(Fields, out_dir), NULL, 0, 0, "FOLDER",
      "write the parts to FOLDER, a new or an empty one: x.txt and x.txt.gz become x-00001.txt, x-00002.txt and so on, "
      "those of a folder in the same folders; needed" },
    { "parts_of", OPT_STRING, offsetof(Fields, parts_of), "64M", 0, 0, "SIZE",
      "least size of a part, which ends at the next end of a paragraph: a number with K, M or G (1024, 1024 K, 1024 M "
      "bytes)" },
    { "at", OPT_ENUM, offsetof(Fields, at), "paragraph", 0, 0, "paragraph|line",
      "where parts end; line: of text for lal parse --newline sentence or paragraph, of tokens and of JSON lines" },
    { NULL, OPT_BOOL, 0, NULL, 0, 0, NULL, NULL },
};

typedef struct Split {
    size_t size; /* bytes of a part */
    Cutter cutter;
    Notes *notes;
    const char *output; /* FOLDER/NAME.txt: the parts of the present input are FOLDER/NAME-00001.txt and so on */
} Split;

static Status read_size(const char *text, size_t *size, Error *e)
{
    static const char units[] = "KMG";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    *size = digits && digits < 10 ? strtoul(text, NULL, 10) : 0;
    if (!*size || !unit || text[digits + 1])
        return error_set(e, ERR_USAGE,
                         "--parts-of: found '%s', expected a number from 1 to 999999999 with K, M or G, "
                         "such as 64M",
                         text);
    *size <<= 10 * (unit - units + 1);
    return OK;
}

static Status open_part(const Split *split, int k, FileWriter *w, Error *e)
{
    StrBuf path = { 0 };
    strbuf_printf(&path, "%.*s-%05d.txt", (int)strlen(split->output) - (int)strlen(".txt"), split->output, k);
    Status s = path.failed ? error_set(e, ERR_NOMEM, "out of memory for the names of files") : OK;
    if (k > PARTS_MOST)
        s = error_set(e, ERR_LIMIT, "found more than %d parts, expected a larger --parts-of", PARTS_MOST);
    if (s == OK) s = filewriter_open(w, path.ptr, e);
    strbuf_fini(&path);
    return s;
}

/* Writes part k = 1, 2, ..., but an empty one only if it is the first. *more: there may be a next one. */
static Status write_part(const Split *split, TextStream *in, int k, bool *more, Error *e)
{
    FileWriter w = { 0 };
    TextBlock block;
    size_t n = 0;
    long line = 0;
    bool whole, open = false;
    Status s;
    do {
        size_t left = n < split->size ? split->size - n : 1;
        s = stream_next(in, left < BLOCK_SIZE ? left : BLOCK_SIZE, BLOCK_SIZE, &block, &whole, e);
        *more = s == OK && block.text.len;
        if (*more || (s == OK && k == 1)) {
            if (!open) {
                line = block.line;
                s = open_part(split, k, &w, e);
                open = true;
            }
            if (s == OK) filewriter_write(&w, block.text.ptr, block.text.len);
            n += block.text.len;
        }
    } while (s == OK && !w.error && *more && (n < split->size || !whole));
    if (s == OK && n / 2 > split->size)
        notes_add(split->notes, in->path, line, 0,
                  split->cutter == stream_cut_lines
                      ? "the part from here on has a longer line"
                      : "the part from here on has a longer paragraph (--at line cuts at lines)");
    Status closed = filewriter_close(&w, s == OK, e);
    return s == OK ? closed : s;
}

static Status split_file(const Split *split, const char *path, Error *e)
{
    TextStream in;
    const char *from = strcmp(path, STANDARD_INPUT) == 0 ? "-" : path;
    Status s = stream_open(&in, from, (StreamOptions){ 0 }, split->cutter, e);
    if (s == OK) s = inputs_make_folders(split->output, e);
    bool more = true;
    for (int k = 1; s == OK && more; k++) s = write_part(split, &in, k, &more, e);
    stream_close(&in);
    return s;
}

/* A folder with files may have parts of another text or of another size. */
static Status check_folder(const char *folder, Error *e)
{
    DIR *d = opendir(folder);
    if (!d && errno == ENOENT) return OK;
    if (!d) return error_at(e, ERR_IO, folder, 0, 0, "cannot read: %s", strerror(errno));
    const struct dirent *entry;
    while ((entry = readdir(d)) && entry->d_name[0] == '.') {}
    Status s =
        entry ? error_at(e, ERR_IO, folder, 0, 0, "found a folder with files, expected a new or an empty one") : OK;
    closedir(d);
    return s;
}

static Status run_split(int argc, char **argv, Error *e)
{
    Fields f;
    Inputs in = { 0 };
    ProgramNotes notes = program_notes();
    Split split = { .notes = &notes.notes };
    int n;
    Status s = program_options(SPLIT_OPTIONS, &f, argc, argv, argc + 1, &n, e);
    if (s == OK && !f.out_dir) s = error_set(e, ERR_USAGE, "found no --out-dir, expected --out-dir FOLDER");
    if (s == OK) s = read_size(f.parts_of, &split.size, e);
    if (s == OK) s = check_folder(f.out_dir, e);
    char standard_input[] = STANDARD_INPUT;
    for (int k = 0; s == OK && k < n; k++)
        if (strcmp(argv[k], "-") == 0) argv[k] = standard_input;
    if (s == OK) s = inputs_find(&in, (const char *const *)argv, n, f.out_dir, e);
    if (s == OK) s = inputs_outputs(&in, f.out_dir, "txt", e);
    if (s == OK) split.cutter = f.at == AT_LINE ? stream_cut_lines : stream_cut_paragraphs;
    for (int k = 0; k < in.n && s == OK; k++) {
        split.output = in.out[k];
        s = split_file(&split, in.path[k], e);
    }
    program_notes_end(&notes);
    inputs_fini(&in);
    return s;
}

static const Option *const SPLIT_TABLES[] = { SPLIT_OPTIONS, NULL };
const Command CMD_SPLIT = { "split",
                            "[OPTIONS] [FILE|FOLDER...]",
                            "cut text into files, each for a run of lal parse of its own",
                            NULL,
                            SPLIT_TABLES,
                            run_split };
