import { stages, ttft_ms } from "../../../../shared/budgets.json";
import type { ReplyReport } from "../report";
import type { Row } from "../rows";

export const TTFT_BUDGET_MS: number = ttft_ms;

/** What `row` of `reply` may take, in milliseconds. */
export function budgetOf(row: Row, reply: Pick<ReplyReport, "ttft_ms">): number {
  if (row !== "unaccounted") return stages[row].p95_ms;
  return Math.max(stages.unaccounted.p95_ms, stages.unaccounted.share * (reply.ttft_ms ?? 0));
}

export function isOverBudget(row: Row, reply: Pick<ReplyReport, "ttft_ms" | "rows">): boolean {
  return (reply.rows[row] ?? 0) > budgetOf(row, reply);
}

export function meaningOf(row: Row): string {
  return stages[row].means;
}
