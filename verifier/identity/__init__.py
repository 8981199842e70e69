"""Which document and which extraction a citation means, and what is known about its source."""
