"""Tables of real pages against their truth, by ours and other finders; quotes joined over rows."""
