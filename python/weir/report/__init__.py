"""Reports: HTML pages that need nothing but themselves."""
