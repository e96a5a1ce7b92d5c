/* Writes pages for a browser, into a folder or one file, and escapes the JSON documents embedded in them. */
#include "explain/pages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Lines of index.html in whose place a page of one file has the text. */
#define STYLE_LINE "<link rel=\"stylesheet\" href=\"style.css\">"
#define SCRIPT_LINE "<script src=\"script.js\"></script>"

enum { PATH_BYTES = 4096 }; /* the longest path that the system opens */

static Status make_folder(const char *path, Error *e)
{
    struct stat st;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))) return OK;
    return error_at(e, ERR_IO, path, 0, 0, "cannot make the folder: %s", strerror(errno));
}

static Status join(char *path, const char *folder, const char *name, Error *e)
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES) return OK;
    return error_at(e, ERR_IO, folder, 0, 0, "found a path of %zu bytes, expected a shorter one", strlen(folder));
}

static Status write_file(const Pages *p, const char *name, const char *text, size_t size, Error *e)
{
    char path[PATH_BYTES];
    FileWriter w;
    Status status = join(path, p->path, name, e);
    if (status == OK) status = filewriter_open(&w, path, e);
    if (status != OK) return status;
    filewriter_write(&w, text, size);
    return filewriter_close(&w, true, e);
}

static void put(Pages *p, const char *text, size_t size) { filewriter_write(&p->file, text, size); }

static void puts_of(Pages *p, const char *text) { put(p, text, strlen(text)); }

/* The page up to where its script stands: documents come before it. */
static Status begin_file(Pages *p, Error *e)
{
    Status status = filewriter_open(&p->file, p->path, e);
    if (status != OK) return status;
    const char *style = strstr(VIEWER_PAGE, STYLE_LINE), *rest = style + strlen(STYLE_LINE);
    put(p, VIEWER_PAGE, (size_t)(style - VIEWER_PAGE));
    puts_of(p, "<style>\n");
    puts_of(p, VIEWER_STYLE);
    puts_of(p, "</style>");
    put(p, rest, (size_t)(strstr(rest, SCRIPT_LINE) - rest));
    return OK;
}

static void end_file(Pages *p)
{
    puts_of(p, "<script>\n");
    puts_of(p, VIEWER_SCRIPT);
    puts_of(p, "</script>");
    puts_of(p, strstr(VIEWER_PAGE, SCRIPT_LINE) + strlen(SCRIPT_LINE));
}

static Status begin_folder(const Pages *p, Error *e)
{
    char data[PATH_BYTES];
    Status status = join(data, p->path, "data", e);
    if (status == OK) status = make_folder(data, e);
    if (status == OK) status = write_file(p, "style.css", VIEWER_STYLE, strlen(VIEWER_STYLE), e);
    if (status == OK) status = write_file(p, "script.js", VIEWER_SCRIPT, strlen(VIEWER_SCRIPT), e);
    return status == OK ? write_file(p, "index.html", VIEWER_PAGE, strlen(VIEWER_PAGE), e) : status;
}

Status pages_open(Pages *pages, const char *path, Error *error)
{
    size_t len = strlen(path);
    *pages = (Pages){ .path = path, .one = len > 5 && strcmp(path + len - 5, ".html") == 0 };
    Status status = pages->one ? OK : make_folder(path, error);
    if (status == OK) status = lock_take(&pages->lock, path, error);
    if (status == OK) status = pages->one ? begin_file(pages, error) : begin_folder(pages, error);
    pages->open = status == OK;
    if (status != OK) lock_release(&pages->lock);
    return status;
}

/* Appends JSON in which no text can end an element of HTML or begin one. */
static void add_escaped(StrBuf *out, const char *json, size_t len)
{
    for (size_t from = 0, at; from < len; from = at + 1) {
        const char *less = memchr(json + from, '<', len - from);
        at = less ? (size_t)(less - json) : len;
        strbuf_add(out, json + from, at - from);
        if (less) strbuf_puts(out, "\\u003c");
    }
}

Status pages_put(Pages *pages, const char *name, StrBuf *json, Error *error)
{
    char file[80];
    StrBuf out = { 0 };
    snprintf(file, sizeof file, "data/%s.js", name);
    strbuf_printf(&out, pages->one ? "<script type=\"application/json\" id=\"data-%s\">" : "lal(\"%s\", ", name);
    if (!json->failed) add_escaped(&out, json->ptr, json->len);
    strbuf_puts(&out, pages->one ? "</script>\n" : ");\n");
    Status status = OK;
    if (json->failed || out.failed) status = error_set(error, ERR_NOMEM, "out of memory writing pages");
    else if (pages->one) put(pages, out.ptr, out.len);
    else status = write_file(pages, file, out.ptr, out.len, error);
    strbuf_fini(&out);
    strbuf_fini(json);
    return status;
}

Status pages_close(Pages *pages, bool commit, Error *error)
{
    Status status = OK;
    if (pages->open && pages->one) {
        if (commit) end_file(pages);
        status = filewriter_close(&pages->file, commit, error);
    }
    lock_release(&pages->lock);
    pages->open = false;
    return status;
}
