"""How fast Weir is: `weir bench` and the page it writes."""
