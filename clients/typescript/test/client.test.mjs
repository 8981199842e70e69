// The built client against a real service (SPANPROOF_URL; skipped without) and against servers that misbehave.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { requirePass, SpanproofClient, SpanproofError, VerificationFailed, withContexts } from "../dist/client.js";

const client = new SpanproofClient({ baseUrl: process.env.SPANPROOF_URL });
const withService = { skip: process.env.SPANPROOF_URL ? false : "SPANPROOF_URL names no service" };
const TERMS = "Approved invoices are paid within four business days of their receipt.";

/** A server that gives these answers in turn, the last one again and again. */
async function serve(answers, use) {
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const [status, headers, body] = answers[Math.min(seen.length, answers.length) - 1];
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(new SpanproofClient({ baseUrl: `http://127.0.0.1:${server.address().port}`, key: "sp_x" }), seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("an answer and its contexts give a verdict for each citation", withService, async () => {
  const found = await client.verify("Approved invoices are paid within four business days [1].", {
    contexts: [{ text: TERMS, id: "c-1", source: "terms", page: 2 }],
  });
  const [verdict] = found.verification.verdicts;
  assert.equal(verdict.identity.status, "SNIPPET");
  assert.equal(verdict.outcome, "pass");
  assert.equal(requirePass(found), found);
});

test("an answer that its context contradicts does not pass", withService, async () => {
  const found = await client.verify("Approved invoices are paid within nine business days [1].", {
    contexts: [TERMS],
    policy: "balanced",
  });
  assert.notEqual(found.verification.result, "pass");
  assert.throws(() => requirePass(found), VerificationFailed);
  const kept = await client.getVerification(found.verification_id);
  assert.deepEqual(kept.verification, found.verification);
  const receipt = JSON.parse(new TextDecoder().decode(await client.getReceipt(found.verification_id)));
  assert.deepEqual(receipt, found.receipt);
  assert.ok((await client.getFeedback(found.verification_id)).items.length > 0);
});

test("a document is kept, and a quote of it is found", withService, async () => {
  const kept = await client.ingest(TERMS, { docId: "terms-ts", filename: "terms.txt" });
  const found = await client.find("terms-ts", "four business days");
  assert.equal(found.doc_hash, kept.doc_hash);
  assert.equal(found.matches.length, 1);
});

test("a refusal names its code, what was expected and the next step", withService, async () => {
  await assert.rejects(client.verify({ answer: 1 }), (error) => {
    assert.ok(error instanceof SpanproofError);
    assert.equal(error.code, "MALFORMED_ANSWER");
    assert.equal(error.status, 422);
    assert.match(error.message, /Expected/);
    assert.ok(error.hint);
    return true;
  });
});

test("contexts become entries of retrieved; what is no text is refused by name", () => {
  assert.deepEqual(withContexts("A [1].", ["x"]), {
    answer: "A [1].",
    citations: [],
    retrieved: [{ chunk_id: "context-1", text: "x" }],
  });
  assert.throws(() => withContexts("A", [{ id: "c" }]), /context 1/);
  const own = { answer: "A [1].", retrieved: [{ text: "x" }] };
  assert.throws(() => withContexts(own, ["y"]), { name: "TypeError", message: /got both$/ });
  assert.deepEqual(withContexts(own, []), { ...own, citations: [] });
  assert.deepEqual(withContexts("A [1].", new Set(["x"])), withContexts("A [1].", ["x"]));
  for (const wrong of ["a text", { text: "x" }, 3]) {
    assert.throws(() => withContexts("A", wrong), { name: "TypeError", message: /^contexts: expected a list/ });
  }
});

test("only an option that was chosen is sent", async () => {
  const done = [200, { "Content-Type": "application/json" }, "{}"];
  await serve([done], async (served, seen) => {
    await served.verify("A.", { attribute: true, deadlineMs: 5 });
    await served.verify("A.", { attribute: false });
    const sent = seen.map((request) => request.url);
    assert.deepEqual(sent, ["/v1/verifications?attribute=true&deadline_ms=5", "/v1/verifications"]);
  });
});

test("a sentence without a citation gets one where it is asked for", withService, async () => {
  const found = await client.verify(TERMS, { contexts: [TERMS], attribute: true });
  assert.equal(found.verification.verdicts[0].outcome, "pass");
  assert.equal((await client.verify(TERMS, { contexts: [TERMS] })).verification.verdicts.length, 0);
});

test("a busy service is asked again, with the same key of the request", async () => {
  const busy = [503, { "Retry-After": "0" }, "{}"];
  const done = [200, { "Content-Type": "application/json" }, '{"verification_id": "v"}'];
  await serve([busy, busy, done], async (served, seen) => {
    assert.equal((await served.verify("A.")).verification_id, "v");
    const keys = new Set(seen.map((request) => request.headers["idempotency-key"]));
    assert.equal(seen.length, 3);
    assert.equal(keys.size, 1);
    assert.equal(seen[0].headers.authorization, "Bearer sp_x");
  });
});

test("a request that may not be repeated is sent once", async () => {
  await serve([[503, { "Retry-After": "0" }, "a proxy's page"]], async (served, seen) => {
    await assert.rejects(served.send("POST", "/v1/erasures"), { code: "NOT_SPANPROOF", status: 503 });
    assert.equal(seen.length, 1);
  });
});

test("a caller who gives up is not made to wait", async () => {
  const gone = new AbortController();
  setTimeout(() => gone.abort(), 50);
  await serve([[503, { "Retry-After": "60" }, "{}"]], async (served) => {
    const started = Date.now();
    await assert.rejects(served.verify("A.", { signal: gone.signal }), { name: "AbortError" });
    assert.ok(Date.now() - started < 5000);
  });
});
