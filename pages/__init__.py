"""The hall and the rooms of the app: the entry script, the controls, and one file for each page."""
