"""The pages for spectators, and the parts shared by all pages: templates, charts, errors."""
