"""check_search_page.py LAL PAGE [--fill]: runs the commands and the patterns of docs/SEARCH.md in this folder, which
has examples/, and compares what they write with the page; --fill prints the page with what they write instead."""
import re
import subprocess
import sys

lal, page = sys.argv[1:3]
fill = len(sys.argv) > 3
faults = runs = 0


def run(command):
    """What a command of the shell writes, or, if it fails, its message."""
    global runs
    runs += 1
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env={
        "PATH": lal.rsplit("/", 1)[0] + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"})
    return done.stdout if done.stdout or done.returncode < 2 else done.stderr


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def same(wanted, found, what):
    global faults
    if wanted != found and not fill:
        faults += 1
        print(f"{what}: found\n{found}\nexpected\n{wanted}")


def answer(section, cells):
    """What stands in the third column of a row whose first or second one is a pattern."""
    if section == "Thirty questions":
        where = re.search(r"\((--where .*?)\)", cells[0].replace("`", ""))
        lines = run(f"lal search --only -m 1 {where[1] if where else ''} {quote(cells[1])} examples/search.trees")
        return lines.split("\n")[0].split("\t")[0].split(": ", 1)[-1]
    lines = run(f"lal search --only {quote(cells[0])} cat.trees").rstrip("\n").split("\n")
    return "; ".join(line.split(": ", 1)[-1].replace("\t", ", ") for line in lines)


section, out, lines = "", [], open(page, encoding="utf-8").read().split("\n")
k = 0
while k < len(lines):
    line = lines[k]
    k += 1
    out.append(line)
    if line.startswith("## "):
        section = line[3:]
    if line.startswith("    $ "):
        wanted = []
        while k < len(lines) and lines[k].startswith("    ") and not lines[k].startswith("    $ "):
            wanted.append(lines[k][4:])
            k += 1
        found = run(line[6:]).rstrip("\n").split("\n")
        found = [text.rstrip() for text in found] if found != [""] else []
        same("\n".join(wanted), "\n".join(found), line[6:])
        out += ["    " + text if text else "" for text in found]
    elif line.startswith("| ") and "`" in line and section in ("Trees", "Dependencies", "Thirty questions"):
        raw = [cell.strip() for cell in line.replace("\\|", "\1").split("|")[1:-1]]
        place = 1 if section == "Thirty questions" else 0
        if len(raw) < 3 or not re.fullmatch(r"`[^`]*`", raw[place]):
            continue
        cells = [cell.replace("\1", "|") for cell in raw]
        cells[place] = cells[place].strip("`")
        found = answer(section, cells)
        same(cells[2], found, cells[place])
        raw[2] = found
        out[-1] = "| " + " | ".join(raw).replace("\1", "\\|") + " |"
if fill:
    print("\n".join(out), end="")
else:
    print(f"{runs} commands, {faults} differ")
sys.exit(faults > 0)
