"""Results as tables and documents for people and scripts: one module for each kind of report; ``table`` renders them."""
