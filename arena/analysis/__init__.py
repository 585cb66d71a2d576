"""What results say: comparisons of bots, luck, and statistics as tables."""
