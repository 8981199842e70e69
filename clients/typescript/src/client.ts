/** A client of Spanproof's HTTP service: fetch alone, for Node 20 and browsers. */

import type { components } from "./openapi.js";

/** A shape of the OpenAPI document by its name, for example `Shape<"VerificationOut">`. */
export type Shape<Name extends keyof components["schemas"]> = components["schemas"][Name];

export type Answer = Shape<"AnswerIn">;
export type Verification = Shape<"VerificationOut">;
export type VerificationBlock = Verification["verification"];
export type Verdict = VerificationBlock["verdicts"][number];
export type Problem = Shape<"ProblemOut">;
export type Policy = "balanced" | "strict" | "review";
export type Mode = "full" | "mechanical";

/** A text that the answer was made from; `[n]` in the answer names the n-th. */
export interface Context {
  text: string;
  /** The id of the chunk. */
  id?: string;
  /** The name of the document that the text comes from. */
  source?: string;
  /** The page in it, from 1. */
  page?: number;
}

/** Texts or contexts in any iterable but a string, which would be read character by character. */
export type Contexts = object & Iterable<string | Context>;

export interface ClientOptions {
  /** Where the service is; `http://127.0.0.1:8321` without it. */
  baseUrl?: string;
  /** A key of `spanproof keys create`. */
  key?: string;
  /** Milliseconds for one try; 60,000 without it. */
  timeoutMs?: number;
  /** How often a request that may be repeated is sent again after 429, 502, 503, 504 or no answer; 2 without it. */
  retries?: number;
  /** Used in place of the global fetch. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

export interface VerifyOptions extends CallOptions {
  contexts?: Contexts;
  policy?: Policy;
  /** The format of the payload; `native` without it. Formats joined by commas are read one after another. */
  format?: string;
  mode?: Mode;
  /** Find the spans that support sentences without a citation. */
  attribute?: boolean;
  /** Claims that the model has not judged by then are NOT_RUN(deadline). */
  deadlineMs?: number;
  /** A second request with the same key gets the answer of the first. */
  idempotencyKey?: string;
}

type Query = Record<string, string | number | boolean | undefined>;

interface Request extends CallOptions {
  query?: Query;
  headers?: Record<string, string>;
  body?: BodyInit;
}

/** The service refused a request, or could not do its work; `problem` is its whole document (RFC 9457). */
export class SpanproofError extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string;

  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
    this.name = "SpanproofError";
    this.code = problem.code;
    this.status = problem.status;
    this.hint = problem.hint;
  }
}

/** An answer did not pass; `verification` says why. */
export class VerificationFailed extends Error {
  constructor(readonly verification: Verification) {
    super(`Expected an answer that passes, got "${verification.verification.result}".`);
    this.name = "VerificationFailed";
  }
}

const REPEATED = new Set([429, 502, 503, 504]);

export class SpanproofClient {
  readonly #base: string;
  readonly #key: string | undefined;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions = {}) {
    this.#base = (options.baseUrl ?? "http://127.0.0.1:8321").replace(/\/+$/, "");
    this.#key = options.key;
    this.#timeout = options.timeoutMs ?? 60_000;
    this.#retries = options.retries ?? 2;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Verify an answer; the response is the payload with its block and its receipt. */
  async verify(answer: string | Answer | object, options: VerifyOptions = {}): Promise<Verification> {
    const { contexts = [], policy, format, mode, attribute, deadlineMs, signal } = options;
    return this.#json("POST", "/v1/verifications", {
      query: { policy, format, mode, attribute: attribute || undefined, deadline_ms: deadlineMs },
      headers: {
        "Content-Type": "application/json",
        "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID(),
      },
      body: JSON.stringify(withContexts(answer, contexts)),
      ...(signal && { signal }),
    });
  }

  /** A verification that was made earlier. */
  async getVerification(id: string, options: CallOptions = {}): Promise<Verification> {
    return this.#json("GET", `/v1/verifications/${encodeURIComponent(id)}`, options);
  }

  /** The receipt of a verification: a Sigstore bundle, for `spanproof audit verify`. */
  async getReceipt(id: string, options: CallOptions = {}): Promise<Uint8Array> {
    const path = `/v1/verifications/${encodeURIComponent(id)}/receipt`;
    return new Uint8Array(await (await this.send("GET", path, options)).arrayBuffer());
  }

  /** What a regenerated answer must fix. */
  async getFeedback(id: string, options: CallOptions = {}): Promise<Shape<"FeedbackOut">> {
    return this.#json("GET", `/v1/verifications/${encodeURIComponent(id)}/feedback`, options);
  }

  /** Keep a document, so that answers can cite it. */
  async ingest(
    content: Blob | Uint8Array<ArrayBuffer> | string,
    options: CallOptions & { docId?: string; title?: string; filename?: string } = {},
  ): Promise<Shape<"IngestOut">> {
    const { docId, title, filename, signal } = options;
    return this.#json("PUT", "/v1/documents", {
      query: { doc_id: docId, title, filename },
      headers: { "Content-Type": "application/octet-stream" },
      body: content,
      ...(signal && { signal }),
    });
  }

  /** Where a quote stands in a document (its hash or its name). */
  async find(ref: string, quote: string, options: CallOptions = {}): Promise<Shape<"FindOut">> {
    return this.#json("GET", `/v1/documents/${encodeURIComponent(ref)}/find`, {
      query: { quote },
      ...options,
    });
  }

  /** Submit a production answer; a sample of them is verified. */
  async submit(
    answer: Answer,
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Shape<"SubmissionOut">> {
    return this.#json("POST", "/v1/answers", {
      headers: {
        "Content-Type": "application/json",
        "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID(),
      },
      body: JSON.stringify(answer),
      ...(options.signal && { signal: options.signal }),
    });
  }

  /** Any other route; raises SpanproofError for an answer that is no success. */
  async send(method: string, path: string, request: Request = {}): Promise<Response> {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = new Headers(request.headers);
    if (this.#key !== undefined) headers.set("Authorization", `Bearer ${this.#key}`);
    const mayRepeat = method !== "POST" || headers.has("Idempotency-Key");
    for (let left = mayRepeat ? this.#retries : 0; ; left -= 1) {
      const timeout = AbortSignal.timeout(this.#timeout);
      const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
      let response: Response;
      try {
        const body = request.body === undefined ? {} : { body: request.body };
        response = await this.#fetch(url, { method, headers, signal, ...body });
      } catch (error) {
        if (left === 0 || request.signal?.aborted) throw error;
        await wait(500, request.signal);
        continue;
      }
      if (response.ok) return response;
      if (left === 0 || !REPEATED.has(response.status)) {
        throw new SpanproofError(await readProblem(response));
      }
      await wait(1000 * Number(response.headers.get("Retry-After") ?? 1), request.signal);
    }
  }

  async #json<Result>(method: string, path: string, request: Request): Promise<Result> {
    return (await this.send(method, path, request)).json() as Promise<Result>;
  }
}

/** The verification itself if its answer passes; raises VerificationFailed for any other. */
export function requirePass(verification: Verification): Verification {
  if (verification.verification.result !== "pass") throw new VerificationFailed(verification);
  return verification;
}

/** A payload whose `retrieved` entries are these contexts, as `spanproof verify --contexts` makes it. */
export function withContexts(
  answer: string | object,
  contexts: Contexts,
): object {
  if (typeof contexts !== "object" || !(Symbol.iterator in contexts)) {
    throw new TypeError(`contexts: expected a list of texts, or of objects with "text", got ${typeof contexts}`);
  }
  const payload: Record<string, unknown> =
    typeof answer === "string" ? { answer, citations: [] } : { ...answer };
  if ("answer" in payload) payload["citations"] ??= [];
  const retrieved = [...contexts].map((context, index) => {
    const { text, id, source, page } = typeof context === "string" ? { text: context } as Context : context;
    if (typeof text !== "string") {
      throw new TypeError(`context ${index + 1}: expected a text or an object with "text"`);
    }
    return {
      chunk_id: id ?? `context-${index + 1}`,
      ...(source !== undefined && { doc_id: source }),
      ...(page !== undefined && { page }),
      text,
    };
  });
  if (retrieved.length === 0) return payload;
  const own = payload["retrieved"];
  if (Array.isArray(own) && own.length > 0) {
    throw new TypeError("contexts: expected contexts or the answer's own 'retrieved', got both");
  }
  return { ...payload, retrieved };
}

async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const found = JSON.parse(text) as Problem;
    if (typeof found.code === "string") return found;
  } catch {
    // A proxy's page; told below.
  }
  return {
    type: "about:blank",
    title: response.statusText,
    status: response.status,
    detail: `Expected a problem document, got ${response.status} ${response.statusText}.`,
    instance: new URL(response.url).pathname,
    request_id: response.headers.get("X-Request-Id") ?? "",
    code: "NOT_SPANPROOF",
    hint: "Check the address of the service.",
    errors: [],
  };
}

function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }, { once: true });
  });
}
