// Requests, and their errors in words for people.
import { keyHeaders } from "./key";
import type { Problem } from "./types";

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

export async function call<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await sent(method, path, body, signal)).json()) as T;
}

/** What comes, as it comes. */
export async function stream(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { body } = await sent("GET", path, undefined, signal);
  return body ?? new ReadableStream({ start: (nothing) => nothing.close() });
}

/** A file, with the name that coop gives it. */
export async function file(path: string): Promise<{ name: string; blob: Blob }> {
  const reply = await sent("GET", path);
  const name = /filename="([^"]+)"/.exec(reply.headers.get("content-disposition") ?? "")?.[1];
  return { name: name ?? "download", blob: await reply.blob() };
}

async function sent(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = keyHeaders();
  const init: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    headers["content-type"] = "application/json";
  }
  if (signal) init.signal = signal;
  let reply: Response;
  try {
    reply = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused(0, "UNREACHABLE", "coop cannot be reached.");
  }
  if (!reply.ok) throw await refusal(reply);
  return reply;
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>("GET", path, undefined, signal);
export const post = <T>(path: string, body: unknown = {}) => call<T>("POST", path, body);

async function refusal(reply: Response): Promise<Refused> {
  try {
    const problem = (await reply.json()) as Problem;
    return new Refused(reply.status, problem.code, problem.detail, problem.hint ?? undefined);
  } catch {
    return new Refused(reply.status, "UNKNOWN", `coop answered with ${reply.status}.`);
  }
}

/** What went wrong, in one or two sentences. */
export function words(error: unknown): string {
  if (error instanceof Refused) return error.hint ? `${error.message} ${error.hint}` : error.message;
  return error instanceof Error ? error.message : String(error);
}
