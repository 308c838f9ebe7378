# SPDX-License-Identifier: BSD-3-Clause
"""Shares as text: as many digits as their interval supports, and never rounded to none or all."""

from isobreach.audits import Sampled

# Shades of a matrix: 0 below the first of these shares, 1 from it on, ...
_SHADES = (0.01, 0.1, 0.5, 0.9)
SHADES = ("under 1%", "1 to 10%", "10 to 50%", "50 to 90%", "90% or more")
_POINT = 0.01
_NOBODY = 1e-9  # a share below which there is nobody, in any table: what rounding leaves of 0
_MOST = 4  # decimals of a percentage, by which two of them are told apart


def share(value: float, digits: int | None = None, *, near: float | None = None) -> str:
    """A share that was counted or computed: whole per cents, one digit more for small ones; below 1e-9 it is none.

    ``near``: a limit, from which as many digits tell it apart as that takes.

    >>> share(0.0), share(0.0004), share(0.0123), share(0.55), share(0.9999), share(1.0)
    ('0%', 'under 0.1%', '1.2%', '55%', 'over 99%', '100%')
    >>> share(0.0502, near=0.05), share(0.2004, near=0.2), share(0.05, near=0.05), share(0.3, near=0.2)
    ('5.02%', '20.04%', '5%', '30%')
    """
    if value < _NOBODY and near != 0:
        value = 0.0
    places = (1 if value < 0.1 else 0) if digits is None else digits
    if near is not None and value not in (0, 1):
        places = max(places, _apart(value, near))
    text = f"{100 * value:.{places}f}"
    step = 10.0**-places
    if float(text) == 0 and value > 0:
        return f"under {step:g}%"
    if float(text) == 100 and value < 1:
        return f"over {100 - step:g}%"
    return f"{text.removesuffix('.0') if digits is None or float(text) in (0, 100) else text}%"


def _apart(value: float, limit: float) -> int:
    """Decimals of a percentage that tell it apart from a limit, as it is written with as many; 0 where it is equal."""
    if value == limit:
        return 0
    return next(
        (places for places in range(_MOST) if float(f"{100 * value:.{places}f}") != round(100 * limit, 6)), _MOST
    )


def sampled(value: Sampled, *, near: float | None = None) -> str:
    """A sampled share with its 95% interval; ``near``: a limit, from which it and its ends are to be told apart.

    >>> sampled(Sampled(0.83, 0.813, 0.846)), sampled(Sampled(0.0314, 0.0301, 0.0329)), sampled(Sampled(1.0, 0.91, 1.0))
    ('83% (81 to 85%)', '3.1% (3.0 to 3.3%)', '100% (91 to 100%)')
    >>> sampled(Sampled(0.0, 0.0, 0.0004)), sampled(Sampled(0.4, 0.4, 0.4)), sampled(Sampled(0.4, 0.0, 1.0))
    ('0% (under 0.1%)', '40%', '40% (0 to 100%)')
    >>> sampled(Sampled(0.0461, 0.031, 0.0613), near=0.05), sampled(Sampled(0.04, 0.03, 0.0502), near=0.05)
    ('4.6% (3.1 to 6.1%)', '4.00% (3.00 to 5.02%)')
    """
    width = value.high - value.low
    if width == 0:  # counted
        return share(value.value, near=near)
    digits = 0 if width >= _POINT else 1
    if near is not None:
        digits = max([digits, *(_apart(one, near) for one in (value.low, value.value, value.high))])
    low, high = (_end(100 * end, digits) for end in (value.low, value.high))
    said = share(value.value, digits)
    if low == high:
        inside = share(value.high, digits) if float(high) in (0, 100) else f"{high}%"
        return f"{said} ({inside})" if inside != said else said
    return f"{said} ({low} to {high}%)"


def _end(percents: float, digits: int) -> str:
    """An end of an interval: 0 and 100 need no decimal."""
    text = f"{percents:.{digits}f}"
    return f"{float(text):.0f}" if float(text) in (0, 100) else text


def shade(value: float) -> int:
    """Place of a share's shade in ``SHADES``."""
    return sum(value >= least for least in _SHADES)


def amount(value: float) -> str:
    """A number of records, or under noise an expected one.

    >>> amount(1234.0), amount(12.345)
    ('1,234', '12.3')
    """
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}" if value < 100 else f"{value:,.1f}"
