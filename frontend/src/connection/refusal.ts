import { isProblem } from "../wire/guard";

/** Why the server did not take the request; `retryAfter` is in seconds, where it said so. */
export interface Refusal {
  title: string;
  detail: string;
  retryable: boolean;
  retryAfter: number | undefined;
}

/** Reads a refused response: a problem document of ours, or whatever stands between the page and the server. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const body: unknown = await response.json().catch(() => undefined);
  const retryable = response.status === 429 || response.status >= 500;
  if (!isProblem(body)) {
    const detail = `The server answered ${response.status} without saying why.`;
    return { title: "Refused", detail, retryable, retryAfter: seconds(response.headers.get("Retry-After")) };
  }
  const retryAfter = body.retry_after ?? seconds(response.headers.get("Retry-After"));
  return { title: body.title, detail: body.detail, retryable, retryAfter };
}

function seconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
