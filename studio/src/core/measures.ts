/** Titles of measures, as `weir.stats` has them. */
export const TITLES = {
  delay_mean: "Mean delay",
  delay_p99: "Delay p99",
  utilisation: "Utilisation",
  loss: "Loss",
  mark_fraction: "Marked",
  jain: "Jain index",
} as const;
