"""Amazon Bedrock: Converse and Knowledge Bases."""
