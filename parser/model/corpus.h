/* Treebank files: trees, dependencies, or both of the same sentences; read whole, or block by block. */
#pragma once

#include "parser/model/soft_file.h"
#include "treebank/document_lines.h"
#include "treebank/head_rules.h"
#include "treebank/reader.h"

typedef struct Corpus {
    Treebank trees; /* the sentences; their heads point into deps when both files were given */
    Treebank deps;
    HeadRules *rules; /* the head rules that made the dependencies, or NULL */
    SoftBank *soft;   /* [trees.n] soft targets; then the sentences have no gold trees or arcs. NULL: none */
    /* [trees.n] the documents whose words are the sentences of trees, with their parts; NULL: trees are of sentences */
    DocumentLines *documents;
    char name[64]; /* the treebank's name */
    /* the files, as they were named, in the arena of trees; deps_path NULL: there is one file. path NULL: unknown */
    const char *path, *deps_path;
} Corpus;

/* Reads `trees` (brackets, or where the name ends in ".json" or ".json.gz" JSON, which may have dependencies, too) and
 * `deps` (CoNLL), either may be NULL, not both; with both, words are compared. Where the
 * name of deps ends in ".rules", it is a table of head rules, by which the trees get dependencies. Where it ends in
 * ".conllu" (or ".conllu.gz"), sentences get lemmas, upos, feats and lines, and tags are XPOS. Function tags are
 * stripped. name: as given, or the name of the folder the file lies in. notes (or NULL) receives notes on skipped
 * input. ERR_FORMAT also for a file without a sentence. */
Status corpus_load(Corpus *corpus, const char *trees, const char *deps, const char *name, Notes *notes, Error *error);
/* corpus_load for a file of soft targets (soft_file_load). */
Status corpus_load_soft(Corpus *corpus, const char *path, const char *name, Error *error);
void corpus_fini(Corpus *corpus); /* leaves it empty */

/* For what reads a corpus: begins an empty one of this name; then ends the reading, whose status s was: notes path and
 * deps (NULL: none), or after an error empties it again. s, ERR_NOMEM. */
void corpus_begin(Corpus *corpus, const char *name);
Status corpus_end(Corpus *corpus, const char *path, const char *deps, Status status, Error *error);

/* The name of a treebank: the name of its file's folder, else of the file without its ending. */
void corpus_name(const char *path, char *out, size_t size);

/* Reads a corpus block by block, in memory that does not grow with the files. It must not be moved once open. */
typedef struct CorpusReader {
    TreebankReader trees; /* trees.tb holds the sentences of the block */
    TreebankReader deps;  /* open if has_deps */
    HeadRules *rules;
    const char *tree_path, *dep_path;
    bool has_deps;
    int next; /* next sentence of trees.tb for corpus_next */
    long n;   /* sentences read so far */
} CorpusReader;

/* path: a treebank file in the format of options. deps: a CoNLL file of the same sentences or a table of head rules,
 * which give the trees their heads; or NULL. Errors of corpus_load; a file may be empty. corpus_close must be called in
 * any case. */
Status corpus_open(CorpusReader *reader, const char *path, const char *deps, ReaderOptions options, Error *error);
void corpus_close(CorpusReader *reader);
/* Replaces the sentences of reader->trees.tb by the next ones, none at the end. */
Status corpus_block(CorpusReader *reader, Error *error);
/* The next sentence, NULL at the end; valid until the next call. Do not mix with corpus_block. */
Status corpus_next(CorpusReader *reader, Sentence **sent, Error *error);

/* Whether this is the name of a table of head rules. */
bool corpus_is_rules(const char *path);

/* Sets ERR_FORMAT: the file holds no sentence. */
Status corpus_empty(const char *path, bool brackets, Error *error);
