// The tables of `plumb engine --init`. Values are text, never jsonb, so that bytes stay as they came.

/** What the rows of a run mean: workers of another protocol do not serve it. */
export const PROTOCOL = 1

/** The version of the tables: another is refused. */
export const SCHEMA_VERSION = 5

/** A worker holds a lock with this key and its number as long as it lives. */
export const WORKERS = 0x706c756d

// What waits for a person is written by these functions alone, for whoever has no right to the table: a worker may ask, begin what is decided
// and say what came of it, but neither decide nor change what it has asked.
const APPROVAL_FUNCTIONS = `CREATE FUNCTION plumb.digest_of(call text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $f$
  SELECT encode(sha256(convert_to(call::json->>'input', 'UTF8')), 'hex') $f$;
CREATE FUNCTION plumb.keep_call(of_run bigint, of_id text, of_part int, of_ord bigint[], now_call text, now_state text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
  INSERT INTO plumb.approval AS a (run, id, part, ord, call, digest, state)
  VALUES (of_run, of_id, of_part, of_ord, now_call, plumb.digest_of(now_call), 'waits')
  ON CONFLICT (run, id) DO UPDATE SET
    state = CASE WHEN a.decision = 'approved' AND a.state IN ('approved', 'in_doubt') AND now_state IN ('approved', 'in_doubt', 'done')
      THEN now_state ELSE a.state END,
    call = CASE WHEN a.decision = 'approved' AND now_state = 'done' THEN now_call ELSE a.call END
  WHERE a.state <> 'done' AND a.digest = plumb.digest_of(now_call) AND a.call::json->>'tool' = now_call::json->>'tool'
    AND a.call::json->>'process' = now_call::json->>'process' $f$;
CREATE FUNCTION plumb.take_calls(of_run bigint, of_part int, of_ord bigint[]) RETURNS TABLE (call text, reason text, edited text, state text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
DECLARE
  a plumb.approval;
BEGIN
  FOR a IN SELECT * FROM plumb.approval o WHERE o.run = of_run AND o.part = of_part AND o.ord = of_ord ORDER BY o.n FOR UPDATE LOOP
    call := a.call;
    reason := a.reason;
    edited := a.edited;
    state := CASE WHEN a.digest IS DISTINCT FROM plumb.digest_of(a.call) OR (a.state IN ('approved', 'denied') AND a.until <= now()) THEN 'waits' ELSE a.state END;
    IF state = 'approved' THEN
      UPDATE plumb.approval o SET state = 'in_doubt' WHERE o.run = a.run AND o.id = a.id;
    END IF;
    RETURN NEXT;
  END LOOP;
END $f$;
CREATE FUNCTION plumb.decide_calls(run_name text, ids text[], digests text[], decided text, why text, valid_until timestamptz, new_input text) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $f$
DECLARE
  a plumb.approval;
  count int := 0;
BEGIN
  IF decided NOT IN ('approved', 'denied') THEN RAISE EXCEPTION 'a call is approved or denied'; END IF;
  FOR i IN 1 .. cardinality(ids) LOOP
    SELECT o.* INTO a FROM plumb.approval o JOIN plumb.run r ON r.id = o.run
    WHERE r.name = run_name AND r.state IN ('open', 'closed') AND o.id = ids[i] FOR UPDATE OF o;
    CONTINUE WHEN NOT FOUND;
    IF a.digest IS DISTINCT FROM digests[i] OR plumb.digest_of(a.call) IS DISTINCT FROM digests[i] OR a.state = 'done' THEN
      RAISE EXCEPTION 'the call % is another by now, or made: look at it again', ids[i];
    END IF;
    UPDATE plumb.approval o SET state = decided, decision = decided, reason = why, edited = coalesce(new_input, o.edited), until = valid_until,
      decided_by = session_user, decided_at = now() WHERE o.run = a.run AND o.id = a.id;
    UPDATE plumb.message m SET parked = false, alone = true, tries = 0
    WHERE m.run = a.run AND m.part = a.part AND m.ord = a.ord AND m.parked;
    count := count + 1;
  END LOOP;
  RETURN count;
END $f$;
REVOKE EXECUTE ON FUNCTION plumb.digest_of, plumb.keep_call, plumb.take_calls, plumb.decide_calls FROM PUBLIC;`

export const SCHEMA = `CREATE SCHEMA plumb;
CREATE TABLE plumb.version (version int NOT NULL);
CREATE TABLE plumb.run (
  id bigserial PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9-]{1,63}$'),
  digest text NOT NULL,
  protocol int NOT NULL,
  plan text NOT NULL,
  state text NOT NULL DEFAULT 'open',
  taken bigint NOT NULL DEFAULT 0,
  seen text NOT NULL DEFAULT '',
  written bigint NOT NULL DEFAULT 0,
  host text NOT NULL,
  limits text,
  keep boolean NOT NULL DEFAULT false,
  cache text,
  failed text,
  parked text,
  ends timestamptz,
  begun timestamptz NOT NULL DEFAULT now(),
  ended timestamptz
);
CREATE TABLE plumb.worker (
  id bigserial PRIMARY KEY,
  host text NOT NULL,
  begun timestamptz NOT NULL DEFAULT now(),
  ended timestamptz,
  digest text NOT NULL,
  runs text[] NOT NULL,
  parts int[] NOT NULL,
  labels text[] NOT NULL,
  reason text
);
CREATE VIEW plumb.live_worker AS SELECT w.* FROM plumb.worker w WHERE w.ended IS NULL AND EXISTS (
  SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = ${WORKERS} AND l.objid::bigint = w.id
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()));
CREATE INDEX worker_open ON plumb.worker (id) WHERE ended IS NULL;
CREATE TABLE plumb.message (
  id bigserial PRIMARY KEY,
  run bigint NOT NULL,
  part int NOT NULL,
  port int NOT NULL,
  ord bigint[] NOT NULL,
  origin bigint NOT NULL,
  value text NOT NULL,
  lease uuid,
  worker bigint,
  until timestamptz,
  tries int NOT NULL DEFAULT 0,
  not_before timestamptz,
  since timestamptz NOT NULL DEFAULT now(),
  alone boolean NOT NULL DEFAULT false,
  parked boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX message_order ON plumb.message (run, part, ord, id);
CREATE INDEX message_alone ON plumb.message (run, part, ord) WHERE alone OR tries >= 2;
CREATE TABLE plumb.part (
  run bigint NOT NULL,
  part int NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  pin text,
  fixed boolean NOT NULL DEFAULT false,
  worker bigint,
  until timestamptz,
  PRIMARY KEY (run, part)
);
CREATE TABLE plumb.memory (
  run bigint NOT NULL,
  part int NOT NULL,
  n bigserial,
  line text NOT NULL,
  PRIMARY KEY (run, part, n)
);
CREATE TABLE plumb.tally (
  run bigint NOT NULL,
  part int NOT NULL,
  worker bigint NOT NULL,
  taken bigint NOT NULL DEFAULT 0,
  outputs bigint NOT NULL DEFAULT 0,
  dropped bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  tool_calls bigint NOT NULL DEFAULT 0,
  failed_calls bigint NOT NULL DEFAULT 0,
  retries bigint NOT NULL DEFAULT 0,
  since timestamptz NOT NULL DEFAULT now(),
  lately bigint NOT NULL DEFAULT 0,
  rate float8 NOT NULL DEFAULT 0,
  PRIMARY KEY (run, part, worker)
);
CREATE TABLE plumb.usage (
  run bigint NOT NULL,
  part int NOT NULL,
  worker bigint NOT NULL,
  agent text NOT NULL,
  model text NOT NULL,
  calls bigint NOT NULL,
  input bigint NOT NULL,
  output bigint NOT NULL,
  cache_read bigint NOT NULL,
  cache_creation bigint NOT NULL,
  cost bigint NOT NULL,
  unpriced bigint NOT NULL,
  PRIMARY KEY (run, part, worker, agent, model)
);
CREATE TABLE plumb.approval (
  run bigint NOT NULL,
  id text NOT NULL,
  n bigserial,
  part int NOT NULL,
  ord bigint[] NOT NULL,
  call text NOT NULL,
  digest text NOT NULL,
  state text NOT NULL,
  decision text,
  decided_by text,
  decided_at timestamptz,
  reason text,
  edited text,
  until timestamptz,
  PRIMARY KEY (run, id)
);
${APPROVAL_FUNCTIONS}
CREATE TABLE plumb.balance (
  run bigint NOT NULL,
  name text NOT NULL,
  spent bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (run, name)
);
CREATE TABLE plumb.loan (
  run bigint NOT NULL,
  name text NOT NULL,
  worker bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (run, name, worker)
);
CREATE TABLE plumb.request (
  run bigint NOT NULL,
  account text NOT NULL,
  worker bigint NOT NULL,
  id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  tokens bigint NOT NULL
);
CREATE INDEX request_at ON plumb.request (run, account, at);
CREATE TABLE plumb.question (
  run bigint NOT NULL,
  hash text NOT NULL,
  place text NOT NULL,
  delivery text NOT NULL,
  k int NOT NULL,
  nth int NOT NULL,
  PRIMARY KEY (run, hash, place, delivery, k)
);
CREATE TABLE plumb.answer (
  run bigint NOT NULL,
  hash text NOT NULL,
  place text NOT NULL,
  nth int NOT NULL,
  n bigserial,
  answer text NOT NULL,
  request text,
  is_new boolean NOT NULL,
  PRIMARY KEY (run, hash, place, nth)
);
CREATE INDEX answer_new ON plumb.answer (run, n);
CREATE TABLE plumb.recorded (
  run bigint NOT NULL,
  n bigserial,
  hash text NOT NULL,
  place text NOT NULL,
  ord bigint[] NOT NULL,
  k int NOT NULL,
  answer text NOT NULL,
  PRIMARY KEY (run, hash, place, ord, k, n)
);
CREATE TABLE plumb.letter (
  id bigserial PRIMARY KEY,
  run bigint NOT NULL,
  part int NOT NULL,
  port int NOT NULL,
  ord bigint[] NOT NULL,
  origin bigint NOT NULL,
  value text NOT NULL,
  fault text NOT NULL,
  code text NOT NULL,
  tries int NOT NULL,
  reported boolean NOT NULL DEFAULT false,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE plumb.event (
  n bigserial PRIMARY KEY,
  run bigint NOT NULL,
  part int NOT NULL,
  process text NOT NULL,
  at timestamptz NOT NULL,
  origin bigint NOT NULL,
  line text NOT NULL
);
CREATE INDEX event_at ON plumb.event (run, at, n);
CREATE INDEX letter_run ON plumb.letter (run, id);
INSERT INTO plumb.version VALUES (${SCHEMA_VERSION});`

/** For an administrator to grant: submitting, working, deciding on calls, reading. */
export const ROLES = `CREATE ROLE plumb_submit;
GRANT USAGE ON SCHEMA plumb TO plumb_submit;
GRANT SELECT ON ALL TABLES IN SCHEMA plumb TO plumb_submit;
GRANT INSERT, UPDATE ON plumb.run TO plumb_submit;
GRANT INSERT ON plumb.part TO plumb_submit;
GRANT INSERT, DELETE ON plumb.message TO plumb_submit;
GRANT INSERT ON plumb.answer TO plumb_submit;
GRANT UPDATE ON plumb.letter TO plumb_submit;
GRANT UPDATE (parked, alone, tries) ON plumb.message TO plumb_submit;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA plumb TO plumb_submit;
CREATE ROLE plumb_work;
GRANT USAGE ON SCHEMA plumb TO plumb_work;
GRANT SELECT ON ALL TABLES IN SCHEMA plumb TO plumb_work;
GRANT INSERT, UPDATE, DELETE ON plumb.message, plumb.part, plumb.memory, plumb.tally, plumb.usage, plumb.event, plumb.letter, plumb.worker, plumb.balance, plumb.loan, plumb.request, plumb.question, plumb.answer, plumb.recorded TO plumb_work;
GRANT UPDATE (parked, state, ended, failed) ON plumb.run TO plumb_work;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA plumb TO plumb_work;
GRANT EXECUTE ON FUNCTION plumb.keep_call, plumb.take_calls TO plumb_work;
CREATE ROLE plumb_approve;
GRANT USAGE ON SCHEMA plumb TO plumb_approve;
GRANT SELECT ON plumb.version, plumb.approval TO plumb_approve;
GRANT SELECT (id, name, state) ON plumb.run TO plumb_approve;
GRANT SELECT (run, part, ord, lease, until) ON plumb.message TO plumb_approve;
GRANT EXECUTE ON FUNCTION plumb.decide_calls TO plumb_approve;
CREATE ROLE plumb_read;
GRANT USAGE ON SCHEMA plumb TO plumb_read;
GRANT SELECT ON plumb.version, plumb.run, plumb.part, plumb.tally, plumb.usage, plumb.worker, plumb.live_worker TO plumb_read;
GRANT SELECT (run, part, lease, since, parked) ON plumb.message TO plumb_read;
GRANT SELECT (run, state, until) ON plumb.approval TO plumb_read;`

/** Requests of plumb-serve: what was asked, what has come of it so far, and the memories of conversations. Made beside the others, of any age. */
export const SERVED = `CREATE TABLE IF NOT EXISTS plumb.served (
  id uuid PRIMARY KEY,
  owner text NOT NULL,
  key text,
  request text NOT NULL,
  input bytea NOT NULL,
  outcome text,
  begun timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner, key)
);
CREATE TABLE IF NOT EXISTS plumb.served_line (
  id uuid NOT NULL,
  n bigserial,
  line text NOT NULL,
  PRIMARY KEY (id, n)
);
CREATE TABLE IF NOT EXISTS plumb.served_memory (
  conversation text NOT NULL,
  place text NOT NULL,
  memory text NOT NULL,
  used timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (conversation, place)
);`

/** For an administrator to grant, beside those of submitting, working and deciding: plumb-serve. */
export const SERVED_ROLE = `CREATE ROLE plumb_serve;
GRANT plumb_submit, plumb_work, plumb_approve TO plumb_serve;
GRANT DELETE ON ALL TABLES IN SCHEMA plumb TO plumb_serve;
GRANT SELECT, INSERT, UPDATE, DELETE ON plumb.served, plumb.served_line, plumb.served_memory TO plumb_serve;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA plumb TO plumb_serve;`
