"""The file format of Jupyter notebooks, as far as it is needed (nbformat 4.5)."""

import json


def as_notebook(words: str, codes: list[str]) -> str:
    """A notebook that has not run: one cell of Markdown, then a cell for each piece of code."""
    cells: list[dict[str, object]] = [{"cell_type": "markdown", "source": words}]
    for code in codes:
        unrun = {"execution_count": None, "outputs": []}
        cells.append({"cell_type": "code", "source": code} | unrun)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": kernel},
        "cells": [cell | {"id": f"cell-{i}", "metadata": {}} for i, cell in enumerate(cells)],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1)
