"""The HTTP service: application, middleware, routes and the shapes on the wire."""
