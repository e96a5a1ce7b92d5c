/* treebank/genia.c: passes the events of expat to a tree builder. */
#include "treebank/genia.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "treebank/builder.h"

struct GeniaReader {
    TreeBuilder b;
    XML_Parser xml;
    BracketOptions o;
    long sentence_line;
    bool in_sentence, in_tok;
    bool is_null; /* the innermost phrase is a null element without content so far */
    StrBuf tag, word;
    size_t fed; /* bytes */
    Status status;
};

typedef GeniaReader Reader;

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static void place(Reader *r)
{
    r->b.line = (long)XML_GetCurrentLineNumber(r->xml);
    r->b.column = (long)XML_GetCurrentColumnNumber(r->xml) + 1;
}

static void stop_unless(Reader *r, Status s)
{
    if (s == OK || r->status != OK) return;
    r->status = s;
    XML_StopParser(r->xml, XML_FALSE);
}

static void fail(Reader *r, const char *what)
{
    place(r);
    stop_unless(r, builder_fail(&r->b, what));
}

static const char *penn_tag(const char *tag)
{
    static const char *const names[][2] = {
        { "PERIOD", "." },  { "COMMA", "," }, { "COLON", ":" },  { "LRB", "-LRB-" },
        { "RRB", "-RRB-" }, { "LQT", "``" },  { "RQT", "''" },   { "PRPP", "PRP$" },
        { "WPP", "WP$" },   { "HASH", "#" },  { "DOLLAR", "$" }, { "PERCENT", "%" }
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(tag, names[k][0]) == 0) return names[k][1];
    return tag;
}

static void begin_phrase(Reader *r, const XML_Char **attributes)
{
    static const char *const functions[] = { "role", "func", "adv", "null", "syn" };
    StrBuf label = { 0 };
    const char *cat = attribute(attributes, "cat");
    strbuf_puts(&label, cat ? cat : "");
    for (size_t k = 0; cat && !r->o.strip_functions && k < sizeof functions / sizeof *functions; k++) {
        const char *f = attribute(attributes, functions[k]);
        if (f) strbuf_printf(&label, "-%s", f);
    }
    Status s = label.failed ? builder_no_memory(&r->b) : builder_open(&r->b, (StrView){ label.ptr, label.len });
    r->is_null = attribute(attributes, "null") != NULL;
    stop_unless(r, s);
    strbuf_fini(&label);
}

static void XMLCALL begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    Reader *r = user;
    if (r->status != OK) return; /* expat may still report events of the current element */
    place(r);
    if (strcmp(name, "sentence") == 0) {
        if (r->in_sentence) fail(r, "found a sentence inside a sentence");
        r->in_sentence = true;
        r->sentence_line = r->b.line;
    } else if (r->in_tok) fail(r, "found an element inside <tok>, expected its word");
    else if (r->in_sentence && strcmp(name, "cons") == 0) begin_phrase(r, attributes);
    else if (r->in_sentence && strcmp(name, "tok") == 0) {
        const char *cat = attribute(attributes, "cat");
        r->in_tok = true;
        r->is_null = false;
        strbuf_clear(&r->word);
        strbuf_clear(&r->tag);
        strbuf_puts(&r->tag, cat ? penn_tag(cat) : "");
    }
}

static void XMLCALL end(void *user, const XML_Char *name)
{
    Reader *r = user;
    if (r->status != OK) return;
    place(r);
    if (strcmp(name, "tok") == 0 && r->in_tok) {
        r->in_tok = false;
        bool failed = r->word.failed || r->tag.failed;
        stop_unless(r, failed ? builder_no_memory(&r->b)
                              : builder_word(&r->b, (StrView){ r->tag.ptr, r->tag.len },
                                             (StrView){ r->word.ptr, r->word.len }));
    } else if (strcmp(name, "cons") == 0 && r->in_sentence) {
        Status s = OK;
        if (r->is_null && r->o.keep_traces) s = builder_word(&r->b, (StrView){ "-NONE-", 6 }, (StrView){ "*", 1 });
        r->is_null = false;
        builder_close(&r->b);
        stop_unless(r, s);
    } else if (strcmp(name, "sentence") == 0) {
        r->in_sentence = false;
        stop_unless(r, builder_finish(&r->b, r->sentence_line));
    }
}

static void XMLCALL characters(void *user, const XML_Char *s, int n)
{
    Reader *r = user;
    bool blank = true;
    for (int i = 0; i < n; i++) {
        bool space = memchr(" \t\r\n", s[i], 4) != NULL;
        blank &= space;
        if (r->in_tok && !space) strbuf_putc(&r->word, s[i]);
    }
    if (!blank && r->in_sentence && !r->in_tok) fail(r, "found text outside <tok>");
}

GeniaReader *genia_new(Treebank *tb, const char *path, BracketOptions o, Error *e)
{
    GeniaReader *r = mem_calloc(1, sizeof *r);
    if (r) r->xml = XML_ParserCreate(NULL);
    if (!r || !r->xml) {
        mem_free(r);
        error_set(e, ERR_NOMEM, "out of memory reading %s", path);
        return NULL;
    }
    r->o = o;
    builder_init(&r->b, tb, path, e);
    XML_SetUserData(r->xml, r);
    XML_SetElementHandler(r->xml, begin, end);
    XML_SetCharacterDataHandler(r->xml, characters);
    return r;
}

void genia_free(GeniaReader *r)
{
    if (!r) return;
    XML_ParserFree(r->xml);
    builder_fini(&r->b);
    strbuf_fini(&r->tag);
    strbuf_fini(&r->word);
    mem_free(r);
}

static Status cannot_parse(GeniaReader *r)
{
    char what[160];
    enum XML_Error why = XML_GetErrorCode(r->xml);
    snprintf(what, sizeof what, "found invalid XML: %s", XML_ErrorString(why));
    place(r);
    return why == XML_ERROR_NO_MEMORY ? builder_no_memory(&r->b) : builder_fail(&r->b, what);
}

Status genia_feed(GeniaReader *r, StrView text, bool last)
{
    enum { PIECE = 1 << 30 }; /* expat takes lengths as int */
    for (size_t at = 0; r->status == OK;) {
        size_t n = text.len - at < PIECE ? text.len - at : PIECE;
        bool end_here = at + n == text.len;
        r->fed += n;
        if (XML_Parse(r->xml, text.ptr + at, (int)n, end_here && last) != XML_STATUS_OK && r->status == OK)
            r->status = cannot_parse(r);
        if (end_here) break;
        at += n;
    }
    return r->status;
}

size_t genia_backlog(const GeniaReader *r)
{
    XML_Index at = XML_GetCurrentByteIndex(r->xml); /* beginning of the incomplete element or comment */
    return at < 0 || (size_t)at > r->fed ? 0 : r->fed - (size_t)at;
}

bool genia_idle(const GeniaReader *r) { return !r->in_sentence; }

size_t genia_cut(CutState *s, const char *p, size_t n)
{
    static const char end_tag[] = "</sentence>";
    for (size_t i = 0; i < n; i++) {
        s->state = p[i] == end_tag[s->state] ? s->state + 1 : p[i] == '<';
        if (end_tag[s->state]) continue;
        s->state = 0;
        return i + 1;
    }
    return 0;
}

Status genia_read(Treebank *tb, TextBlock block, BracketOptions o, Error *e)
{
    GeniaReader *r = genia_new(tb, block.path, o, e);
    Status s = r ? genia_feed(r, block.text, true) : e->code;
    genia_free(r);
    return s;
}
