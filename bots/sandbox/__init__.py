"""Isolated processes for strangers' bots: as far as this machine allows, they can't read, change or reach anything of the host.

``spawn.Sandbox`` starts them at a ``Level``; ``probe`` finds out, by attacking, which levels this machine really offers. This file imports
nothing, since the processes inside import it, too.
"""
