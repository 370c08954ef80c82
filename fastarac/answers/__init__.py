"""Sentences, tables and notes about results, shared by command line, reports and texts."""
