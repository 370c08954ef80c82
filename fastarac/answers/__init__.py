"""Sentences, tables and notes of results, made once for command line, reports and texts."""
