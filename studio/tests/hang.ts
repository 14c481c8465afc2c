/** Longest wait (ms): what has not happened by then never will. No promise: it ends a test that would wait for ever, on a machine however busy. */
export const HANG_MS = 600_000;
