// Judge receipts with @sigstore/verify, Sigstore's own verifier for JavaScript.
//
//   node sigstore.mjs --trusted-root TRUSTED_ROOT.json --key KEY.pem [--key KEY.pem …] BUNDLE…
//
// One line a bundle: 'accept', or 'refuse' and the reason. Exit code 0 where all were accepted, 1
// where one was refused, 2 where the judging could not begin. Nothing is fetched.
//
// Run it where 'npm ci' ran: the library is looked for in the working directory.
import { createHash, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

const load = createRequire(`${process.cwd()}/`);

function parse() {
  const { values, positionals } = parseArgs({
    options: { "trusted-root": { type: "string" }, key: { type: "string", multiple: true } },
    allowPositionals: true,
  });
  if (!values["trusted-root"] || !values.key || !positionals.length) {
    throw new Error("usage: sigstore.mjs --trusted-root FILE --key PEM [--key PEM …] BUNDLE…");
  }
  return { trustedRoot: values["trusted-root"], keys: values.key, bundles: positionals };
}

// A key answers to one hint only, the SHA-256 of itself: what a bundle says of its key decides
// nothing but which of the given keys is tried.
function readKeys(files) {
  const keys = {};
  for (const file of files) {
    const der = createPublicKey(readFileSync(file)).export({ format: "der", type: "spki" });
    const hint = createHash("sha256").update(der).digest("base64");
    // The library takes PEM, or DER in base64; no window, so the key is good at every time.
    keys[hint] = { rawBytes: der };
  }
  return keys;
}

function begin() {
  const { bundleFromJSON } = load("@sigstore/bundle");
  const { TrustedRoot } = load("@sigstore/protobuf-specs");
  const { Verifier, toSignedEntity, toTrustMaterial } = load("@sigstore/verify");
  const { trustedRoot, keys, bundles } = parse();
  const root = TrustedRoot.fromJSON(JSON.parse(readFileSync(trustedRoot, "utf8")));
  // One entry in a log that the root names; no timestamp, since a receipt need not carry one.
  const verifier = new Verifier(toTrustMaterial(root, readKeys(keys)), {
    tlogThreshold: 1,
    timestampThreshold: 0,
  });
  const judge = (file) => {
    const bundle = bundleFromJSON(JSON.parse(readFileSync(file, "utf8")));
    verifier.verify(toSignedEntity(bundle));
  };
  return { bundles, judge };
}

let session;
try {
  session = begin();
} catch (error) {
  console.error(`${error.name}: ${error.message}`);
  process.exit(2);
}
for (const file of session.bundles) {
  try {
    session.judge(file);
    console.log(`accept\t${file}`);
  } catch (error) {
    const reason = `${error.name}: ${error.message}`.replaceAll(/\s+/g, " ");
    console.log(`refuse\t${file}\t${reason}`);
    process.exitCode = 1;
  }
}
