# SPDX-License-Identifier: BSD-3-Clause
r"""Remove additive noise by principal components of the records (PCA reconstruction).

Huang, Du and Chen (2005): y = x + e with known deviation sigma. cov(X) = cov(Y) - sigma^2 I has the eigenvectors of
cov(Y) and eigenvalues m_i = l_i - sigma^2. Keeping a direction costs sigma^2 of noise, leaving it out costs m_i: those
with m_i > sigma^2 are kept, x = mean + (y - mean) V V', which has the least expected error of all such projections.

Variants: *largest gap*, the first p components up to the largest gap between eigenvalues, as they choose them; *Bayes
estimate*, their second method, in which every direction is shrunk by m_i / (m_i + sigma^2) instead: for Gaussian
records nothing has a smaller expected error. Reconstructed from first principles.
"""

import numpy as np
from numpy.typing import NDArray

from isobreach.attacks.spectral_filter import Filter, Spectrum

FloatArray = NDArray[np.float64]


class PcaFilter(Filter):
    """Keep the principal components in which the records vary more than the noise."""

    name = "pca-filter"
    title = "PCA filter"

    def weights(self, spectrum: Spectrum) -> dict[str, FloatArray]:
        """Return weights of the components by each way."""
        signal, variance = spectrum.signal, spectrum.variance
        gap = int(np.argmax(signal[:-1] - signal[1:])) if len(signal) > 1 else 0
        total = signal + variance
        return {
            "": (signal > variance).astype(np.float64),
            "largest gap": (np.arange(len(signal)) <= gap).astype(np.float64),
            "Bayes estimate": np.divide(signal, total, out=np.zeros_like(total), where=total > 0),
        }


ATTACK = PcaFilter()
