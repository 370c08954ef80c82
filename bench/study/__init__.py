"""A study of OCR engines on synthetic pages."""
