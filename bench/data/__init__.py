"""Scripts that make the data shipped with the package."""
