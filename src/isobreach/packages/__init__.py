# SPDX-License-Identifier: BSD-3-Clause
"""Packages from PyPI that protect vectors, each as a scheme: ``foreign:NAME``, one file a package.

They are announced through the entry points ``isobreach.schemes``, as the schemes of any other package are. A scheme is
made only where its package is installed, and the package is imported only when a table is released by it.
"""
