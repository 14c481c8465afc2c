"""Charts: Vega-Lite specifications made from tables, and the files drawn from them."""
