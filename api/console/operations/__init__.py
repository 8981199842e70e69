"""The pages of who runs the service: documents, jobs, rates and alarms, access."""
