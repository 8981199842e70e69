"""Word, Excel and PowerPoint files (Office Open XML)."""
