/** Jain's index over the flows that were active all the time, of what they got since `before`. */
export function jainIndex(received: Float64Array, before: Float64Array): number {
  let [flows, sum, squares] = [0, 0, 0];
  received.forEach((all, flow) => {
    const share = all - (before[flow] ?? NaN);
    if (Number.isNaN(share)) return;
    flows += 1;
    sum += share;
    squares += share * share;
  });
  return (sum * sum) / (flows * squares);
}
