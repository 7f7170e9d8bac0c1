-- +goose Up
-- Times are nanoseconds since 1970, NULL where there is none. Flags are booleans. Lists and small structures are JSON in text.

CREATE TABLE streams (
    id         TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    topic      TEXT NOT NULL,
    language   TEXT NOT NULL,
    state      TEXT NOT NULL,
    character  TEXT NOT NULL,
    source     TEXT NOT NULL,
    token      TEXT NOT NULL,
    rehearsal  BOOLEAN NOT NULL,
    example    BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at   BIGINT,
    position   TEXT NOT NULL,
    counts     TEXT NOT NULL,
    comments   BIGINT NOT NULL,
    cards      BIGINT NOT NULL,
    place      BIGINT NOT NULL, -- of the last comment
    seq        BIGINT NOT NULL, -- of the last change
    err        TEXT NOT NULL
);
CREATE INDEX streams_newest ON streams (created_at, id);

-- The counter of the changes that belong to no stream: one row.
CREATE TABLE console (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    seq BIGINT NOT NULL
);
INSERT INTO console (id, seq) VALUES (1, 0);

CREATE TABLE changes (
    stream TEXT NOT NULL,
    seq    BIGINT NOT NULL,
    kind   TEXT NOT NULL,
    ref    TEXT NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (stream, seq)
);

CREATE TABLE comments (
    stream      TEXT NOT NULL REFERENCES streams (id),
    seq         BIGINT NOT NULL,
    platform    TEXT NOT NULL,
    platform_id TEXT NOT NULL,
    kind        TEXT NOT NULL,
    text        TEXT NOT NULL,
    at          BIGINT,
    offset_ns   BIGINT NOT NULL,
    author_id   TEXT NOT NULL,
    author_name TEXT NOT NULL,
    roles       TEXT NOT NULL,
    micros      BIGINT,
    currency    TEXT NOT NULL,
    reply_to    TEXT NOT NULL,
    target      TEXT NOT NULL,
    raid        BIGINT NOT NULL,
    topic       TEXT NOT NULL,
    truncated   BOOLEAN NOT NULL,
    state       TEXT NOT NULL,
    state_by    TEXT NOT NULL,
    action      TEXT NOT NULL,
    risk        TEXT NOT NULL,
    question    BOOLEAN NOT NULL,
    grp         TEXT NOT NULL,
    wave        TEXT NOT NULL,
    cluster     TEXT NOT NULL,
    subject     TEXT NOT NULL,
    lang        TEXT NOT NULL,
    score       DOUBLE PRECISION NOT NULL,
    analysis    TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
);
CREATE UNIQUE INDEX comments_once ON comments (stream, platform_id, platform);
CREATE INDEX comments_offset ON comments (stream, offset_ns);
CREATE INDEX comments_author ON comments (author_id, stream, seq);
CREATE INDEX comments_questions ON comments (stream, seq) WHERE question;
CREATE INDEX comments_safety ON comments (stream, seq) WHERE action IN ('withhold', 'escalate');
CREATE INDEX comments_paid ON comments (stream, seq) WHERE micros IS NOT NULL;
CREATE INDEX comments_group ON comments (stream, grp, seq) WHERE grp <> '';
CREATE INDEX comments_subject ON comments (stream, subject, seq) WHERE subject <> '';
CREATE INDEX comments_wave ON comments (stream, wave, seq) WHERE wave <> '';

CREATE TABLE cards (
    id         TEXT PRIMARY KEY,
    stream     TEXT NOT NULL REFERENCES streams (id),
    incident   TEXT NOT NULL,
    kind       TEXT NOT NULL,
    severity   TEXT NOT NULL,
    observed   TEXT NOT NULL,
    suggested  TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    offset_ns  BIGINT NOT NULL,
    character  TEXT NOT NULL,
    session    TEXT NOT NULL,
    turn       TEXT NOT NULL,
    state      TEXT NOT NULL,
    note       TEXT NOT NULL,
    moved_by   TEXT NOT NULL,
    updates    BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX cards_incident ON cards (stream, incident);
CREATE INDEX cards_newest ON cards (stream, updated_at, id);

-- Approvals, questions and unknown outcomes: what a person is asked. An approval moves only together with the log of its session.
CREATE TABLE inbox (
    id          TEXT PRIMARY KEY,
    kind        TEXT NOT NULL,
    stream      TEXT NOT NULL,
    session     TEXT NOT NULL,
    character   TEXT NOT NULL,
    turn        TEXT NOT NULL,
    call        TEXT NOT NULL,
    tool        TEXT NOT NULL,
    risk        TEXT NOT NULL,
    urgency     BIGINT NOT NULL, -- the risk as a number, worst first
    arguments   BYTEA,
    digest      TEXT NOT NULL,
    reason      TEXT NOT NULL,
    question    TEXT NOT NULL,
    choices     TEXT NOT NULL,
    evidence    TEXT NOT NULL,
    at          BIGINT NOT NULL,
    deadline    BIGINT,
    state       TEXT NOT NULL,
    decided_by  TEXT NOT NULL,
    decided_at  BIGINT,
    note        TEXT NOT NULL,
    answer      TEXT NOT NULL,
    why         TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    outcome_say TEXT NOT NULL,
    rehearsed   BOOLEAN NOT NULL
);
CREATE INDEX inbox_pending ON inbox (deadline, urgency) WHERE state = 'pending';
CREATE INDEX inbox_done ON inbox (decided_at, id) WHERE state <> 'pending';
CREATE INDEX inbox_stream ON inbox (stream, state);
CREATE INDEX inbox_call ON inbox (session, call) WHERE kind = 'approval';

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    stream     TEXT NOT NULL,
    character  TEXT NOT NULL,
    version    BIGINT NOT NULL,
    purpose    TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at  BIGINT
);
CREATE INDEX sessions_stream ON sessions (stream, created_at);

CREATE TABLE cursors (
    session TEXT PRIMARY KEY,
    seq     BIGINT NOT NULL,
    part    BIGINT NOT NULL
);

CREATE TABLE events (
    session TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    id      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    at      BIGINT,
    agent   TEXT NOT NULL,
    turn    TEXT NOT NULL,
    body    BYTEA,
    PRIMARY KEY (session, seq)
);

-- A row is one version of a character; the highest is the one that stands.
CREATE TABLE characters (
    id         TEXT NOT NULL,
    version    BIGINT NOT NULL,
    name       TEXT NOT NULL,
    job        TEXT NOT NULL,
    brief      TEXT NOT NULL,
    language   TEXT NOT NULL,
    backend    TEXT NOT NULL,
    model      TEXT NOT NULL,
    art        TEXT NOT NULL,
    tools      TEXT NOT NULL,
    paused     BOOLEAN NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT NOT NULL,
    PRIMARY KEY (id, version)
);

CREATE TABLE reports (
    id        TEXT PRIMARY KEY,
    stream    TEXT NOT NULL REFERENCES streams (id),
    version   BIGINT NOT NULL,
    title     TEXT NOT NULL,
    character TEXT NOT NULL,
    at        BIGINT NOT NULL,
    data      BYTEA
);
CREATE UNIQUE INDEX reports_version ON reports (stream, version);
CREATE INDEX reports_newest ON reports (at, id);

CREATE TABLE operators (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    folded     TEXT NOT NULL, -- the name, so that two spellings of it are one
    role       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    language   TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX operators_name ON operators (folded);

CREATE TABLE logins (
    digest     TEXT PRIMARY KEY,
    operator   TEXT NOT NULL REFERENCES operators (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX logins_expiry ON logins (expires_at);

CREATE TABLE links (
    digest     TEXT PRIMARY KEY,
    operator   TEXT NOT NULL REFERENCES operators (id),
    expires_at BIGINT NOT NULL,
    taken_at   BIGINT
);

CREATE TABLE audit (
    seq    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at     BIGINT NOT NULL,
    who    TEXT NOT NULL,
    action TEXT NOT NULL,
    stream TEXT NOT NULL,
    ref    TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX audit_stream ON audit (stream, seq);

-- What platforms answered to actions, one answer a key, for good.
CREATE TABLE ledger (
    key_id TEXT PRIMARY KEY,
    stream TEXT NOT NULL,
    action BYTEA NOT NULL,
    result BYTEA NOT NULL,
    at     BIGINT NOT NULL
);
