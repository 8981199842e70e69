"""Citations by the million, from Parquet into Parquet."""
