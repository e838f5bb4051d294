import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Imports a package with all its modules, and prints what is loaded then.
LOADED = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, sys.argv[1] + "."):
    importlib.import_module(module.name)
print(json.dumps(list(sys.modules)))
"""


@pytest.mark.parametrize(
    ("package", "absent"),
    [
        ("explorer.core", {"streamlit", "plotly", "explorer.text", "explorer.figures"}),
        ("explorer.figures", {"streamlit", "explorer.text", "explorer.core"}),
    ],
)
def test_a_room_does_not_load_what_stands_above_or_beside_it(package, absent):
    answer = subprocess.run(
        [sys.executable, "-c", LOADED, package],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(answer.stdout))
    assert package in loaded
    assert not loaded & absent
