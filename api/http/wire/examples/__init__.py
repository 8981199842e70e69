"""Complete responses for the OpenAPI document."""
