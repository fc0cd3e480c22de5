import type { Rows } from "../rows";
import { ROWS, type Row } from "../rows";

/** One row: where its bar begins and how long it is, as shares of the width. */
export interface Bar {
  row: Row;
  start: number;
  length: number;
}

/** Lays the rows end to end on a width that is the time to the first paint. */
export function laid(rows: Rows): Bar[] {
  const total = ROWS.reduce((sum, row) => sum + (rows[row] ?? 0), 0);
  let at = 0;
  return ROWS.map((row) => {
    const length = total > 0 ? (rows[row] ?? 0) / total : 0;
    const start = at;
    at += length;
    return { row, start, length };
  });
}
