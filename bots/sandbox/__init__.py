"""Isolated processes for strangers' bots. As far as this machine allows, they can't read, change or reach anything on the host.

``spawn.Sandbox`` starts them at an isolation level; ``probe`` attacks this machine to find out which levels it really offers. This file
imports nothing, since the processes inside the sandbox import it.
"""
