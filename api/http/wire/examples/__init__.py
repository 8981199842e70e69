"""Whole answers of the service, for the OpenAPI document."""
