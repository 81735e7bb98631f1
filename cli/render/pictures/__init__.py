"""The stages as pictures: boxes, clusters and arrows, before any format."""
