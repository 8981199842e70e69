"""The commands that verify answers and read or compare their citations."""
