"""Processes for strangers' bots that can read, change and reach nothing of the host, as far as this machine allows.

``spawn.Sandbox`` starts them at a ``Level``; ``probe`` finds out, by attacking, which levels this machine really offers. This file imports
nothing, since the processes inside import it, too.
"""
