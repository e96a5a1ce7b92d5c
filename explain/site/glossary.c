/* Glossary.html, the terms and measures of the pages */
#include "explain/site/page.h"

typedef struct Term {
    const char *id, *name, *text; /* XML */
} Term;

static const Term TERMS[] = {
    { "decision", "decision",
      "One choice of the parser: a phrase with its label, an arc from a word to its head, or the type of an arc. Each "
      "is explained by itself." },
    { "phrase", "phrase",
      "A group of neighbouring words with a label, such as NP (noun phrase), VP (verb phrase), PP (prepositional "
      "phrase) or S (clause). Phrases over the same words are one decision: S::VP is an S over a VP." },
    { "arc", "arc",
      "A link from a word to the word that it depends on, its head. The word without one is the root of the "
      "sentence." },
    { "type", "type",
      "The name of an arc's relation, such as nsubj (subject), dobj (object) or det (determiner). It is decided after "
      "the arc." },
    { "gold", "gold",
      "The trees and arcs of the treebank, which people made or corrected. A decision is right if gold has the same "
      "one; a type is judged only if gold has the same arc." },
    { "missing", "missing phrase",
      "A gold phrase that the parse lacks. It is explained like a decision of the parser: contributions show what "
      "was for it and what against it." },
    { "head", "head (of attention)",
      "A part of the network that looks at all words of a sentence and returns a weighted sum of them. It has nothing "
      "to do with the head of a word." },
    { "label-head", "label head",
      "A head of the label attention layer, the last layer before the scores. Scores are sums of what the label heads "
      "return, so each has an exact part in every decision." },
    { "self-head", "self-attention head",
      "A head of an earlier layer; 2:8 is head 8 of layer 2. It passes information between words." },
    { "name", "name of a head",
      "The words after a head's number say what it does most in the sentences of this run. A label head is named after "
      "the categories of which it has the largest mean share, others after the position, relation or pattern that they "
      "attend to. Runs of fewer than 1,000 words have no names, because those would change with the text." },
    { "pruned", "pruned head",
      "A head that training has closed and lal model prune has removed; the others keep their numbers. Where label "
      "heads "
      "were "
      "removed, the words themselves still act in their place, without attention; that part of a score is shown by "
      "itself." },
    { "score", "score",
      "The number by which the parser compares alternatives; the tree with the largest sum of scores is chosen. It is "
      "the sum of the contributions of all label heads and of biases." },
    { "contribution", "contribution",
      "The signed part of a score that comes from one label head; JSON and TSV call it <code>part</code>. A positive "
      "one is for the decision, a negative one against it." },
    { "own", "own words",
      "The part of a contribution that comes from the words at the borders of the phrase, or at the ends of the arc, "
      "themselves. It does not pass through attention." },
    { "view", "view",
      "The part of a contribution that comes from the words that the head attends to. It is a sum over the words of "
      "the sentence, by which words are underlined." },
    { "doubt", "doubt and expected F1",
      "Probabilities of arcs and phrases under the distribution of all trees. Expected F1 is the mean over the phrases "
      "of the parse, expected LAS over its arcs with their types: what the model expects to get right. Words whose arc "
      "or smallest phrase is less probable are coloured." },
    { "second", "second-best parse",
      "The parse with the next lower score that has other phrases or arcs. What differs decides between both: the "
      "scores of phrases and arcs, weighed as the decoder does, which are sums of the parts of label heads, and what "
      "the grammar of the model, if it has one, says of the phrases." },
    { "bias", "biases",
      "The part of a score that does not depend on the sentence through any head. Contributions and biases add up to "
      "the score." },
    { "share", "share",
      "The absolute contribution of a head divided by the sum of those of all heads. The mean share is its mean over "
      "the decisions of a category." },
    { "leads", "leading head, leads",
      "The leading head of a decision is the one with the largest absolute contribution. A head leads a category as "
      "often as it is the leading head of its decisions." },
    { "category", "category",
      "Decisions that are counted together: phrases of one label, arcs, or arcs of one type. \"NP for ADJP\" are "
      "phrases with the label NP where gold has ADJP." },
    { "right-where", "right where it leads",
      "Of the decisions of a category that a head leads, the percentage that is right. It shows whether the parser can "
      "rely on that head." },
    { "probability", "probability, confidence of a decision",
      "The score of the decision compared with those of its alternatives by a softmax: the labels of the span and \"no "
      "phrase\", the heads of the word, or its types. Phrases are trained with a margin loss, so theirs sort decisions "
      "and are not frequencies." },
    { "attention", "attention weight",
      "How much a head looks at a word, from 0 to 100 %; the weights of a head add up to 100 %. What is missing from "
      "it on the pages falls on the limits of the sentence." },
    { "confidence", "confidence of a head",
      "The largest attention weight of a head on a word, averaged over sentences or queries. A head with a high "
      "confidence looks at one word at a time." },
    { "inside", "inside",
      "The share of a head's attention that falls on words of the phrase. The rest falls on words around it." },
    { "difference", "score minus that of the gold label",
      "How much the parser preferred its label to the gold one over the same words. The contributions to this "
      "difference show which heads caused the error." },
    { "completeness", "completeness error",
      "The difference between a score and the sum of its contributions and biases, relative to the score. Only "
      "rounding causes it." },
    { "importance", "importance (taylor_param, taylor_group, gate, gate_token)",
      "Estimates of how much the training loss would change without a head, from derivatives of the loss. "
      "docs/INTERPRET.md has the formulas and how well they predict the removal of a head." },
    { "relevance", "relevance share",
      "The part of a head in the scores of the parser's own phrases or arcs, passed backwards through the layers. It "
      "is divided by the sum over the heads of the layer." },
    { "conservation", "conservation error",
      "The difference between a score and the sum of the relevance that arrives at the input. Only rounding causes "
      "it." },
    { "functions", "functions",
      "What a self-attention head does regularly: attend to the previous or next word, or from a dependent to its "
      "head. A function is named if it holds for 90 % of the words, or 10 points more often than a fixed distance "
      "would." },
    { "previous-next", "previous, next, rarest",
      "The percentage of words from which a head attends most to the previous word, to the next one, or to the rarest "
      "word of the sentence. For a label head, which has one row, each word of the sentence counts alike." },
    { "pattern", "pattern, global relevance",
      "A set of words that a head could attend to, such as the next word or punctuation. Global relevance is the mean "
      "share of a head's attention inside the pattern." },
    { "sigma", "threshold of three standard deviations",
      "Heads whose global relevance exceeds the mean of all heads by more than three standard deviations are listed. "
      "Of ten heads or fewer none can." },
    { "f1", "F1, UAS, LAS",
      "F1 is the harmonic mean of the percentages of right phrases in the parse and of found phrases in gold. UAS is "
      "the percentage of words with the right head, LAS with the right head and type." },
    { "agreement", "decisions that differ",
      "On the page of two models: phrases, arcs and types that only one of them has. With gold, each is marked as "
      "right or wrong." },
};

void glossary_page(StrBuf *out, bool index)
{
    page_begin(out, "Terms and measures", "", index ? "" : NULL);
    strbuf_puts(out, "<dl class=\"terms\">\n");
    for (size_t k = 0; k < sizeof TERMS / sizeof *TERMS; k++)
        strbuf_printf(out, "<dt id=\"%s\">%s</dt>\n<dd>%s</dd>\n", TERMS[k].id, TERMS[k].name, TERMS[k].text);
    strbuf_puts(out, "</dl>\n");
    page_end(out);
}
