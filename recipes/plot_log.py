#!/usr/bin/env python3
"""plot_log.py LOG: draws the curves of a training run, the log of `lal train --log` (docs/FORMATS.md), as an SVG on
standard output. Standard library only.

Two charts over the same epochs: F1 and LAS of each dev set, and the losses on a logarithmic scale; in light colours, or
in dark ones where a page or viewer prefers these. A line whose epoch does not come after the line before replaces all
lines from its epoch on: a resumed run continues at its checkpoint, and a new run in the same log is drawn alone. A last
line without its newline is being written and left out.
"""
import gzip
import html
import json
import math
import os
import sys

LOSSES = ("span", "arc", "type", "tag")
SCORES = (("f1", "F1", ""), ("las_nopunct", "LAS", " dash"))
WIDTH, LEFT, RIGHT, LEGEND, CHART, TOP, BETWEEN, ROW, TICKS = 960, 56, 760, 780, 260, 92, 72, 18, 6
# Okabe and Ito's colours, which most colour-blind readers can tell apart; for light and for dark paper.
COLOURS = (("#0072b2", "#56b4e9"), ("#d55e00", "#ff9f5a"), ("#00805f", "#3ddba8"), ("#a34b82", "#e9a3cd"),
           ("#8a6d00", "#f0d442"), ("#444444", "#d0d0d0"), ("#5b3fa8", "#b9a5ff"), ("#9c1c1c", "#ff8f8f"))


# ---- the log

def number(value):
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def read_log(path):
    """The lines of the last run."""
    checks = []
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
    except OSError as error:
        sys.exit(f"{path}: cannot open: {error.strerror}")
    except UnicodeDecodeError:
        sys.exit(f"{path}: found bytes that are not UTF-8")
    for n, line in enumerate(lines, 1):
        try:
            check = json.loads(line)
        except ValueError:
            check = None
        epoch = number(check.get("epoch")) if isinstance(check, dict) else math.nan
        if math.isnan(epoch):
            sys.exit(f"{path}:{n}: found no object with an epoch, expected a log of lal train")
        if checks and checks[-1].get("run") != check.get("run"):
            checks = []
        while checks and checks[-1]["epoch"] >= epoch:
            checks.pop()
        checks.append(check)
    if not checks:
        sys.exit(f"{path}: found no check, expected a log of lal train")
    return checks


class Series:
    """Values of one kind, one for each check; NaN where a check has none."""

    def __init__(self, name, colour, dash, y):
        self.name, self.colour, self.dash, self.y = name, f"c{colour % len(COLOURS)}", dash, y


def dev_series(checks):
    """The series in the order in which the log names them."""
    sets = list(dict.fromkeys(name for check in checks for name in check.get("dev", {})))
    found = {}
    for check in checks:
        for name, dev in check.get("dev", {}).items():
            for key, score, dash in SCORES:
                if not math.isnan(number(dev.get(key))):
                    y = [number(c.get("dev", {}).get(name, {}).get(key)) for c in checks]
                    found.setdefault((name, key), Series(f"{name[:60]} {score}", sets.index(name), dash, y))
    return list(found.values())


# ---- the charts

def nice_step(span):
    """1, 2 or 5 times a power of ten, at least span / TICKS."""
    step = 10 ** math.floor(math.log10(span / TICKS))
    while span / step > TICKS:
        step *= 10 if span / step / TICKS > 5 else 5 if span / step / TICKS > 2 else 2
    return step


def log_tick(value):
    """The tick of a logarithmic axis at or below a value: the logarithm of 1, 2 or 5 times a power of ten."""
    whole = math.floor(value + 1e-9)
    rest = value + 1e-9 - whole
    return whole + max(math.log10(m) for m in (1, 2, 5) if m == 1 or rest >= math.log10(m))


def text(x, y, kind, content):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{html.escape(content)}</text>\n'


def line(x0, y0, x1, y1, kind):
    return f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" class="{kind}"/>\n'


class Chart:
    def __init__(self, name, series, epochs, top, log):
        self.name, self.series, self.epochs, self.top, self.log = name, series, epochs, top, log
        self.end = epochs[-1] if epochs[-1] > 0 else 1
        self.find_range()

    def value(self, y):
        return y if not self.log else math.log10(y) if y > 0 else math.nan

    def x_at(self, epoch):
        return LEFT + (RIGHT - LEFT) * epoch / self.end

    def y_at(self, value):
        return self.top + CHART * (1 - (value - self.low) / (self.high - self.low))

    def tick_after(self, tick, step):
        return log_tick(tick + math.log10(2.5) + 1e-6) if self.log else tick + step

    def find_range(self):
        """Of scores at most the upper 30 points are shown: the first checks may be far below."""
        values = [v for s in self.series for v in map(self.value, s.y) if not math.isnan(v)]
        low, high = min(values, default=0), max(values, default=0)
        if not self.log:
            low = max(low, high - 30)
        step = nice_step(max(high - low, 1))
        self.low = log_tick(low) if self.log else math.floor(low / step) * step
        self.high = self.tick_after(self.low, step)
        while self.high < high - 1e-9:
            self.high = self.tick_after(self.high, step)
        if not self.log:
            self.high = min(self.high, max(100, high))

    def axes(self):
        out, bottom = "", self.top + CHART
        step, at = nice_step(self.high - self.low), self.low
        while at <= self.high + 1e-6:
            out += line(LEFT, self.y_at(at), RIGHT, self.y_at(at), "grid")
            out += text(LEFT - 8, self.y_at(at) + 4, "y", f"{10 ** at if self.log else at:.6g}")
            at = self.tick_after(at, step)
        step, x = max(nice_step(self.end), 0 if self.end < 1 else 1), 0
        while x <= self.end + step / 1e6:
            out += line(self.x_at(x), bottom, self.x_at(x), bottom + 5, "axis")
            out += text(self.x_at(x), bottom + 18, "x", f"{x:g}")
            x += step
        out += line(LEFT, bottom, RIGHT, bottom, "axis") + text(LEFT, self.top - 10, "b", self.name)
        return out + text(RIGHT, bottom + 34, "y", "epoch")

    def curve(self, series):
        """A line through the values, interrupted where one is missing, with a dot at each check if there are few."""
        path, dots, pen = "", "", "M"
        for epoch, y in zip(self.epochs, series.y):
            value = self.value(y)
            if math.isnan(value):
                pen = "M"
                continue
            path += f"{pen}{self.x_at(epoch):.1f} {self.y_at(value):.1f}"
            pen = "L"
            if len(self.epochs) <= 40:
                dots += (f'<circle cx="{self.x_at(epoch):.1f}" cy="{self.y_at(value):.1f}" r="2.5"><title>'
                         f"{html.escape(series.name)} {y:.4g}, epoch {epoch:.4g}</title></circle>\n")
        return (f'<g class="{series.colour}" clip-path="url(#clip{self.top})">'
                f'<path class="s{series.dash}" d="{path}"/>\n{dots}</g>\n')

    def legend(self, title, at):
        """The names, with the values at check `at`."""
        out, y = text(LEGEND, self.top - 10, "t", title), self.top + 4
        for series in [s for s in self.series if not math.isnan(self.value(s.y[at]))][:CHART // ROW]:
            out += f'<g class="{series.colour}"><path class="s{series.dash}" d="M{LEGEND} {y}h24"/></g>\n'
            out += text(LEGEND + 32, y + 4, "t", series.name)
            out += text(WIDTH - 12, y + 4, "y", f"{series.y[at]:.3g}" if self.log else f"{series.y[at]:.2f}")
            y += ROW
        return out

    def draw(self, best):
        at = len(self.epochs) - 1 if best is None else best
        out = (f'<clipPath id="clip{self.top}"><rect x="{LEFT - 4}" y="{self.top - 4}" width="{RIGHT - LEFT + 8}" '
               f'height="{CHART + 5}"/></clipPath>\n')
        out += self.axes() + "".join(map(self.curve, self.series))
        if best is not None:
            out += line(self.x_at(self.epochs[best]), self.top, self.x_at(self.epochs[best]), self.top + CHART, "best")
        return out + self.legend(f"{'last' if best is None else 'best'}, epoch {self.epochs[at]:.4g}", at)


def style():
    light, dark = ("".join(f";--c{k}:{pair[d]}" for k, pair in enumerate(COLOURS)) for d in (0, 1))
    lines = "".join(f".plot .c{k}{{stroke:var(--c{k});fill:var(--c{k})}}" for k in range(len(COLOURS)))
    return (f"<style>.plot{{--ink:#1b1b1b;--soft:#5a5a5a;--grid:#d4d9de;--paper:#fff{light}}}\n"
            "@media(prefers-color-scheme:dark){.plot{--ink:#e8e8e8;--soft:#aab0b6;--grid:#3d444b;--paper:#16191d"
            f"{dark}}}}}\n{lines}\n"
            ".plot text{font:12px sans-serif;fill:var(--soft)}.plot .b,.plot .h{font-weight:bold;fill:var(--ink)}"
            ".plot .h{font-size:15px}.plot .y{text-anchor:end}.plot .x{text-anchor:middle}.plot path{fill:none}"
            ".plot .s{stroke-width:2;stroke-linejoin:round}.plot circle{stroke:none}.plot .dash{stroke-dasharray:5 3}"
            ".plot .grid{stroke:var(--grid)}.plot .axis{stroke:var(--soft)}"
            ".plot .best{stroke:var(--ink);stroke-dasharray:2 3}.plot .paper{fill:var(--paper)}</style>\n")


def draw(path, checks):
    epochs = [check["epoch"] for check in checks]
    best = max((k for k, check in enumerate(checks) if check.get("dev") and check.get("best") is True), default=None)
    dev = dev_series(checks)
    losses = [Series(name, k, "", [number(check.get("loss", {}).get(name)) for check in checks])
              for k, name in enumerate(LOSSES)]
    below = TOP + CHART + BETWEEN if dev else TOP
    height = below + CHART + 48
    about = "ORACLE: " if any(check.get("oracle") is True for check in checks) else ""
    about += f"{len(checks)} checks up to epoch {epochs[-1]:.4g}"
    about += "" if best is None else f", the best at epoch {epochs[best]:.4g}"
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
           f'height="{height}" role="img">\n<title>training, {html.escape(path)}</title>\n{style()}'
           '<rect class="paper" width="100%" height="100%"/>\n')
    out += text(LEFT, 30, "h", os.path.basename(path)) + text(LEFT, 49, "t", about)
    if dev:
        out += Chart("dev scores", dev, epochs, TOP, False).draw(best)
    return out + Chart("losses, mean for a sentence", losses, epochs, below, True).draw(best) + "</svg>\n"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: plot_log.py LOG > FILE.svg")
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(draw(sys.argv[1], read_log(sys.argv[1])))


main()
