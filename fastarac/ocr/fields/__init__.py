"""Fields of forms and invoices: read them, match and compare them with the truth, apply policies."""
