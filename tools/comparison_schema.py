# SPDX-License-Identifier: BSD-3-Clause
"""Write the JSON Schema of a comparison's result.json: ``python tools/comparison_schema.py``."""

import json
from pathlib import Path

import isobreach
from isobreach.report import comparison_schema

PATH = Path(isobreach.__file__).parent / "report" / "comparison.schema.json"
PATH.write_text(json.dumps(comparison_schema(), indent=1) + "\n", encoding="utf-8")
