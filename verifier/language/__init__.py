"""Words and tokens whose change changes what a text says; every other room may use them."""
