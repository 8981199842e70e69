/**
 * `<spanproof-answer>`: an answer with the verdict of each citation, in any page, without a framework.
 *
 * Give it a verification: `element.verification = await client.verify(...)`. With the attribute
 * `base-url` (the address of the service) each verdict links to its place in the source. Colours are CSS
 * custom properties (`--spanproof-pass`, `-review`, `-fail`, `-ground`, `-ink`, `-line`) and parts
 * (`headline`, `prose`, `claim`, `verdict`).
 */

import type { Verdict, Verification } from "./client.js";

type Outcome = Verdict["outcome"];

/** A stretch of the answer, in code points; `verdicts` are those of its claim, none for plain prose. */
interface Piece {
  text: string;
  verdicts: { verdict: Verdict; number: number }[];
  isUncited: boolean;
}

const WORST: Outcome[] = ["error", "fail", "review", "pass"];
const WORDS: Record<Outcome, string> = {
  pass: "passes",
  review: "asks for review",
  fail: "fails",
  error: "was not judged",
};
const SIGNS: Record<Outcome, string> = { pass: "✓", review: "?", fail: "✗", error: "!" };
const STYLE = `
:host { display: block; color: var(--spanproof-ink, #1b1f24); background: var(--spanproof-ground, #fff);
  font: inherit; line-height: 1.5; --pass: var(--spanproof-pass, #116329);
  --review: var(--spanproof-review, #7d4e00); --fail: var(--spanproof-fail, #a40e26);
  --error: var(--spanproof-fail, #a40e26); --line: var(--spanproof-line, #8c959f); }
@media (prefers-color-scheme: dark) { :host { color: var(--spanproof-ink, #e6edf3);
  background: var(--spanproof-ground, #0d1117); --pass: var(--spanproof-pass, #56d364);
  --review: var(--spanproof-review, #e3b341); --fail: var(--spanproof-fail, #ff7b72);
  --error: var(--spanproof-fail, #ff7b72); } }
:host([hidden]) { display: none; }
[part=headline] { font-weight: 600; margin: 0 0 .5rem; }
[part=prose] { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 .75rem; }
[part=claim] { text-decoration: underline 2px var(--colour); text-underline-offset: .2em; }
.uncited { text-decoration: underline 2px dashed var(--line); text-underline-offset: .2em; }
a.sign { color: var(--colour); font-weight: 700; text-decoration: none; margin-inline-start: .2em;
  border: 1px solid; border-radius: .3em; padding: 0 .35em; display: inline-block; min-width: 1em;
  text-align: center; }
:focus-visible { outline: 3px solid currentcolor; outline-offset: 2px; }
ol { list-style: none; margin: 0; padding: 0; }
[part=verdict] { border-inline-start: 4px solid var(--colour); margin: 0 0 .5rem; padding: .25rem .75rem; }
summary { cursor: pointer; }
summary b { color: var(--colour); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem .75rem; margin: .5rem 0; }
dd { margin: 0; overflow-wrap: anywhere; } dd a { color: inherit; }
.pass { --colour: var(--pass); } .review { --colour: var(--review); }
.fail { --colour: var(--fail); } .error { --colour: var(--error); }
@media (forced-colors: active) { [part=verdict], a.sign { --colour: CanvasText; } }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

/** The pieces of an answer in their order; together they are the whole text. */
export function cutAnswer(verification: Verification): Piece[] {
  const points = Array.from(verification.answer);
  const block = verification.verification;
  const found = new Map<string, Piece & { start: number; end: number }>();
  const note = (start: number, end: number): Piece => {
    const key = `${start}-${end}`;
    const text = points.slice(start, end).join("");
    const piece = found.get(key) ?? { start, end, text, verdicts: [], isUncited: false };
    found.set(key, piece);
    return piece;
  };
  block.verdicts.forEach((verdict, index) => {
    note(verdict.claim.start, verdict.claim.end).verdicts.push({ verdict, number: index + 1 });
  });
  for (const each of block.uncited_sentences) {
    if (each.check_worthy) note(each.start, each.end).isUncited = true;
  }
  const pieces: Piece[] = [];
  let at = 0;
  for (const piece of [...found.values()].sort((a, b) => a.start - b.start || b.end - a.end)) {
    // Two claims may share words; these stand in the first, and the verdicts of both follow.
    const start = Math.max(piece.start, at);
    const end = Math.max(piece.end, at);
    if (start > at) pieces.push(plain(points, at, start));
    pieces.push({ ...piece, text: points.slice(start, end).join("") });
    at = end;
  }
  if (at < points.length) pieces.push(plain(points, at, points.length));
  return pieces;
}

/** What the whole answer comes to, in one sentence; an answer without citations says so. */
export function tellResult(verification: Verification): string {
  const { verdicts, result } = verification.verification;
  const passed = verdicts.filter((each) => each.outcome === "pass").length;
  const counted =
    verdicts.length === 0 ? "No citation was judged" : `${passed} of ${verdicts.length} citations pass`;
  return `${counted}; the answer ${WORDS[result as Outcome]}.`;
}

function plain(points: string[], start: number, end: number): Piece {
  return { text: points.slice(start, end).join(""), verdicts: [], isUncited: false };
}

function findWorst(outcomes: Outcome[]): Outcome {
  return WORST.find((each) => outcomes.includes(each)) ?? "error";
}

type Given = Record<string, string>;

/** An element with text children alone: nothing of an answer is ever read as HTML. */
function make(tag: string, given: Given = {}, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export class SpanproofAnswer extends HTMLElement {
  #verification: Verification | null = null;
  readonly #root = this.attachShadow({ mode: "open" });

  static readonly observedAttributes = ["base-url"];

  /** A page may set the property before this script has run; then it stands in the way of ours. */
  connectedCallback(): void {
    if (!Object.hasOwn(this, "verification")) return;
    const early = this.verification;
    delete (this as { verification?: Verification | null }).verification;
    this.verification = early;
  }

  attributeChangedCallback(): void {
    this.#render();
  }

  get verification(): Verification | null {
    return this.#verification;
  }

  set verification(given: Verification | null) {
    this.#verification = given;
    this.#render();
  }

  #render(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet];
    if (this.#verification === null) {
      this.#root.replaceChildren();
      return;
    }
    const { verdicts } = this.#verification.verification;
    const draw = (verdict: Verdict, index: number) =>
      drawVerdict(verdict, index, findQuote(this.#verification, verdict), this.#link(verdict));
    const prose = make("p", { part: "prose" }, ...cutAnswer(this.#verification).flatMap(drawPiece));
    prose.addEventListener("click", (event) => this.#open(event));
    this.#root.replaceChildren(
      make("p", { part: "headline", role: "status" }, tellResult(this.#verification)),
      prose,
      make("ol", { "aria-label": "Verdicts" }, ...verdicts.map(draw)),
    );
  }

  /** The page of a span in the console, where the address of the service is known. */
  #link(verdict: Verdict): string | null {
    const base = this.getAttribute("base-url");
    if (!base || !verdict.view_url) return null;
    const url = URL.parse(verdict.view_url, base);
    return url && /^https?:$/.test(url.protocol) ? url.href : null;
  }

  /** A mark leads to its verdict, opened, with the focus on it. */
  #open(event: Event): void {
    const link = (event.target as Element).closest("a.sign");
    const target = link && this.#root.querySelector(link.getAttribute("href") ?? "");
    if (!(target instanceof HTMLDetailsElement)) return;
    event.preventDefault();
    target.open = true;
    const summary = target.querySelector("summary");
    summary?.focus();
    summary?.scrollIntoView({ block: "nearest" });
  }
}

function drawPiece(piece: Piece): (Node | string)[] {
  if (piece.verdicts.length === 0) {
    if (!piece.isUncited) return [piece.text];
    const told = make("span", { class: "unseen" }, " (a statement without a citation) ");
    return [make("span", { class: "uncited" }, piece.text), told];
  }
  const worst = findWorst(piece.verdicts.map((each) => each.verdict.outcome));
  const links = piece.verdicts.map(({ verdict, number }) => {
    const label = `Citation ${verdict.anchor} ${WORDS[verdict.outcome]}`;
    const given = { class: `sign ${verdict.outcome}`, href: `#verdict-${number}`, "aria-label": label };
    return make("a", { ...given, title: label }, SIGNS[verdict.outcome]);
  });
  return [make("span", { part: "claim", class: worst }, piece.text), ...links];
}

/** The words that a citation quotes; null for a citation without any. */
function findQuote(verification: Verification | null, verdict: Verdict): string | null {
  const citations = (verification as { citations?: { span?: { text?: string | null } | null }[] } | null)
    ?.citations;
  return citations?.[verdict.citation]?.span?.text ?? null;
}

function drawVerdict(
  verdict: Verdict,
  index: number,
  quote: string | null,
  link: string | null,
): HTMLElement {
  const { status, doc_hash } = verdict.identity;
  const source = status === "SNIPPET" ? "text of the request" : (doc_hash ?? "none");
  const facts: [string, Node | string][] = [
    ["Claim", verdict.claim.text],
    ["Quote", `${quote === null ? "" : `“${quote}” `}${verdict.existence.status}`],
    ["Source", link === null ? source : make("a", { href: link }, source)],
    ["Support", verdict.support.status],
    ["Codes", verdict.codes.join(", ")],
  ];
  const list = make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  const head = make("b", {}, `[${verdict.anchor}] ${SIGNS[verdict.outcome]} ${WORDS[verdict.outcome]}.`);
  const summary = make("summary", {}, head, ` ${verdict.notes}`);
  const details = make("details", { id: `verdict-${index + 1}` }, summary, list);
  return make("li", { part: "verdict", class: verdict.outcome }, details);
}

if (!customElements.get("spanproof-answer")) {
  customElements.define("spanproof-answer", SpanproofAnswer);
}

declare global {
  interface HTMLElementTagNameMap {
    "spanproof-answer": SpanproofAnswer;
  }
}
