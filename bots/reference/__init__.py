"""The reference bots, one module each; ``bots.REFERENCE_BOTS`` lists them."""

import engine as _engine  # noqa: F401  # it chooses the form of the modules of this package that may be compiled
