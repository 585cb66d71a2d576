"""What is found, as tables and documents for people and scripts: one module for each thing reported; ``table`` renders them."""
