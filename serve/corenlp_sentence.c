/* What several formats need: arcs, trees, what stands between tokens */
#include <string.h>

#include "serve/corenlp.h"

CoreArc corenlp_arc(const LalSentence *sentence, int word)
{
    const LalToken *t = &sentence->tokens[word];
    CoreArc arc = t->ud_relation ? (CoreArc){ t->ud_head, t->ud_relation } : (CoreArc){ t->head, t->type };
    if (arc.relation && arc.head == LAL_NONE) arc.relation = "ROOT";
    return arc;
}

CoreArc corenlp_enhanced(const LalSentence *sentence, int k)
{
    const LalArc *arc = &sentence->enhanced[k];
    return (CoreArc){ arc->head, arc->head == LAL_NONE ? "ROOT" : arc->relation };
}

void corenlp_each_arc(StrBuf *out, const LalSentence *sentence, bool enhanced,
                      void (*put)(StrBuf *out, const LalSentence *sentence, int word, CoreArc arc))
{
    for (int root = 1; root >= 0; root--)
        for (int k = 0; k < (enhanced ? sentence->n_enhanced : sentence->n_tokens); k++) {
            CoreArc arc = enhanced ? corenlp_enhanced(sentence, k) : corenlp_arc(sentence, k);
            if ((arc.head == LAL_NONE) == root) put(out, sentence, enhanced ? sentence->enhanced[k].token : k, arc);
        }
}

bool corenlp_has_tree(const CoreDocument *document, const LalSentence *sentence)
{
    return document->asked->parse && sentence->tokens[0].tag && sentence->n_phrases;
}

const LalToken **corenlp_tokens(const LalResult *result)
{
    const LalToken **all = mem_alloc(result->n_tokens + 1, sizeof *all);
    size_t n = 0;
    for (size_t k = 0; k < result->n_sentences && all; k++)
        for (int w = 0; w < result->sentences[k].n_tokens; w++) all[n++] = &result->sentences[k].tokens[w];
    return all;
}

StrView corenlp_between(const CoreDocument *document, const LalToken *const *tokens, size_t count, size_t k)
{
    size_t from = k ? tokens[k - 1]->end : 0, to = k < count ? tokens[k]->begin : document->text.len;
    return (StrView){ document->text.ptr + from, to > from ? to - from : 0 };
}

const char *corenlp_tag(const LalToken *token)
{
    return token->tag && token->upos && strcmp(token->tag, "_") == 0 ? token->upos : token->tag;
}

/* A tag with its word. */
static void put_leaf(StrBuf *out, const LalToken *t)
{
    strbuf_printf(out, "(%s ", corenlp_tag(t));
    for (const char *c = t->form; *c; c++)
        if (*c == '(') strbuf_puts(out, "-LRB-");
        else if (*c == ')') strbuf_puts(out, "-RRB-");
        else strbuf_putc(out, *c);
    strbuf_putc(out, ')');
}

static void put_break(StrBuf *out, int depth, bool one_line)
{
    if (one_line) strbuf_putc(out, ' ');
    else strbuf_putc(out, '\n');
    for (int k = 0; k < depth && !one_line; k++) strbuf_puts(out, "  ");
}

/* A tag with its word stays on the line if it is the first child, or follows another one and neither is a CC. */
void corenlp_tree(StrBuf *out, const LalSentence *sentence, bool one_line)
{
    int open = LAL_NONE, next = 0, depth = 0;
    bool stays = true; /* a tag with its word, but a CC that is no first child */
    bool first = true;
    strbuf_puts(out, "(ROOT");
    for (int w = 0; w < sentence->n_tokens; w++) {
        for (; next < sentence->n_phrases && sentence->phrases[next].begin == w; next++) {
            put_break(out, ++depth, one_line);
            strbuf_printf(out, "(%s", sentence->phrases[next].label);
            open = next;
            stays = first = true;
        }
        bool cc = strncmp(sentence->tokens[w].tag, "CC", 2) == 0;
        if (stays && (first || !cc)) strbuf_putc(out, ' ');
        else put_break(out, depth + 1, one_line);
        put_leaf(out, &sentence->tokens[w]);
        stays = !cc;
        first = false;
        for (; open != LAL_NONE && sentence->phrases[open].end == w + 1;
             open = sentence->phrases[open].parent, depth--) {
            strbuf_putc(out, ')');
            stays = false;
        }
    }
    strbuf_putc(out, ')');
}
