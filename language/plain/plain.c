/* The text is read as lines of tokens; lines are then joined to sentences where the option
 * says so. */
#include "language/plain/plain.h"

static Status segment(SegmentedText *out, TextBlock block, SegmentOptions o, Arena *a, Error *e)
{
    Status status = segmented_text_lines(out, block, a, e);
    const char *text = block.text.ptr;
    size_t at = 0;
    long line = block.line;
    out->n_sentences = 0;
    for (int k = 0; status == OK && k < out->n_tokens; k++) {
        int breaks = k ? 0 : 2;
        for (; at < out->tokens[k].begin - block.byte; at++) {
            line += text[at] == '\n';
            breaks += text[at] == '\n' ? 1 : text[at] == '\f' ? 2 : 0;
        }
        bool paragraph = breaks >= (o.newlines == NEWLINES_PARAGRAPH ? 1 : 2);
        bool begins = paragraph || (breaks && o.newlines != NEWLINES_SPACE);
        if (!begins) out->sentences[out->n_sentences - 1].n++;
        else if (!segmented_text_add_sentence(out, (TextSentence){ k, 1, paragraph, line })) {
            segmented_text_fini(out);
            status = error_set(e, ERR_NOMEM, "out of memory segmenting %s", block.path);
        }
    }
    return status;
}

const Language PLAIN_LANGUAGE = { .name = "plain", .segment = segment };
const Language PLAIN_TRAINED_LANGUAGE = { .name = "trained", .segment = segment };
