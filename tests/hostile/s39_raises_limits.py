"""Raises its own limits."""

import resource

from tests.hostile.harness import attempt

for name in ("AS", "CPU", "NOFILE", "NPROC", "FSIZE", "CORE", "STACK"):
    which = getattr(resource, f"RLIMIT_{name}")
    attempt(name, lambda which=which: resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
