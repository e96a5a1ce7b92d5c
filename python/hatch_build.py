"""Puts the shared library, the libraries that it needs, a model and licences into the wheel: what `make wheel` has made
in build/default/wheel, or makes now. The tag names the glibc that they need (PEP 600). LALPARSER_TAG in the environment
is that of a wheel for another system: `make wheels` has made its library, with the others in it, in build/TAG/wheel."""
import glob
import os
import re
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent.parent
TAG = os.environ.get("LALPARSER_TAG")
WHEEL = ROOT / "build" / (TAG or "default") / "wheel"
# zlib is among the libraries that PEP 600 allows, too.
GLIBC = re.compile(r"(ld-linux[\w-]*|lib(c|m|dl|rt|pthread|z))\.so\.\d+")
# of libraries, as Debian, Fedora and others install them
LICENSES = ("/usr/share/doc/lib%s[-0-9]*/copyright", "/usr/share/licenses/*%s/*", "/usr/share/doc/*%s/LICENSE*")


def platform(files):
    """manylinux_2_34_x86_64 where glibc 2.34 and these files are all that they need, else linux_x86_64."""
    shown = subprocess.run(["objdump", "-p", "-T", *map(str, files)], check=True, stdout=subprocess.PIPE,
                           env={**os.environ, "LC_ALL": "C"}).stdout.decode()
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    versions = [tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", shown)]
    names = [file.name for file in files]
    others = [name for name in re.findall(r"NEEDED +(\S+)", shown) if name not in names and not GLIBC.fullmatch(name)]
    if others or not versions:
        return machine
    return machine.replace("linux", "manylinux_%d_%d" % max(versions))


def license_of(file):
    """The licence of a library that is copied into the wheel."""
    library = re.sub(r"^lib|\.so.*", "", file.name)
    name = re.sub(r"-\d+$", "", library)  # pcre2-8, its characters of 8 bits
    for pattern in LICENSES:
        for found in sorted(glob.glob(pattern % name)):
            return found, library + ".txt"
    raise FileNotFoundError("found no licence of %s, expected one of %s" % (
        file.name, ", ".join(pattern % name for pattern in LICENSES)))


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata):
        text = (ROOT / "docs/PYTHON.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        licenses = [ROOT / "LICENSE", ROOT / "models/README.md", *(ROOT / "models/licenses").iterdir()]
        if TAG:
            licenses += (ROOT / "build/third-party/licenses").iterdir()
        else:
            subprocess.run(["make", "-s", "-C", str(ROOT), "build/default/wheel/liblalparser.so"], check=True, env={
                key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"})
        files = sorted(WHEEL.glob("*.so*"))
        included = build_data["force_include"]
        for file in files:
            included[str(file)] = "lalparser/lib/" + file.name
            if file.name != "liblalparser.so":
                found, name = license_of(file)
                included[found] = "lalparser/licenses/" + name
        included[str(ROOT / "models/en-small.lal")] = "lalparser/models/en-small.lal"
        for file in licenses:
            included[str(file)] = "lalparser/licenses/" + file.name
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + (TAG or platform(files))
