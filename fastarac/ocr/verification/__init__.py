"""Material for people who verify pages: drawn words, image crops, review pages."""
