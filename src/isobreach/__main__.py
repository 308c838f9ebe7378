# SPDX-License-Identifier: BSD-3-Clause
"""``python -m isobreach``: the command line, where the command itself is not on the path."""

from isobreach.cli import main

if __name__ == "__main__":
    main()
