CREATE TABLE public.answer_mentions (
    scope text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    place bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    total bigint NOT NULL,
    player_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.api_key_usage (
    scope text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    operation text NOT NULL COLLATE pg_catalog."C",
    sdk text COLLATE pg_catalog."C"
);
CREATE TABLE public.api_keys (
    scope text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    game_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    permission text NOT NULL COLLATE pg_catalog."C",
    prefix text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    bucket text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    rotated_at bigint,
    ends_at bigint,
    CONSTRAINT ck_api_keys__environment CHECK ((environment = ANY (ARRAY['test'::text, 'live'::text]))),
    CONSTRAINT ck_api_keys__permission CHECK ((permission = ANY (ARRAY['client'::text, 'server'::text])))
);
CREATE TABLE public.attempt_progress (
    scope text NOT NULL COLLATE pg_catalog."C",
    attempt_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    given text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    forced boolean DEFAULT false NOT NULL
);
CREATE TABLE public.attempts (
    scope text NOT NULL COLLATE pg_catalog."C",
    attempt_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    board_id text NOT NULL COLLATE pg_catalog."C",
    lobby_id text COLLATE pg_catalog."C",
    team_id text COLLATE pg_catalog."C",
    segment text COLLATE pg_catalog."C",
    number bigint NOT NULL,
    status text DEFAULT 'in_progress'::text NOT NULL COLLATE pg_catalog."C",
    flagged boolean DEFAULT false NOT NULL,
    metrics text NOT NULL COLLATE pg_catalog."C",
    milestones text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    score bigint,
    sort_key bigint,
    reached_at bigint,
    steps bigint DEFAULT 0 NOT NULL,
    started_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    completed_at bigint,
    frozen_at bigint,
    CONSTRAINT ck_attempts__status CHECK ((status = ANY (ARRAY['in_progress'::text, 'completed'::text, 'expired'::text])))
);
CREATE TABLE public.audit_entries (
    scope text NOT NULL COLLATE pg_catalog."C",
    audit_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    actor_kind text NOT NULL COLLATE pg_catalog."C",
    actor_ref text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    player_id text COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    metadata text COLLATE pg_catalog."C",
    principal text COLLATE pg_catalog."C",
    permission text COLLATE pg_catalog."C",
    before text COLLATE pg_catalog."C",
    after text COLLATE pg_catalog."C",
    via text COLLATE pg_catalog."C",
    member_id text COLLATE pg_catalog."C",
    key_id text COLLATE pg_catalog."C",
    target_kind text COLLATE pg_catalog."C",
    target_id text COLLATE pg_catalog."C",
    studio_id text COLLATE pg_catalog."C",
    game_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.competition_events (
    scope text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    declared text COLLATE pg_catalog."C",
    since bigint NOT NULL,
    opened_until bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.config_versions (
    scope text NOT NULL COLLATE pg_catalog."C",
    game_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    config text NOT NULL COLLATE pg_catalog."C",
    at bigint,
    actor_kind text COLLATE pg_catalog."C",
    actor_ref text COLLATE pg_catalog."C",
    via text COLLATE pg_catalog."C",
    changes bigint DEFAULT 0 NOT NULL,
    summary text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    restores bigint
);
CREATE TABLE public.crate_definitions (
    scope text NOT NULL COLLATE pg_catalog."C",
    digest text NOT NULL COLLATE pg_catalog."C",
    definition text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.crate_openings (
    scope text NOT NULL COLLATE pg_catalog."C",
    crate_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    crate_key text NOT NULL COLLATE pg_catalog."C",
    definition text NOT NULL COLLATE pg_catalog."C",
    seed text NOT NULL COLLATE pg_catalog."C",
    waits text NOT NULL COLLATE pg_catalog."C",
    rolls text NOT NULL COLLATE pg_catalog."C",
    waits_after text NOT NULL COLLATE pg_catalog."C",
    contents_id text NOT NULL COLLATE pg_catalog."C",
    opened_at bigint NOT NULL
);
CREATE TABLE public.crate_waits (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    crate_key text NOT NULL COLLATE pg_catalog."C",
    waits text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.debug_accounts (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    flagged_at bigint NOT NULL,
    reason text COLLATE pg_catalog."C"
);
CREATE TABLE public.due_work (
    scope text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    ref text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    cursor text COLLATE pg_catalog."C",
    begun_at bigint
);
CREATE TABLE public.event_mentions (
    scope text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.event_team_payments (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    reward text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    paid_at bigint NOT NULL
);
CREATE TABLE public.event_team_seats (
    scope text NOT NULL COLLATE pg_catalog."C",
    seat_id text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    standing bigint,
    contribution bigint DEFAULT 0 NOT NULL,
    joined_at bigint NOT NULL,
    left_at bigint,
    left_reason text COLLATE pg_catalog."C",
    unlocks_by_then bigint,
    CONSTRAINT ck_event_team_seats__left_reason CHECK ((left_reason = ANY (ARRAY['left'::text, 'kicked'::text])))
);
CREATE TABLE public.event_team_unlocks (
    scope text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    milestone text COLLATE pg_catalog."C",
    last_seat bigint NOT NULL,
    unlocked_at bigint NOT NULL,
    paid_at bigint,
    unpaid_in text COLLATE pg_catalog."C"
);
CREATE TABLE public.event_teams (
    scope text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    formation text NOT NULL COLLATE pg_catalog."C",
    open_in text COLLATE pg_catalog."C",
    members bigint DEFAULT 0 NOT NULL,
    seats bigint DEFAULT 0 NOT NULL,
    room bigint,
    founder_seat text COLLATE pg_catalog."C",
    score bigint DEFAULT 0 NOT NULL,
    departed bigint DEFAULT 0 NOT NULL,
    reached_at bigint,
    unlocks bigint DEFAULT 0 NOT NULL,
    milestones text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    goal bigint,
    completed_at bigint,
    rank bigint,
    finalized_at bigint,
    attributes text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    CONSTRAINT ck_event_teams__formation CHECK ((formation = ANY (ARRAY['open'::text, 'partner'::text, 'external'::text])))
);
CREATE TABLE public.event_windows (
    scope text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    starts_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    opened_at bigint NOT NULL,
    closed_at bigint,
    definition text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ck_event_windows__status CHECK ((status = ANY (ARRAY['active'::text, 'closing'::text, 'closed'::text])))
);
CREATE TABLE public.former_ids (
    scope text NOT NULL COLLATE pg_catalog."C",
    id_hash text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    ended text NOT NULL COLLATE pg_catalog."C",
    into_id text COLLATE pg_catalog."C",
    at bigint NOT NULL,
    CONSTRAINT ck_former_ids__ended CHECK ((ended = ANY (ARRAY['merged'::text, 'erased'::text])))
);
CREATE TABLE public.games (
    scope text NOT NULL COLLATE pg_catalog."C",
    game_id text NOT NULL COLLATE pg_catalog."C",
    studio_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    config text NOT NULL COLLATE pg_catalog."C",
    config_version bigint NOT NULL,
    created_at bigint NOT NULL,
    deleted_at bigint
);
CREATE TABLE public.gift_days (
    scope text NOT NULL COLLATE pg_catalog."C",
    sender_id text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    sent bigint NOT NULL
);
CREATE TABLE public.gift_days_received (
    scope text NOT NULL COLLATE pg_catalog."C",
    recipient_id text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    received bigint NOT NULL
);
CREATE TABLE public.gifts (
    scope text NOT NULL COLLATE pg_catalog."C",
    gift_id text NOT NULL COLLATE pg_catalog."C",
    grant_id text NOT NULL COLLATE pg_catalog."C",
    sender_id text NOT NULL COLLATE pg_catalog."C",
    recipient_id text NOT NULL COLLATE pg_catalog."C",
    asset_kind text NOT NULL COLLATE pg_catalog."C",
    asset_key text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    paid boolean NOT NULL,
    message text COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    sent_at bigint NOT NULL,
    expires_at bigint,
    claimed_at bigint,
    idempotency_key text COLLATE pg_catalog."C",
    fingerprint text COLLATE pg_catalog."C",
    CONSTRAINT ck_gifts__asset_kind CHECK ((asset_kind = ANY (ARRAY['currency'::text, 'item'::text]))),
    CONSTRAINT ck_gifts__status CHECK ((status = ANY (ARRAY['pending'::text, 'claimed'::text, 'expired'::text])))
);
CREATE TABLE public.grants (
    scope text NOT NULL COLLATE pg_catalog."C",
    grant_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    status text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    entries text NOT NULL COLLATE pg_catalog."C",
    parameters text COLLATE pg_catalog."C",
    source_kind text NOT NULL COLLATE pg_catalog."C",
    source_ref_id text COLLATE pg_catalog."C",
    metadata text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint,
    claimed_at bigint,
    acked_by text COLLATE pg_catalog."C",
    gift_id text COLLATE pg_catalog."C",
    idempotency_key text COLLATE pg_catalog."C",
    fingerprint text COLLATE pg_catalog."C",
    crate_key text COLLATE pg_catalog."C",
    CONSTRAINT ck_grants__kind CHECK ((kind = ANY (ARRAY['reward'::text, 'crate'::text]))),
    CONSTRAINT ck_grants__status CHECK ((status = ANY (ARRAY['pending'::text, 'claimed'::text, 'expired'::text])))
);
CREATE TABLE public.guild_donations (
    scope text NOT NULL COLLATE pg_catalog."C",
    donation_id text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    donor_id text NOT NULL COLLATE pg_catalog."C",
    recipient_id text NOT NULL COLLATE pg_catalog."C",
    asset_kind text NOT NULL COLLATE pg_catalog."C",
    asset_key text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    grant_id text NOT NULL COLLATE pg_catalog."C",
    reward_grant_id text COLLATE pg_catalog."C",
    donated_at bigint NOT NULL,
    CONSTRAINT ck_guild_donations__asset_kind CHECK ((asset_kind = ANY (ARRAY['item'::text, 'currency'::text])))
);
CREATE TABLE public.guild_help (
    scope text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    asset_kind text NOT NULL COLLATE pg_catalog."C",
    asset_key text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    received bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT ck_guild_help__asset_kind CHECK ((asset_kind = ANY (ARRAY['item'::text, 'currency'::text])))
);
CREATE TABLE public.guild_requests (
    scope text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.guild_seats (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    joined_at bigint NOT NULL,
    role_since bigint NOT NULL,
    away_at bigint,
    stint_id text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ck_guild_seats__role CHECK ((role = ANY (ARRAY['leader'::text, 'co_leader'::text, 'member'::text])))
);
CREATE TABLE public.guild_stints (
    scope text NOT NULL COLLATE pg_catalog."C",
    stint_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    joined_at bigint NOT NULL,
    left_at bigint,
    left_reason text COLLATE pg_catalog."C",
    CONSTRAINT ck_guild_stints__left_reason CHECK ((left_reason = ANY (ARRAY['left'::text, 'kicked'::text, 'removed'::text, 'disbanded'::text, 'erased'::text, 'merged'::text]))),
    CONSTRAINT ck_guild_stints__role CHECK ((role = ANY (ARRAY['leader'::text, 'co_leader'::text, 'member'::text])))
);
CREATE TABLE public.guild_words (
    scope text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.guilds (
    scope text NOT NULL COLLATE pg_catalog."C",
    guild_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    badge text COLLATE pg_catalog."C",
    country text COLLATE pg_catalog."C",
    join_type text NOT NULL COLLATE pg_catalog."C",
    metadata text COLLATE pg_catalog."C",
    member_count bigint NOT NULL,
    created_at bigint NOT NULL,
    listed_at bigint,
    disbanded_at bigint,
    disbanded_for text COLLATE pg_catalog."C",
    CONSTRAINT ck_guilds__disbanded_for CHECK ((disbanded_for = ANY (ARRAY['last_member_left'::text, 'admin'::text]))),
    CONSTRAINT ck_guilds__join_type CHECK ((join_type = ANY (ARRAY['open'::text, 'request'::text])))
);
CREATE TABLE public.holdings (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    asset_kind text NOT NULL COLLATE pg_catalog."C",
    asset_key text NOT NULL COLLATE pg_catalog."C",
    amount bigint NOT NULL,
    parameters text COLLATE pg_catalog."C",
    changed_at bigint NOT NULL,
    CONSTRAINT ck_holdings__asset_kind CHECK ((asset_kind = ANY (ARRAY['currency'::text, 'item'::text])))
);
CREATE TABLE public.idempotent_answers (
    scope text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    idempotency_key text NOT NULL COLLATE pg_catalog."C",
    player_id text COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    status bigint NOT NULL,
    body text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    shows text COLLATE pg_catalog."C"
);
CREATE TABLE public.leaderboard_cohorts (
    scope text NOT NULL COLLATE pg_catalog."C",
    period_id text NOT NULL COLLATE pg_catalog."C",
    division text NOT NULL COLLATE pg_catalog."C",
    cohort bigint NOT NULL,
    entered bigint NOT NULL
);
CREATE TABLE public.leaderboard_entries (
    scope text NOT NULL COLLATE pg_catalog."C",
    board_id text NOT NULL COLLATE pg_catalog."C",
    participant text NOT NULL COLLATE pg_catalog."C",
    player_id text COLLATE pg_catalog."C",
    score bigint NOT NULL,
    sort_key bigint,
    reached_at bigint NOT NULL,
    written_at bigint NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    attempt_id text COLLATE pg_catalog."C",
    flagged boolean DEFAULT false NOT NULL,
    removed_at bigint,
    banned_at bigint,
    excluded_at bigint
);
CREATE TABLE public.leaderboard_memberships (
    scope text NOT NULL COLLATE pg_catalog."C",
    leaderboard_key text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    division text COLLATE pg_catalog."C",
    cohort bigint,
    board_id text NOT NULL COLLATE pg_catalog."C",
    participant text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.leaderboard_periods (
    scope text NOT NULL COLLATE pg_catalog."C",
    period_id text NOT NULL COLLATE pg_catalog."C",
    leaderboard_key text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    status text DEFAULT 'open'::text NOT NULL COLLATE pg_catalog."C",
    starts_at bigint NOT NULL,
    ends_at bigint,
    definition text NOT NULL COLLATE pg_catalog."C",
    closed_at bigint,
    settled_at bigint,
    entry_count bigint DEFAULT 0 NOT NULL,
    CONSTRAINT ck_leaderboard_periods__status CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text])))
);
CREATE TABLE public.leaderboards (
    scope text NOT NULL COLLATE pg_catalog."C",
    board_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    participants text DEFAULT 'player'::text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    "order" text NOT NULL COLLATE pg_catalog."C",
    event_id text COLLATE pg_catalog."C",
    window_id text COLLATE pg_catalog."C",
    lobby_id text COLLATE pg_catalog."C",
    segment text COLLATE pg_catalog."C",
    period_id text COLLATE pg_catalog."C",
    division text COLLATE pg_catalog."C",
    cohort bigint,
    starts_at bigint NOT NULL,
    ends_at bigint,
    finalized_at bigint,
    closed text COLLATE pg_catalog."C",
    entry_count bigint,
    CONSTRAINT ck_leaderboards__closed CHECK ((closed = ANY (ARRAY['finalized'::text, 'lobby_closed'::text]))),
    CONSTRAINT ck_leaderboards__kind CHECK ((kind = ANY (ARRAY['event'::text, 'shared'::text]))),
    CONSTRAINT ck_leaderboards__order CHECK (("order" = ANY (ARRAY['desc'::text, 'asc'::text]))),
    CONSTRAINT ck_leaderboards__participants CHECK ((participants = ANY (ARRAY['player'::text, 'team'::text])))
);
CREATE TABLE public.ledger_entries (
    scope text NOT NULL COLLATE pg_catalog."C",
    entry_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    asset_kind text NOT NULL COLLATE pg_catalog."C",
    asset_key text NOT NULL COLLATE pg_catalog."C",
    delta bigint NOT NULL,
    balance bigint NOT NULL,
    reason text COLLATE pg_catalog."C",
    source_ref_id text COLLATE pg_catalog."C",
    at bigint NOT NULL,
    idempotency_key text COLLATE pg_catalog."C",
    fingerprint text COLLATE pg_catalog."C",
    CONSTRAINT ck_ledger_entries__asset_kind CHECK ((asset_kind = ANY (ARRAY['currency'::text, 'item'::text])))
);
CREATE UNLOGGED TABLE public.livecore_leases (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.livecore_migration_lock (
    name text NOT NULL
);
CREATE TABLE public.livecore_migrations (
    id bigint NOT NULL,
    number bigint,
    name text NOT NULL,
    oldest_code bigint NOT NULL,
    layout text NOT NULL,
    applied_at bigint NOT NULL
);
CREATE TABLE public.livecore_settings (
    name text NOT NULL,
    value text NOT NULL
);
CREATE UNLOGGED TABLE public.livecore_updates (
    scope text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    source text NOT NULL,
    kind text NOT NULL,
    about text NOT NULL,
    ref text NOT NULL,
    value text NOT NULL,
    published_at bigint DEFAULT 0 NOT NULL
);
CREATE UNLOGGED TABLE public.livecore_updates_head (
    scope text NOT NULL COLLATE pg_catalog."C",
    latest bigint NOT NULL
);
CREATE TABLE public.livecore_versions (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL
);
CREATE UNLOGGED TABLE public.livecore_windows (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    ends_at bigint NOT NULL,
    span bigint NOT NULL,
    used bigint NOT NULL,
    published boolean NOT NULL
);
CREATE TABLE public.lobbies (
    scope text NOT NULL COLLATE pg_catalog."C",
    lobby_id text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    board_id text NOT NULL COLLATE pg_catalog."C",
    key text COLLATE pg_catalog."C",
    match text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    slot bigint DEFAULT 0 NOT NULL,
    status text DEFAULT 'forming'::text NOT NULL COLLATE pg_catalog."C",
    capacity bigint NOT NULL,
    players bigint DEFAULT 0 NOT NULL,
    bots bigint DEFAULT 0 NOT NULL,
    seed text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    fill_by bigint,
    started_at bigint,
    ends_at bigint NOT NULL,
    closed_at bigint,
    promotion_reason text COLLATE pg_catalog."C",
    frozen_at bigint,
    fired text COLLATE pg_catalog."C",
    metadata text COLLATE pg_catalog."C",
    CONSTRAINT ck_lobbies__promotion_reason CHECK ((promotion_reason = ANY (ARRAY['capacity'::text, 'timeout'::text, 'external_push'::text]))),
    CONSTRAINT ck_lobbies__status CHECK ((status = ANY (ARRAY['forming'::text, 'active'::text, 'closed'::text])))
);
CREATE TABLE public.lobby_bots (
    scope text NOT NULL COLLATE pg_catalog."C",
    bot_id text NOT NULL COLLATE pg_catalog."C",
    lobby_id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    avatar text COLLATE pg_catalog."C"
);
CREATE TABLE public.lobby_seats (
    scope text NOT NULL COLLATE pg_catalog."C",
    lobby_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    open_in text COLLATE pg_catalog."C",
    joined_at bigint NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE public.members (
    scope text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    signed_in_at bigint
);
CREATE TABLE public.memberships (
    scope text NOT NULL COLLATE pg_catalog."C",
    studio_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    games text COLLATE pg_catalog."C",
    since bigint NOT NULL,
    ended_at bigint,
    issuer text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C",
    renewed_at bigint,
    CONSTRAINT ck_memberships__role CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'GAME_ADMIN'::text, 'GAME_DEVELOPER'::text, 'GAME_DEBUGGER'::text, 'VIEWER'::text])))
);
CREATE TABLE public.migrated_rows (
    scope text NOT NULL COLLATE pg_catalog."C",
    key_hash text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.partner_invites (
    scope text NOT NULL COLLATE pg_catalog."C",
    invite_id text NOT NULL COLLATE pg_catalog."C",
    window_id text NOT NULL COLLATE pg_catalog."C",
    event_key text NOT NULL COLLATE pg_catalog."C",
    from_id text NOT NULL COLLATE pg_catalog."C",
    to_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    open_in text COLLATE pg_catalog."C",
    team_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.personal_keys (
    scope text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    studio_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    prefix text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    read_only boolean NOT NULL,
    created_at bigint NOT NULL,
    ends_at bigint NOT NULL
);
CREATE TABLE public.players (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    external_id text NOT NULL COLLATE pg_catalog."C",
    pool_name text NOT NULL COLLATE pg_catalog."C",
    pool_avatar text COLLATE pg_catalog."C",
    first_seen_at bigint NOT NULL,
    name text COLLATE pg_catalog."C",
    avatar text COLLATE pg_catalog."C",
    country_override text COLLATE pg_catalog."C",
    country_stated text COLLATE pg_catalog."C",
    country_seen text COLLATE pg_catalog."C",
    context text COLLATE pg_catalog."C",
    friend_code text COLLATE pg_catalog."C",
    secret_hash text COLLATE pg_catalog."C",
    secret_prefix text COLLATE pg_catalog."C",
    registered_at bigint,
    secret_rotated_at bigint,
    last_seen_at bigint NOT NULL,
    platform text COLLATE pg_catalog."C",
    app_version text COLLATE pg_catalog."C",
    sessions bigint DEFAULT 0 NOT NULL,
    streak bigint DEFAULT 0 NOT NULL,
    best_streak bigint DEFAULT 0 NOT NULL,
    streak_day bigint,
    beat_at bigint,
    presence_status text COLLATE pg_catalog."C",
    ban_reason text COLLATE pg_catalog."C",
    banned_at bigint,
    merged_into text COLLATE pg_catalog."C",
    erased_at bigint,
    epoch bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.product_days (
    scope text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    cents bigint NOT NULL,
    purchases bigint NOT NULL,
    verified_cents bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.purchases (
    scope text NOT NULL COLLATE pg_catalog."C",
    purchase_id text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    transaction_key text NOT NULL COLLATE pg_catalog."C",
    transaction_id text COLLATE pg_catalog."C",
    store text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    product_type text NOT NULL COLLATE pg_catalog."C",
    amount_minor bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    cents bigint NOT NULL,
    fx_rate text NOT NULL COLLATE pg_catalog."C",
    validation_status text NOT NULL COLLATE pg_catalog."C",
    purchased_at bigint NOT NULL,
    dated boolean NOT NULL,
    tracked_at bigint NOT NULL,
    metadata text COLLATE pg_catalog."C",
    CONSTRAINT ck_purchases__validation_status CHECK ((validation_status = ANY (ARRAY['unverified'::text, 'verified'::text])))
);
CREATE TABLE public.recurring_work (
    scope text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.relations (
    scope text NOT NULL COLLATE pg_catalog."C",
    low_id text NOT NULL COLLATE pg_catalog."C",
    high_id text NOT NULL COLLATE pg_catalog."C",
    friendship text DEFAULT 'none'::text NOT NULL COLLATE pg_catalog."C",
    since bigint DEFAULT 0 NOT NULL,
    request_id text COLLATE pg_catalog."C",
    accepted_by text COLLATE pg_catalog."C",
    blocked_by_low_at bigint,
    blocked_by_high_at bigint,
    gifted_by_low_at bigint,
    gifted_by_high_at bigint,
    CONSTRAINT ck_relations__accepted_by CHECK ((accepted_by = ANY (ARRAY['low'::text, 'high'::text]))),
    CONSTRAINT ck_relations__friendship CHECK ((friendship = ANY (ARRAY['none'::text, 'asked_by_low'::text, 'asked_by_high'::text, 'friends'::text])))
);
CREATE TABLE public.scope_keys (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.search_entries (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.session_use (
    scope text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.sessions (
    scope text NOT NULL COLLATE pg_catalog."C",
    session_id text NOT NULL COLLATE pg_catalog."C",
    member_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    ends_at bigint NOT NULL,
    address text COLLATE pg_catalog."C",
    issuer text COLLATE pg_catalog."C",
    subject text COLLATE pg_catalog."C"
);
CREATE TABLE public.shared_leaderboards (
    scope text NOT NULL COLLATE pg_catalog."C",
    leaderboard_key text NOT NULL COLLATE pg_catalog."C",
    declared text COLLATE pg_catalog."C",
    since bigint NOT NULL,
    number bigint DEFAULT 1 NOT NULL,
    settled bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.spend_days (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    day bigint NOT NULL,
    cents bigint NOT NULL,
    purchases bigint NOT NULL,
    paid boolean NOT NULL,
    paid_before bigint NOT NULL,
    verified_cents bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.spend_totals (
    scope text NOT NULL COLLATE pg_catalog."C",
    player_id text NOT NULL COLLATE pg_catalog."C",
    cents bigint NOT NULL,
    purchases bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    verified_cents bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.studios (
    scope text NOT NULL COLLATE pg_catalog."C",
    studio_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.switches (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL
);
CREATE TABLE public.used_friend_codes (
    scope text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.webhook_deliveries (
    scope text NOT NULL COLLATE pg_catalog."C",
    delivery_id text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    sample boolean DEFAULT false NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    attempt bigint DEFAULT 0 NOT NULL,
    automatic boolean DEFAULT true NOT NULL,
    queued_at bigint NOT NULL,
    due_at bigint,
    leased_until bigint,
    attempted_at bigint,
    last_status bigint,
    last_error text COLLATE pg_catalog."C",
    tried text COLLATE pg_catalog."C",
    CONSTRAINT ck_webhook_deliveries__status CHECK ((status = ANY (ARRAY['pending'::text, 'held'::text, 'delivered'::text, 'failed'::text, 'discarded'::text])))
);
CREATE TABLE public.webhook_endpoints (
    scope text NOT NULL COLLATE pg_catalog."C",
    endpoint_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    events text NOT NULL COLLATE pg_catalog."C",
    secrets text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    status text DEFAULT 'active'::text NOT NULL COLLATE pg_catalog."C",
    pause_reason text COLLATE pg_catalog."C",
    paused_at bigint,
    breaker text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    absence_counted_at bigint,
    CONSTRAINT ck_webhook_endpoints__pause_reason CHECK ((pause_reason = ANY (ARRAY['operator'::text, 'consecutive_failures'::text, 'gone'::text]))),
    CONSTRAINT ck_webhook_endpoints__status CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text])))
);
CREATE TABLE public.webhook_events (
    scope text NOT NULL COLLATE pg_catalog."C",
    event_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    occurred_at bigint NOT NULL,
    data text NOT NULL COLLATE pg_catalog."C",
    player_id text COLLATE pg_catalog."C",
    other_player_id text COLLATE pg_catalog."C",
    personal text DEFAULT 'kept'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ck_webhook_events__personal CHECK ((personal = ANY (ARRAY['kept'::text, 'going'::text, 'gone'::text])))
);
INSERT INTO public.api_key_usage VALUES ('directory/all', 'key_01KDVDNA0007F9ZDPZYGDBEDGS', 1767312000000, 'sdk:presence.heartbeat', NULL);
INSERT INTO public.api_key_usage VALUES ('directory/all', 'key_01KDVDNA0054138RQBACGV075P', 1767312000000, 'server:players.erase', NULL);
INSERT INTO public.api_keys VALUES ('directory/all', 'key_01KDVDNA0007F9ZDPZYGDBEDGS', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'test', 'client', 'lc_test_client_bghh2e', '35e2a94eda99dcdb137a38e5b6621a12f126d54d126fe8f5c1ceb62e0cd90017', 'key_01KDVDNA0007F9ZDPZYGDBEDGS', NULL, 1767225600000, NULL, NULL);
INSERT INTO public.api_keys VALUES ('directory/all', 'key_01KDVDNA0054138RQBACGV075P', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'test', 'server', 'lc_test_server_oo3tnt', '2feb650175197590ea6afeace2042b00279bbd507a6e597259b0963da747188c', 'key_01KDVDNA0054138RQBACGV075P', NULL, 1767225600000, NULL, NULL);
INSERT INTO public.api_keys VALUES ('directory/all', 'key_01KDVDNA00A2JW3DST9NVJ77KP', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'live', 'client', 'lc_live_client_gy3f27', '4dacea3fd6eaa43704684ce702e5a7f822844eb6896c737e04855ca963be9462', 'key_01KDVDNA00A2JW3DST9NVJ77KP', NULL, 1767225600000, NULL, NULL);
INSERT INTO public.api_keys VALUES ('directory/all', 'key_01KDVDNA00DQSQ9B96QGB06P37', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'live', 'server', 'lc_live_server_oujxrz', '9caf168e9a37ba00d505c5b62666a81576d4a45d7b5ab6842483de4f588ac9a7', 'key_01KDVDNA00DQSQ9B96QGB06P37', NULL, 1767225600000, NULL, NULL);
INSERT INTO public.attempt_progress VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'att_01KDY02100J5D0Y5F2ABYNJ372', 1, '{"points":60}', 1767312000000, false);
INSERT INTO public.attempts VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'att_01KDY02100J5D0Y5F2ABYNJ372', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'race', 'evn_01KDVDNA006BPC5QF5NM9M815A', 'win_01KDVDNA00QMN89J7MFK39F2QK', 'lbd_01KDVDNA00EQY0X2YW0XHT288Y', NULL, NULL, NULL, 1, 'in_progress', false, '{"points":60}', '["half"]', 60, -60, 1767312000000, 1, 1767312000000, 1767725600000, NULL, NULL);
INSERT INTO public.audit_entries VALUES ('directory/all', 'aud_01KDVDNA00R398SNZDN89PMQEW', 1767225600000, 'system', '', 'games.create', NULL, NULL, NULL, 'system', NULL, NULL, '{"name":"Earlier"}', NULL, NULL, NULL, 'game', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'std_01KDVDNA005YS524S1R97Q9GDV', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q');
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA008JV91QWFXYJR53PJ', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA004HB4ECVW1N21JJQK', '127.0.0.1', NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA004HB4ECVW1N21JJQK', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00Q6GQ3EA8FSW5JBFW', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA004HB4ECVW1N21JJQK', '127.0.0.1', NULL, 'server_key', NULL, '{"economyKey":"gold","balance":0}', '{"economyKey":"gold","balance":100,"entryId":"ent_01KDVDNA00X2Z44CR70ARBMCVP","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA004HB4ECVW1N21JJQK', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA006SYD0E8KF9GYJ69B', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA004HB4ECVW1N21JJQK', '127.0.0.1', NULL, 'server_key', NULL, '{"itemKey":"potion","quantity":0}', '{"itemKey":"potion","quantity":3,"entryId":"ent_01KDVDNA00CQ2SDDDSW9PQKG93","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA004HB4ECVW1N21JJQK', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00JZRCPWTWD5HJJN4C', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA004HB4ECVW1N21JJQK', '127.0.0.1', NULL, 'server_key', NULL, NULL, '{"status":"pending","kind":"reward","entries":[{"type":"currency","resourceKey":"gold","amount":7}],"sourceKind":"api","sourceRefId":null,"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"claimedAt":null,"ackedBy":null}', 'api', NULL, NULL, 'grant', '019b76da-a800-76ca-95c5-6c944aedf4ed', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA006E1R94YK0VWB5C8E', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA00JGSKD61SJR63MNG3', '127.0.0.1', NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00JGSKD61SJR63MNG3', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00HQD957XT9V5HKNZV', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA00JGSKD61SJR63MNG3', '127.0.0.1', NULL, 'server_key', NULL, '{"economyKey":"gold","balance":0}', '{"economyKey":"gold","balance":100,"entryId":"ent_01KDVDNA008V6M04NVHWDPR1BB","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00JGSKD61SJR63MNG3', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA008CN0XTF57AGHV36P', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA00JGSKD61SJR63MNG3', '127.0.0.1', NULL, 'server_key', NULL, '{"itemKey":"potion","quantity":0}', '{"itemKey":"potion","quantity":3,"entryId":"ent_01KDVDNA005VMD2AZ7QKPSR67W","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00JGSKD61SJR63MNG3', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00W3ECV8NPPNZWXXT4', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA00JGSKD61SJR63MNG3', '127.0.0.1', NULL, 'server_key', NULL, NULL, '{"status":"pending","kind":"reward","entries":[{"type":"currency","resourceKey":"gold","amount":7}],"sourceKind":"api","sourceRefId":null,"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"claimedAt":null,"ackedBy":null}', 'api', NULL, NULL, 'grant', '019b76da-a800-79f8-be6a-d47221af0805', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA009ZCH92TCM4JZPTQA', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA00QN789D4X04H05FYR', '127.0.0.1', NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QN789D4X04H05FYR', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA006M672Z9YF4MSVBQK', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA00QN789D4X04H05FYR', '127.0.0.1', NULL, 'server_key', NULL, '{"economyKey":"gold","balance":0}', '{"economyKey":"gold","balance":100,"entryId":"ent_01KDVDNA00PE2A7DZ585C5MHWA","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QN789D4X04H05FYR', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA008AMN4J5517TJ8M8R', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA00QN789D4X04H05FYR', '127.0.0.1', NULL, 'server_key', NULL, '{"itemKey":"potion","quantity":0}', '{"itemKey":"potion","quantity":3,"entryId":"ent_01KDVDNA00F8BQ2B3PR3GM9VR6","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QN789D4X04H05FYR', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00CPF23QWFBECK7JW1', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA00QN789D4X04H05FYR', '127.0.0.1', NULL, 'server_key', NULL, NULL, '{"status":"pending","kind":"reward","entries":[{"type":"currency","resourceKey":"gold","amount":7}],"sourceKind":"api","sourceRefId":null,"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"claimedAt":null,"ackedBy":null}', 'api', NULL, NULL, 'grant', '019b76da-a800-742d-acad-d7d5882a033e', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA006PR150AQQD9C892J', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '127.0.0.1', NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00GX887YE2RXYPQTJW', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA002B4VRZ5DR2GWRSKA', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '127.0.0.1', NULL, 'server_key', NULL, '{"economyKey":"gold","balance":0}', '{"economyKey":"gold","balance":100,"entryId":"ent_01KDVDNA00RW6ZYVQGYGJV9BR7","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00GX887YE2RXYPQTJW', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00XCK4WRBD4RV6WEMD', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '127.0.0.1', NULL, 'server_key', NULL, '{"itemKey":"potion","quantity":0}', '{"itemKey":"potion","quantity":3,"entryId":"ent_01KDVDNA00A6P9HERHCK64WZXX","reason":null}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00GX887YE2RXYPQTJW', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA0046GRPSJ1EKGS0QPJ', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '127.0.0.1', NULL, 'server_key', NULL, NULL, '{"status":"pending","kind":"reward","entries":[{"type":"currency","resourceKey":"gold","amount":7}],"sourceKind":"api","sourceRefId":null,"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":null,"claimedAt":null,"ackedBy":null}', 'api', NULL, NULL, 'grant', '019b76da-a800-79b6-b333-b1209bee8900', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDY02100S0WDQ21FJY29SN2Q', 1767312000000, 'api_key', 'lc_test_server_oo3tnt', 'server:players.ban', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '127.0.0.1', NULL, 'server_key', NULL, '{"banned":false,"reason":null,"bannedAt":null}', '{"banned":true,"reason":"rude","bannedAt":"2026-01-02T00:00:00.000Z"}', 'api', NULL, NULL, 'player', 'plr_01KDVDNA00GX887YE2RXYPQTJW', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDY021000DFS7CTRRKT849CR', 1767312000000, 'api_key', 'lc_test_server_oo3tnt', 'server:players.erase', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', '127.0.0.1', '{"reason":"studio_request"}', 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA008RTQZ946NG08J4CH', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00PYEAHT8FBDVS5GGY', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00HM7EJV18C0FSVDXG', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:wallet.credit', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00MCG3PQ3NW1FPR7FX', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:inventory.grant', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00M0C0AJ1G8BFQWE4J', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'grant', '019b76da-a800-7993-810a-dd7b57989980', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA005GYP42A21QC322YJ', 1767225600000, 'api_key', 'lc_test_server_oo3tnt', 'server:grants.create', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'grant', '019b76da-a800-7caf-b5e8-c3a73eaa969b', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA00MP79F68T7WFXCN9P', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDVDNA005KXMTVZ6EM8WRF7A', 1767225600000, 'api_key', 'lc_test_client_bghh2e', 'sdk:players.register', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL, 'client_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', NULL, NULL);
INSERT INTO public.audit_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'aud_01KDY02100MFXQWXGABXSJQR1B', 1767312000000, 'api_key', 'lc_test_server_oo3tnt', 'server:players.merge', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL, 'server_key', NULL, NULL, NULL, 'api', NULL, NULL, 'player', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, NULL);
INSERT INTO public.competition_events VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'race', 'evn_01KDVDNA006BPC5QF5NM9M815A', '{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}', 1767225600000, 1767725600000);
INSERT INTO public.competition_events VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'race', 'evn_01KDVDNA001N4PVRZ5MV3GX1Y1', '{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}', 1767225600000, 1767725600000);
INSERT INTO public.config_versions VALUES ('directory/all', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 1, '{"name":"Earlier","economyMode":"platform","economy":[{"key":"gold","kind":"currency","public":true,"name":null},{"key":"xp","kind":"progression","public":true,"name":null}],"items":[{"key":"potion","name":"Potion","parameters":null},{"key":"sword","name":null,"parameters":{"level":1}}],"crates":[{"key":"chest","name":"Chest","guaranteed":[],"rolls":[{"times":1,"rows":[{"weight":1,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"pity":null}]}],"gifting":{"enabled":true,"cooldownSeconds":86400,"dailySendLimit":null,"dailyReceiveLimit":null,"claimExpirySeconds":604800,"resources":[{"type":"currency","key":"gold","maxAmount":100,"costsSender":true},{"type":"item","key":"potion","maxAmount":5,"costsSender":false}]},"social":{"maxFriends":500,"maxOutgoingRequests":100,"maxBlocks":500},"guilds":{"enabled":true,"maxMembers":50,"maxCoLeaders":null,"createCost":[],"joinTypes":["open","request"],"nameFilter":[],"inactiveLeaderDays":30,"help":null},"events":[{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}],"leaderboards":[{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}],"exchangeRates":{"EUR":"1.08"},"purchases":{"maxAmountMinor":1000000000},"identityPool":null,"platforms":[]}', 1767225600000, 'system', '', NULL, 0, '[]', NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'grants.expire', '019b76da-a800-7c68-81f7-34a5601445f1', 1767830400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'competition.close', 'win_01KDVDNA00QMN89J7MFK39F2QK', 1767725600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'competition.open', 'race', 1767830400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'competition.close', 'win_01KDVDNA00H0XMBEXVKX1A01AN', 1767725600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'competition.open', 'race', 1767830400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'audit.sweep', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'idempotency.sweep', '', 1767315600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'players.streak_sweep', '', 1767315600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'webhooks.sweep', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'audit.sweep', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'idempotency.sweep', '', 1767315600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'players.streak_sweep', '', 1767315600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'webhooks.sweep', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('directory/all', 'access.personal_keys', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('directory/all', 'access.sessions', '', 1767315600000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('directory/all', 'audit.sweep', '', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'guilds.inactive', 'gld_01KDY02100JCTT8REHX1XR8FV8', 1767398400000, 0, NULL, NULL);
INSERT INTO public.due_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'competition.progress_updated', 'att_01KDY02100J5D0Y5F2ABYNJ372', 1767312005000, 0, NULL, NULL);
INSERT INTO public.event_windows VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'win_01KDVDNA00QMN89J7MFK39F2QK', 'race', 'evn_01KDVDNA006BPC5QF5NM9M815A', 'active', 1767225600000, 1767725600000, 1767225600000, NULL, '{"key":"race","name":"Race","schedule":{"windows":[{"startsAt":"2026-01-01T00:00:00.000Z","endsAt":"2026-01-06T18:53:20.000Z"}],"startsAt":null,"everySeconds":null,"durationSeconds":null,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}');
INSERT INTO public.event_windows VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'win_01KDVDNA00H0XMBEXVKX1A01AN', 'race', 'evn_01KDVDNA001N4PVRZ5MV3GX1Y1', 'active', 1767225600000, 1767725600000, 1767225600000, NULL, '{"key":"race","name":"Race","schedule":{"windows":[{"startsAt":"2026-01-01T00:00:00.000Z","endsAt":"2026-01-06T18:53:20.000Z"}],"startsAt":null,"everySeconds":null,"durationSeconds":null,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}');
INSERT INTO public.former_ids VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'd76fe336dd88d94948f4a53847cbd1e6f34b9773cb381ac5b343279ccefb324a', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', 'merged', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 1767312000000);
INSERT INTO public.former_ids VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '8b30d32eaf964ec33e76d805070793c3dcc68e223ee3fcf4d5c7ef0319aaca1a', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'erased', NULL, 1767312000000);
INSERT INTO public.games VALUES ('directory/all', 'gam_01KDVDNA007WP8R7WXK9ZNDE3Q', 'std_01KDVDNA005YS524S1R97Q9GDV', 'Earlier', '{"name":"Earlier","economyMode":"platform","economy":[{"key":"gold","kind":"currency","public":true,"name":null},{"key":"xp","kind":"progression","public":true,"name":null}],"items":[{"key":"potion","name":"Potion","parameters":null},{"key":"sword","name":null,"parameters":{"level":1}}],"crates":[{"key":"chest","name":"Chest","guaranteed":[],"rolls":[{"times":1,"rows":[{"weight":1,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"pity":null}]}],"gifting":{"enabled":true,"cooldownSeconds":86400,"dailySendLimit":null,"dailyReceiveLimit":null,"claimExpirySeconds":604800,"resources":[{"type":"currency","key":"gold","maxAmount":100,"costsSender":true},{"type":"item","key":"potion","maxAmount":5,"costsSender":false}]},"social":{"maxFriends":500,"maxOutgoingRequests":100,"maxBlocks":500},"guilds":{"enabled":true,"maxMembers":50,"maxCoLeaders":null,"createCost":[],"joinTypes":["open","request"],"nameFilter":[],"inactiveLeaderDays":30,"help":null},"events":[{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}],"leaderboards":[{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}],"exchangeRates":{"EUR":"1.08"},"purchases":{"maxAmountMinor":1000000000},"identityPool":null,"platforms":[]}', 1, 1767225600000, NULL);
INSERT INTO public.gift_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 20454, 2);
INSERT INTO public.gifts VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-7088-b6e5-0fab2146380e', '019b76da-a800-7c68-81f7-34a5601445f1', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA00QN789D4X04H05FYR', 'currency', 'gold', 5, true, NULL, 'pending', 1767225600000, 1767830400000, NULL, NULL, NULL);
INSERT INTO public.gifts VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-7040-aaa3-a855d132fb77', '019b76da-a800-738f-9f29-0646c83d144e', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'currency', 'gold', 5, true, NULL, 'claimed', 1767225600000, 1767830400000, 1767312000000, NULL, NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-76ca-95c5-6c944aedf4ed', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '218b33545a1b5a82ddb28386b793c8f306b92872', '96bd216980a384feefe11399e6d2c159d1872e139c8282ce771c4a2d5bf31e76', NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-79f8-be6a-d47221af0805', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '11a7e71b8b68acd0624bfd712858cae23810023b', '109a3ad9e2923bb99033d25cc3053a47740aa4d62145f6e3a2daadcb2614a752', NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-742d-acad-d7d5882a033e', 'plr_01KDVDNA00QN789D4X04H05FYR', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '03dfcf432163d9d35d66c371b5feacf8882877d3', 'd5d597c67ad73e35ddecfc167fb509c9f132da32832252a5a4dcf542462c9f7d', NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-79b6-b333-b1209bee8900', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '7451d4435739ca92c305e481da46eca4b4246445', 'b9a808dc02fc939ef08399c4b3e71e58225717f358a9b0f818599858a2127021', NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-7c68-81f7-34a5601445f1', 'plr_01KDVDNA00QN789D4X04H05FYR', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":5}]', NULL, 'gift', '019b76da-a800-7088-b6e5-0fab2146380e', NULL, 1767225600000, 1767830400000, NULL, NULL, '019b76da-a800-7088-b6e5-0fab2146380e', NULL, NULL, NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-738f-9f29-0646c83d144e', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'claimed', 'reward', '[{"type":"currency","resourceKey":"gold","amount":5}]', NULL, 'gift', '019b76da-a800-7040-aaa3-a855d132fb77', NULL, 1767225600000, 1767830400000, 1767312000000, 'player', '019b76da-a800-7040-aaa3-a855d132fb77', NULL, NULL, NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b7c01-0400-7bd5-a15c-f1d311b25e36', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'event_milestone', 'att_01KDY02100J5D0Y5F2ABYNJ372', NULL, 1767312000000, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-7993-810a-dd7b57989980', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '43f93d22b80aae697f41eeb5658e4fbebbded106', NULL, NULL);
INSERT INTO public.grants VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b76da-a800-7caf-b5e8-c3a73eaa969b', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'pending', 'reward', '[{"type":"currency","resourceKey":"gold","amount":7}]', NULL, 'api', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL, '34f6182fc490c30988d553dc04160b5876fae9a0', NULL, NULL);
INSERT INTO public.guild_seats VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'gld_01KDY02100JCTT8REHX1XR8FV8', 'leader', 1767312000000, 1767312000000, NULL, '019b7c01-0400-7dff-8774-6e881611bcd0');
INSERT INTO public.guild_stints VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '019b7c01-0400-7dff-8774-6e881611bcd0', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'gld_01KDY02100JCTT8REHX1XR8FV8', 'leader', 1767312000000, NULL, NULL);
INSERT INTO public.guild_words VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'gld_01KDY02100JCTT8REHX1XR8FV8', 'first ');
INSERT INTO public.guild_words VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'gld_01KDY02100JCTT8REHX1XR8FV8', 'the first ');
INSERT INTO public.guilds VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'gld_01KDY02100JCTT8REHX1XR8FV8', 'The First', 'the first ', NULL, NULL, NULL, 'open', NULL, 1, 1767312000000, 1767312000000, NULL, NULL);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'item', 'potion', 3, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'item', 'potion', 3, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 'currency', 'gold', 100, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 'item', 'potion', 3, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'currency', 'gold', 100, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'item', 'potion', 3, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'currency', 'gold', 90, NULL, 1767225600000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'currency', 'gold', 105, NULL, 1767312000000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'currency', 'gold', 200, NULL, 1767312000000);
INSERT INTO public.holdings VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'item', 'potion', 6, NULL, 1767312000000);
INSERT INTO public.leaderboard_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'lbd_01KDVDNA009CW5RADVPW2EW7DA', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 9, -9, 1767312000000, 1767312000000, 1, NULL, false, NULL, NULL, NULL);
INSERT INTO public.leaderboard_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'lbd_01KDVDNA00EQY0X2YW0XHT288Y', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 60, -60, 1767312000000, 1767312000000, 1, 'att_01KDY02100J5D0Y5F2ABYNJ372', false, NULL, NULL, NULL);
INSERT INTO public.leaderboard_memberships VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'best', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 1, NULL, NULL, 'lbd_01KDVDNA009CW5RADVPW2EW7DA', 'plr_01KDVDNA004HB4ECVW1N21JJQK');
INSERT INTO public.leaderboard_periods VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'best:1', 'best', 1, 'open', 1767225600000, NULL, '{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}', NULL, NULL, 0);
INSERT INTO public.leaderboard_periods VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'best:1', 'best', 1, 'open', 1767225600000, NULL, '{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}', NULL, NULL, 0);
INSERT INTO public.leaderboards VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'lbd_01KDVDNA00EQY0X2YW0XHT288Y', 'event', 'player', 'race', 'Race', 'desc', 'evn_01KDVDNA006BPC5QF5NM9M815A', 'win_01KDVDNA00QMN89J7MFK39F2QK', NULL, NULL, NULL, NULL, NULL, 1767225600000, 1767725600000, NULL, NULL, NULL);
INSERT INTO public.leaderboards VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'lbd_01KDVDNA00CCG7VMKP4YQJG4K9', 'event', 'player', 'race', 'Race', 'desc', 'evn_01KDVDNA001N4PVRZ5MV3GX1Y1', 'win_01KDVDNA00H0XMBEXVKX1A01AN', NULL, NULL, NULL, NULL, NULL, 1767225600000, 1767725600000, NULL, NULL, NULL);
INSERT INTO public.leaderboards VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'lbd_01KDVDNA009CW5RADVPW2EW7DA', 'shared', 'player', 'best', 'The best', 'desc', NULL, NULL, NULL, NULL, 'best:1', NULL, NULL, 1767225600000, NULL, NULL, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00X2Z44CR70ARBMCVP', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '939a151b26d1e71b2f7de6bb3d62793adc14cc6e', '90a95f71b6e863c592edd97916e2e74d944f002c10bd00b9c884a7db4e8b75cc');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00CQ2SDDDSW9PQKG93', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, '9bb7b6d1dc6b0c515960dae2ae20f15ae6ba9b0b', 'd0897284d451668919979aba5aa0216e4aa8b62cb420d5612d0348c3f443b809');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA008V6M04NVHWDPR1BB', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '6db77374d39f598cc63a93080267a57494db9a84', '7d2cab6ff01ff19aab1adc491689638bae2edaaad7ca327411dc85faaf179959');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA005VMD2AZ7QKPSR67W', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, 'a54756cfa4f717877074b544d3e82eb743d87773', '962e3066408df899d20daa19b241c14cff041f8500ee8063a4dcf75e10eeb274');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00PE2A7DZ585C5MHWA', 'plr_01KDVDNA00QN789D4X04H05FYR', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '36119a2ce6e798c8c2624e4cca92f9408db131f8', '44be9e4715811f2390f12017866bbe24269562c5400f98386f3d1ea81944c06b');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00F8BQ2B3PR3GM9VR6', 'plr_01KDVDNA00QN789D4X04H05FYR', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, 'e069a27c8fbab28f5e53fc3bb2a378ad5a993239', '421395fcce2ca8408f3fa6d4035b97e3b530bd97bd06f59beb549a85e04a5022');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00RW6ZYVQGYGJV9BR7', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '3074ffb9a28e787e5343d5bb33c323a82cce3c9c', 'f510c867aeaf68f8dfc0d143201c962c4d9f0141cb707248ea25a3e27c2248ec');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00A6P9HERHCK64WZXX', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, 'a4dbaf6963c77e7d3dd258a67ab938d915c266a2', 'c1fd182512ed737756729bdfe4467a4c8d54299eaa0f101ad39d7955f4dc4793');
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA001ZTVE2DSQ4AM9V7Y', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'currency', 'gold', -5, 95, 'gift_sent', '019b76da-a800-7040-aaa3-a855d132fb77', 1767225600000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA007MKEY3R7A102NHN7', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'currency', 'gold', -5, 90, 'gift_sent', '019b76da-a800-7088-b6e5-0fab2146380e', 1767225600000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDY02100C8T5AGHJS2K51961', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'currency', 'gold', 5, 105, 'gift_claimed', '019b76da-a800-738f-9f29-0646c83d144e', 1767312000000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA000ZNHHQRTP96R1BKS', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, '5ea805b127988400faa5169a7bed01edb9975e06', NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00AM3BJW4A3YR21KEG', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '1b64897674301bcfae3a66c5e5dcb8c8a888338f', NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00CHKQY51M18NWJB6K', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'currency', 'gold', 100, 100, NULL, NULL, 1767225600000, '8f6ec1c34fc5f70719d8389a03b1b3c58175c2aa', NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDVDNA00R55GG3V48SV6ZZ0Q', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'item', 'potion', 3, 3, NULL, NULL, 1767225600000, '59c897fbfb0c50303684a5be1339adbf3ec346a3', NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDY021006G7DVAK4J7JTX5PF', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'item', 'potion', 3, 6, NULL, NULL, 1767312000000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDY021006W4A6XEY5SM8W4NE', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'currency', 'gold', -100, 0, NULL, NULL, 1767312000000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDY021006YGJ758JNXNZ03TX', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'item', 'potion', -3, 0, NULL, NULL, 1767312000000, NULL, NULL);
INSERT INTO public.ledger_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ent_01KDY02100HWVHN5BHDP0MMSBN', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 'currency', 'gold', 100, 200, NULL, NULL, 1767312000000, NULL, NULL);
INSERT INTO public.livecore_migration_lock VALUES ('migrations');
INSERT INTO public.livecore_migrations VALUES (6, 6, 'verified-sums', 6, '{"answer_mentions":{"columns":{"idempotency_key":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"owner":{"default":null,"kind":"text","nullable":false,"values":[]},"place":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"total":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"of_name":["name","owner","idempotency_key","place"],"of_player":["player_id","owner","idempotency_key","place"]},"key":["owner","idempotency_key","place"],"uniques":{}},"api_key_usage":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"key_id":{"default":null,"kind":"text","nullable":false,"values":[]},"operation":{"default":null,"kind":"text","nullable":false,"values":[]},"sdk":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{},"key":["key_id"],"uniques":{}},"api_keys":{"columns":{"bucket":{"default":null,"kind":"text","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"environment":{"default":null,"kind":"text","nullable":false,"values":["test","live"]},"game_id":{"default":null,"kind":"text","nullable":false,"values":[]},"hash":{"default":null,"kind":"text","nullable":false,"values":[]},"key_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"permission":{"default":null,"kind":"text","nullable":false,"values":["client","server"]},"prefix":{"default":null,"kind":"text","nullable":false,"values":[]},"rotated_at":{"default":null,"kind":"integer","nullable":true,"values":[]}},"indexes":{"of_environment":["game_id","environment","created_at","key_id"],"of_game":["game_id","created_at","key_id"]},"key":["key_id"],"uniques":{"hash":["hash"]}},"attempt_progress":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"attempt_id":{"default":null,"kind":"text","nullable":false,"values":[]},"forced":{"default":"0","kind":"boolean","nullable":false,"values":[]},"given":{"default":null,"kind":"json","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["attempt_id","number"],"uniques":{}},"attempts":{"columns":{"attempt_id":{"default":null,"kind":"text","nullable":false,"values":[]},"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"completed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"flagged":{"default":"0","kind":"boolean","nullable":false,"values":[]},"frozen_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"lobby_id":{"default":null,"kind":"text","nullable":true,"values":[]},"metrics":{"default":null,"kind":"json","nullable":false,"values":[]},"milestones":{"default":"''[]''","kind":"json","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reached_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"score":{"default":null,"kind":"integer","nullable":true,"values":[]},"segment":{"default":null,"kind":"text","nullable":true,"values":[]},"sort_key":{"default":null,"kind":"integer","nullable":true,"values":[]},"started_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":"''in_progress''","kind":"text","nullable":false,"values":["in_progress","completed","expired"]},"steps":{"default":"0","kind":"integer","nullable":false,"values":[]},"team_id":{"default":null,"kind":"text","nullable":true,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"counted":["player_id","event_key","window_id","number","attempt_id"],"in_window":["window_id","status","attempt_id"],"of_player_at_event":["player_id","event_key","started_at","attempt_id"],"of_player_by_status":["player_id","status","started_at","attempt_id"],"standing":["player_id","board_id","sort_key","reached_at","attempt_id"]},"key":["attempt_id"],"uniques":{}},"audit_entries":{"columns":{"action":{"default":null,"kind":"text","nullable":false,"values":[]},"actor_kind":{"default":null,"kind":"text","nullable":false,"values":[]},"actor_ref":{"default":null,"kind":"text","nullable":false,"values":[]},"address":{"default":null,"kind":"text","nullable":true,"values":[]},"after":{"default":null,"kind":"json","nullable":true,"values":[]},"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"audit_id":{"default":null,"kind":"text","nullable":false,"values":[]},"before":{"default":null,"kind":"json","nullable":true,"values":[]},"game_id":{"default":null,"kind":"text","nullable":true,"values":[]},"key_id":{"default":null,"kind":"text","nullable":true,"values":[]},"member_id":{"default":null,"kind":"text","nullable":true,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"permission":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"principal":{"default":null,"kind":"text","nullable":true,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":true,"values":[]},"target_id":{"default":null,"kind":"text","nullable":true,"values":[]},"target_kind":{"default":null,"kind":"text","nullable":true,"values":[]},"via":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"by_time":["at","audit_id"],"of_action":["action","at","audit_id"],"of_member":["member_id","at","audit_id"],"of_members_action":["member_id","action","at","audit_id"],"of_player":["player_id","at","audit_id"],"of_studio":["studio_id","at","audit_id"]},"key":["audit_id"],"uniques":{}},"competition_events":{"columns":{"declared":{"default":null,"kind":"json","nullable":true,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"opened_until":{"default":"0","kind":"integer","nullable":false,"values":[]},"since":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["event_key"],"uniques":{}},"config_versions":{"columns":{"actor_kind":{"default":null,"kind":"text","nullable":true,"values":[]},"actor_ref":{"default":null,"kind":"text","nullable":true,"values":[]},"at":{"default":null,"kind":"integer","nullable":true,"values":[]},"changes":{"default":"0","kind":"integer","nullable":false,"values":[]},"config":{"default":null,"kind":"json","nullable":false,"values":[]},"game_id":{"default":null,"kind":"text","nullable":false,"values":[]},"restores":{"default":null,"kind":"integer","nullable":true,"values":[]},"summary":{"default":"''[]''","kind":"json","nullable":false,"values":[]},"version":{"default":null,"kind":"integer","nullable":false,"values":[]},"via":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{},"key":["game_id","version"],"uniques":{}},"crate_definitions":{"columns":{"definition":{"default":null,"kind":"json","nullable":false,"values":[]},"digest":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["digest"],"uniques":{}},"crate_openings":{"columns":{"contents_id":{"default":null,"kind":"text","nullable":false,"values":[]},"crate_id":{"default":null,"kind":"text","nullable":false,"values":[]},"crate_key":{"default":null,"kind":"text","nullable":false,"values":[]},"definition":{"default":null,"kind":"text","nullable":false,"values":[]},"opened_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"rolls":{"default":null,"kind":"json","nullable":false,"values":[]},"seed":{"default":null,"kind":"text","nullable":false,"values":[]},"waits":{"default":null,"kind":"json","nullable":false,"values":[]},"waits_after":{"default":null,"kind":"json","nullable":false,"values":[]}},"indexes":{"of_player":["player_id","opened_at","crate_id"]},"key":["crate_id"],"uniques":{"contents_id":["contents_id"]}},"crate_waits":{"columns":{"crate_key":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"waits":{"default":null,"kind":"json","nullable":false,"values":[]}},"indexes":{},"key":["player_id","crate_key"],"uniques":{}},"debug_accounts":{"columns":{"flagged_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reason":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{},"key":["player_id"],"uniques":{}},"due_work":{"columns":{"attempts":{"default":"0","kind":"integer","nullable":false,"values":[]},"begun_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"cursor":{"default":null,"kind":"json","nullable":true,"values":[]},"due_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":[]},"ref":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_time":["due_at","kind","ref"],"under_way":["begun_at","kind","ref"]},"key":["kind","ref"],"uniques":{}},"event_mentions":{"columns":{"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_player":["player_id","event_id"]},"key":["event_id","player_id"],"uniques":{}},"event_team_payments":{"columns":{"paid_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reward":{"default":null,"kind":"text","nullable":false,"values":[]},"team_id":{"default":null,"kind":"text","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_window":["window_id","player_id","reward"]},"key":["player_id","window_id","reward"],"uniques":{}},"event_team_seats":{"columns":{"contribution":{"default":"0","kind":"integer","nullable":false,"values":[]},"joined_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"left_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"left_reason":{"default":null,"kind":"text","nullable":true,"values":["left","kicked"]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"seat_id":{"default":null,"kind":"text","nullable":false,"values":[]},"standing":{"default":null,"kind":"integer","nullable":true,"values":[]},"team_id":{"default":null,"kind":"text","nullable":false,"values":[]},"unlocks_by_then":{"default":null,"kind":"integer","nullable":true,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"held":["player_id","window_id","standing","seat_id"],"members":["team_id","standing","seat_id"],"of_player":["player_id","joined_at","seat_id"],"of_team":["team_id","number","seat_id"]},"key":["seat_id"],"uniques":{}},"event_team_unlocks":{"columns":{"last_seat":{"default":null,"kind":"integer","nullable":false,"values":[]},"milestone":{"default":null,"kind":"text","nullable":true,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"paid_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"team_id":{"default":null,"kind":"text","nullable":false,"values":[]},"unlocked_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"unpaid_in":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"unpaid_in":["unpaid_in","team_id","number"]},"key":["team_id","number"],"uniques":{}},"event_teams":{"columns":{"attributes":{"default":"''{}''","kind":"json","nullable":false,"values":[]},"completed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"departed":{"default":"0","kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"finalized_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"formation":{"default":null,"kind":"text","nullable":false,"values":["open","partner","external"]},"founder_seat":{"default":null,"kind":"text","nullable":true,"values":[]},"goal":{"default":null,"kind":"integer","nullable":true,"values":[]},"key":{"default":null,"kind":"text","nullable":false,"values":[]},"members":{"default":"0","kind":"integer","nullable":false,"values":[]},"milestones":{"default":"''[]''","kind":"json","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"open_in":{"default":null,"kind":"text","nullable":true,"values":[]},"rank":{"default":null,"kind":"integer","nullable":true,"values":[]},"reached_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"room":{"default":null,"kind":"integer","nullable":true,"values":[]},"score":{"default":"0","kind":"integer","nullable":false,"values":[]},"seats":{"default":"0","kind":"integer","nullable":false,"values":[]},"team_id":{"default":null,"kind":"text","nullable":false,"values":[]},"unlocks":{"default":"0","kind":"integer","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"ahead":["event_key","open_in","team_id"],"of_window":["window_id","key","team_id"],"open_in":["open_in","team_id"],"with_room":["window_id","room","created_at","team_id"]},"key":["team_id"],"uniques":{"window_id_key":["window_id","key"]}},"event_windows":{"columns":{"closed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"definition":{"default":null,"kind":"json","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"opened_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["active","closing","closed"]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_event":["event_key","starts_at","window_id"]},"key":["window_id"],"uniques":{}},"former_ids":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ended":{"default":null,"kind":"text","nullable":false,"values":["merged","erased"]},"id_hash":{"default":null,"kind":"text","nullable":false,"values":[]},"into_id":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["id_hash"],"uniques":{}},"games":{"columns":{"config":{"default":null,"kind":"json","nullable":false,"values":[]},"config_version":{"default":null,"kind":"integer","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"deleted_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"game_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"all":["created_at","game_id"],"of_studio":["studio_id","created_at","game_id"]},"key":["game_id"],"uniques":{}},"gift_days":{"columns":{"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"sender_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sent":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["sender_id"],"uniques":{}},"gift_days_received":{"columns":{"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"received":{"default":null,"kind":"integer","nullable":false,"values":[]},"recipient_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["recipient_id"],"uniques":{}},"gifts":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"claimed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"gift_id":{"default":null,"kind":"text","nullable":false,"values":[]},"grant_id":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"message":{"default":null,"kind":"text","nullable":true,"values":[]},"paid":{"default":null,"kind":"boolean","nullable":false,"values":[]},"recipient_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sender_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sent_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","claimed","expired"]}},"indexes":{"received":["recipient_id","status","sent_at","gift_id"],"sent":["sender_id","status","sent_at","gift_id"]},"key":["gift_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"grants":{"columns":{"acked_by":{"default":null,"kind":"text","nullable":true,"values":[]},"claimed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"crate_key":{"default":null,"kind":"text","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"entries":{"default":null,"kind":"json","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"gift_id":{"default":null,"kind":"text","nullable":true,"values":[]},"grant_id":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":["reward","crate"]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"parameters":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"source_kind":{"default":null,"kind":"text","nullable":false,"values":[]},"source_ref_id":{"default":null,"kind":"text","nullable":true,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","claimed","expired"]}},"indexes":{"crates_of_player":["player_id","status","created_at","grant_id","crate_key"],"of_player_by_status":["player_id","status","created_at","grant_id"],"of_source":["source_ref_id","created_at","grant_id"]},"key":["grant_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"guild_donations":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["item","currency"]},"donated_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"donation_id":{"default":null,"kind":"text","nullable":false,"values":[]},"donor_id":{"default":null,"kind":"text","nullable":false,"values":[]},"grant_id":{"default":null,"kind":"text","nullable":false,"values":[]},"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"recipient_id":{"default":null,"kind":"text","nullable":false,"values":[]},"request_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reward_grant_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"for_request":["request_id","donated_at","donation_id"],"of_donor":["donor_id","donated_at","donation_id"],"of_recipient":["recipient_id","donated_at","donation_id"]},"key":["donation_id"],"uniques":{}},"guild_help":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["item","currency"]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"received":{"default":null,"kind":"integer","nullable":false,"values":[]},"request_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"lasting_of_player":["player_id","expires_at","request_id"],"of_guild":["guild_id","expires_at","request_id"],"of_player":["player_id","created_at","request_id"]},"key":["request_id"],"uniques":{}},"guild_requests":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"message":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"request_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_guild":["guild_id","created_at","request_id"],"of_player":["player_id","created_at","request_id"]},"key":["request_id"],"uniques":{}},"guild_seats":{"columns":{"away_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"joined_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"role":{"default":null,"kind":"text","nullable":false,"values":["leader","co_leader","member"]},"role_since":{"default":null,"kind":"integer","nullable":false,"values":[]},"stint_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_role":["guild_id","role","joined_at","player_id"]},"key":["player_id"],"uniques":{}},"guild_stints":{"columns":{"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"joined_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"left_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"left_reason":{"default":null,"kind":"text","nullable":true,"values":["left","kicked","removed","disbanded","erased","merged"]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"role":{"default":null,"kind":"text","nullable":false,"values":["leader","co_leader","member"]},"stint_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_guild":["guild_id","joined_at","stint_id"],"of_player":["player_id","joined_at","stint_id"]},"key":["stint_id"],"uniques":{}},"guild_words":{"columns":{"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"text":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_text":["text","guild_id"]},"key":["guild_id","text"],"uniques":{}},"guilds":{"columns":{"badge":{"default":null,"kind":"text","nullable":true,"values":[]},"country":{"default":null,"kind":"text","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"description":{"default":null,"kind":"text","nullable":true,"values":[]},"disbanded_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"disbanded_for":{"default":null,"kind":"text","nullable":true,"values":["last_member_left","admin"]},"guild_id":{"default":null,"kind":"text","nullable":false,"values":[]},"join_type":{"default":null,"kind":"text","nullable":false,"values":["open","request"]},"listed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"member_count":{"default":null,"kind":"integer","nullable":false,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"name_key":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"newest":["listed_at","guild_id"],"newest_of_all":["created_at","guild_id"]},"key":["guild_id"],"uniques":{"name_key":["name_key"]}},"holdings":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"changed_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"parameters":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["player_id","asset_kind","asset_key"],"uniques":{}},"idempotent_answers":{"columns":{"body":{"default":null,"kind":"text","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":false,"values":[]},"owner":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"shows":{"default":null,"kind":"text","nullable":true,"values":[]},"status":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_expiry":["expires_at","owner","idempotency_key"],"of_player":["player_id","expires_at","owner","idempotency_key"],"showing":["shows","expires_at","owner","idempotency_key"]},"key":["owner","idempotency_key"],"uniques":{}},"leaderboard_cohorts":{"columns":{"cohort":{"default":null,"kind":"integer","nullable":false,"values":[]},"division":{"default":null,"kind":"text","nullable":false,"values":[]},"entered":{"default":null,"kind":"integer","nullable":false,"values":[]},"period_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["period_id","division"],"uniques":{}},"leaderboard_entries":{"columns":{"attempt_id":{"default":null,"kind":"text","nullable":true,"values":[]},"banned_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"excluded_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"flagged":{"default":"0","kind":"boolean","nullable":false,"values":[]},"participant":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"reached_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"removed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"score":{"default":null,"kind":"integer","nullable":false,"values":[]},"sort_key":{"default":null,"kind":"integer","nullable":true,"values":[]},"version":{"default":"1","kind":"integer","nullable":false,"values":[]},"written_at":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"banned_on":["board_id","banned_at","participant"],"by_rank":["board_id","sort_key","reached_at","participant"],"of_player":["player_id","board_id","participant"],"removed":["board_id","removed_at","participant"]},"key":["board_id","participant"],"uniques":{}},"leaderboard_memberships":{"columns":{"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"cohort":{"default":null,"kind":"integer","nullable":true,"values":[]},"division":{"default":null,"kind":"text","nullable":true,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"participant":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_player":["player_id","leaderboard_key"]},"key":["leaderboard_key","player_id"],"uniques":{}},"leaderboard_periods":{"columns":{"closed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"definition":{"default":null,"kind":"json","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"entry_count":{"default":"0","kind":"integer","nullable":false,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"period_id":{"default":null,"kind":"text","nullable":false,"values":[]},"settled_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":"''open''","kind":"text","nullable":false,"values":["open","closed"]}},"indexes":{},"key":["period_id"],"uniques":{}},"leaderboards":{"columns":{"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"closed":{"default":null,"kind":"text","nullable":true,"values":["finalized","lobby_closed"]},"cohort":{"default":null,"kind":"integer","nullable":true,"values":[]},"division":{"default":null,"kind":"text","nullable":true,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"entry_count":{"default":null,"kind":"integer","nullable":true,"values":[]},"event_id":{"default":null,"kind":"text","nullable":true,"values":[]},"finalized_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"key":{"default":null,"kind":"text","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":["event","shared"]},"lobby_id":{"default":null,"kind":"text","nullable":true,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"order":{"default":null,"kind":"text","nullable":false,"values":["desc","asc"]},"participants":{"default":"''player''","kind":"text","nullable":false,"values":["player","team"]},"period_id":{"default":null,"kind":"text","nullable":true,"values":[]},"segment":{"default":null,"kind":"text","nullable":true,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_period":["period_id","board_id"],"of_window":["window_id","board_id"]},"key":["board_id"],"uniques":{}},"ledger_entries":{"columns":{"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"balance":{"default":null,"kind":"integer","nullable":false,"values":[]},"delta":{"default":null,"kind":"integer","nullable":false,"values":[]},"entry_id":{"default":null,"kind":"text","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reason":{"default":null,"kind":"text","nullable":true,"values":[]},"source_ref_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_asset":["player_id","asset_kind","asset_key","at","entry_id"],"of_player":["player_id","at","entry_id"]},"key":["entry_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"lobbies":{"columns":{"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"bots":{"default":"0","kind":"integer","nullable":false,"values":[]},"capacity":{"default":null,"kind":"integer","nullable":false,"values":[]},"closed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"fill_by":{"default":null,"kind":"integer","nullable":true,"values":[]},"fired":{"default":null,"kind":"text","nullable":true,"values":[]},"frozen_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"key":{"default":null,"kind":"text","nullable":true,"values":[]},"lobby_id":{"default":null,"kind":"text","nullable":false,"values":[]},"match":{"default":"''''","kind":"text","nullable":false,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"players":{"default":"0","kind":"integer","nullable":false,"values":[]},"promotion_reason":{"default":null,"kind":"text","nullable":true,"values":["capacity","timeout","external_push"]},"seed":{"default":null,"kind":"text","nullable":false,"values":[]},"slot":{"default":"0","kind":"integer","nullable":false,"values":[]},"started_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"status":{"default":"''forming''","kind":"text","nullable":false,"values":["forming","active","closed"]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"forming":["window_id","match","status","slot","created_at","lobby_id"],"of_window":["window_id","status","lobby_id"]},"key":["lobby_id"],"uniques":{"event_key_key":["event_key","key"]}},"lobby_bots":{"columns":{"avatar":{"default":null,"kind":"text","nullable":true,"values":[]},"bot_id":{"default":null,"kind":"text","nullable":false,"values":[]},"lobby_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"of_lobby":["lobby_id","number","bot_id"]},"key":["bot_id"],"uniques":{}},"lobby_seats":{"columns":{"joined_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"lobby_id":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"open_in":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_lobby":["lobby_id","joined_at","number","player_id"],"of_player":["player_id","joined_at","lobby_id"],"open":["player_id","open_in","joined_at","lobby_id"]},"key":["lobby_id","player_id"],"uniques":{}},"members":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"email":{"default":null,"kind":"text","nullable":false,"values":[]},"member_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"signed_in_at":{"default":null,"kind":"integer","nullable":true,"values":[]}},"indexes":{},"key":["member_id"],"uniques":{"email":["email"]}},"memberships":{"columns":{"ended_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"games":{"default":null,"kind":"json","nullable":true,"values":[]},"issuer":{"default":null,"kind":"text","nullable":true,"values":[]},"member_id":{"default":null,"kind":"text","nullable":false,"values":[]},"renewed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"role":{"default":null,"kind":"text","nullable":false,"values":["OWNER","ADMIN","GAME_ADMIN","GAME_DEVELOPER","GAME_DEBUGGER","VIEWER"]},"since":{"default":null,"kind":"integer","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]},"subject":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_member":["member_id","since","studio_id"],"of_studio":["studio_id","since","member_id"]},"key":["studio_id","member_id"],"uniques":{}},"migrated_rows":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":false,"values":[]},"key_hash":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["key_hash"],"uniques":{}},"partner_invites":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"from_id":{"default":null,"kind":"text","nullable":false,"values":[]},"invite_id":{"default":null,"kind":"text","nullable":false,"values":[]},"open_in":{"default":null,"kind":"text","nullable":true,"values":[]},"team_id":{"default":null,"kind":"text","nullable":true,"values":[]},"to_id":{"default":null,"kind":"text","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_window":["window_id","invite_id"],"received":["to_id","created_at","invite_id"],"received_in":["to_id","open_in","created_at","invite_id"],"sent":["from_id","created_at","invite_id"],"sent_in":["from_id","open_in","created_at","invite_id"]},"key":["invite_id"],"uniques":{}},"personal_keys":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"hash":{"default":null,"kind":"text","nullable":false,"values":[]},"key_id":{"default":null,"kind":"text","nullable":false,"values":[]},"member_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"prefix":{"default":null,"kind":"text","nullable":false,"values":[]},"read_only":{"default":null,"kind":"boolean","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_end":["ends_at","key_id"],"of_member":["studio_id","member_id","created_at","key_id"],"of_studio":["studio_id","created_at","key_id"]},"key":["key_id"],"uniques":{"hash":["hash"]}},"players":{"columns":{"app_version":{"default":null,"kind":"text","nullable":true,"values":[]},"avatar":{"default":null,"kind":"text","nullable":true,"values":[]},"ban_reason":{"default":null,"kind":"text","nullable":true,"values":[]},"banned_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"beat_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"best_streak":{"default":"0","kind":"integer","nullable":false,"values":[]},"context":{"default":null,"kind":"json","nullable":true,"values":[]},"country_override":{"default":null,"kind":"text","nullable":true,"values":[]},"country_seen":{"default":null,"kind":"text","nullable":true,"values":[]},"country_stated":{"default":null,"kind":"text","nullable":true,"values":[]},"epoch":{"default":"0","kind":"integer","nullable":false,"values":[]},"erased_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"external_id":{"default":null,"kind":"text","nullable":false,"values":[]},"first_seen_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"friend_code":{"default":null,"kind":"text","nullable":true,"values":[]},"last_seen_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"merged_into":{"default":null,"kind":"text","nullable":true,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"platform":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"pool_avatar":{"default":null,"kind":"text","nullable":true,"values":[]},"pool_name":{"default":null,"kind":"text","nullable":false,"values":[]},"presence_status":{"default":null,"kind":"text","nullable":true,"values":[]},"registered_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"secret_hash":{"default":null,"kind":"text","nullable":true,"values":[]},"secret_prefix":{"default":null,"kind":"text","nullable":true,"values":[]},"secret_rotated_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"sessions":{"default":"0","kind":"integer","nullable":false,"values":[]},"streak":{"default":"0","kind":"integer","nullable":false,"values":[]},"streak_day":{"default":null,"kind":"integer","nullable":true,"values":[]}},"indexes":{"merged_into":["merged_into","player_id"],"recently_seen":["last_seen_at","player_id"]},"key":["player_id"],"uniques":{"external_id":["external_id"],"friend_code":["friend_code"]}},"product_days":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"part":{"default":null,"kind":"integer","nullable":false,"values":[]},"product_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]},"verified_cents":{"default":"0","kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["day","product_id","part"],"uniques":{}},"purchases":{"columns":{"amount_minor":{"default":null,"kind":"integer","nullable":false,"values":[]},"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"currency":{"default":null,"kind":"text","nullable":false,"values":[]},"dated":{"default":null,"kind":"boolean","nullable":false,"values":[]},"fx_rate":{"default":null,"kind":"text","nullable":false,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"product_id":{"default":null,"kind":"text","nullable":false,"values":[]},"product_type":{"default":null,"kind":"text","nullable":false,"values":[]},"purchase_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchased_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"store":{"default":null,"kind":"text","nullable":false,"values":[]},"tracked_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"transaction_id":{"default":null,"kind":"text","nullable":true,"values":[]},"transaction_key":{"default":null,"kind":"text","nullable":false,"values":[]},"validation_status":{"default":null,"kind":"text","nullable":false,"values":["unverified","verified"]}},"indexes":{"by_time":["purchased_at","player_id","cents","purchase_id"],"of_player":["player_id","purchased_at","purchase_id"]},"key":["purchase_id"],"uniques":{"transaction_key":["transaction_key"]}},"recurring_work":{"columns":{"kind":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["kind"],"uniques":{}},"relations":{"columns":{"accepted_by":{"default":null,"kind":"text","nullable":true,"values":["low","high"]},"blocked_by_high_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"blocked_by_low_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"friendship":{"default":"''none''","kind":"text","nullable":false,"values":["none","asked_by_low","asked_by_high","friends"]},"gifted_by_high_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"gifted_by_low_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"high_id":{"default":null,"kind":"text","nullable":false,"values":[]},"low_id":{"default":null,"kind":"text","nullable":false,"values":[]},"request_id":{"default":null,"kind":"text","nullable":true,"values":[]},"since":{"default":"0","kind":"integer","nullable":false,"values":[]}},"indexes":{"blocks_of_high":["high_id","blocked_by_high_at","low_id"],"blocks_of_low":["low_id","blocked_by_low_at","high_id"],"of_high":["high_id","friendship","since","low_id"],"of_low":["low_id","friendship","since","high_id"]},"key":["low_id","high_id"],"uniques":{"request_id":["request_id"]}},"scope_keys":{"columns":{"key":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["name"],"uniques":{}},"search_entries":{"columns":{"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"text":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_text":["text","player_id"]},"key":["player_id","text"],"uniques":{}},"session_use":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"session_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["session_id"],"uniques":{}},"sessions":{"columns":{"address":{"default":null,"kind":"text","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"hash":{"default":null,"kind":"text","nullable":false,"values":[]},"issuer":{"default":null,"kind":"text","nullable":true,"values":[]},"member_id":{"default":null,"kind":"text","nullable":false,"values":[]},"session_id":{"default":null,"kind":"text","nullable":false,"values":[]},"subject":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"by_end":["ends_at","session_id"],"of_member":["member_id","created_at","session_id"]},"key":["session_id"],"uniques":{"hash":["hash"]}},"shared_leaderboards":{"columns":{"declared":{"default":null,"kind":"json","nullable":true,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":"1","kind":"integer","nullable":false,"values":[]},"settled":{"default":"0","kind":"integer","nullable":false,"values":[]},"since":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["leaderboard_key"],"uniques":{}},"spend_days":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"paid":{"default":null,"kind":"boolean","nullable":false,"values":[]},"paid_before":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]},"verified_cents":{"default":"0","kind":"integer","nullable":false,"values":[]}},"indexes":{"by_day":["day","player_id","cents"],"new_payers":["day","paid","paid_before","player_id"]},"key":["player_id","day"],"uniques":{}},"spend_totals":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"first_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"last_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]},"verified_cents":{"default":"0","kind":"integer","nullable":false,"values":[]}},"indexes":{"top_spenders":["cents","player_id"]},"key":["player_id"],"uniques":{}},"studios":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["studio_id"],"uniques":{}},"switches":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["name"],"uniques":{}},"used_friend_codes":{"columns":{"code":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["code"],"uniques":{}},"webhook_deliveries":{"columns":{"attempt":{"default":"0","kind":"integer","nullable":false,"values":[]},"attempted_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"automatic":{"default":"1","kind":"boolean","nullable":false,"values":[]},"delivery_id":{"default":null,"kind":"text","nullable":false,"values":[]},"due_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"endpoint_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"last_error":{"default":null,"kind":"text","nullable":true,"values":[]},"last_status":{"default":null,"kind":"integer","nullable":true,"values":[]},"leased_until":{"default":null,"kind":"integer","nullable":true,"values":[]},"queued_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"sample":{"default":"0","kind":"boolean","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","held","delivered","failed","discarded"]},"tried":{"default":null,"kind":"json","nullable":true,"values":[]}},"indexes":{"by_time":["queued_at","delivery_id"],"due":["due_at","delivery_id"],"due_of_endpoint":["endpoint_id","due_at","queued_at","delivery_id"],"held":["endpoint_id","status","queued_at","delivery_id"],"leased":["endpoint_id","leased_until","delivery_id"],"of_event":["event_id","delivery_id"],"of_status":["status","queued_at","delivery_id"]},"key":["delivery_id"],"uniques":{}},"webhook_endpoints":{"columns":{"absence_counted_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"breaker":{"default":"''''","kind":"text","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"endpoint_id":{"default":null,"kind":"text","nullable":false,"values":[]},"events":{"default":null,"kind":"json","nullable":false,"values":[]},"key":{"default":null,"kind":"text","nullable":false,"values":[]},"pause_reason":{"default":null,"kind":"text","nullable":true,"values":["operator","consecutive_failures","gone"]},"paused_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"secrets":{"default":null,"kind":"json","nullable":false,"values":[]},"status":{"default":"''active''","kind":"text","nullable":false,"values":["active","paused"]},"url":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"all":["created_at","endpoint_id"]},"key":["endpoint_id"],"uniques":{"key":["key"]}},"webhook_events":{"columns":{"data":{"default":null,"kind":"json","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":[]},"occurred_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"other_player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"personal":{"default":"''kept''","kind":"text","nullable":false,"values":["kept","going","gone"]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_kind":["kind","occurred_at","event_id"],"of_other_player":["other_player_id","personal","occurred_at","event_id"],"of_player":["player_id","personal","occurred_at","event_id"]},"key":["event_id"],"uniques":{}}}', 1795563417125);
INSERT INTO public.livecore_migrations VALUES (1, 1, 'initial', 1, '{}', 1795563417125);
INSERT INTO public.livecore_migrations VALUES (2, 2, 'search-words', 2, '{}', 1795563417125);
INSERT INTO public.livecore_migrations VALUES (3, 3, 'mentions', 3, '{}', 1795563417125);
INSERT INTO public.livecore_migrations VALUES (4, 4, 'epoch', 4, '{}', 1795563417125);
INSERT INTO public.livecore_migrations VALUES (5, 5, 'key-indexes', 5, '{}', 1795563417125);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'api_keys', 1);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'audit_entries', 1);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'config_versions', 1);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'games', 1);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'studios', 1);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'due_work', 30);
INSERT INTO public.livecore_versions VALUES ('directory/all', 'api_key_usage', 2);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'anna', 'Umber Mole', 'avatar_12', 1767225600000, 'Anna Näme', NULL, NULL, 'DE', NULL, '{"country":"DE"}', '7GXM3N', '7fcb437074194bf1dae64de1132807368bfde673350c8801c6d15446d3bb204e', 'lcs_45cu', 1767225600000, NULL, 1767312000000, NULL, NULL, 2, 2, 2, 20455, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'bert', 'Bold Beaver', 'avatar_06', 1767225600000, 'Bert Näme', NULL, NULL, 'DE', NULL, '{"country":"DE"}', 'ZFMUE3', '16c27e8b047a03b672e3fe7734db63e68562fc01a04984f0558348f5ae4f6c70', 'lcs_thm4', 1767225600000, NULL, 1767312000000, NULL, NULL, 2, 2, 2, 20455, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 'clara', 'Crimson Condor', 'avatar_23', 1767225600000, 'Clara Näme', NULL, NULL, 'DE', NULL, '{"country":"DE"}', 'JUXRDZ', 'e91c3a1cfe12764c2a00fc56ac5371dfde45dcfa6b0592df19369bf1eb1ff0f7', 'lcs_utr4', 1767225600000, NULL, 1767312000000, NULL, NULL, 2, 2, 2, 20455, 1767312000000, 'here', NULL, NULL, NULL, NULL, 0);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'dora', 'Valiant Panda', 'avatar_27', 1767225600000, 'Dora Näme', NULL, NULL, 'DE', NULL, '{"country":"DE"}', '8WPS6Q', '8badcd38a6f64190a72985ff93ff4ee252407613ab41a9d29130105a35026120', 'lcs_bhnt', 1767225600000, NULL, 1767225600000, NULL, NULL, 1, 1, 1, 20454, NULL, NULL, 'rude', 1767312000000, NULL, NULL, 0);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QXKE4EWQT6MYH9TQ', '__merged_019b7c01-0400-71aa-9e02-1ee5156469b2__', 'Rapid Pheasant', 'avatar_31', 1767225600000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', NULL, 1);
INSERT INTO public.players VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', '__deleted_019b7c01-0400-7ebe-b378-b3f61400fb57__', 'Silver Albatross', 'avatar_15', 1767225600000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 1767312000000, 2);
INSERT INTO public.product_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 20454, 'gems', 6, 539, 1, 0);
INSERT INTO public.product_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 20454, 'gems', 2, 539, 1, 0);
INSERT INTO public.product_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 20454, 'gems', 7, 539, 1, 0);
INSERT INTO public.product_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 20454, 'gems', 0, 1078, 2, 0);
INSERT INTO public.product_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 20454, 'gems', 4, 539, 1, 0);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA00NPG8E67P5KDY5VGN', 'plr_01KDVDNA004HB4ECVW1N21JJQK', '98b15f0a5e5b112dbccb0ca7762c937aecc8f187', 't-anna', 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA00J7HRC868VEGSK5SZ', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'f1299595b5788976e5f4a72609de8ceb0ec53b8f', 't-bert', 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA0094W4BD4Q62P53WPW', 'plr_01KDVDNA00QN789D4X04H05FYR', 'b0a59e280ff9e718fd53fb1000c7fd6881446ca3', 't-clara', 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA00HFY4J80G2ZV42A4X', 'plr_01KDVDNA00GX887YE2RXYPQTJW', '4ed8ca2da30f87b7e7ca611ce99db598f47383aa', 't-dora', 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA0046K5E7ZH1PRS5Q0D', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', '9a402016caa266fed3f8018d843df003f6813e2a', NULL, 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.purchases VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'pur_01KDVDNA00SEJQEEW2K95V101X', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', '77c31c745c5b624011ffc33531a336d89b361e8e', NULL, 'apple', 'gems', 'consumable', 499, 'EUR', 539, '1.08', 'unverified', 1767225600000, false, 1767225600000, NULL);
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'players.streak_sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'webhooks.sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'audit.sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'idempotency.sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'players.streak_sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'webhooks.sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'audit.sweep');
INSERT INTO public.recurring_work VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'idempotency.sweep');
INSERT INTO public.relations VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'asked_by_low', 1767225600000, 'frq_01KDVDNA002HYDBYFC9XA5DGTB', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.relations VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'friends', 1767225600000, 'frq_01KDVDNA00AN88W1QPAYPS01RC', 'high', NULL, NULL, 1767225600000, NULL);
INSERT INTO public.relations VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'plr_01KDVDNA00QN789D4X04H05FYR', 'friends', 1767225600000, 'frq_01KDVDNA00HYAZ0S1V4AXXW4N0', 'high', NULL, NULL, 1767225600000, NULL);
INSERT INTO public.scope_keys VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'former_ids', '6f24a1248a9ad04fcc720dcc0f4592cacaca778850a7fca8a85baea27c8984c2');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'anna name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 'name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'bert name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 'name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 'clara name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 'name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'dora name ');
INSERT INTO public.search_entries VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 'name ');
INSERT INTO public.shared_leaderboards VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'best', '{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}', 1767225600000, 1, 0);
INSERT INTO public.shared_leaderboards VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'best', '{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}', 1767225600000, 1, 0);
INSERT INTO public.spend_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 20454, 539, 1, true, -1, 0);
INSERT INTO public.spend_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 20454, 539, 1, true, -1, 0);
INSERT INTO public.spend_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 20454, 539, 1, true, -1, 0);
INSERT INTO public.spend_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 20454, 539, 1, true, -1, 0);
INSERT INTO public.spend_days VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 20454, 1078, 2, true, -1, 0);
INSERT INTO public.spend_totals VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA004HB4ECVW1N21JJQK', 539, 1, 1767225600000, 1767225600000, 0);
INSERT INTO public.spend_totals VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00JGSKD61SJR63MNG3', 539, 1, 1767225600000, 1767225600000, 0);
INSERT INTO public.spend_totals VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00QN789D4X04H05FYR', 539, 1, 1767225600000, 1767225600000, 0);
INSERT INTO public.spend_totals VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00GX887YE2RXYPQTJW', 539, 1, 1767225600000, 1767225600000, 0);
INSERT INTO public.spend_totals VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'plr_01KDVDNA00EG5MRBYREMZ7CB4V', 1078, 2, 1767225600000, 1767225600000, 0);
INSERT INTO public.studios VALUES ('directory/all', 'std_01KDVDNA005YS524S1R97Q9GDV', 'World studio', 1767225600000);
INSERT INTO public.switches VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'gifting', 1767225600000);
INSERT INTO public.switches VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live', 'gifting', 1767225600000);
INSERT INTO public.used_friend_codes VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '7GXM3N');
INSERT INTO public.used_friend_codes VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'ZFMUE3');
INSERT INTO public.used_friend_codes VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', 'JUXRDZ');
INSERT INTO public.used_friend_codes VALUES ('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test', '8WPS6Q');
ALTER TABLE ONLY public.livecore_leases
    ADD CONSTRAINT livecore_leases_pkey PRIMARY KEY (scope, name);
ALTER TABLE ONLY public.livecore_migration_lock
    ADD CONSTRAINT livecore_migration_lock_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.livecore_migrations
    ADD CONSTRAINT livecore_migrations_number_key UNIQUE (number);
ALTER TABLE ONLY public.livecore_migrations
    ADD CONSTRAINT livecore_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.livecore_settings
    ADD CONSTRAINT livecore_settings_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.livecore_updates_head
    ADD CONSTRAINT livecore_updates_head_pkey PRIMARY KEY (scope);
ALTER TABLE ONLY public.livecore_updates
    ADD CONSTRAINT livecore_updates_pkey PRIMARY KEY (scope, seq);
ALTER TABLE ONLY public.livecore_versions
    ADD CONSTRAINT livecore_versions_pkey PRIMARY KEY (scope, name);
ALTER TABLE ONLY public.livecore_windows
    ADD CONSTRAINT livecore_windows_pkey PRIMARY KEY (scope, name);
ALTER TABLE ONLY public.answer_mentions
    ADD CONSTRAINT pk_answer_mentions PRIMARY KEY (scope, owner, idempotency_key, place);
ALTER TABLE ONLY public.api_key_usage
    ADD CONSTRAINT pk_api_key_usage PRIMARY KEY (scope, key_id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (scope, key_id);
ALTER TABLE ONLY public.attempt_progress
    ADD CONSTRAINT pk_attempt_progress PRIMARY KEY (scope, attempt_id, number);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT pk_attempts PRIMARY KEY (scope, attempt_id);
ALTER TABLE ONLY public.audit_entries
    ADD CONSTRAINT pk_audit_entries PRIMARY KEY (scope, audit_id);
ALTER TABLE ONLY public.competition_events
    ADD CONSTRAINT pk_competition_events PRIMARY KEY (scope, event_key);
ALTER TABLE ONLY public.config_versions
    ADD CONSTRAINT pk_config_versions PRIMARY KEY (scope, game_id, version);
ALTER TABLE ONLY public.crate_definitions
    ADD CONSTRAINT pk_crate_definitions PRIMARY KEY (scope, digest);
ALTER TABLE ONLY public.crate_openings
    ADD CONSTRAINT pk_crate_openings PRIMARY KEY (scope, crate_id);
ALTER TABLE ONLY public.crate_waits
    ADD CONSTRAINT pk_crate_waits PRIMARY KEY (scope, player_id, crate_key);
ALTER TABLE ONLY public.debug_accounts
    ADD CONSTRAINT pk_debug_accounts PRIMARY KEY (scope, player_id);
ALTER TABLE ONLY public.due_work
    ADD CONSTRAINT pk_due_work PRIMARY KEY (scope, kind, ref);
ALTER TABLE ONLY public.event_mentions
    ADD CONSTRAINT pk_event_mentions PRIMARY KEY (scope, event_id, player_id);
ALTER TABLE ONLY public.event_team_payments
    ADD CONSTRAINT pk_event_team_payments PRIMARY KEY (scope, player_id, window_id, reward);
ALTER TABLE ONLY public.event_team_seats
    ADD CONSTRAINT pk_event_team_seats PRIMARY KEY (scope, seat_id);
ALTER TABLE ONLY public.event_team_unlocks
    ADD CONSTRAINT pk_event_team_unlocks PRIMARY KEY (scope, team_id, number);
ALTER TABLE ONLY public.event_teams
    ADD CONSTRAINT pk_event_teams PRIMARY KEY (scope, team_id);
ALTER TABLE ONLY public.event_windows
    ADD CONSTRAINT pk_event_windows PRIMARY KEY (scope, window_id);
ALTER TABLE ONLY public.former_ids
    ADD CONSTRAINT pk_former_ids PRIMARY KEY (scope, id_hash);
ALTER TABLE ONLY public.games
    ADD CONSTRAINT pk_games PRIMARY KEY (scope, game_id);
ALTER TABLE ONLY public.gift_days
    ADD CONSTRAINT pk_gift_days PRIMARY KEY (scope, sender_id);
ALTER TABLE ONLY public.gift_days_received
    ADD CONSTRAINT pk_gift_days_received PRIMARY KEY (scope, recipient_id);
ALTER TABLE ONLY public.gifts
    ADD CONSTRAINT pk_gifts PRIMARY KEY (scope, gift_id);
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT pk_grants PRIMARY KEY (scope, grant_id);
ALTER TABLE ONLY public.guild_donations
    ADD CONSTRAINT pk_guild_donations PRIMARY KEY (scope, donation_id);
ALTER TABLE ONLY public.guild_help
    ADD CONSTRAINT pk_guild_help PRIMARY KEY (scope, request_id);
ALTER TABLE ONLY public.guild_requests
    ADD CONSTRAINT pk_guild_requests PRIMARY KEY (scope, request_id);
ALTER TABLE ONLY public.guild_seats
    ADD CONSTRAINT pk_guild_seats PRIMARY KEY (scope, player_id);
ALTER TABLE ONLY public.guild_stints
    ADD CONSTRAINT pk_guild_stints PRIMARY KEY (scope, stint_id);
ALTER TABLE ONLY public.guild_words
    ADD CONSTRAINT pk_guild_words PRIMARY KEY (scope, guild_id, text);
ALTER TABLE ONLY public.guilds
    ADD CONSTRAINT pk_guilds PRIMARY KEY (scope, guild_id);
ALTER TABLE ONLY public.holdings
    ADD CONSTRAINT pk_holdings PRIMARY KEY (scope, player_id, asset_kind, asset_key);
ALTER TABLE ONLY public.idempotent_answers
    ADD CONSTRAINT pk_idempotent_answers PRIMARY KEY (scope, owner, idempotency_key);
ALTER TABLE ONLY public.leaderboard_cohorts
    ADD CONSTRAINT pk_leaderboard_cohorts PRIMARY KEY (scope, period_id, division);
ALTER TABLE ONLY public.leaderboard_entries
    ADD CONSTRAINT pk_leaderboard_entries PRIMARY KEY (scope, board_id, participant);
ALTER TABLE ONLY public.leaderboard_memberships
    ADD CONSTRAINT pk_leaderboard_memberships PRIMARY KEY (scope, leaderboard_key, player_id);
ALTER TABLE ONLY public.leaderboard_periods
    ADD CONSTRAINT pk_leaderboard_periods PRIMARY KEY (scope, period_id);
ALTER TABLE ONLY public.leaderboards
    ADD CONSTRAINT pk_leaderboards PRIMARY KEY (scope, board_id);
ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT pk_ledger_entries PRIMARY KEY (scope, entry_id);
ALTER TABLE ONLY public.lobbies
    ADD CONSTRAINT pk_lobbies PRIMARY KEY (scope, lobby_id);
ALTER TABLE ONLY public.lobby_bots
    ADD CONSTRAINT pk_lobby_bots PRIMARY KEY (scope, bot_id);
ALTER TABLE ONLY public.lobby_seats
    ADD CONSTRAINT pk_lobby_seats PRIMARY KEY (scope, lobby_id, player_id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT pk_members PRIMARY KEY (scope, member_id);
ALTER TABLE ONLY public.memberships
    ADD CONSTRAINT pk_memberships PRIMARY KEY (scope, studio_id, member_id);
ALTER TABLE ONLY public.migrated_rows
    ADD CONSTRAINT pk_migrated_rows PRIMARY KEY (scope, key_hash);
ALTER TABLE ONLY public.partner_invites
    ADD CONSTRAINT pk_partner_invites PRIMARY KEY (scope, invite_id);
ALTER TABLE ONLY public.personal_keys
    ADD CONSTRAINT pk_personal_keys PRIMARY KEY (scope, key_id);
ALTER TABLE ONLY public.players
    ADD CONSTRAINT pk_players PRIMARY KEY (scope, player_id);
ALTER TABLE ONLY public.product_days
    ADD CONSTRAINT pk_product_days PRIMARY KEY (scope, day, product_id, part);
ALTER TABLE ONLY public.purchases
    ADD CONSTRAINT pk_purchases PRIMARY KEY (scope, purchase_id);
ALTER TABLE ONLY public.recurring_work
    ADD CONSTRAINT pk_recurring_work PRIMARY KEY (scope, kind);
ALTER TABLE ONLY public.relations
    ADD CONSTRAINT pk_relations PRIMARY KEY (scope, low_id, high_id);
ALTER TABLE ONLY public.scope_keys
    ADD CONSTRAINT pk_scope_keys PRIMARY KEY (scope, name);
ALTER TABLE ONLY public.search_entries
    ADD CONSTRAINT pk_search_entries PRIMARY KEY (scope, player_id, text);
ALTER TABLE ONLY public.session_use
    ADD CONSTRAINT pk_session_use PRIMARY KEY (scope, session_id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT pk_sessions PRIMARY KEY (scope, session_id);
ALTER TABLE ONLY public.shared_leaderboards
    ADD CONSTRAINT pk_shared_leaderboards PRIMARY KEY (scope, leaderboard_key);
ALTER TABLE ONLY public.spend_days
    ADD CONSTRAINT pk_spend_days PRIMARY KEY (scope, player_id, day);
ALTER TABLE ONLY public.spend_totals
    ADD CONSTRAINT pk_spend_totals PRIMARY KEY (scope, player_id);
ALTER TABLE ONLY public.studios
    ADD CONSTRAINT pk_studios PRIMARY KEY (scope, studio_id);
ALTER TABLE ONLY public.switches
    ADD CONSTRAINT pk_switches PRIMARY KEY (scope, name);
ALTER TABLE ONLY public.used_friend_codes
    ADD CONSTRAINT pk_used_friend_codes PRIMARY KEY (scope, code);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT pk_webhook_deliveries PRIMARY KEY (scope, delivery_id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT pk_webhook_endpoints PRIMARY KEY (scope, endpoint_id);
ALTER TABLE ONLY public.webhook_events
    ADD CONSTRAINT pk_webhook_events PRIMARY KEY (scope, event_id);
CREATE INDEX ix_answer_mentions__of_name ON public.answer_mentions USING btree (scope, name, owner, idempotency_key, place);
CREATE INDEX ix_answer_mentions__of_player ON public.answer_mentions USING btree (scope, player_id, owner, idempotency_key, place) WHERE (player_id IS NOT NULL);
CREATE INDEX ix_api_keys__of_environment ON public.api_keys USING btree (scope, game_id, environment, created_at, key_id);
CREATE INDEX ix_api_keys__of_game ON public.api_keys USING btree (scope, game_id, created_at, key_id);
CREATE INDEX ix_attempts__counted ON public.attempts USING btree (scope, player_id, event_key, window_id, number, attempt_id);
CREATE INDEX ix_attempts__in_window ON public.attempts USING btree (scope, window_id, status, attempt_id);
CREATE INDEX ix_attempts__of_player_at_event ON public.attempts USING btree (scope, player_id, event_key, started_at, attempt_id);
CREATE INDEX ix_attempts__of_player_by_status ON public.attempts USING btree (scope, player_id, status, started_at, attempt_id);
CREATE INDEX ix_attempts__standing ON public.attempts USING btree (scope, player_id, board_id, sort_key, reached_at, attempt_id) WHERE ((sort_key IS NOT NULL) AND (reached_at IS NOT NULL));
CREATE INDEX ix_audit_entries__by_time ON public.audit_entries USING btree (scope, at, audit_id);
CREATE INDEX ix_audit_entries__of_action ON public.audit_entries USING btree (scope, action, at, audit_id);
CREATE INDEX ix_audit_entries__of_member ON public.audit_entries USING btree (scope, member_id, at, audit_id) WHERE (member_id IS NOT NULL);
CREATE INDEX ix_audit_entries__of_members_action ON public.audit_entries USING btree (scope, member_id, action, at, audit_id) WHERE (member_id IS NOT NULL);
CREATE INDEX ix_audit_entries__of_player ON public.audit_entries USING btree (scope, player_id, at, audit_id) WHERE (player_id IS NOT NULL);
CREATE INDEX ix_audit_entries__of_studio ON public.audit_entries USING btree (scope, studio_id, at, audit_id) WHERE (studio_id IS NOT NULL);
CREATE INDEX ix_crate_openings__of_player ON public.crate_openings USING btree (scope, player_id, opened_at, crate_id);
CREATE INDEX ix_due_work__by_time ON public.due_work USING btree (scope, due_at, kind, ref);
CREATE INDEX ix_due_work__under_way ON public.due_work USING btree (scope, begun_at, kind, ref) WHERE (begun_at IS NOT NULL);
CREATE INDEX ix_event_mentions__of_player ON public.event_mentions USING btree (scope, player_id, event_id);
CREATE INDEX ix_event_team_payments__of_window ON public.event_team_payments USING btree (scope, window_id, player_id, reward);
CREATE INDEX ix_event_team_seats__held ON public.event_team_seats USING btree (scope, player_id, window_id, standing, seat_id) WHERE (standing IS NOT NULL);
CREATE INDEX ix_event_team_seats__members ON public.event_team_seats USING btree (scope, team_id, standing, seat_id) WHERE (standing IS NOT NULL);
CREATE INDEX ix_event_team_seats__of_player ON public.event_team_seats USING btree (scope, player_id, joined_at, seat_id);
CREATE INDEX ix_event_team_seats__of_team ON public.event_team_seats USING btree (scope, team_id, number, seat_id);
CREATE INDEX ix_event_team_unlocks__unpaid_in ON public.event_team_unlocks USING btree (scope, unpaid_in, team_id, number) WHERE (unpaid_in IS NOT NULL);
CREATE INDEX ix_event_teams__ahead ON public.event_teams USING btree (scope, event_key, open_in, team_id) WHERE (open_in IS NOT NULL);
CREATE INDEX ix_event_teams__of_window ON public.event_teams USING btree (scope, window_id, key, team_id);
CREATE INDEX ix_event_teams__open_in ON public.event_teams USING btree (scope, open_in, team_id) WHERE (open_in IS NOT NULL);
CREATE INDEX ix_event_teams__with_room ON public.event_teams USING btree (scope, window_id, room, created_at, team_id) WHERE (room IS NOT NULL);
CREATE INDEX ix_event_windows__of_event ON public.event_windows USING btree (scope, event_key, starts_at, window_id);
CREATE INDEX ix_games__all ON public.games USING btree (scope, created_at, game_id);
CREATE INDEX ix_games__of_studio ON public.games USING btree (scope, studio_id, created_at, game_id);
CREATE INDEX ix_gifts__received ON public.gifts USING btree (scope, recipient_id, status, sent_at, gift_id);
CREATE INDEX ix_gifts__sent ON public.gifts USING btree (scope, sender_id, status, sent_at, gift_id);
CREATE INDEX ix_grants__crates_of_player ON public.grants USING btree (scope, player_id, status, created_at, grant_id, crate_key) WHERE (crate_key IS NOT NULL);
CREATE INDEX ix_grants__of_player_by_status ON public.grants USING btree (scope, player_id, status, created_at, grant_id);
CREATE INDEX ix_grants__of_source ON public.grants USING btree (scope, source_ref_id, created_at, grant_id) WHERE (source_ref_id IS NOT NULL);
CREATE INDEX ix_guild_donations__for_request ON public.guild_donations USING btree (scope, request_id, donated_at, donation_id);
CREATE INDEX ix_guild_donations__of_donor ON public.guild_donations USING btree (scope, donor_id, donated_at, donation_id);
CREATE INDEX ix_guild_donations__of_recipient ON public.guild_donations USING btree (scope, recipient_id, donated_at, donation_id);
CREATE INDEX ix_guild_help__lasting_of_player ON public.guild_help USING btree (scope, player_id, expires_at, request_id);
CREATE INDEX ix_guild_help__of_guild ON public.guild_help USING btree (scope, guild_id, expires_at, request_id);
CREATE INDEX ix_guild_help__of_player ON public.guild_help USING btree (scope, player_id, created_at, request_id);
CREATE INDEX ix_guild_requests__of_guild ON public.guild_requests USING btree (scope, guild_id, created_at, request_id);
CREATE INDEX ix_guild_requests__of_player ON public.guild_requests USING btree (scope, player_id, created_at, request_id);
CREATE INDEX ix_guild_seats__by_role ON public.guild_seats USING btree (scope, guild_id, role, joined_at, player_id);
CREATE INDEX ix_guild_stints__of_guild ON public.guild_stints USING btree (scope, guild_id, joined_at, stint_id);
CREATE INDEX ix_guild_stints__of_player ON public.guild_stints USING btree (scope, player_id, joined_at, stint_id);
CREATE INDEX ix_guild_words__by_text ON public.guild_words USING btree (scope, text, guild_id);
CREATE INDEX ix_guilds__newest ON public.guilds USING btree (scope, listed_at, guild_id) WHERE (listed_at IS NOT NULL);
CREATE INDEX ix_guilds__newest_of_all ON public.guilds USING btree (scope, created_at, guild_id);
CREATE INDEX ix_idempotent_answers__by_expiry ON public.idempotent_answers USING btree (scope, expires_at, owner, idempotency_key);
CREATE INDEX ix_idempotent_answers__of_player ON public.idempotent_answers USING btree (scope, player_id, expires_at, owner, idempotency_key) WHERE (player_id IS NOT NULL);
CREATE INDEX ix_idempotent_answers__showing ON public.idempotent_answers USING btree (scope, shows, expires_at, owner, idempotency_key) WHERE (shows IS NOT NULL);
CREATE INDEX ix_leaderboard_entries__banned_on ON public.leaderboard_entries USING btree (scope, board_id, banned_at, participant) WHERE (banned_at IS NOT NULL);
CREATE INDEX ix_leaderboard_entries__by_rank ON public.leaderboard_entries USING btree (scope, board_id, sort_key, reached_at, participant) WHERE (sort_key IS NOT NULL);
CREATE INDEX ix_leaderboard_entries__of_player ON public.leaderboard_entries USING btree (scope, player_id, board_id, participant) WHERE (player_id IS NOT NULL);
CREATE INDEX ix_leaderboard_entries__removed ON public.leaderboard_entries USING btree (scope, board_id, removed_at, participant) WHERE (removed_at IS NOT NULL);
CREATE INDEX ix_leaderboard_memberships__of_player ON public.leaderboard_memberships USING btree (scope, player_id, leaderboard_key);
CREATE INDEX ix_leaderboards__of_period ON public.leaderboards USING btree (scope, period_id, board_id) WHERE (period_id IS NOT NULL);
CREATE INDEX ix_leaderboards__of_window ON public.leaderboards USING btree (scope, window_id, board_id) WHERE (window_id IS NOT NULL);
CREATE INDEX ix_ledger_entries__of_asset ON public.ledger_entries USING btree (scope, player_id, asset_kind, asset_key, at, entry_id);
CREATE INDEX ix_ledger_entries__of_player ON public.ledger_entries USING btree (scope, player_id, at, entry_id);
CREATE INDEX ix_lobbies__forming ON public.lobbies USING btree (scope, window_id, match, status, slot, created_at, lobby_id);
CREATE INDEX ix_lobbies__of_window ON public.lobbies USING btree (scope, window_id, status, lobby_id);
CREATE INDEX ix_lobby_bots__of_lobby ON public.lobby_bots USING btree (scope, lobby_id, number, bot_id);
CREATE INDEX ix_lobby_seats__of_lobby ON public.lobby_seats USING btree (scope, lobby_id, joined_at, number, player_id);
CREATE INDEX ix_lobby_seats__of_player ON public.lobby_seats USING btree (scope, player_id, joined_at, lobby_id);
CREATE INDEX ix_lobby_seats__open ON public.lobby_seats USING btree (scope, player_id, open_in, joined_at, lobby_id) WHERE (open_in IS NOT NULL);
CREATE INDEX ix_memberships__of_member ON public.memberships USING btree (scope, member_id, since, studio_id);
CREATE INDEX ix_memberships__of_studio ON public.memberships USING btree (scope, studio_id, since, member_id);
CREATE INDEX ix_partner_invites__of_window ON public.partner_invites USING btree (scope, window_id, invite_id);
CREATE INDEX ix_partner_invites__received ON public.partner_invites USING btree (scope, to_id, created_at, invite_id);
CREATE INDEX ix_partner_invites__received_in ON public.partner_invites USING btree (scope, to_id, open_in, created_at, invite_id) WHERE (open_in IS NOT NULL);
CREATE INDEX ix_partner_invites__sent ON public.partner_invites USING btree (scope, from_id, created_at, invite_id);
CREATE INDEX ix_partner_invites__sent_in ON public.partner_invites USING btree (scope, from_id, open_in, created_at, invite_id) WHERE (open_in IS NOT NULL);
CREATE INDEX ix_personal_keys__by_end ON public.personal_keys USING btree (scope, ends_at, key_id);
CREATE INDEX ix_personal_keys__of_member ON public.personal_keys USING btree (scope, studio_id, member_id, created_at, key_id);
CREATE INDEX ix_personal_keys__of_studio ON public.personal_keys USING btree (scope, studio_id, created_at, key_id);
CREATE INDEX ix_players__merged_into ON public.players USING btree (scope, merged_into, player_id) WHERE (merged_into IS NOT NULL);
CREATE INDEX ix_players__recently_seen ON public.players USING btree (scope, last_seen_at, player_id);
CREATE INDEX ix_purchases__by_time ON public.purchases USING btree (scope, purchased_at, player_id, cents, purchase_id);
CREATE INDEX ix_purchases__of_player ON public.purchases USING btree (scope, player_id, purchased_at, purchase_id);
CREATE INDEX ix_relations__blocks_of_high ON public.relations USING btree (scope, high_id, blocked_by_high_at, low_id) WHERE (blocked_by_high_at IS NOT NULL);
CREATE INDEX ix_relations__blocks_of_low ON public.relations USING btree (scope, low_id, blocked_by_low_at, high_id) WHERE (blocked_by_low_at IS NOT NULL);
CREATE INDEX ix_relations__of_high ON public.relations USING btree (scope, high_id, friendship, since, low_id);
CREATE INDEX ix_relations__of_low ON public.relations USING btree (scope, low_id, friendship, since, high_id);
CREATE INDEX ix_search_entries__by_text ON public.search_entries USING btree (scope, text, player_id);
CREATE INDEX ix_sessions__by_end ON public.sessions USING btree (scope, ends_at, session_id);
CREATE INDEX ix_sessions__of_member ON public.sessions USING btree (scope, member_id, created_at, session_id);
CREATE INDEX ix_spend_days__by_day ON public.spend_days USING btree (scope, day, player_id, cents);
CREATE INDEX ix_spend_days__new_payers ON public.spend_days USING btree (scope, day, paid, paid_before, player_id);
CREATE INDEX ix_spend_totals__top_spenders ON public.spend_totals USING btree (scope, cents, player_id);
CREATE INDEX ix_webhook_deliveries__by_time ON public.webhook_deliveries USING btree (scope, queued_at, delivery_id);
CREATE INDEX ix_webhook_deliveries__due ON public.webhook_deliveries USING btree (scope, due_at, delivery_id) WHERE (due_at IS NOT NULL);
CREATE INDEX ix_webhook_deliveries__due_of_endpoint ON public.webhook_deliveries USING btree (scope, endpoint_id, due_at, queued_at, delivery_id) WHERE (due_at IS NOT NULL);
CREATE INDEX ix_webhook_deliveries__held ON public.webhook_deliveries USING btree (scope, endpoint_id, status, queued_at, delivery_id);
CREATE INDEX ix_webhook_deliveries__leased ON public.webhook_deliveries USING btree (scope, endpoint_id, leased_until, delivery_id) WHERE (leased_until IS NOT NULL);
CREATE INDEX ix_webhook_deliveries__of_event ON public.webhook_deliveries USING btree (scope, event_id, delivery_id);
CREATE INDEX ix_webhook_deliveries__of_status ON public.webhook_deliveries USING btree (scope, status, queued_at, delivery_id);
CREATE INDEX ix_webhook_endpoints__all ON public.webhook_endpoints USING btree (scope, created_at, endpoint_id);
CREATE INDEX ix_webhook_events__of_kind ON public.webhook_events USING btree (scope, kind, occurred_at, event_id);
CREATE INDEX ix_webhook_events__of_other_player ON public.webhook_events USING btree (scope, other_player_id, personal, occurred_at, event_id) WHERE (other_player_id IS NOT NULL);
CREATE INDEX ix_webhook_events__of_player ON public.webhook_events USING btree (scope, player_id, personal, occurred_at, event_id) WHERE (player_id IS NOT NULL);
CREATE INDEX livecore_updates_about ON public.livecore_updates USING btree (scope, reverse(split_part(reverse(ref), ':'::text, 1)));
CREATE INDEX livecore_windows_about ON public.livecore_windows USING btree (scope, reverse(split_part(reverse(name), ':'::text, 1)));
CREATE INDEX livecore_windows_by_end ON public.livecore_windows USING btree (scope, ends_at);
CREATE UNIQUE INDEX uq_api_keys__hash ON public.api_keys USING btree (scope, hash);
CREATE UNIQUE INDEX uq_crate_openings__contents_id ON public.crate_openings USING btree (scope, contents_id);
CREATE UNIQUE INDEX uq_event_teams__window_id_key ON public.event_teams USING btree (scope, window_id, key);
CREATE UNIQUE INDEX uq_gifts__idempotency_key ON public.gifts USING btree (scope, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX uq_grants__idempotency_key ON public.grants USING btree (scope, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX uq_guilds__name_key ON public.guilds USING btree (scope, name_key) WHERE (name_key IS NOT NULL);
CREATE UNIQUE INDEX uq_ledger_entries__idempotency_key ON public.ledger_entries USING btree (scope, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX uq_lobbies__event_key_key ON public.lobbies USING btree (scope, event_key, key) WHERE (key IS NOT NULL);
CREATE UNIQUE INDEX uq_members__email ON public.members USING btree (scope, email);
CREATE UNIQUE INDEX uq_personal_keys__hash ON public.personal_keys USING btree (scope, hash);
CREATE UNIQUE INDEX uq_players__external_id ON public.players USING btree (scope, external_id);
CREATE UNIQUE INDEX uq_players__friend_code ON public.players USING btree (scope, friend_code) WHERE (friend_code IS NOT NULL);
CREATE UNIQUE INDEX uq_purchases__transaction_key ON public.purchases USING btree (scope, transaction_key);
CREATE UNIQUE INDEX uq_relations__request_id ON public.relations USING btree (scope, request_id) WHERE (request_id IS NOT NULL);
CREATE UNIQUE INDEX uq_sessions__hash ON public.sessions USING btree (scope, hash);
CREATE UNIQUE INDEX uq_webhook_endpoints__key ON public.webhook_endpoints USING btree (scope, key);
