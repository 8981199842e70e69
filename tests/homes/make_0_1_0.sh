#!/bin/sh
# How 0.1.0.tar.xz was made, with the code of 0.1.0 (commit eabb0e3), not to be run again:
#   PYTHONPATH=/checkout/of/0.1.0 sh make_0_1_0.sh agreement.pdf OUT.tar.xz
# It needs an environment with the dependencies of 0.1.0 as $PYTHON, and runs outside of a checkout.
set -eu
PYTHON=${PYTHON:-python3}
PDF=$(realpath "$1") PACKED=$(realpath -m "$2") WORK=$(mktemp -d)
export SPANPROOF_HOME="$WORK/home" SPANPROOF_LOG_ORIGIN=log.homes.example SPANPROOF_SAMPLING_RATE=1
cd "$WORK"
mkdir -p home kept
# An exported graph that is there already saves a minute.
test -z "${MODELS:-}" || cp -r "$MODELS" home/models
sp() { "$PYTHON" -c "import sys; from api.cli import main; raise SystemExit(main())" "$@"; }
# Exit 1 says that an answer failed: two of these do.
judged() { "$@" || test $? -eq 1; }

# Two documents with names, and one that is erased below.
cp "$PDF" agreement.pdf
cat > rules.txt <<'TEXT'
Rules of the reading room

The reading room opens at nine in the morning and closes at six in the evening.
Readers may borrow at most four books at a time. A book is lent for three weeks.
Late returns cost ten cents a day. Nothing is charged on public holidays.
TEXT
printf 'Draft of a notice\n\nThe reading room will be closed in August.\n' > draft.txt
sp ingest agreement.pdf --doc-id agreement --witness --json > kept/ingest_agreement.json
sp ingest rules.txt --doc-id rules --json > kept/ingest_rules.json
sp ingest draft.txt --doc-id draft --json > kept/ingest_draft.json

# Two versions of an index: the second has other chunks.
sp chunks rules --max-characters 120 --name room --output room-1.jsonl
sp chunks rules agreement --max-characters 200 --name room --output room-2.jsonl
sp index register room v1 room-1.jsonl --json > kept/index_v1.json
sp index register room v2 room-2.jsonl --json > kept/index_v2.json

# Answers: one on the PDF, one on the text (after another signing key took over), one on the draft.
cat > agreement.json <<'JSON'
{"answer_id": "insurance", "question": "How is the supplier insured?",
 "generator": {"model": "example-model"}, "documents": ["agreement"],
 "answer": "The supplier holds public liability insurance of at least two million pounds [1]. It holds five million [2].",
 "citations": [
  {"anchor": 1, "doc_id": "agreement", "span": {"text": "The supplier holds public liability insurance of at least two million pounds."}},
  {"anchor": 2, "doc_id": "agreement", "span": {"text": "The supplier holds public liability insurance of at least five million pounds."}}]}
JSON
cat > rules.json <<'JSON'
{"answer_id": "opening-hours", "question": "When does the reading room open?", "documents": ["rules"],
 "answer": "The reading room opens at nine in the morning [1]. At most four books may be borrowed [2].",
 "citations": [
  {"anchor": 1, "doc_id": "rules", "index_version": "v1", "span": {"text": "The reading room opens at nine in the morning and closes at six in the evening."}},
  {"anchor": 2, "doc_id": "rules", "index_version": "v1", "span": {"text": "Readers may borrow at most four books at a time."}}]}
JSON
cat > draft.json <<'JSON'
{"answer_id": "august", "answer": "The reading room will be closed in August [1].", "documents": ["draft"],
 "citations": [{"anchor": 1, "doc_id": "draft", "span": {"text": "The reading room will be closed in August."}}]}
JSON
sed 's/opening-hours/queued/' rules.json > queued.json
judged sp verify agreement.json --receipt kept/agreement.sigstore.json --json > kept/verify_agreement.json
sp log rotate-key --json > rotate.json
judged sp verify rules.json --receipt kept/rules.sigstore.json --json > kept/verify_rules.json
judged sp verify draft.json --receipt kept/draft.sigstore.json --json > kept/verify_draft.json
sp erase draft --reason "made for a test" --with-verifications --tombstone kept/draft.tombstone --json > kept/erase.json

# Answers of production, an epoch that is closed and one that is open. And jobs that wait
# for a worker: an answer, a document, a version of an index.
cat > submit.py <<'PY'
from pathlib import Path

from api.sampling.submission import read_submission
from api.settings import Settings
from api.wiring import open_services

with open_services(Settings()) as services:
    for name in ("agreement", "rules"):
        raw = Path(f"{name}.json").read_bytes().replace(b'"answer_id": "', b'"answer_id": "sampled-')
        services.sampler.submit(read_submission(raw)).result()
PY
"$PYTHON" submit.py
judged sp sample verify --json > kept/sample_verify.json
sp sample close --json > kept/sample_close.json
cat > waiting.py <<'PY'
import json
from pathlib import Path

from api.operations.jobs import start_ingest, start_registration, start_verification
from api.sampling.submission import read_submission
from api.settings import Settings
from api.wiring import open_services

with open_services(Settings()) as services:
    raw = Path("rules.json").read_bytes().replace(b"opening-hours", b"sampled-waiting")
    services.sampler.submit(read_submission(raw)).result()
    jobs = {"verification": start_verification(services, Path("queued.json").read_bytes()).job_id}
    with services.store.blobs.stage() as staged:
        staged.write(b"A notice that waits to be read.\n")
        jobs["ingest"] = start_ingest(
            services, staged, media_type=None, filename="notice.txt", doc_id="notice", title=None
        ).job_id
    with services.store.blobs.stage() as staged:
        staged.write(Path("room-1.jsonl").read_bytes())
        jobs["index_registration"] = start_registration(
            services, staged, name="room", version="v3", expected=None, job_id="registration-of-v3"
        ).job_id
    Path("kept/jobs.json").write_text(json.dumps(jobs))
PY
"$PYTHON" waiting.py

# A witness cosigns the head; a webhook; keys of two tenants; a mode of citations.
sp audit trust --sigstore sigstore --output before.json
sp log witness --name witness.homes.example/one --folder witness --port 8399 \
  --log "$(cat sigstore/log.vkey)" > vkey.txt 2> witness.txt &
WITNESS=$!
until curl -s -o /dev/null http://127.0.0.1:8399/; do sleep 0.2; done
printf 'witness one %s http://127.0.0.1:8399\nquorum one\n' "$(cat vkey.txt)" > kept/witnesses
sp log cosign --policy kept/witnesses --output kept/cosigned.txt --json > kept/cosign.json
kill -TERM $WITNESS || true
wait $WITNESS || true
sp webhooks add https://hooks.homes.example/spanproof --event drift.over_budget --json > kept/webhook.json
sp keys create --scope admin --expires never --label first --json > kept/key_default.json
sp keys create --scope read --scope verify --tenant acme --expires never --json > kept/key_acme.json
sp citations set numbered enforce --json > kept/mode.json

# What 0.1.0 says of it.
sp audit trust --output kept/trust.json
judged sp audit verify kept/*.sigstore.json --trust kept/trust.json --tombstone kept/draft.tombstone --json \
  > kept/audit_verify.json
sp audit fsck --no-keep --json > kept/audit_fsck.json
sp jobs list --json > kept/jobs_list.json
judged sp index diff room v1 v2 --json > kept/index_diff.json
sp text rules > kept/rules.text
sp text agreement > kept/agreement.text

# No exported graph (87 MB), no lock files; the same bytes for the same files.
rm -rf home/models
find home -name '*.lock' -delete
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=gnu -cf - home kept \
  | xz -9e -T1 > "$PACKED"
ls -l "$PACKED"
