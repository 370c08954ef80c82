"""What is said of results: sentences, tables and notes, each made once for all who show them."""
