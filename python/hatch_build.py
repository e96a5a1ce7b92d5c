"""Puts the shared library, the libraries that it needs, a model and licences into the wheel: what `make wheel` has made
in build/default/wheel, or makes now."""
import os
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        subprocess.run(["make", "-s", "-C", str(ROOT), "build/default/wheel/liblalparser.so"], check=True, env={
            key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"})
        for file in (ROOT / "build/default/wheel").glob("*.so*"):
            build_data["force_include"][str(file)] = "lalparser/lib/" + file.name
        build_data["force_include"][str(ROOT / "models/en-small.lal")] = "lalparser/models/en-small.lal"
        for file in [ROOT / "LICENSE", ROOT / "models/README.md", *(ROOT / "models/licenses").iterdir()]:
            build_data["force_include"][str(file)] = "lalparser/licenses/" + file.name
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
