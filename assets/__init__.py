"""What the browser gets: components (their Python door beside their JS and CSS), words, pictures."""
