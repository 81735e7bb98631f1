"""Real Flink from PyPI, installed once into `.cache`, with the small Java program that times it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import CACHE, ROOT, Unavailable

PACKAGE = "apache-flink-libraries==2.3.0"
HEAP = "-Xmx6g"  # 20,000 chained operators take Flink 4 GB: every prefix of the chain's name is a string of its own
HARNESS = Path(__file__).with_name("FlinkPlanTimes.java")


def java_command(program: Path = HARNESS) -> list[str]:
    """The command line up to a Java program's own arguments, with Flink installed and the program compiled."""
    java, javac = tool("java"), tool("javac")
    libraries = install() / "pyflink" / "lib"
    class_path = os.pathsep.join(str(jar) for jar in sorted(libraries.glob("*.jar")))
    classes = _compile(javac, class_path, program)
    return [java, HEAP, "-cp", f"{classes}{os.pathsep}{class_path}", program.stem]


def tool(name: str) -> str:
    """A program of the JDK."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin") if home else None
    found = found or shutil.which(name)
    if not found:
        raise Unavailable(f"no {name} here: a JDK 17 or newer is needed to measure Flink")
    return found


def install(package: str = PACKAGE) -> Path:
    """Flink's jars, downloaded once (300 MB)."""
    home = CACHE / package.replace("==", "-")
    if home.is_dir():
        return home
    CACHE.mkdir(exist_ok=True)
    print(f"Installing {package} into {home.relative_to(ROOT)}; this happens once.", file=sys.stderr, flush=True)
    # Installed beside and renamed, so that an interrupted download leaves nothing that looks complete.
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", scratch, package]
        finished = subprocess.run(pip, capture_output=True, text=True, check=False)
        if finished.returncode:
            raise Unavailable(f"{package} could not be installed: {finished.stderr.strip().splitlines()[-1:]}")
        shutil.copytree(scratch, home.with_name(f"{home.name}.part"), dirs_exist_ok=True)
    home.with_name(f"{home.name}.part").rename(home)
    return home


def _compile(javac: str, class_path: str, program: Path) -> Path:
    classes = CACHE / "flink-classes"
    compiled = classes / f"{program.stem}.class"
    if not compiled.exists() or compiled.stat().st_mtime < program.stat().st_mtime:
        classes.mkdir(parents=True, exist_ok=True)
        subprocess.run([javac, "-nowarn", "-cp", class_path, "-d", classes, program], check=True, capture_output=True)
    return classes
