"""The classic measures of confusion tables, rankings, clusterings and annotators."""
