"""Production: which answers are verified, what their rates are worth, when an alarm is raised."""
