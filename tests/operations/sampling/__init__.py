"""Sampling over the service's own objects: real store, log and routes, a scripted model."""
