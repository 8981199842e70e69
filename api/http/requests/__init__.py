"""Reading a request: body, parameters, headers and access."""
