"""Isolated processes for strangers' bots, which can't read, change or reach anything on the host, as far as this machine allows.

``spawn.Sandbox`` starts them at a ``Level``; ``probe`` finds out by attacks which levels really hold on this machine. This file imports
nothing, since the processes inside the sandbox import it.
"""
