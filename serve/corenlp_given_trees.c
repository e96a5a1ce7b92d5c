/* A node of a ParseTree has its label after or before its children, so its fields are read twice: for the label, and
 * for the children, one after another, with the open nodes on a stack. */
#include <string.h>

#include "base/protobuf.h"
#include "serve/corenlp_given.h"

/* Numbers of fields in CoreNLP.proto. */
enum { DOCUMENT_SENTENCE = 2, SENTENCE_TREE = 7, TREE_CHILD = 1, TREE_VALUE = 2 };
enum { DEPTH_MOST = 1000 };

static Status check_label(StrView label, const char *refused, Error *e)
{
    for (size_t at = 0; at < label.len;) {
        int32_t c = utf8_next(label.ptr, label.len, &at);
        if (c < 128 && (utf8_is_space(c) || utf8_is_control(c) || strchr(refused, (char)c)))
            return error_set(e, ERR_FORMAT, "body: found the label '%.*s' in a tree",
                             (int)utf8_cut(label.ptr, label.len, 60), label.ptr);
    }
    return OK;
}

static Status put_word(StrBuf *out, StrView word, Error *e)
{
    if (!word.len) return error_set(e, ERR_FORMAT, "body: found an empty word in a tree");
    Status s = check_label(word, "", e);
    for (size_t k = 0; s == OK && k < word.len; k++)
        if (word.ptr[k] == '(') strbuf_puts(out, "-LRB-");
        else if (word.ptr[k] == ')') strbuf_puts(out, "-RRB-");
        else strbuf_putc(out, word.ptr[k]);
    return s;
}

static Status read_node(Protobuf node, StrView *label, bool *leaf, Error *e)
{
    ProtobufField f;
    StrView child;
    Status s = OK;
    *label = (StrView){ "", 0 };
    *leaf = true;
    while (protobuf_each(&node, &f, &s, e)) {
        if (f.number == TREE_VALUE) s = protobuf_text(&node, &f, label, e);
        if (f.number == TREE_CHILD) s = protobuf_bytes(&node, &f, &child, e);
        *leaf &= f.number != TREE_CHILD;
    }
    return s;
}

/* Writes the beginning of a node; a word is all of it. */
static Status begin_node(StrBuf *out, Protobuf node, bool *leaf, Error *e)
{
    StrView label;
    Status s = read_node(node, &label, leaf, e);
    if (s == OK && *leaf) return put_word(out, label, e);
    if (s == OK) s = check_label(label, "()", e);
    if (s != OK) return s;
    strbuf_putc(out, '(');
    strbuf_add(out, label.ptr, label.len);
    return OK;
}

static Status put_tree(StrBuf *out, Protobuf root, Error *e)
{
    Protobuf open[DEPTH_MOST]; /* nodes whose children are being written */
    ProtobufField f;
    bool leaf, more;
    int depth = 1;
    Status s = begin_node(out, open[0] = root, &leaf, e);
    if (s == OK && leaf) s = error_set(e, ERR_FORMAT, "body: found a word in place of a tree");
    while (s == OK && depth > 0) {
        Protobuf *top = &open[depth - 1];
        s = protobuf_next(top, &f, &more, e);
        if (s == OK && !more) {
            strbuf_putc(out, ')');
            depth--;
        }
        if (s != OK || !more || f.number != TREE_CHILD) continue;
        if (depth == DEPTH_MOST)
            return error_set(e, ERR_FORMAT, "body: found a tree that is deeper than %d", DEPTH_MOST);
        strbuf_putc(out, ' ');
        open[depth] = protobuf_message(top, &f);
        s = begin_node(out, open[depth], &leaf, e);
        depth += !leaf;
    }
    strbuf_putc(out, '\n');
    return s;
}

static Status put_sentence(StrBuf *out, Protobuf sentence, int *trees, Error *e)
{
    ProtobufField f;
    StrView tree;
    Status s = OK;
    while (protobuf_each(&sentence, &f, &s, e)) {
        if (f.number != SENTENCE_TREE) continue;
        s = protobuf_bytes(&sentence, &f, &tree, e);
        if (s == OK) s = put_tree(out, protobuf_message(&sentence, &f), e);
        ++*trees;
    }
    return s;
}

bool corenlp_given_trees(const Job *job, StrBuf *trees, Answer *answer)
{
    Protobuf document;
    ProtobufField f;
    StrView sentence;
    Error e = { 0 };
    int n = 0, n_trees = 0;
    Status s = protobuf_delimited(job->body, "body", &document, &e);
    while (protobuf_each(&document, &f, &s, &e)) {
        if (f.number != DOCUMENT_SENTENCE) continue;
        s = protobuf_bytes(&document, &f, &sentence, &e);
        if (s == OK) s = put_sentence(trees, protobuf_message(&document, &f), &n_trees, &e);
        n++;
    }
    if (s == OK && n_trees && n_trees != n)
        s = error_set(&e, ERR_FORMAT, "body: found %d trees in %d sentences, expected one in each", n_trees, n);
    if (s == OK && trees->failed) s = error_set(&e, ERR_NOMEM, "out of memory for the trees");
    return s == OK || answer_status(answer, &e);
}
