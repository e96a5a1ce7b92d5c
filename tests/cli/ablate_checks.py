"""ablate_checks.py: what recipes/ablate.py says of plans, of runs that have changed, and its tables, without training.
Called by ablate.sh, in a folder of its own, with the program as LAL."""
import copy
import json
import os
import random
import sys
from types import SimpleNamespace

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GOLDEN = os.path.join(ROOT, "tests", "golden", "ablate")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "recipes"))
import ablate  # noqa: E402

ARGS = SimpleNamespace(threads=1, device="cpu", out="out", max_hours=0, run=True, quiet=True, plan="plan.json")
LAL = ablate.Lal(ARGS)
faults = 0


def expect(name, found, wanted):
    global faults
    if found != wanted:
        faults += 1
        print("%s:\n  found    %s\n  expected %s" % (name, found, wanted))


def read(text, given=None):
    with open("plan.json", "w", encoding="utf-8") as f:
        f.write(text if isinstance(text, str) else json.dumps(text))
    return ablate.Plan("plan.json", given or {}, LAL, ".")


def read_runs(text, sentences):
    plan = read(text)
    plan.train = {"hash": "t"}
    plan.dev = plan.test = {"hash": "d", "sentences": sentences}
    plan.replace = ""
    return ablate.Runs(plan, ARGS)


def check_messages():
    with open(os.path.join(GOLDEN, "messages.json"), encoding="utf-8") as f:
        for text, wanted in json.load(f):
            try:
                read(text)
                found = "no error"
            except ablate.Failure as e:
                found = str(e).removeprefix("plan.json:")
                expect("status of " + text, e.status, ablate.USAGE)
            expect(text, found, wanted)
    read({"equal_updates": False, "variants": {"a": {"train": {"epochs": 4, "stop_after": 2}}}})


def places(value):
    """Each container in a JSON value with each of its keys."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def check_mutations():
    """A plan in which values were replaced is read, or refused with its place."""
    values = [None, True, 0, -1, 1.5, 1e30, "", "plain", [], [1], {}, {"a": 1}, [[]], "all"]
    keys = ["base", "gates", "syntax", "model", "start_from", "heads_of", "prune", "kind", "preset", "x"]
    rng = random.Random(1)
    with open(os.path.join(ROOT, "models", "plans", "reduced.json"), encoding="utf-8") as f:
        plan = json.load(f)
    plan["variants"] = {name: plan["variants"][name] for name in ("plain", "all5", "lambda-0.03")}
    for _ in range(300):
        mutant = copy.deepcopy(plan)
        for _ in range(2):
            container, key = rng.choice(list(places(mutant)))
            key = rng.choice(keys) if isinstance(container, dict) and rng.random() < 0.3 else key
            container[key] = copy.deepcopy(rng.choice(values))
        try:
            read(mutant)
        except ablate.Failure as e:
            expect("place: " + str(e), str(e).startswith("plan.json:"), True)


def check_merging():
    """Variants are merge patches on the base; each follows those it needs."""
    plan = read({"base": {"preset": "small", "train": {"epochs": 7, "freeze": ["f_tag."]}, "encoder_options":
                          {"gates": {"lambda": 3, "patience": 7}}}, "seeds": [3, 1], "reference": "b",
                 "data": {"train": "t", "dev": ["d", "e"]}, "first_pass": {"variant": "b", "folds": 4},
                 "variants": {"c": {"start_from": "b", "train": {"epochs": 2}}, "a": {"model": {"n_layers": 1}},
                              "b": {"train": {"freeze": None, "lr": 0.5},
                                    "encoder_options": {"gates": {"patience": None}}},
                              "roles": {"encoder_options": {
                                  "heads": [{"heads": [2], "pattern": "dep_syn", "use": "mask"}],
                                  "syntax": {"source": "first_pass"}}}}}, {"dev": ["x"]})
    a, b, c, roles = (plan.variants[name].config for name in ("a", "b", "c", "roles"))
    expect("order", plan.order, ["a", "b", "roles", "c"])
    expect("layers", (a["model"]["n_layers"], b["model"]["n_layers"], a["model"]["d_model"]), (1, 5, 320))
    expect("rates", (a["train"]["lr"], b["train"]["lr"]), (0.001, 0.5))
    expect("epochs", (a["train"]["epochs"], c["train"]["epochs"]), (7, 2))
    expect("frozen", (a["train"]["freeze"], b["train"]["freeze"]), (["f_tag."], []))
    expect("gates", [(x["encoder_options"]["gates"]["lambda"], x["encoder_options"]["gates"]["patience"])
                     for x in (b, roles)], [(3, 8), (3, 7)])
    expect("first pass", [v.first_pass for v in plan.variants.values()], [False, False, False, True])
    expect("data", plan.data, {"train": ["t"], "dev": ["x"]})


def check_merge():
    """The examples of RFC 7396, appendix A."""
    for target, patch, wanted in (
            ({"a": "b"}, {"a": "c"}, {"a": "c"}), ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
            ({"a": "b"}, {"a": None}, {}), ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
            ({"a": ["b"]}, {"a": "c"}, {"a": "c"}), ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
            ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
            ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}), (["a", "b"], ["c", "d"], ["c", "d"]),
            ({"a": "b"}, ["c"], ["c"]), ({"a": "foo"}, None, None), ({"a": "foo"}, "bar", "bar"),
            ({"e": None}, {"a": 1}, {"e": None, "a": 1}), ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
            ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}})):
        before = copy.deepcopy(target)
        expect("%s patched by %s" % (target, patch), ablate.merge(target, patch), wanted)
        expect("target", target, before)


def check_holm():
    """4 x .005, 3 x .01, 2 x .03, then not below the one before it; equal values; none above 1."""
    for ps, wanted in (([0.03, 0.005, 0.04, 0.01], [0.06, 0.02, 0.06, 0.03]),
                       ([0.4, 0.02, 0.02, 0.6], [0.8, 0.08, 0.08, 0.8]), ([0.03], [0.03]), ([0.7, 0.9], [1, 1]),
                       ([], [])):
        expect("Holm of %s" % ps, [round(p, 12) for p in ablate.holm(ps)], wanted)


def check_changes():
    runs = read_runs({"variants": {"a": {}, "b": {"model": {"d_ff": 6}, "train": {"freeze": ["f_label."]},
                      "encoder_options": {"heads": [{"heads": [0], "pattern": "self", "use": "guide"}, {
                          "stack": "label", "heads": [0], "pattern": "seprat", "use": "mask"}], "gates": {"lambda": 1},
                          "patterns": {"rel_pos": {"window": 5}}}}, "c": {"model": {"d_arc": 6}, "encoder_options":
                                                                          {"gates": {"patience": 3}}}}}, 1)
    a, b, c = runs.plan.variants.values()
    saved = runs.record(a, 1, [None] * 3)
    expect("no change", runs.change(saved, saved, a), "")
    expect("changes", runs.change(saved, runs.record(b, 2, ["0123", None, None]), b),
           "model.d_ff was 512, is 6; train.freeze was [], is [\"f_label.\"]; train.seed was 1, is 2; "
           "encoder_options.heads changed; encoder_options.patterns.rel_pos.window was 3, is 5; "
           "encoder_options.gates.lambda was 0.03, is 1; a model that it needs changed")
    old = copy.deepcopy(saved)  # by a program that had fewer options, or other ones
    del old["model"]["d_arc"], old["encoder_options"]["gates"]["patience"], old["encoder_options"]["pal"], old["folds"]
    old["train"]["removed"] = 3
    old["models"].pop()
    expect("new options", runs.change(old, saved, a), "")
    expect("a new option that is set", runs.change(old, runs.record(c, 1, [None] * 3), c),
           "model.d_arc was 1024, is 6; encoder_options.gates.patience was 8, is 3")


SENTENCES = 12


def fill(run, v, seed):
    """Variant v is better than variant 0 in every sentence by v brackets; heads differ by chance only."""
    run.state, run.seconds, run.scoring, run.updates, run.speed = "finished", 60 * (v + 1), 2, 100, 10 / (v + 1)
    run.early_loss, run.loss, run.self_heads, run.label_heads = 3.5 - v, 2 - 0.5 * v, 16, 0 if v == 1 else 8
    run.rho = 0.25 if v == 2 else None
    rows = ["10\t1\t8\t8\t%d\t10\t%d\t%d" % (4 + v + (seed and k % 3 == 0), 7 + (k * (v + 1) + seed) % 3, 6 + k % 2)
            for k in range(2 * SENTENCES)]
    names = "words trees gold_brackets pred_brackets matched_brackets words_nopunct heads_nopunct types_nopunct".split()
    for k, name in enumerate(("dev", "test")):
        run.rows[name] = ["\t".join(names)] + rows[k * SENTENCES:(k + 1) * SENTENCES]


def check_table():
    """The tables are those of tests/golden/ablate."""
    runs = read_runs({"seeds": [1, 7], "resamples": 1000, "variants": {"plain": {}, "roles": {}, "gätes": {},
                                                                       "late": {"start_from": "gätes"}}}, SENTENCES)
    for (name, seed), run in runs.runs.items():
        if name != "late":
            fill(run, ["plain", "roles", "gätes"].index(name), seed == 7)
    failed = runs.runs["gätes", 7]
    failed.state, failed.failed = "failed", "the loss is not finite"
    fill(runs.runs["late", 1], 0, 0)
    for run in runs.runs.values():
        if run.rows:
            runs.read_scores(run)
    table = ablate.Table(runs)
    for end, found in (("txt", table.text()), ("tsv", table.tsv()), ("json", table.json())):
        with open(os.path.join(GOLDEN, "table." + end), encoding="utf-8") as f:
            expect("table." + end, found, f.read())


for check in (check_messages, check_mutations, check_merge, check_merging, check_holm, check_changes, check_table):
    check()
sys.exit(faults > 0)
