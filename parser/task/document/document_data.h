/* Documents as models of the tasks on documents read them. What has a class, a unit, is a sentence,
 * or the gap before a sentence but the first, which has the number of this sentence. A model reads

 *   - whole sentences of a document, as many as have document_words words separated by blanks, or one sentence; a
 *     summary is made of these, other tasks go on with the next ones, to the end of the document;
 *   - or, of gaps where `context` is above 0, as many words before and after each gap. */
#pragma once

#include "parser/model/corpus.h"
#include "parser/task/document/document_kind.h"

/* Reads documents in JSON lines (treebank/document_lines.h), corpus->documents, and the words of each, a sentence of
 * corpus->trees with its parts, by the segmenter of a language (number in LANGUAGES). The corpus is named like the
 * file, without its folder. *corpus is empty after an error. ERR_FORMAT, with the line, where a document has no
 * sentences, or a sentence no word, and where the file has no document; errors of the reader; ERR_IO, ERR_NOMEM. */
Status document_data_load(Corpus *corpus, const char *path, int language, Error *error);

/* How a task on documents differs from the others: TaskUse.own. */
const DocumentKind *document_kind(const Task *task);

/* How many sentences of a document a model reads at a time, from sentence `first` on. */
int document_block(const ModelConfig *config, const DocumentLine *line, int first);

/* The classes of the units of a document, gold [sentences], as numbers of `classes`; -1: the unit has none, or is not
 * read. A sentence has class 1 in a summary's greedy oracle (eval/summary.h) of at most DOCUMENT_CHOSEN sentences, a
 * gap where a segment begins; else 0. ERR_FORMAT, with the line in the file `path`, on a class that is not among
 * `classes`; ERR_NOMEM. */
Status document_gold(const Task *task, const ModelConfig *config, const DocumentLine *line, const Vocab *classes,
                     const char *path, int *gold, Error *error);

/* A part of a document that a model reads at a time: its words, with their parts, and its units first .. first + n - 1.
 */
typedef struct DocumentRead {
    Sentence sentence;
    int first, n;
} DocumentRead;

/* The classes of the units of a part as Gold.own has them (parser/task/classify/classify.h), in the arena: of
 * document_gold, without those that have none. NULL: out of memory. */
int *document_labels(const DocumentRead *read, const int *gold, Arena *arena);

/* The next part after units < from of a document whose words are `whole`, in the arena; out->n 0: the document ends.
 * ERR_NOMEM. */
Status document_read(const Task *task, const ModelConfig *config, const DocumentLine *line, const Sentence *whole,
                     int from, Arena *arena, DocumentRead *out, Error *error);
