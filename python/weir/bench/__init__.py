"""Speed of Weir: `weir bench` and the page it writes."""
