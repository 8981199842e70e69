"""Evidence packs: one folder that an auditor can read, check and keep without us."""
