// Placeholder; replaced.
