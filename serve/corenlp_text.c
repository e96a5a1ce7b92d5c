/* Sentences in CoreNLP's notations of lines: CoNLL, its own text for people, XML */
#include "serve/corenlp.h"

/* ---- CoNLL: index, word, lemma, tag, named entity, head, relation */

void corenlp_conll(StrBuf *out, const CoreDocument *document)
{
    for (size_t k = 0; k < document->result->n_sentences; k++) {
        const LalSentence *s = &document->result->sentences[k];
        for (int w = 0; w < s->n_tokens; w++) {
            const LalToken *t = &s->tokens[w];
            CoreArc arc = corenlp_arc(s, w);
            strbuf_printf(out, "%d\t%s\t%s\t%s\t_\t", w + 1, t->form,
                          document->asked->lemma && t->lemma ? t->lemma : "_", t->tag ? corenlp_tag(t) : "_");
            if (document->asked->arcs && arc.relation) strbuf_printf(out, "%d\t%s\n", arc.head + 1, arc.relation);
            else strbuf_puts(out, "_\t_\n");
        }
        if (s->n_tokens) strbuf_putc(out, '\n');
    }
}

/* ---- text */

static void put_line(StrBuf *out, const LalSentence *s, int w, CoreArc arc)
{
    bool root = arc.head == LAL_NONE;
    strbuf_printf(out, "%s(%s-%d, %s-%d)\n", root ? "root" : arc.relation, root ? "ROOT" : s->tokens[arc.head].form,
                  arc.head + 1, s->tokens[w].form, w + 1);
}

static void put_token(StrBuf *out, const CoreRequest *asked, const LalToken *t)
{
    strbuf_printf(out, "[Text=%s CharacterOffsetBegin=%zu CharacterOffsetEnd=%zu", t->form, t->begin_utf16,
                  t->end_utf16);
    if (asked->code_points)
        strbuf_printf(out, " CodepointOffsetBegin=%zu CodepointOffsetEnd=%zu", t->begin_char, t->end_char);
    if (t->tag) strbuf_printf(out, " PartOfSpeech=%s", corenlp_tag(t));
    if (asked->lemma && t->lemma) strbuf_printf(out, " Lemma=%s", t->lemma);
    strbuf_puts(out, "]\n");
}

void corenlp_text(StrBuf *out, const CoreDocument *document)
{
    const CoreRequest *asked = document->asked;
    int number = 0;
    for (size_t k = 0; k < document->result->n_sentences; k++) {
        const LalSentence *s = &document->result->sentences[k];
        if (!s->n_tokens) continue;
        size_t begin = s->tokens[0].begin, end = s->tokens[s->n_tokens - 1].end;
        strbuf_printf(out, "\nSentence #%d (%d tokens):\n", ++number, s->n_tokens);
        strbuf_add(out, document->text.ptr + begin, end - begin);
        strbuf_puts(out, "\n\nTokens:\n");
        for (int w = 0; w < s->n_tokens; w++) put_token(out, asked, &s->tokens[w]);
        if (corenlp_has_tree(document, s)) {
            strbuf_puts(out, "\nConstituency parse: \n");
            corenlp_tree(out, s, asked->one_line);
            strbuf_puts(out, "\n\n");
        }
        if (!asked->arcs || !corenlp_arc(s, 0).relation) continue;
        strbuf_printf(out, "\nDependency Parse (%s dependencies):\n", s->n_enhanced ? "enhanced plus plus" : "basic");
        corenlp_each_arc(out, s, s->n_enhanced > 0, put_line);
    }
}

/* ---- XML: two blanks for each level, and the line breaks of CoreNLP's writer */

#define BREAK "\r\n"

static void put_element(StrBuf *out, const char *name, const char *text)
{
    strbuf_printf(out, "            <%s>", name);
    strbuf_xml(out, text);
    strbuf_printf(out, "</%s>" BREAK, name);
}

static void put_size(StrBuf *out, const char *name, size_t n)
{
    strbuf_printf(out, "            <%s>%zu</%s>" BREAK, name, n, name);
}

static void put_word(StrBuf *out, const CoreRequest *asked, const LalToken *t, int w)
{
    strbuf_printf(out, "          <token id=\"%d\">" BREAK, w + 1);
    put_element(out, "word", t->form);
    if (asked->lemma && t->lemma) put_element(out, "lemma", t->lemma);
    put_size(out, "CharacterOffsetBegin", t->begin_utf16);
    put_size(out, "CharacterOffsetEnd", t->end_utf16);
    if (asked->code_points) {
        put_size(out, "CodepointOffsetBegin", t->begin_char);
        put_size(out, "CodepointOffsetEnd", t->end_char);
    }
    if (t->tag) put_element(out, "POS", corenlp_tag(t));
    strbuf_puts(out, "          </token>" BREAK);
}

static void put_end(StrBuf *out, const char *name, int index, const char *form)
{
    strbuf_printf(out, "            <%s idx=\"%d\">", name, index);
    strbuf_xml(out, form);
    strbuf_printf(out, "</%s>" BREAK, name);
}

static void put_dep(StrBuf *out, const LalSentence *s, int w, CoreArc arc)
{
    bool root = arc.head == LAL_NONE;
    strbuf_puts(out, "          <dep type=\"");
    strbuf_xml(out, root ? "root" : arc.relation);
    strbuf_puts(out, "\">" BREAK);
    put_end(out, "governor", arc.head + 1, root ? "ROOT" : s->tokens[arc.head].form);
    put_end(out, "dependent", w + 1, s->tokens[w].form);
    strbuf_puts(out, "          </dep>" BREAK);
}

/* The basic dependencies, and the enhanced graph under all names that CoreNLP has for it. */
static void put_graphs(StrBuf *out, const LalSentence *s)
{
    static const char *const names[] = { "basic", "collapsed", "collapsed-ccprocessed", "enhanced",
                                         "enhanced-plus-plus" };
    for (size_t k = 0; k < (s->n_enhanced ? sizeof names / sizeof *names : 1); k++) {
        strbuf_printf(out, "        <dependencies type=\"%s-dependencies\">" BREAK, names[k]);
        corenlp_each_arc(out, s, k > 0, put_dep);
        strbuf_puts(out, "        </dependencies>" BREAK);
    }
}

static void put_parse(StrBuf *out, const LalSentence *s)
{
    StrBuf tree = { 0 };
    corenlp_tree(&tree, s, true);
    strbuf_puts(out, "        <parse>");
    strbuf_xml(out, tree.ptr ? tree.ptr : "");
    strbuf_puts(out, " </parse>" BREAK);
    out->failed |= tree.failed;
    strbuf_fini(&tree);
}

static void put_sentence(StrBuf *out, const CoreDocument *d, const LalSentence *s, int number)
{
    strbuf_printf(out, "      <sentence id=\"%d\"", number);
    if (d->asked->lines) strbuf_printf(out, " line=\"%ld\"", s->line);
    strbuf_puts(out, ">" BREAK "        <tokens>" BREAK);
    for (int w = 0; w < s->n_tokens; w++) put_word(out, d->asked, &s->tokens[w], w);
    strbuf_puts(out, "        </tokens>" BREAK);
    if (corenlp_has_tree(d, s)) put_parse(out, s);
    if (d->asked->arcs && corenlp_arc(s, 0).relation) put_graphs(out, s);
    strbuf_puts(out, "      </sentence>" BREAK);
}

void corenlp_xml(StrBuf *out, const CoreDocument *document)
{
    int number = 0;
    strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" BREAK
                     "<?xml-stylesheet href=\"CoreNLP-to-HTML.xsl\" type=\"text/xsl\"?>" BREAK "<root>" BREAK
                     "  <document>" BREAK);
    strbuf_puts(out, document->result->n_tokens ? "    <sentences>" BREAK : "    <sentences/>" BREAK);
    for (size_t k = 0; k < document->result->n_sentences; k++)
        if (document->result->sentences[k].n_tokens)
            put_sentence(out, document, &document->result->sentences[k], ++number);
    if (document->result->n_tokens) strbuf_puts(out, "    </sentences>" BREAK);
    strbuf_puts(out, "  </document>" BREAK "</root>" BREAK);
}
