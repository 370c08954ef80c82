"""What makes the data that ships with the package."""
