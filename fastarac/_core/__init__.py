"""Shared foundations: argument checks, results, files, locks, special functions and text."""
