// The tables of `plumb engine --init`. Values are text, never jsonb, so that bytes stay as they came.

/** What the rows of a run mean: workers of another protocol do not serve it. */
export const PROTOCOL = 1

/** The version of the tables: another is refused. */
export const SCHEMA_VERSION = 2

/** A worker holds a lock with this key and its number as long as it lives. */
export const WORKERS = 0x706c756d

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
  state text NOT NULL,
  reason text,
  until timestamptz,
  PRIMARY KEY (run, id)
);
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

/** For an administrator to grant: submitting, working, reading. */
export const ROLES = `CREATE ROLE plumb_submit;
GRANT USAGE ON SCHEMA plumb TO plumb_submit;
GRANT SELECT ON ALL TABLES IN SCHEMA plumb TO plumb_submit;
GRANT INSERT, UPDATE ON plumb.run TO plumb_submit;
GRANT INSERT ON plumb.part TO plumb_submit;
GRANT INSERT, DELETE ON plumb.message TO plumb_submit;
GRANT INSERT ON plumb.answer TO plumb_submit;
GRANT UPDATE ON plumb.letter, plumb.approval TO plumb_submit;
GRANT UPDATE (parked, alone, tries) ON plumb.message TO plumb_submit;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA plumb TO plumb_submit;
CREATE ROLE plumb_work;
GRANT USAGE ON SCHEMA plumb TO plumb_work;
GRANT SELECT ON ALL TABLES IN SCHEMA plumb TO plumb_work;
GRANT INSERT, UPDATE, DELETE ON plumb.message, plumb.part, plumb.memory, plumb.tally, plumb.usage, plumb.event, plumb.letter, plumb.worker, plumb.balance, plumb.loan, plumb.request, plumb.approval, plumb.question, plumb.answer, plumb.recorded TO plumb_work;
GRANT UPDATE (parked, state, ended, failed) ON plumb.run TO plumb_work;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA plumb TO plumb_work;
CREATE ROLE plumb_read;
GRANT USAGE ON SCHEMA plumb TO plumb_read;
GRANT SELECT ON plumb.version, plumb.run, plumb.part, plumb.tally, plumb.usage, plumb.worker, plumb.live_worker TO plumb_read;
GRANT SELECT (run, part, lease, since, parked) ON plumb.message TO plumb_read;
GRANT SELECT (run, state, until) ON plumb.approval TO plumb_read;`
