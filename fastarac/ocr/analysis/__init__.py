"""Figures and findings about engines: attributes of pages, causes of errors, prices."""
