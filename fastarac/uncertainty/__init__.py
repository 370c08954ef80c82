"""How sure a figure is: intervals, paired tests, guarantees."""
