// What numbers of samples mean: quantiles, rounds, and whether two peers differ at all.

export const ROUNDS = 5;

/** The q-quantile by linear interpolation. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
}

/** The series in ROUNDS consecutive parts of about the same length; fewer when it is short. */
export function roundsOf(values) {
  const n = Math.min(ROUNDS, values.length);
  return Array.from({ length: n }, (_, i) =>
    values.slice(Math.floor((i * values.length) / n), Math.floor(((i + 1) * values.length) / n)));
}

/** { p50, p95, min, low, high }: low and high are the least and the greatest median of a round. */
export function summarize(values) {
  const medians = roundsOf(values).map((round) => quantile(round, 0.5));
  return {
    p50: quantile(values, 0.5),
    p95: quantile(values, 0.95),
    min: Math.min(...values),
    low: Math.min(...medians),
    high: Math.max(...medians),
    n: values.length,
  };
}

/** Ours beside theirs: { p50, p95, low, high, differs }. The ratio's spread is that of the rounds, which
 *  were interleaved; where the medians of the rounds overlap, nothing is claimed. */
export function compare(ours, theirs) {
  const [a, b] = [summarize(ours), summarize(theirs)];
  const other = roundsOf(theirs);
  const ratios = roundsOf(ours).map((round, i) => quantile(round, 0.5) / quantile(other[i], 0.5));
  return {
    p50: a.p50 / b.p50,
    p95: a.p95 / b.p95,
    low: Math.min(...ratios),
    high: Math.max(...ratios),
    differs: a.high < b.low || b.high < a.low,
  };
}
