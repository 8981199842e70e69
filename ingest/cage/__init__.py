"""The cage: a zygote that forks one confined child for each document.

``zygote`` is the process that forks, ``child`` what a fork does, ``confine`` how it is locked up,
``zygote_process`` the parent's side. The door is ``spanproof.ingest.sandbox``;
docs/explanation/sandbox.md says what the cage guarantees.
"""
