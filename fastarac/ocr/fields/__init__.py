"""Fields of forms and invoices: read, joined with their truth, compared, applied."""
