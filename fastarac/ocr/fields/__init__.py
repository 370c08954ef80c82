"""Fields of forms and invoices: read them, join them with their truth, compare, apply policies."""
