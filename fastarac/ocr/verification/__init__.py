"""Material for people who verify outputs: samples of words, image crops, review pages."""
