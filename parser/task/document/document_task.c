/* What models of documents read; they have the network of those that classify
 * sentences */
#include "parser/task/classify/classify.h"

static void document_shape(const ModelConfig *c, EncoderShape *out)
{
    (void)c;
    out->text = TEXT_DOCUMENT;
}

static void gap_shape(const ModelConfig *c, EncoderShape *out) { out->text = c->context ? TEXT_GAP : TEXT_DOCUMENT; }

const Task TASK_CLASSES = { .name = "classes",
                            .model = "a model that classifies the sentences of documents (lal classify)",
                            .shape = document_shape,
                            CLASSIFY_TASK };
const Task TASK_SUMMARY = { .name = "summary",
                            .model = "a model that chooses the sentences of a summary (lal classify)",
                            .shape = document_shape,
                            CLASSIFY_TASK };
const Task TASK_SEGMENTS = { .name = "segments",
                             .model = "a model that finds the segments of documents (lal classify)",
                             .shape = gap_shape,
                             CLASSIFY_TASK };
