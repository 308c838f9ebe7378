# SPDX-License-Identifier: BSD-3-Clause
"""Settings of attacks and parameters of schemes: declared once, as fields of a frozen dataclass.

The command line makes an option of every field, the library checks names against them, docs list them.
"""

from dataclasses import field
from typing import Any


def setting(default: Any, help_text: str, **more: Any) -> Any:
    """Return a dataclass field that says what it means.

    Parameters
    ----------
    default
        Its value unless another is given; also its type.
    help_text
        What it means, for the help of the command line.
    more
        ``choices``, a tuple of the values allowed; ``type``, where the default does not show it (None); ``metavar``.
    """
    return field(default=default, metadata={"help": help_text, **more})
