"""The console: HTML pages rendered on the server; they load nothing from other hosts."""
