"""Reading of input arrays, and all methods of sorting and counting the items."""
