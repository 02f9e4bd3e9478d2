"""What a reader does and sees: a real Chromium hovers, slides, clicks, types, and reads the page."""
