# SPDX-License-Identifier: BSD-3-Clause
"""Write the JSON Schema of an audit's result.json from the records that make it: ``python tools/audit_schema.py``."""

import json
from pathlib import Path

import isobreach
from isobreach.report import audit_schema

PATH = Path(isobreach.__file__).parent / "report" / "audit.schema.json"
PATH.write_text(json.dumps(audit_schema(), indent=1) + "\n", encoding="utf-8")
