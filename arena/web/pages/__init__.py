"""The pages for spectators, and what all pages share: templates, charts, errors."""
