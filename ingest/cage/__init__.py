"""The cage: a zygote that forks one confined child for each document.

``zygote`` is the process that forks, ``child`` what a fork does, ``confine`` how it is locked up,
``nursery`` the parent's side. ``spanproof.ingest.sandbox`` is the door; docs/explanation/sandbox.md
tells what holds.
"""
