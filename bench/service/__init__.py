"""The whole service over HTTP: load, submissions, manifests of millions of rows."""
