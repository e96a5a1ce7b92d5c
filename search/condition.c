/* What is still to hold is a list on the stack, whose first goal is met in each way with all that follow it. */
#include "search/condition.h"

#include <string.h>

/* What happens where the goals of a condition that is negated or optional are met. */
typedef struct Mark {
    bool reached;
    bool negates;    /* what follows is not asked */
    bool first_only; /* what follows is asked, but no other way to meet the goals is tried */
    bool go_on;      /* what follows has not ended the search */
} Mark;

struct Goal {
    const Condition *condition;
    Mark *mark; /* in place of a condition */
    int node;
    const Goal *next;
};

Condition *condition_join(ConditionKind kind, Condition *to, Condition *member, Arena *arena)
{
    if (!to) return member;
    bool grows = to->kind == kind && !to->negated && !to->optional && !to->shared;
    if (!grows || (to->n & (to->n - 1)) == 0) {
        Condition *whole = grows ? to : arena_calloc(arena, 1, sizeof *whole);
        Condition **kid = arena_alloc(arena, grows ? (size_t)to->n * 2 : 2, sizeof *kid);
        if (!whole || !kid) return NULL;
        if (grows) memcpy(kid, to->kid, (size_t)to->n * sizeof *kid);
        else {
            *whole = (Condition){ .kind = kind, .n = 1, .depth = to->depth + 1 };
            kid[0] = to;
        }
        whole->kid = kid;
        to = whole;
    }
    to->kid[to->n++] = member;
    if (kind == CONDITION_AND) to->depth += member->depth + 1;
    else if (to->depth <= member->depth) to->depth = member->depth + 1;
    return to;
}

bool goals_fail(Goals *goals, Status status, const char *what)
{
    if (!goals->status) goals->status = error_set(goals->error, status, "%s", what);
    goals->stop = true;
    return false;
}

static bool meet(Goals *goals, const Goal *goal);

static bool meet_condition(Goals *goals, const Condition *condition, int node, const Goal *next)
{
    bool go_on = true;
    if (condition->kind == CONDITION_NODE) return goals->find(goals, condition, node, next) && !goals->stop;
    if (condition->kind == CONDITION_AND) {
        Condition rest = *condition; /* the members after the first are a goal, too: a whole that begins later */
        rest.kid++;
        rest.n--;
        rest.negated = rest.optional = false;
        const Goal after = { .condition = &rest, .node = node, .next = next };
        const Goal first = { .condition = condition->kid[0], .node = node, .next = rest.n ? &after : next };
        return meet(goals, &first);
    }
    for (int k = 0; k < condition->n && go_on; k++) {
        const Goal goal = { .condition = condition->kid[k], .node = node, .next = next };
        go_on = meet(goals, &goal);
    }
    return go_on;
}

/* Meets the goals in all ways. false: no other ways to meet those before them are to be tried. */
static bool meet(Goals *goals, const Goal *goal)
{
    if (!goal) {
        if (!goals->found(goals)) goals->stop = true;
        return !goals->stop;
    }
    if (goal->mark) {
        goal->mark->reached = true;
        if (!goal->mark->negates) goal->mark->go_on = meet(goals, goal->next);
        return goal->mark->go_on && !goal->mark->first_only;
    }
    const Condition *condition = goal->condition;
    if (!condition->negated && !condition->optional) return meet_condition(goals, condition, goal->node, goal->next);
    Mark mark = { .negates = condition->negated, .first_only = condition->kind == CONDITION_NODE };
    const Goal after = { .mark = &mark, .next = goal->next };
    meet_condition(goals, condition, goal->node, &after);
    if (goals->stop) return false;
    if (mark.reached) return mark.negates || mark.go_on;
    return meet(goals, goal->next);
}

bool goals_meet(Goals *goals, const Condition *condition, int node, const Goal *next)
{
    const Goal goal = { .condition = condition, .node = node, .next = next };
    return meet(goals, condition ? &goal : next);
}
