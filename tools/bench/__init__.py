"""Speed of Weir, and the page that states it: `make bench`."""
