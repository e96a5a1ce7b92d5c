/* What patterns of trees and of graphs have in common: conditions on a node, joined, negated and optional, and the ways
 * to meet them by backtracking. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

typedef enum ConditionKind { CONDITION_NODE, CONDITION_AND, CONDITION_OR } ConditionKind;

/* A CONDITION_NODE is the first member of a Term (Tregex) or a DepTerm (Semgrex), which describes the node. */
typedef struct Condition {
    ConditionKind kind;
    bool negated;           /* met once, where there is no way */
    bool optional;          /* a CONDITION_NODE matches at most once, others in all ways; if none, once unbound */
    struct Condition **kid; /* [n] CONDITION_AND, CONDITION_OR */
    int n;
    struct Condition *below; /* what holds of the node that was found; NULL: nothing */
    bool shared;             /* of several nodes: it may not grow */
    int depth;               /* goals that are open at once when it is met, beside itself: they recurse */
} Condition;

/* A condition with a member more: `to` itself, if it is of that kind and may grow, or a new one; the member, if `to` is
 * NULL. NULL when out of memory. */
Condition *condition_join(ConditionKind kind, Condition *to, Condition *member, Arena *arena);

/* Conditions that are to be met one after another; NULL: none is left. */
typedef struct Goal Goal;

typedef struct Goals {
    /* Calls goals_meet for each candidate node until a call returns false. Returns the result of the last call, or
     * true if no node was a candidate. */
    bool (*find)(struct Goals *goals, const Condition *node, int from, const Goal *next);
    bool (*found)(struct Goals *goals); /* all goals are met; false: enough */
    long most_steps, steps;             /* 0: as many as there are */
    Error *error;
    Status status;
    bool stop; /* the search is over */
} Goals;

/* Ends the search with an error; false. */
bool goals_fail(Goals *goals, Status status, const char *what);
/* Counts steps; false: they are more than there may be, and the search has failed. */
static inline bool goals_step(Goals *goals, long steps)
{
    goals->steps += steps;
    return !goals->most_steps || goals->steps <= goals->most_steps ||
           goals_fail(goals, ERR_LIMIT, "the search took more steps than it may");
}

/* Meets what holds of a node in all ways, and then what comes next, the last relation varying fastest. false: no other
 * node is to be tried. */
bool goals_meet(Goals *goals, const Condition *condition, int node, const Goal *next);
