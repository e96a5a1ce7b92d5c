"""check_pruned.py GATED PRUNED HEADS: `lal inspect --format json --words --top 0` of a model with closed label heads
and of the same model without them: the open HEADS (from 1) have the same parts under the same numbers, and the parts
of the closed ones add up to "pruned"."""
import json
import sys

gated, pruned = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:3])
names = ["label:" + h for h in sys.argv[3].split(",")]


def check(found, expected, what):
    if abs(found - expected) > 2e-4 * max(1, abs(expected)):
        sys.exit(f"{what}: found {found}, expected {expected}")


decisions = 0
assert len(gated) == len(pruned) > 0
for a, b in zip(gated, pruned):
    if list(b["attention"]) != names:
        sys.exit(f"found attention of {list(b['attention'])}, expected {names}")
    for h in names:
        for x, y in zip(a["attention"][h], b["attention"][h]):
            check(y, x, "attention of " + h)
    assert len(a["decisions"]) == len(b["decisions"])
    for x, y in zip(a["decisions"], b["decisions"]):
        of = {h["head"]: h for h in x["heads"]}
        left = {h["head"]: h for h in y["heads"]}
        if sorted(left) != sorted(names):
            sys.exit(f"found heads {sorted(left)}, expected {names}")
        for h in names:
            for part in "part", "own", "view", "norm":
                check(left[h][part], of[h][part], f"{part} of {h}")
        check(y["pruned"], sum(of[h]["part"] for h in of if h not in names), "pruned")
        check(y["bias"], x["bias"], "bias")
        decisions += 1
assert decisions > 50, decisions
