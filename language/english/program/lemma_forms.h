/* The regular forms of English verbs, nouns and adjectives by the rules of spelling, so that a word of which the
 * treebanks have only some forms gets the right lemma in all of them ("hoped", "hopped"). */
#pragma once

#include "base/text.h"

typedef enum FormClass { FORM_VERB, FORM_NOUN, FORM_ADJECTIVE, FORM_CLASSES } FormClass;

enum { FORMS_MOST = 6 };
typedef struct RegularForm {
    const char *tag; /* a tag whose table of edits has the form */
    bool rare;       /* a spelling that some words have and some writers use ("travelled", "mottoes") */
    StrBuf form;
} RegularForm;

/* The class of words of this tag whose lemma is taken to be regular, or -1. */
int form_class(const char *tag);
/* Sets forms[0 .. n-1] to forms of the lemma, which is letters a to z, and returns n <= FORMS_MOST. The buffers are
 * reused; forms are all zero at first. */
int form_regular(const char *lemma, FormClass class, RegularForm *forms);
