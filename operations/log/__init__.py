"""The transparency log and its witnesses: opened, served, cosigned, recovered."""
