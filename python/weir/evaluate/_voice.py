"""The mean opinion score of a voice call, by the E-model of ITU-T G.107 with its default values."""

from __future__ import annotations

import math

from weir._errors import require

SLR, RLR, OLR = 8.0, 2.0, 10.0
"""Loudness ratings in dB: sending, receiving, overall."""
STMR, LSTR = 15.0, 18.0
"""Side tone masking rating and listener's side tone rating, dB."""
D_SEND = 3.0
"""D-factor of the telephone, sending side."""
TELR, WEPL = 65.0, 110.0
"""Talker echo loudness rating, and weighted echo path loss, dB."""
NC, NFOR = -70.0, -64.0
"""Circuit noise and noise floor, dBm0p and dBmp."""
ROOM = 35.0
"""Room noise on either side, dB(A)."""
BPL = 4.3
"""Robustness of G.711 without concealment against loss."""


WORST = 1.0
"""Lowest mean opinion score."""


def mos(delay_ms: float, loss: float) -> float:
    """Mean opinion score of a G.711 call, 1 to 4.5.

    The formula of G.107 dips a little below 1 for ratings between 0 and 6.5. No score is below 1, so that
    these have it too.

    Args:
        delay_ms: one way, mouth to ear.
        loss: share of the packets, lost independently.

    Raises InputError for a negative delay, and for a loss that is not from 0 to 1.

    Example:
        >>> from weir.evaluate import mos
        >>> round(mos(delay_ms=50.0, loss=0.0), 2), round(mos(delay_ms=300.0, loss=0.05), 2)
        (4.38, 1.3)
    """
    require(
        0.0 <= delay_ms < math.inf, f"a call has no delay of {delay_ms:g} ms", "give zero or more, one way"
    )
    require(0.0 <= loss <= 1.0, f"a loss of {loss:g} is no share of the packets", "give 0 to 1: 0.02 for 2%")
    rating = min(100.0, max(0.0, _rating(delay_ms, loss)))
    score = 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6
    return max(WORST, score)


def _rating(delay_ms: float, loss: float) -> float:
    """Rating R: signal to noise, less what impairs a call."""
    noise = _noise()
    base = 15.0 - 1.5 * (SLR + noise)
    percent = 100.0 * loss
    of_loss = 95.0 * percent / (percent + BPL)
    return base - _simultaneous(base, noise) - _delayed(base, noise, delay_ms) - of_loss


def _noise() -> float:
    """Sum of all noise at the point of 0 dBr, dBm0p."""
    sent = ROOM - SLR - D_SEND - 100.0 + 0.004 * (ROOM - OLR - D_SEND - 14.0) ** 2
    heard = ROOM + 10.0 * math.log10(1.0 + 10.0 ** ((10.0 - LSTR) / 10.0))
    received = RLR - 121.0 + heard + 0.008 * (heard - 35.0) ** 2
    floor = NFOR + RLR
    return 10.0 * math.log10(sum(10.0 ** (level / 10.0) for level in (NC, sent, received, floor)))


def _simultaneous(base: float, noise: float) -> float:
    """Simultaneous impairment factor Is, which comes with the voice: loudness, side tone, quantisation."""
    loud = OLR + 0.2 * (64.0 + noise - RLR)
    too_loud = 20.0 * ((1.0 + (loud / 8.0) ** 8) ** 0.125 - loud / 8.0)
    # Echo without delay adds to the side tone.
    tone = -10.0 * math.log10(10.0 ** (-STMR / 10.0) + 10.0 ** (-TELR / 10.0))
    side_tone = (
        12.0 * (1.0 + ((tone - 13.0) / 6.0) ** 8) ** 0.125
        - 28.0 * (1.0 + ((tone + 1.0) / 19.4) ** 35) ** (1.0 / 35.0)
        - 13.0 * (1.0 + ((tone - 3.0) / 33.0) ** 13) ** (1.0 / 13.0)
        + 29.0
    )
    # One quantisation unit.
    quality = 37.0
    distortion = 1.07 + 0.258 * quality + 0.0602 * quality**2
    y = (base - 100.0) / 15.0 + 46.0 / 8.4 - distortion / 9.0
    z = 46.0 / 30.0 - distortion / 40.0
    quantisation = 15.0 * math.log10(1.0 + 10.0**y + 10.0**z)
    return too_loud + side_tone + quantisation


def _delayed(base: float, noise: float, delay_ms: float) -> float:
    """Delay impairment factor Id: echo to the talker, echo to the listener, and the delay by itself."""
    echo_rating = (
        TELR
        - 40.0 * math.log10((1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0))
        + 6.0 * math.exp(-0.3 * delay_ms**2)
    )
    talker = (-1.5 * (noise - RLR)) - (80.0 + 2.5 * (echo_rating - 14.0))
    of_talker = (talker / 2.0 + math.sqrt(talker**2 / 4.0 + 100.0) - 1.0) * (1.0 - math.exp(-delay_ms))
    # The round trip in the four-wire loop.
    listener = base - 10.5 * (WEPL + 7.0) * (2.0 * delay_ms + 1.0) ** -0.25
    of_listener = listener / 2.0 + math.sqrt(listener**2 / 4.0 + 169.0)
    return of_talker + of_listener + _absolute(delay_ms)


def _absolute(delay_ms: float) -> float:
    if delay_ms <= 100.0:
        return 0.0
    x = math.log2(delay_ms / 100.0)
    sixth = 1.0 / 6.0
    return 25.0 * ((1.0 + x**6) ** sixth - 3.0 * (1.0 + (x / 3.0) ** 6) ** sixth + 2.0)
