"""The stages as pictures: boxes, clusters and arrows, before any format.

Door: `stages` (the picture of each stage) and `formats` (DOT, Mermaid, SVG, PNG, PDF).
"""
