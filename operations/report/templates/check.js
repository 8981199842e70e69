"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const unbase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const hex = (buffer) => [...new Uint8Array(buffer)].map((b) => b.toString(16).padStart(2, "0")).join("");
  const sha256 = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));
  const read = async (file) => new Uint8Array(await file.arrayBuffer());
  const parse = (bytes) => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));

  // An ECDSA signature in DER as the two numbers of 32 bytes that WebCrypto takes.
  function toRaw(der) {
    const out = new Uint8Array(64);
    if (der[0] !== 0x30 || der[1] !== der.length - 2) throw new Error("the signature is malformed");
    let at = 2;
    for (const half of [0, 32]) {
      if (der[at] !== 2) throw new Error("the signature is malformed");
      let number = der.subarray(at + 2, at + 2 + der[at + 1]);
      at += 2 + der[at + 1];
      while (number.length > 32 && number[0] === 0) number = number.subarray(1);
      if (number.length > 32) throw new Error("the signature is malformed");
      out.set(number, half + 32 - number.length);
    }
    if (at !== der.length) throw new Error("the signature is malformed");
    return out;
  }

  // The pre-authentication encoding of DSSE v1.
  function encode(type, payload) {
    const bytes = new TextEncoder();
    const head = bytes.encode(`DSSEv1 ${bytes.encode(type).length} ${type} ${payload.length} `);
    const whole = new Uint8Array(head.length + payload.length);
    whole.set(head);
    whole.set(payload, head.length);
    return whole;
  }

  async function checkSignature(manifest, seal, trust) {
    const payload = unbase64(seal.payload);
    if (seal.payloadType !== "application/vnd.in-toto+json") throw new Error("the seal is of another type");
    if (hex(payload) !== hex(manifest)) throw new Error("manifest.json is not what was signed");
    if (seal.signatures.length !== 1) throw new Error("the seal has not one signature");
    const { keyid, sig } = seal.signatures[0];
    const listed = trust.signing_keys.find((each) => each.key_id === keyid);
    if (!listed) throw new Error("the key is not in the trust file");
    const revoked = (trust.revocations || []).some((each) => each.key_id === keyid);
    if (revoked) throw new Error("the key was revoked; use 'spanproof audit fsck', which knows since when");
    const made = Date.parse(parse(manifest).predicate.time_made);
    const { start, end } = listed.valid_for;
    if (made < Date.parse(start) || (end && made >= Date.parse(end))) throw new Error("the key was not in use when the pack was made");
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const key = await crypto.subtle.importKey("spki", unbase64(listed.spki_b64), algorithm, false, ["verify"]);
    const ok = await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, toRaw(unbase64(sig)), encode(seal.payloadType, payload));
    if (!ok) throw new Error("the signature does not hold");
    return keyid;
  }

  async function check() {
    const files = new Map();
    for (const file of $("pack").files) {
      files.set(file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file);
    }
    for (const name of ["manifest.json", "manifest.dsse.json"]) {
      if (!files.has(name)) throw new Error(`${name} is missing`);
    }
    if (!$("trust").files[0]) throw new Error("choose the trust file that you got from the operator");
    const manifest = await read(files.get("manifest.json"));
    const seal = parse(await read(files.get("manifest.dsse.json")));
    const keyid = await checkSignature(manifest, seal, parse(await read($("trust").files[0])));
    const wrong = [];
    const subjects = parse(manifest).subject;
    for (const { name, digest } of subjects) {
      const file = files.get(name);
      if (!file) wrong.push(`${name} is missing`);
      else if ((await sha256(await read(file))) !== digest.sha256) wrong.push(`${name} was changed`);
      files.delete(name);
    }
    for (const name of files.keys()) {
      if (!name.startsWith("manifest.")) wrong.push(`${name} is not in the manifest`);
    }
    if (wrong.length) throw new Error(wrong.slice(0, 20).join("; "));
    return `OK: ${subjects.length} files are as ${keyid} signed them.`;
  }

  $("check").addEventListener("click", async () => {
    $("result").textContent = "Checking …";
    try {
      $("result").textContent = await check();
    } catch (error) {
      $("result").textContent = `NOT OK: ${error.message}.`;
    }
  });
})();
