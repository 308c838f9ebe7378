# SPDX-License-Identifier: BSD-3-Clause
"""From the table that an owner has to one of numbers, every step recorded: the steps repeat on new rows and go back.

scikit-learn loads inside the functions that need it.
"""

from isobreach.preparation.preparing import prepare
from isobreach.preparation.steps import Step, Steps, done_words
from isobreach.preparation.table import PreparedTable, repeated

__all__ = ["PreparedTable", "Step", "Steps", "done_words", "prepare", "repeated"]
