BEGIN TRANSACTION;
CREATE TABLE "answer_mentions" (
   "scope" TEXT NOT NULL,
   "owner" TEXT NOT NULL,
   "idempotency_key" TEXT NOT NULL,
   "place" INTEGER NOT NULL,
   "name" TEXT NOT NULL,
   "total" INTEGER NOT NULL,
   "player_id" TEXT,
   PRIMARY KEY ("scope", "owner", "idempotency_key", "place")
) STRICT;
CREATE TABLE "api_key_usage" (
   "scope" TEXT NOT NULL,
   "key_id" TEXT NOT NULL,
   "at" INTEGER NOT NULL,
   "operation" TEXT NOT NULL,
   "sdk" TEXT,
   PRIMARY KEY ("scope", "key_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "api_key_usage" VALUES('directory/all','key_01KDVDNA0007F9ZDPZYGDBEDGS',1767312000000,'sdk:presence.heartbeat',NULL);
INSERT INTO "api_key_usage" VALUES('directory/all','key_01KDVDNA0054138RQBACGV075P',1767312000000,'server:players.erase',NULL);
CREATE TABLE "api_keys" (
   "scope" TEXT NOT NULL,
   "key_id" TEXT NOT NULL,
   "game_id" TEXT NOT NULL,
   "environment" TEXT NOT NULL,
   "permission" TEXT NOT NULL,
   "prefix" TEXT NOT NULL,
   "hash" TEXT NOT NULL,
   "bucket" TEXT NOT NULL,
   "name" TEXT,
   "created_at" INTEGER NOT NULL,
   "rotated_at" INTEGER,
   "ends_at" INTEGER,
   PRIMARY KEY ("scope", "key_id"),
   CHECK ("environment" IN ('test', 'live')),
   CHECK ("permission" IN ('client', 'server'))
) STRICT;
INSERT INTO "api_keys" VALUES('directory/all','key_01KDVDNA0007F9ZDPZYGDBEDGS','gam_01KDVDNA007WP8R7WXK9ZNDE3Q','test','client','lc_test_client_bghh2e','35e2a94eda99dcdb137a38e5b6621a12f126d54d126fe8f5c1ceb62e0cd90017','key_01KDVDNA0007F9ZDPZYGDBEDGS',NULL,1767225600000,NULL,NULL);
INSERT INTO "api_keys" VALUES('directory/all','key_01KDVDNA0054138RQBACGV075P','gam_01KDVDNA007WP8R7WXK9ZNDE3Q','test','server','lc_test_server_oo3tnt','2feb650175197590ea6afeace2042b00279bbd507a6e597259b0963da747188c','key_01KDVDNA0054138RQBACGV075P',NULL,1767225600000,NULL,NULL);
INSERT INTO "api_keys" VALUES('directory/all','key_01KDVDNA00A2JW3DST9NVJ77KP','gam_01KDVDNA007WP8R7WXK9ZNDE3Q','live','client','lc_live_client_gy3f27','4dacea3fd6eaa43704684ce702e5a7f822844eb6896c737e04855ca963be9462','key_01KDVDNA00A2JW3DST9NVJ77KP',NULL,1767225600000,NULL,NULL);
INSERT INTO "api_keys" VALUES('directory/all','key_01KDVDNA00DQSQ9B96QGB06P37','gam_01KDVDNA007WP8R7WXK9ZNDE3Q','live','server','lc_live_server_oujxrz','9caf168e9a37ba00d505c5b62666a81576d4a45d7b5ab6842483de4f588ac9a7','key_01KDVDNA00DQSQ9B96QGB06P37',NULL,1767225600000,NULL,NULL);
CREATE TABLE "attempt_progress" (
   "scope" TEXT NOT NULL,
   "attempt_id" TEXT NOT NULL,
   "number" INTEGER NOT NULL,
   "given" TEXT NOT NULL,
   "at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "attempt_id", "number"),
   CHECK ("given" IS NULL OR json_valid("given"))
) STRICT;
INSERT INTO "attempt_progress" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','att_01KDY021003RPSBCM6N53QA1Z5',1,'{"points":60}',1767312000000);
CREATE TABLE "attempts" (
   "scope" TEXT NOT NULL,
   "attempt_id" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "event_key" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "window_id" TEXT NOT NULL,
   "board_id" TEXT NOT NULL,
   "segment" TEXT,
   "number" INTEGER NOT NULL,
   "status" TEXT NOT NULL DEFAULT 'in_progress',
   "flagged" INTEGER NOT NULL DEFAULT 0,
   "metrics" TEXT NOT NULL,
   "milestones" TEXT NOT NULL DEFAULT '[]',
   "score" INTEGER,
   "sort_key" INTEGER,
   "reached_at" INTEGER,
   "steps" INTEGER NOT NULL DEFAULT 0,
   "started_at" INTEGER NOT NULL,
   "ends_at" INTEGER NOT NULL,
   "completed_at" INTEGER,
   PRIMARY KEY ("scope", "attempt_id"),
   CHECK ("status" IN ('in_progress', 'completed', 'expired')),
   CHECK ("flagged" IN (0, 1)),
   CHECK ("metrics" IS NULL OR json_valid("metrics")),
   CHECK ("milestones" IS NULL OR json_valid("milestones"))
) STRICT;
INSERT INTO "attempts" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','att_01KDY021003RPSBCM6N53QA1Z5','plr_01KDVDNA004HB4ECVW1N21JJQK','race','evn_01KDVDNA006BPC5QF5NM9M815A','win_01KDVDNA00QMN89J7MFK39F2QK','lbd_01KDVDNA00EQY0X2YW0XHT288Y',NULL,1,'in_progress',0,'{"points":60}','["half"]',60,-60,1767312000000,1,1767312000000,1767725600000,NULL);
CREATE TABLE "audit_entries" (
   "scope" TEXT NOT NULL,
   "audit_id" TEXT NOT NULL,
   "at" INTEGER NOT NULL,
   "actor_kind" TEXT NOT NULL,
   "actor_ref" TEXT NOT NULL,
   "action" TEXT NOT NULL,
   "player_id" TEXT,
   "address" TEXT,
   "metadata" TEXT,
   "principal" TEXT,
   "permission" TEXT,
   "before" TEXT,
   "after" TEXT,
   PRIMARY KEY ("scope", "audit_id"),
   CHECK ("metadata" IS NULL OR json_valid("metadata")),
   CHECK ("before" IS NULL OR json_valid("before")),
   CHECK ("after" IS NULL OR json_valid("after"))
) STRICT;
INSERT INTO "audit_entries" VALUES('directory/all','aud_01KDVDNA00R398SNZDN89PMQEW',1767225600000,'system','','game.create',NULL,NULL,'{"gameId":"gam_01KDVDNA007WP8R7WXK9ZNDE3Q"}','system',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA008JV91QWFXYJR53PJ',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA004HB4ECVW1N21JJQK','127.0.0.1',NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00Q6GQ3EA8FSW5JBFW',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA004HB4ECVW1N21JJQK','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA006SYD0E8KF9GYJ69B',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA004HB4ECVW1N21JJQK','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00JZRCPWTWD5HJJN4C',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA004HB4ECVW1N21JJQK','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA006E1R94YK0VWB5C8E',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA00JGSKD61SJR63MNG3','127.0.0.1',NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00HQD957XT9V5HKNZV',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA00JGSKD61SJR63MNG3','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA008CN0XTF57AGHV36P',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA00JGSKD61SJR63MNG3','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00W3ECV8NPPNZWXXT4',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA00JGSKD61SJR63MNG3','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA009ZCH92TCM4JZPTQA',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA00QN789D4X04H05FYR','127.0.0.1',NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA006M672Z9YF4MSVBQK',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA00QN789D4X04H05FYR','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA008AMN4J5517TJ8M8R',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA00QN789D4X04H05FYR','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00CPF23QWFBECK7JW1',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA00QN789D4X04H05FYR','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA006PR150AQQD9C892J',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA00GX887YE2RXYPQTJW','127.0.0.1',NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA002B4VRZ5DR2GWRSKA',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA00GX887YE2RXYPQTJW','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00XCK4WRBD4RV6WEMD',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA00GX887YE2RXYPQTJW','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA0046GRPSJ1EKGS0QPJ',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA00GX887YE2RXYPQTJW','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA005KXMTVZ6EM8WRF7A',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA00QXKE4EWQT6MYH9TQ',NULL,NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00HM7EJV18C0FSVDXG',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA00QXKE4EWQT6MYH9TQ',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00MCG3PQ3NW1FPR7FX',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA00QXKE4EWQT6MYH9TQ',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA005GYP42A21QC322YJ',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA00QXKE4EWQT6MYH9TQ',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00MP79F68T7WFXCN9P',1767225600000,'api_key','lc_test_client_bghh2e','sdk:players.register','plr_01KDVDNA00EG5MRBYREMZ7CB4V',NULL,NULL,'client_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA008RTQZ946NG08J4CH',1767225600000,'api_key','lc_test_server_oo3tnt','server:wallet.credit','plr_01KDVDNA00EG5MRBYREMZ7CB4V',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00PYEAHT8FBDVS5GGY',1767225600000,'api_key','lc_test_server_oo3tnt','server:inventory.grant','plr_01KDVDNA00EG5MRBYREMZ7CB4V',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDVDNA00M0C0AJ1G8BFQWE4J',1767225600000,'api_key','lc_test_server_oo3tnt','server:grants.create','plr_01KDVDNA00EG5MRBYREMZ7CB4V',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDY021008QJBV17QF48XTNCZ',1767312000000,'api_key','lc_test_server_oo3tnt','server:players.ban','plr_01KDVDNA00GX887YE2RXYPQTJW','127.0.0.1',NULL,'server_key',NULL,'{"banned":false,"reason":null,"bannedAt":null}','{"banned":true,"reason":"rude","bannedAt":"2026-01-02T00:00:00.000Z"}');
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDY021000NNM672427KVDMHD',1767312000000,'api_key','lc_test_server_oo3tnt','server:players.merge','plr_01KDVDNA00QXKE4EWQT6MYH9TQ',NULL,NULL,'server_key',NULL,NULL,NULL);
INSERT INTO "audit_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','aud_01KDY02100BENYZ10462J8WZBH',1767312000000,'api_key','lc_test_server_oo3tnt','server:players.erase','plr_01KDVDNA00EG5MRBYREMZ7CB4V','127.0.0.1',NULL,'server_key',NULL,NULL,NULL);
CREATE TABLE "competition_events" (
   "scope" TEXT NOT NULL,
   "event_key" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "declared" TEXT,
   "since" INTEGER NOT NULL,
   "opened_until" INTEGER NOT NULL DEFAULT 0,
   PRIMARY KEY ("scope", "event_key"),
   CHECK ("declared" IS NULL OR json_valid("declared"))
) STRICT;
INSERT INTO "competition_events" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','race','evn_01KDVDNA006BPC5QF5NM9M815A','{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}',1767225600000,1767725600000);
INSERT INTO "competition_events" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','race','evn_01KDVDNA001N4PVRZ5MV3GX1Y1','{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}',1767225600000,1767725600000);
CREATE TABLE "debug_accounts" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "flagged_at" INTEGER NOT NULL,
   "reason" TEXT,
   PRIMARY KEY ("scope", "player_id")
) STRICT;
CREATE TABLE "due_work" (
   "scope" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "ref" TEXT NOT NULL,
   "due_at" INTEGER NOT NULL,
   "attempts" INTEGER NOT NULL DEFAULT 0,
   "cursor" TEXT,
   "begun_at" INTEGER,
   PRIMARY KEY ("scope", "kind", "ref"),
   CHECK ("cursor" IS NULL OR json_valid("cursor"))
) STRICT;
INSERT INTO "due_work" VALUES('directory/all','audit.sweep','',1767398400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','players.streak_sweep','',1767315600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','webhooks.sweep','',1767398400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','audit.sweep','',1767398400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','idempotency.sweep','',1767315600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','competition.open','race',1767830400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','players.streak_sweep','',1767315600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','webhooks.sweep','',1767398400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','audit.sweep','',1767398400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','idempotency.sweep','',1767315600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','competition.open','race',1767830400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','grants.expire','019b76da-a800-7c68-81f7-34a5601445f1',1767830400000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','competition.close','win_01KDVDNA00QMN89J7MFK39F2QK',1767725600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','competition.close','win_01KDVDNA00H0XMBEXVKX1A01AN',1767725600000,0,NULL,NULL);
INSERT INTO "due_work" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','competition.progress_updated','att_01KDY021003RPSBCM6N53QA1Z5',1767312005000,0,NULL,NULL);
CREATE TABLE "event_mentions" (
   "scope" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   PRIMARY KEY ("scope", "event_id", "player_id")
) STRICT;
CREATE TABLE "event_windows" (
   "scope" TEXT NOT NULL,
   "window_id" TEXT NOT NULL,
   "event_key" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "status" TEXT NOT NULL,
   "starts_at" INTEGER NOT NULL,
   "ends_at" INTEGER NOT NULL,
   "opened_at" INTEGER NOT NULL,
   "closed_at" INTEGER,
   "definition" TEXT NOT NULL,
   PRIMARY KEY ("scope", "window_id"),
   CHECK ("status" IN ('active', 'closing', 'closed')),
   CHECK ("definition" IS NULL OR json_valid("definition"))
) STRICT;
INSERT INTO "event_windows" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','win_01KDVDNA00QMN89J7MFK39F2QK','race','evn_01KDVDNA006BPC5QF5NM9M815A','active',1767225600000,1767725600000,1767225600000,NULL,'{"key":"race","name":"Race","schedule":{"windows":[{"startsAt":"2026-01-01T00:00:00.000Z","endsAt":"2026-01-06T18:53:20.000Z"}],"startsAt":null,"everySeconds":null,"durationSeconds":null,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}');
INSERT INTO "event_windows" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','win_01KDVDNA00H0XMBEXVKX1A01AN','race','evn_01KDVDNA001N4PVRZ5MV3GX1Y1','active',1767225600000,1767725600000,1767225600000,NULL,'{"key":"race","name":"Race","schedule":{"windows":[{"startsAt":"2026-01-01T00:00:00.000Z","endsAt":"2026-01-06T18:53:20.000Z"}],"startsAt":null,"everySeconds":null,"durationSeconds":null,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}');
CREATE TABLE "former_ids" (
   "scope" TEXT NOT NULL,
   "id_hash" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "ended" TEXT NOT NULL,
   "into_id" TEXT,
   "at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "id_hash"),
   CHECK ("ended" IN ('merged', 'erased'))
) STRICT, WITHOUT ROWID;
INSERT INTO "former_ids" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','8fb2f0d17222da6bb0781f914975c21eb92283bfe94acf7b278bd3781ad5fd76','plr_01KDVDNA00EG5MRBYREMZ7CB4V','erased',NULL,1767312000000);
INSERT INTO "former_ids" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','fdf60ff6c8d2f167dc6becb7654a3d40ae44fec57ce99b81a3e9cd3e54598b26','plr_01KDVDNA00QXKE4EWQT6MYH9TQ','merged','plr_01KDVDNA00EG5MRBYREMZ7CB4V',1767312000000);
CREATE TABLE "games" (
   "scope" TEXT NOT NULL,
   "game_id" TEXT NOT NULL,
   "studio_id" TEXT NOT NULL,
   "name" TEXT NOT NULL,
   "config" TEXT NOT NULL,
   "config_version" INTEGER NOT NULL,
   "created_at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "game_id"),
   CHECK ("config" IS NULL OR json_valid("config"))
) STRICT;
INSERT INTO "games" VALUES('directory/all','gam_01KDVDNA007WP8R7WXK9ZNDE3Q','std_01KDVDNA005YS524S1R97Q9GDV','Earlier','{"name":"Earlier","economyMode":"platform","economy":[{"key":"gold","kind":"currency","public":true,"name":null},{"key":"xp","kind":"progression","public":true,"name":null}],"items":[{"key":"potion","name":"Potion","parameters":null},{"key":"sword","name":null,"parameters":{"level":1}}],"gifting":{"enabled":true,"cooldownSeconds":86400,"dailySendLimit":null,"claimExpirySeconds":604800,"resources":[{"type":"currency","key":"gold","maxAmount":100,"costsSender":true},{"type":"item","key":"potion","maxAmount":5,"costsSender":false}]},"social":{"maxFriends":500,"maxOutgoingRequests":100,"maxBlocks":500},"events":[{"key":"race","name":"Race","schedule":{"windows":null,"startsAt":"2026-01-01T00:00:00.000Z","everySeconds":604800,"durationSeconds":500000,"until":null},"metrics":[{"key":"points","aggregation":"sum"}],"score":null,"order":"desc","target":100,"attempts":{"durationSeconds":null,"maxPerWindow":1,"counts":"best"},"entryCost":[],"milestones":[{"key":"half","threshold":50,"entries":[{"type":"currency","resourceKey":"gold","amount":7}]}],"completionRewards":[],"rankRewards":[],"validators":[],"board":{"by":"window","segment":null},"lobby":null,"session":null,"teams":null}],"leaderboards":[{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}],"exchangeRates":{"EUR":"1.08"},"purchases":{"maxAmountMinor":1000000000},"identityPool":null,"platforms":[]}',1,1767225600000);
CREATE TABLE "gift_days" (
   "scope" TEXT NOT NULL,
   "sender_id" TEXT NOT NULL,
   "day" INTEGER NOT NULL,
   "sent" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "sender_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "gift_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK',20454,2);
CREATE TABLE "gifts" (
   "scope" TEXT NOT NULL,
   "gift_id" TEXT NOT NULL,
   "grant_id" TEXT NOT NULL,
   "sender_id" TEXT NOT NULL,
   "recipient_id" TEXT NOT NULL,
   "asset_kind" TEXT NOT NULL,
   "asset_key" TEXT NOT NULL,
   "amount" INTEGER NOT NULL,
   "paid" INTEGER NOT NULL,
   "message" TEXT,
   "status" TEXT NOT NULL,
   "sent_at" INTEGER NOT NULL,
   "expires_at" INTEGER,
   "claimed_at" INTEGER,
   "idempotency_key" TEXT,
   "fingerprint" TEXT,
   PRIMARY KEY ("scope", "gift_id"),
   CHECK ("asset_kind" IN ('currency', 'item')),
   CHECK ("paid" IN (0, 1)),
   CHECK ("status" IN ('pending', 'claimed', 'expired'))
) STRICT;
INSERT INTO "gifts" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-7040-aaa3-a855d132fb77','019b76da-a800-738f-9f29-0646c83d144e','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA00JGSKD61SJR63MNG3','currency','gold',5,1,NULL,'claimed',1767225600000,1767830400000,1767312000000,NULL,NULL);
INSERT INTO "gifts" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-7088-b6e5-0fab2146380e','019b76da-a800-7c68-81f7-34a5601445f1','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA00QN789D4X04H05FYR','currency','gold',5,1,NULL,'pending',1767225600000,1767830400000,NULL,NULL,NULL);
CREATE TABLE "grants" (
   "scope" TEXT NOT NULL,
   "grant_id" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "status" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "entries" TEXT NOT NULL,
   "parameters" TEXT,
   "source_kind" TEXT NOT NULL,
   "source_ref_id" TEXT,
   "metadata" TEXT,
   "created_at" INTEGER NOT NULL,
   "expires_at" INTEGER,
   "claimed_at" INTEGER,
   "acked_by" TEXT,
   "gift_id" TEXT,
   "idempotency_key" TEXT,
   "fingerprint" TEXT,
   PRIMARY KEY ("scope", "grant_id"),
   CHECK ("status" IN ('pending', 'claimed', 'expired')),
   CHECK ("kind" IN ('reward', 'crate')),
   CHECK ("entries" IS NULL OR json_valid("entries")),
   CHECK ("parameters" IS NULL OR json_valid("parameters")),
   CHECK ("metadata" IS NULL OR json_valid("metadata"))
) STRICT;
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-76ca-95c5-6c944aedf4ed','plr_01KDVDNA004HB4ECVW1N21JJQK','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'218b33545a1b5a82ddb28386b793c8f306b92872','96bd216980a384feefe11399e6d2c159d1872e139c8282ce771c4a2d5bf31e76');
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-79f8-be6a-d47221af0805','plr_01KDVDNA00JGSKD61SJR63MNG3','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'11a7e71b8b68acd0624bfd712858cae23810023b','109a3ad9e2923bb99033d25cc3053a47740aa4d62145f6e3a2daadcb2614a752');
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-742d-acad-d7d5882a033e','plr_01KDVDNA00QN789D4X04H05FYR','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'03dfcf432163d9d35d66c371b5feacf8882877d3','d5d597c67ad73e35ddecfc167fb509c9f132da32832252a5a4dcf542462c9f7d');
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-79b6-b333-b1209bee8900','plr_01KDVDNA00GX887YE2RXYPQTJW','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'7451d4435739ca92c305e481da46eca4b4246445','b9a808dc02fc939ef08399c4b3e71e58225717f358a9b0f818599858a2127021');
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-7caf-b5e8-c3a73eaa969b','plr_01KDVDNA00EG5MRBYREMZ7CB4V','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'34f6182fc490c30988d553dc04160b5876fae9a0',NULL);
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-7993-810a-dd7b57989980','plr_01KDVDNA00EG5MRBYREMZ7CB4V','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'api',NULL,NULL,1767225600000,NULL,NULL,NULL,NULL,'43f93d22b80aae697f41eeb5658e4fbebbded106',NULL);
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-738f-9f29-0646c83d144e','plr_01KDVDNA00JGSKD61SJR63MNG3','claimed','reward','[{"type":"currency","resourceKey":"gold","amount":5}]',NULL,'gift','019b76da-a800-7040-aaa3-a855d132fb77',NULL,1767225600000,1767830400000,1767312000000,'player','019b76da-a800-7040-aaa3-a855d132fb77',NULL,NULL);
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b76da-a800-7c68-81f7-34a5601445f1','plr_01KDVDNA00QN789D4X04H05FYR','pending','reward','[{"type":"currency","resourceKey":"gold","amount":5}]',NULL,'gift','019b76da-a800-7088-b6e5-0fab2146380e',NULL,1767225600000,1767830400000,NULL,NULL,'019b76da-a800-7088-b6e5-0fab2146380e',NULL,NULL);
INSERT INTO "grants" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','019b7c01-0400-7afc-adaf-e3777e6966c7','plr_01KDVDNA004HB4ECVW1N21JJQK','pending','reward','[{"type":"currency","resourceKey":"gold","amount":7}]',NULL,'event_milestone','att_01KDY021003RPSBCM6N53QA1Z5',NULL,1767312000000,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE "holdings" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "asset_kind" TEXT NOT NULL,
   "asset_key" TEXT NOT NULL,
   "amount" INTEGER NOT NULL,
   "parameters" TEXT,
   "changed_at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "player_id", "asset_kind", "asset_key"),
   CHECK ("asset_kind" IN ('currency', 'item')),
   CHECK ("parameters" IS NULL OR json_valid("parameters"))
) STRICT;
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','currency','gold',90,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','item','potion',3,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3','currency','gold',105,NULL,1767312000000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3','item','potion',3,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR','currency','gold',100,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR','item','potion',3,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW','currency','gold',100,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW','item','potion',3,NULL,1767225600000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00EG5MRBYREMZ7CB4V','currency','gold',200,NULL,1767312000000);
INSERT INTO "holdings" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00EG5MRBYREMZ7CB4V','item','potion',6,NULL,1767312000000);
CREATE TABLE "idempotent_answers" (
   "scope" TEXT NOT NULL,
   "owner" TEXT NOT NULL,
   "idempotency_key" TEXT NOT NULL,
   "player_id" TEXT,
   "fingerprint" TEXT NOT NULL,
   "status" INTEGER NOT NULL,
   "body" TEXT NOT NULL,
   "expires_at" INTEGER NOT NULL,
   "shows" TEXT,
   PRIMARY KEY ("scope", "owner", "idempotency_key")
) STRICT;
CREATE TABLE "leaderboard_cohorts" (
   "scope" TEXT NOT NULL,
   "period_id" TEXT NOT NULL,
   "division" TEXT NOT NULL,
   "cohort" INTEGER NOT NULL,
   "entered" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "period_id", "division")
) STRICT, WITHOUT ROWID;
CREATE TABLE "leaderboard_entries" (
   "scope" TEXT NOT NULL,
   "board_id" TEXT NOT NULL,
   "participant" TEXT NOT NULL,
   "player_id" TEXT,
   "score" INTEGER NOT NULL,
   "sort_key" INTEGER,
   "reached_at" INTEGER NOT NULL,
   "written_at" INTEGER NOT NULL,
   "version" INTEGER NOT NULL DEFAULT 1,
   "attempt_id" TEXT,
   "flagged" INTEGER NOT NULL DEFAULT 0,
   "removed_at" INTEGER,
   PRIMARY KEY ("scope", "board_id", "participant"),
   CHECK ("flagged" IN (0, 1))
) STRICT;
INSERT INTO "leaderboard_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','lbd_01KDVDNA009CW5RADVPW2EW7DA','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA004HB4ECVW1N21JJQK',9,-9,1767312000000,1767312000000,1,NULL,0,NULL);
INSERT INTO "leaderboard_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','lbd_01KDVDNA00EQY0X2YW0XHT288Y','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA004HB4ECVW1N21JJQK',60,-60,1767312000000,1767312000000,1,'att_01KDY021003RPSBCM6N53QA1Z5',0,NULL);
CREATE TABLE "leaderboard_memberships" (
   "scope" TEXT NOT NULL,
   "leaderboard_key" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "number" INTEGER NOT NULL,
   "division" TEXT,
   "cohort" INTEGER,
   "board_id" TEXT NOT NULL,
   "participant" TEXT NOT NULL,
   PRIMARY KEY ("scope", "leaderboard_key", "player_id")
) STRICT;
INSERT INTO "leaderboard_memberships" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','best','plr_01KDVDNA004HB4ECVW1N21JJQK',1,NULL,NULL,'lbd_01KDVDNA009CW5RADVPW2EW7DA','plr_01KDVDNA004HB4ECVW1N21JJQK');
CREATE TABLE "leaderboard_periods" (
   "scope" TEXT NOT NULL,
   "period_id" TEXT NOT NULL,
   "leaderboard_key" TEXT NOT NULL,
   "number" INTEGER NOT NULL,
   "status" TEXT NOT NULL DEFAULT 'open',
   "starts_at" INTEGER NOT NULL,
   "ends_at" INTEGER,
   "definition" TEXT NOT NULL,
   "closed_at" INTEGER,
   "settled_at" INTEGER,
   "entry_count" INTEGER NOT NULL DEFAULT 0,
   PRIMARY KEY ("scope", "period_id"),
   CHECK ("status" IN ('open', 'closed')),
   CHECK ("definition" IS NULL OR json_valid("definition"))
) STRICT, WITHOUT ROWID;
INSERT INTO "leaderboard_periods" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','best:1','best',1,'open',1767225600000,NULL,'{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}',NULL,NULL,0);
INSERT INTO "leaderboard_periods" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','best:1','best',1,'open',1767225600000,NULL,'{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}',NULL,NULL,0);
CREATE TABLE "leaderboards" (
   "scope" TEXT NOT NULL,
   "board_id" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "key" TEXT NOT NULL,
   "name" TEXT NOT NULL,
   "order" TEXT NOT NULL,
   "event_id" TEXT,
   "window_id" TEXT,
   "segment" TEXT,
   "period_id" TEXT,
   "division" TEXT,
   "cohort" INTEGER,
   "starts_at" INTEGER NOT NULL,
   "ends_at" INTEGER,
   "finalized_at" INTEGER,
   "entry_count" INTEGER,
   PRIMARY KEY ("scope", "board_id"),
   CHECK ("kind" IN ('event', 'shared')),
   CHECK ("order" IN ('desc', 'asc'))
) STRICT;
INSERT INTO "leaderboards" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','lbd_01KDVDNA00EQY0X2YW0XHT288Y','event','race','Race','desc','evn_01KDVDNA006BPC5QF5NM9M815A','win_01KDVDNA00QMN89J7MFK39F2QK',NULL,NULL,NULL,NULL,1767225600000,1767725600000,NULL,NULL);
INSERT INTO "leaderboards" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','lbd_01KDVDNA00CCG7VMKP4YQJG4K9','event','race','Race','desc','evn_01KDVDNA001N4PVRZ5MV3GX1Y1','win_01KDVDNA00H0XMBEXVKX1A01AN',NULL,NULL,NULL,NULL,1767225600000,1767725600000,NULL,NULL);
INSERT INTO "leaderboards" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','lbd_01KDVDNA009CW5RADVPW2EW7DA','shared','best','The best','desc',NULL,NULL,NULL,'best:1',NULL,NULL,1767225600000,NULL,NULL,NULL);
CREATE TABLE "ledger_entries" (
   "scope" TEXT NOT NULL,
   "entry_id" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "asset_kind" TEXT NOT NULL,
   "asset_key" TEXT NOT NULL,
   "delta" INTEGER NOT NULL,
   "balance" INTEGER NOT NULL,
   "reason" TEXT,
   "source_ref_id" TEXT,
   "at" INTEGER NOT NULL,
   "idempotency_key" TEXT,
   "fingerprint" TEXT,
   PRIMARY KEY ("scope", "entry_id"),
   CHECK ("asset_kind" IN ('currency', 'item'))
) STRICT;
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00X2Z44CR70ARBMCVP','plr_01KDVDNA004HB4ECVW1N21JJQK','currency','gold',100,100,NULL,NULL,1767225600000,'939a151b26d1e71b2f7de6bb3d62793adc14cc6e','90a95f71b6e863c592edd97916e2e74d944f002c10bd00b9c884a7db4e8b75cc');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00CQ2SDDDSW9PQKG93','plr_01KDVDNA004HB4ECVW1N21JJQK','item','potion',3,3,NULL,NULL,1767225600000,'9bb7b6d1dc6b0c515960dae2ae20f15ae6ba9b0b','d0897284d451668919979aba5aa0216e4aa8b62cb420d5612d0348c3f443b809');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA008V6M04NVHWDPR1BB','plr_01KDVDNA00JGSKD61SJR63MNG3','currency','gold',100,100,NULL,NULL,1767225600000,'6db77374d39f598cc63a93080267a57494db9a84','7d2cab6ff01ff19aab1adc491689638bae2edaaad7ca327411dc85faaf179959');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA005VMD2AZ7QKPSR67W','plr_01KDVDNA00JGSKD61SJR63MNG3','item','potion',3,3,NULL,NULL,1767225600000,'a54756cfa4f717877074b544d3e82eb743d87773','962e3066408df899d20daa19b241c14cff041f8500ee8063a4dcf75e10eeb274');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00PE2A7DZ585C5MHWA','plr_01KDVDNA00QN789D4X04H05FYR','currency','gold',100,100,NULL,NULL,1767225600000,'36119a2ce6e798c8c2624e4cca92f9408db131f8','44be9e4715811f2390f12017866bbe24269562c5400f98386f3d1ea81944c06b');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00F8BQ2B3PR3GM9VR6','plr_01KDVDNA00QN789D4X04H05FYR','item','potion',3,3,NULL,NULL,1767225600000,'e069a27c8fbab28f5e53fc3bb2a378ad5a993239','421395fcce2ca8408f3fa6d4035b97e3b530bd97bd06f59beb549a85e04a5022');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00RW6ZYVQGYGJV9BR7','plr_01KDVDNA00GX887YE2RXYPQTJW','currency','gold',100,100,NULL,NULL,1767225600000,'3074ffb9a28e787e5343d5bb33c323a82cce3c9c','f510c867aeaf68f8dfc0d143201c962c4d9f0141cb707248ea25a3e27c2248ec');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00A6P9HERHCK64WZXX','plr_01KDVDNA00GX887YE2RXYPQTJW','item','potion',3,3,NULL,NULL,1767225600000,'a4dbaf6963c77e7d3dd258a67ab938d915c266a2','c1fd182512ed737756729bdfe4467a4c8d54299eaa0f101ad39d7955f4dc4793');
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00CHKQY51M18NWJB6K','plr_01KDVDNA00EG5MRBYREMZ7CB4V','currency','gold',100,100,NULL,NULL,1767225600000,'8f6ec1c34fc5f70719d8389a03b1b3c58175c2aa',NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00R55GG3V48SV6ZZ0Q','plr_01KDVDNA00EG5MRBYREMZ7CB4V','item','potion',3,3,NULL,NULL,1767225600000,'59c897fbfb0c50303684a5be1339adbf3ec346a3',NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA00AM3BJW4A3YR21KEG','plr_01KDVDNA00EG5MRBYREMZ7CB4V','currency','gold',100,100,NULL,NULL,1767225600000,'1b64897674301bcfae3a66c5e5dcb8c8a888338f',NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA000ZNHHQRTP96R1BKS','plr_01KDVDNA00EG5MRBYREMZ7CB4V','item','potion',3,3,NULL,NULL,1767225600000,'5ea805b127988400faa5169a7bed01edb9975e06',NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA001ZTVE2DSQ4AM9V7Y','plr_01KDVDNA004HB4ECVW1N21JJQK','currency','gold',-5,95,'gift_sent','019b76da-a800-7040-aaa3-a855d132fb77',1767225600000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDVDNA007MKEY3R7A102NHN7','plr_01KDVDNA004HB4ECVW1N21JJQK','currency','gold',-5,90,'gift_sent','019b76da-a800-7088-b6e5-0fab2146380e',1767225600000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDY02100V63M0V5BC0BS366J','plr_01KDVDNA00JGSKD61SJR63MNG3','currency','gold',5,105,'gift_claimed','019b76da-a800-738f-9f29-0646c83d144e',1767312000000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDY021006C0D8DEB0HJHWY7F','plr_01KDVDNA00EG5MRBYREMZ7CB4V','currency','gold',-100,0,NULL,NULL,1767312000000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDY02100RANRFWBFRVX9EGMA','plr_01KDVDNA00EG5MRBYREMZ7CB4V','currency','gold',100,200,NULL,NULL,1767312000000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDY02100WF9ADZCMGV8CXFAN','plr_01KDVDNA00EG5MRBYREMZ7CB4V','item','potion',-3,0,NULL,NULL,1767312000000,NULL,NULL);
INSERT INTO "ledger_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ent_01KDY021007VX2VC5592ECBXRA','plr_01KDVDNA00EG5MRBYREMZ7CB4V','item','potion',3,6,NULL,NULL,1767312000000,NULL,NULL);
CREATE TABLE livecore_migrations (
   id INTEGER PRIMARY KEY,
   number INTEGER UNIQUE,
   name TEXT NOT NULL,
   oldest_code INTEGER NOT NULL,
   layout TEXT NOT NULL CHECK (json_valid(layout)),
   applied_at INTEGER NOT NULL
) STRICT
;
INSERT INTO "livecore_migrations" VALUES(1,1,'initial',1,'{}',1795561263920);
INSERT INTO "livecore_migrations" VALUES(2,2,'search-words',2,'{}',1795561263920);
INSERT INTO "livecore_migrations" VALUES(3,3,'mentions',3,'{}',1795561263920);
INSERT INTO "livecore_migrations" VALUES(4,4,'epoch',4,'{"answer_mentions":{"columns":{"idempotency_key":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"owner":{"default":null,"kind":"text","nullable":false,"values":[]},"place":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"total":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"of_answer":["owner","idempotency_key","place"],"of_name":["name","owner","idempotency_key","place"],"of_player":["player_id","owner","idempotency_key","place"]},"key":["owner","idempotency_key","place"],"uniques":{}},"api_key_usage":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"key_id":{"default":null,"kind":"text","nullable":false,"values":[]},"operation":{"default":null,"kind":"text","nullable":false,"values":[]},"sdk":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{},"key":["key_id"],"uniques":{}},"api_keys":{"columns":{"bucket":{"default":null,"kind":"text","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"environment":{"default":null,"kind":"text","nullable":false,"values":["test","live"]},"game_id":{"default":null,"kind":"text","nullable":false,"values":[]},"hash":{"default":null,"kind":"text","nullable":false,"values":[]},"key_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"permission":{"default":null,"kind":"text","nullable":false,"values":["client","server"]},"prefix":{"default":null,"kind":"text","nullable":false,"values":[]},"rotated_at":{"default":null,"kind":"integer","nullable":true,"values":[]}},"indexes":{"of_game":["game_id","created_at","key_id"]},"key":["key_id"],"uniques":{"hash":["hash"]}},"attempt_progress":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"attempt_id":{"default":null,"kind":"text","nullable":false,"values":[]},"given":{"default":null,"kind":"json","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"of_attempt":["attempt_id","number"]},"key":["attempt_id","number"],"uniques":{}},"attempts":{"columns":{"attempt_id":{"default":null,"kind":"text","nullable":false,"values":[]},"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"completed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"flagged":{"default":"0","kind":"boolean","nullable":false,"values":[]},"metrics":{"default":null,"kind":"json","nullable":false,"values":[]},"milestones":{"default":"''[]''","kind":"json","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reached_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"score":{"default":null,"kind":"integer","nullable":true,"values":[]},"segment":{"default":null,"kind":"text","nullable":true,"values":[]},"sort_key":{"default":null,"kind":"integer","nullable":true,"values":[]},"started_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":"''in_progress''","kind":"text","nullable":false,"values":["in_progress","completed","expired"]},"steps":{"default":"0","kind":"integer","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"counted":["player_id","event_key","window_id","number","attempt_id"],"in_window":["window_id","status","attempt_id"],"of_player_at_event":["player_id","event_key","started_at","attempt_id"],"of_player_by_status":["player_id","status","started_at","attempt_id"],"standing":["player_id","board_id","sort_key","reached_at","attempt_id"]},"key":["attempt_id"],"uniques":{}},"audit_entries":{"columns":{"action":{"default":null,"kind":"text","nullable":false,"values":[]},"actor_kind":{"default":null,"kind":"text","nullable":false,"values":[]},"actor_ref":{"default":null,"kind":"text","nullable":false,"values":[]},"address":{"default":null,"kind":"text","nullable":true,"values":[]},"after":{"default":null,"kind":"json","nullable":true,"values":[]},"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"audit_id":{"default":null,"kind":"text","nullable":false,"values":[]},"before":{"default":null,"kind":"json","nullable":true,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"permission":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"principal":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"by_time":["at","audit_id"],"of_player":["player_id","at","audit_id"]},"key":["audit_id"],"uniques":{}},"competition_events":{"columns":{"declared":{"default":null,"kind":"json","nullable":true,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"opened_until":{"default":"0","kind":"integer","nullable":false,"values":[]},"since":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_key":["event_key"]},"key":["event_key"],"uniques":{}},"debug_accounts":{"columns":{"flagged_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reason":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"in_order":["player_id"]},"key":["player_id"],"uniques":{}},"due_work":{"columns":{"attempts":{"default":"0","kind":"integer","nullable":false,"values":[]},"begun_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"cursor":{"default":null,"kind":"json","nullable":true,"values":[]},"due_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":[]},"ref":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_time":["due_at","kind","ref"],"under_way":["begun_at","kind","ref"]},"key":["kind","ref"],"uniques":{}},"event_mentions":{"columns":{"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_event":["event_id","player_id"],"of_player":["player_id","event_id"]},"key":["event_id","player_id"],"uniques":{}},"event_windows":{"columns":{"closed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"definition":{"default":null,"kind":"json","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_key":{"default":null,"kind":"text","nullable":false,"values":[]},"opened_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["active","closing","closed"]},"window_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_event":["event_key","starts_at","window_id"]},"key":["window_id"],"uniques":{}},"former_ids":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"ended":{"default":null,"kind":"text","nullable":false,"values":["merged","erased"]},"id_hash":{"default":null,"kind":"text","nullable":false,"values":[]},"into_id":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["id_hash"],"uniques":{}},"games":{"columns":{"config":{"default":null,"kind":"json","nullable":false,"values":[]},"config_version":{"default":null,"kind":"integer","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"game_id":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"all":["created_at","game_id"]},"key":["game_id"],"uniques":{}},"gift_days":{"columns":{"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"sender_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sent":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{},"key":["sender_id"],"uniques":{}},"gifts":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"claimed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"gift_id":{"default":null,"kind":"text","nullable":false,"values":[]},"grant_id":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"message":{"default":null,"kind":"text","nullable":true,"values":[]},"paid":{"default":null,"kind":"boolean","nullable":false,"values":[]},"recipient_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sender_id":{"default":null,"kind":"text","nullable":false,"values":[]},"sent_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","claimed","expired"]}},"indexes":{"received":["recipient_id","status","sent_at","gift_id"],"sent":["sender_id","status","sent_at","gift_id"]},"key":["gift_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"grants":{"columns":{"acked_by":{"default":null,"kind":"text","nullable":true,"values":[]},"claimed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"entries":{"default":null,"kind":"json","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"gift_id":{"default":null,"kind":"text","nullable":true,"values":[]},"grant_id":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":["reward","crate"]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"parameters":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"source_kind":{"default":null,"kind":"text","nullable":false,"values":[]},"source_ref_id":{"default":null,"kind":"text","nullable":true,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","claimed","expired"]}},"indexes":{"of_player_by_status":["player_id","status","created_at","grant_id"]},"key":["grant_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"holdings":{"columns":{"amount":{"default":null,"kind":"integer","nullable":false,"values":[]},"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"changed_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"parameters":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_player":["player_id","asset_kind","asset_key"]},"key":["player_id","asset_kind","asset_key"],"uniques":{}},"idempotent_answers":{"columns":{"body":{"default":null,"kind":"text","nullable":false,"values":[]},"expires_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":false,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":false,"values":[]},"owner":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"shows":{"default":null,"kind":"text","nullable":true,"values":[]},"status":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_expiry":["expires_at","owner","idempotency_key"],"of_player":["player_id","expires_at","owner","idempotency_key"],"showing":["shows","expires_at","owner","idempotency_key"]},"key":["owner","idempotency_key"],"uniques":{}},"leaderboard_cohorts":{"columns":{"cohort":{"default":null,"kind":"integer","nullable":false,"values":[]},"division":{"default":null,"kind":"text","nullable":false,"values":[]},"entered":{"default":null,"kind":"integer","nullable":false,"values":[]},"period_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["period_id","division"],"uniques":{}},"leaderboard_entries":{"columns":{"attempt_id":{"default":null,"kind":"text","nullable":true,"values":[]},"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"flagged":{"default":"0","kind":"boolean","nullable":false,"values":[]},"participant":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"reached_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"removed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"score":{"default":null,"kind":"integer","nullable":false,"values":[]},"sort_key":{"default":null,"kind":"integer","nullable":true,"values":[]},"version":{"default":"1","kind":"integer","nullable":false,"values":[]},"written_at":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_rank":["board_id","sort_key","reached_at","participant"],"of_player":["player_id","board_id","participant"],"removed":["board_id","removed_at","participant"]},"key":["board_id","participant"],"uniques":{}},"leaderboard_memberships":{"columns":{"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"cohort":{"default":null,"kind":"integer","nullable":true,"values":[]},"division":{"default":null,"kind":"text","nullable":true,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"participant":{"default":null,"kind":"text","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"of_player":["player_id","leaderboard_key"]},"key":["leaderboard_key","player_id"],"uniques":{}},"leaderboard_periods":{"columns":{"closed_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"definition":{"default":null,"kind":"json","nullable":false,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"entry_count":{"default":"0","kind":"integer","nullable":false,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":null,"kind":"integer","nullable":false,"values":[]},"period_id":{"default":null,"kind":"text","nullable":false,"values":[]},"settled_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"status":{"default":"''open''","kind":"text","nullable":false,"values":["open","closed"]}},"indexes":{},"key":["period_id"],"uniques":{}},"leaderboards":{"columns":{"board_id":{"default":null,"kind":"text","nullable":false,"values":[]},"cohort":{"default":null,"kind":"integer","nullable":true,"values":[]},"division":{"default":null,"kind":"text","nullable":true,"values":[]},"ends_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"entry_count":{"default":null,"kind":"integer","nullable":true,"values":[]},"event_id":{"default":null,"kind":"text","nullable":true,"values":[]},"finalized_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"key":{"default":null,"kind":"text","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":["event","shared"]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"order":{"default":null,"kind":"text","nullable":false,"values":["desc","asc"]},"period_id":{"default":null,"kind":"text","nullable":true,"values":[]},"segment":{"default":null,"kind":"text","nullable":true,"values":[]},"starts_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"window_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_period":["period_id","board_id"],"of_window":["window_id","board_id"]},"key":["board_id"],"uniques":{}},"ledger_entries":{"columns":{"asset_key":{"default":null,"kind":"text","nullable":false,"values":[]},"asset_kind":{"default":null,"kind":"text","nullable":false,"values":["currency","item"]},"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"balance":{"default":null,"kind":"integer","nullable":false,"values":[]},"delta":{"default":null,"kind":"integer","nullable":false,"values":[]},"entry_id":{"default":null,"kind":"text","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":true,"values":[]},"idempotency_key":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"reason":{"default":null,"kind":"text","nullable":true,"values":[]},"source_ref_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_player":["player_id","at","entry_id"]},"key":["entry_id"],"uniques":{"idempotency_key":["idempotency_key"]}},"migrated_rows":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"fingerprint":{"default":null,"kind":"text","nullable":false,"values":[]},"key_hash":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["key_hash"],"uniques":{}},"players":{"columns":{"app_version":{"default":null,"kind":"text","nullable":true,"values":[]},"avatar":{"default":null,"kind":"text","nullable":true,"values":[]},"ban_reason":{"default":null,"kind":"text","nullable":true,"values":[]},"banned_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"beat_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"best_streak":{"default":"0","kind":"integer","nullable":false,"values":[]},"context":{"default":null,"kind":"json","nullable":true,"values":[]},"country_override":{"default":null,"kind":"text","nullable":true,"values":[]},"country_seen":{"default":null,"kind":"text","nullable":true,"values":[]},"country_stated":{"default":null,"kind":"text","nullable":true,"values":[]},"epoch":{"default":"0","kind":"integer","nullable":false,"values":[]},"erased_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"external_id":{"default":null,"kind":"text","nullable":false,"values":[]},"first_seen_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"friend_code":{"default":null,"kind":"text","nullable":true,"values":[]},"last_seen_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"merged_into":{"default":null,"kind":"text","nullable":true,"values":[]},"name":{"default":null,"kind":"text","nullable":true,"values":[]},"platform":{"default":null,"kind":"text","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"pool_avatar":{"default":null,"kind":"text","nullable":true,"values":[]},"pool_name":{"default":null,"kind":"text","nullable":false,"values":[]},"presence_status":{"default":null,"kind":"text","nullable":true,"values":[]},"registered_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"secret_hash":{"default":null,"kind":"text","nullable":true,"values":[]},"secret_prefix":{"default":null,"kind":"text","nullable":true,"values":[]},"secret_rotated_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"sessions":{"default":"0","kind":"integer","nullable":false,"values":[]},"streak":{"default":"0","kind":"integer","nullable":false,"values":[]},"streak_day":{"default":null,"kind":"integer","nullable":true,"values":[]}},"indexes":{"merged_into":["merged_into","player_id"],"recently_seen":["last_seen_at","player_id"]},"key":["player_id"],"uniques":{"external_id":["external_id"],"friend_code":["friend_code"]}},"product_days":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"part":{"default":null,"kind":"integer","nullable":false,"values":[]},"product_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_day":["day","product_id","part"]},"key":["day","product_id","part"],"uniques":{}},"purchases":{"columns":{"amount_minor":{"default":null,"kind":"integer","nullable":false,"values":[]},"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"currency":{"default":null,"kind":"text","nullable":false,"values":[]},"dated":{"default":null,"kind":"boolean","nullable":false,"values":[]},"fx_rate":{"default":null,"kind":"text","nullable":false,"values":[]},"metadata":{"default":null,"kind":"json","nullable":true,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"product_id":{"default":null,"kind":"text","nullable":false,"values":[]},"product_type":{"default":null,"kind":"text","nullable":false,"values":[]},"purchase_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchased_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"store":{"default":null,"kind":"text","nullable":false,"values":[]},"tracked_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"transaction_id":{"default":null,"kind":"text","nullable":true,"values":[]},"transaction_key":{"default":null,"kind":"text","nullable":false,"values":[]},"validation_status":{"default":null,"kind":"text","nullable":false,"values":["unverified","verified"]}},"indexes":{"by_time":["purchased_at","player_id","cents","purchase_id"],"of_player":["player_id","purchased_at","purchase_id"]},"key":["purchase_id"],"uniques":{"transaction_key":["transaction_key"]}},"relations":{"columns":{"accepted_by":{"default":null,"kind":"text","nullable":true,"values":["low","high"]},"blocked_by_high_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"blocked_by_low_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"friendship":{"default":"''none''","kind":"text","nullable":false,"values":["none","asked_by_low","asked_by_high","friends"]},"gifted_by_high_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"gifted_by_low_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"high_id":{"default":null,"kind":"text","nullable":false,"values":[]},"low_id":{"default":null,"kind":"text","nullable":false,"values":[]},"request_id":{"default":null,"kind":"text","nullable":true,"values":[]},"since":{"default":"0","kind":"integer","nullable":false,"values":[]}},"indexes":{"blocks_of_high":["high_id","blocked_by_high_at","low_id"],"blocks_of_low":["low_id","blocked_by_low_at","high_id"],"of_high":["high_id","friendship","since","low_id"],"of_low":["low_id","friendship","since","high_id"]},"key":["low_id","high_id"],"uniques":{"request_id":["request_id"]}},"scope_keys":{"columns":{"key":{"default":null,"kind":"text","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["name"],"uniques":{}},"search_entries":{"columns":{"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"text":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"by_text":["text","player_id"],"of_player":["player_id","text"]},"key":["player_id","text"],"uniques":{}},"shared_leaderboards":{"columns":{"declared":{"default":null,"kind":"json","nullable":true,"values":[]},"leaderboard_key":{"default":null,"kind":"text","nullable":false,"values":[]},"number":{"default":"1","kind":"integer","nullable":false,"values":[]},"settled":{"default":"0","kind":"integer","nullable":false,"values":[]},"since":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_key":["leaderboard_key"]},"key":["leaderboard_key"],"uniques":{}},"spend_days":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"day":{"default":null,"kind":"integer","nullable":false,"values":[]},"paid":{"default":null,"kind":"boolean","nullable":false,"values":[]},"paid_before":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"by_day":["day","player_id","cents"],"new_payers":["day","paid","paid_before","player_id"],"of_player":["player_id","day"]},"key":["player_id","day"],"uniques":{}},"spend_totals":{"columns":{"cents":{"default":null,"kind":"integer","nullable":false,"values":[]},"first_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"last_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"player_id":{"default":null,"kind":"text","nullable":false,"values":[]},"purchases":{"default":null,"kind":"integer","nullable":false,"values":[]}},"indexes":{"top_spenders":["cents","player_id"]},"key":["player_id"],"uniques":{}},"studios":{"columns":{"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]},"studio_id":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["studio_id"],"uniques":{}},"switches":{"columns":{"at":{"default":null,"kind":"integer","nullable":false,"values":[]},"name":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["name"],"uniques":{}},"used_friend_codes":{"columns":{"code":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{},"key":["code"],"uniques":{}},"webhook_deliveries":{"columns":{"attempt":{"default":"0","kind":"integer","nullable":false,"values":[]},"attempted_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"automatic":{"default":"1","kind":"boolean","nullable":false,"values":[]},"delivery_id":{"default":null,"kind":"text","nullable":false,"values":[]},"due_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"endpoint_id":{"default":null,"kind":"text","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"last_error":{"default":null,"kind":"text","nullable":true,"values":[]},"last_status":{"default":null,"kind":"integer","nullable":true,"values":[]},"leased_until":{"default":null,"kind":"integer","nullable":true,"values":[]},"queued_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"sample":{"default":"0","kind":"boolean","nullable":false,"values":[]},"status":{"default":null,"kind":"text","nullable":false,"values":["pending","held","delivered","failed","discarded"]}},"indexes":{"by_time":["queued_at","delivery_id"],"due":["due_at","delivery_id"],"due_of_endpoint":["endpoint_id","due_at","queued_at","delivery_id"],"held":["endpoint_id","status","queued_at","delivery_id"],"leased":["endpoint_id","leased_until","delivery_id"],"of_event":["event_id","delivery_id"]},"key":["delivery_id"],"uniques":{}},"webhook_endpoints":{"columns":{"breaker":{"default":"''''","kind":"text","nullable":false,"values":[]},"created_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"endpoint_id":{"default":null,"kind":"text","nullable":false,"values":[]},"events":{"default":null,"kind":"json","nullable":false,"values":[]},"key":{"default":null,"kind":"text","nullable":false,"values":[]},"pause_reason":{"default":null,"kind":"text","nullable":true,"values":["operator","consecutive_failures","gone"]},"paused_at":{"default":null,"kind":"integer","nullable":true,"values":[]},"secrets":{"default":null,"kind":"json","nullable":false,"values":[]},"status":{"default":"''active''","kind":"text","nullable":false,"values":["active","paused"]},"url":{"default":null,"kind":"text","nullable":false,"values":[]}},"indexes":{"all":["created_at","endpoint_id"]},"key":["endpoint_id"],"uniques":{"key":["key"]}},"webhook_events":{"columns":{"data":{"default":null,"kind":"json","nullable":false,"values":[]},"event_id":{"default":null,"kind":"text","nullable":false,"values":[]},"kind":{"default":null,"kind":"text","nullable":false,"values":[]},"occurred_at":{"default":null,"kind":"integer","nullable":false,"values":[]},"other_player_id":{"default":null,"kind":"text","nullable":true,"values":[]},"personal":{"default":"''kept''","kind":"text","nullable":false,"values":["kept","going","gone"]},"player_id":{"default":null,"kind":"text","nullable":true,"values":[]}},"indexes":{"of_other_player":["other_player_id","personal","occurred_at","event_id"],"of_player":["player_id","personal","occurred_at","event_id"]},"key":["event_id"],"uniques":{}}}',1795561263920);
CREATE TABLE "migrated_rows" (
   "scope" TEXT NOT NULL,
   "key_hash" TEXT NOT NULL,
   "fingerprint" TEXT NOT NULL,
   "at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "key_hash")
) STRICT, WITHOUT ROWID;
CREATE TABLE "players" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "external_id" TEXT NOT NULL,
   "pool_name" TEXT NOT NULL,
   "pool_avatar" TEXT,
   "first_seen_at" INTEGER NOT NULL,
   "name" TEXT,
   "avatar" TEXT,
   "country_override" TEXT,
   "country_stated" TEXT,
   "country_seen" TEXT,
   "context" TEXT,
   "friend_code" TEXT,
   "secret_hash" TEXT,
   "secret_prefix" TEXT,
   "registered_at" INTEGER,
   "secret_rotated_at" INTEGER,
   "last_seen_at" INTEGER NOT NULL,
   "platform" TEXT,
   "app_version" TEXT,
   "sessions" INTEGER NOT NULL DEFAULT 0,
   "streak" INTEGER NOT NULL DEFAULT 0,
   "best_streak" INTEGER NOT NULL DEFAULT 0,
   "streak_day" INTEGER,
   "beat_at" INTEGER,
   "presence_status" TEXT,
   "ban_reason" TEXT,
   "banned_at" INTEGER,
   "merged_into" TEXT,
   "erased_at" INTEGER,
   "epoch" INTEGER NOT NULL DEFAULT 0,
   PRIMARY KEY ("scope", "player_id"),
   CHECK ("context" IS NULL OR json_valid("context"))
) STRICT;
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','anna','Umber Mole','avatar_12',1767225600000,'Anna Näme',NULL,NULL,'DE',NULL,'{"country":"DE"}','8FAKME','7fcb437074194bf1dae64de1132807368bfde673350c8801c6d15446d3bb204e','lcs_45cu',1767225600000,NULL,1767312000000,NULL,NULL,2,2,2,20455,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3','bert','Bold Beaver','avatar_06',1767225600000,'Bert Näme',NULL,NULL,'DE',NULL,'{"country":"DE"}','R4CPT6','16c27e8b047a03b672e3fe7734db63e68562fc01a04984f0558348f5ae4f6c70','lcs_thm4',1767225600000,NULL,1767312000000,NULL,NULL,2,2,2,20455,NULL,NULL,NULL,NULL,NULL,NULL,0);
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR','clara','Crimson Condor','avatar_23',1767225600000,'Clara Näme',NULL,NULL,'DE',NULL,'{"country":"DE"}','J2XMW9','e91c3a1cfe12764c2a00fc56ac5371dfde45dcfa6b0592df19369bf1eb1ff0f7','lcs_utr4',1767225600000,NULL,1767312000000,NULL,NULL,2,2,2,20455,1767312000000,'here',NULL,NULL,NULL,NULL,0);
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW','dora','Valiant Panda','avatar_27',1767225600000,'Dora Näme',NULL,NULL,'DE',NULL,'{"country":"DE"}','ACJZNQ','8badcd38a6f64190a72985ff93ff4ee252407613ab41a9d29130105a35026120','lcs_bhnt',1767225600000,NULL,1767225600000,NULL,NULL,1,1,1,20454,NULL,NULL,'rude',1767312000000,NULL,NULL,0);
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QXKE4EWQT6MYH9TQ','__merged_019b7c01-0400-71b7-a128-626264f91cde__','Rapid Pheasant','avatar_31',1767225600000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,'plr_01KDVDNA00EG5MRBYREMZ7CB4V',NULL,1);
INSERT INTO "players" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00EG5MRBYREMZ7CB4V','__deleted_019b7c01-0400-7aad-8b6d-94f36f2f60c0__','Silver Albatross','avatar_15',1767225600000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,1767312000000,2);
CREATE TABLE "product_days" (
   "scope" TEXT NOT NULL,
   "day" INTEGER NOT NULL,
   "product_id" TEXT NOT NULL,
   "part" INTEGER NOT NULL,
   "cents" INTEGER NOT NULL,
   "purchases" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "day", "product_id", "part")
) STRICT;
INSERT INTO "product_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test',20454,'gems',6,539,1);
INSERT INTO "product_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test',20454,'gems',2,539,1);
INSERT INTO "product_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test',20454,'gems',7,539,1);
INSERT INTO "product_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test',20454,'gems',0,1078,2);
INSERT INTO "product_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test',20454,'gems',4,539,1);
CREATE TABLE "purchases" (
   "scope" TEXT NOT NULL,
   "purchase_id" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "transaction_key" TEXT NOT NULL,
   "transaction_id" TEXT,
   "store" TEXT NOT NULL,
   "product_id" TEXT NOT NULL,
   "product_type" TEXT NOT NULL,
   "amount_minor" INTEGER NOT NULL,
   "currency" TEXT NOT NULL,
   "cents" INTEGER NOT NULL,
   "fx_rate" TEXT NOT NULL,
   "validation_status" TEXT NOT NULL,
   "purchased_at" INTEGER NOT NULL,
   "dated" INTEGER NOT NULL,
   "tracked_at" INTEGER NOT NULL,
   "metadata" TEXT,
   PRIMARY KEY ("scope", "purchase_id"),
   CHECK ("validation_status" IN ('unverified', 'verified')),
   CHECK ("dated" IN (0, 1)),
   CHECK ("metadata" IS NULL OR json_valid("metadata"))
) STRICT;
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA00NPG8E67P5KDY5VGN','plr_01KDVDNA004HB4ECVW1N21JJQK','98b15f0a5e5b112dbccb0ca7762c937aecc8f187','t-anna','apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA00J7HRC868VEGSK5SZ','plr_01KDVDNA00JGSKD61SJR63MNG3','f1299595b5788976e5f4a72609de8ceb0ec53b8f','t-bert','apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA0094W4BD4Q62P53WPW','plr_01KDVDNA00QN789D4X04H05FYR','b0a59e280ff9e718fd53fb1000c7fd6881446ca3','t-clara','apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA00HFY4J80G2ZV42A4X','plr_01KDVDNA00GX887YE2RXYPQTJW','4ed8ca2da30f87b7e7ca611ce99db598f47383aa','t-dora','apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA00SEJQEEW2K95V101X','plr_01KDVDNA00EG5MRBYREMZ7CB4V','77c31c745c5b624011ffc33531a336d89b361e8e',NULL,'apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
INSERT INTO "purchases" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','pur_01KDVDNA0046K5E7ZH1PRS5Q0D','plr_01KDVDNA00EG5MRBYREMZ7CB4V','9a402016caa266fed3f8018d843df003f6813e2a',NULL,'apple','gems','consumable',499,'EUR',539,'1.08','unverified',1767225600000,0,1767225600000,NULL);
CREATE TABLE "relations" (
   "scope" TEXT NOT NULL,
   "low_id" TEXT NOT NULL,
   "high_id" TEXT NOT NULL,
   "friendship" TEXT NOT NULL DEFAULT 'none',
   "since" INTEGER NOT NULL DEFAULT 0,
   "request_id" TEXT,
   "accepted_by" TEXT,
   "blocked_by_low_at" INTEGER,
   "blocked_by_high_at" INTEGER,
   "gifted_by_low_at" INTEGER,
   "gifted_by_high_at" INTEGER,
   PRIMARY KEY ("scope", "low_id", "high_id"),
   CHECK ("friendship" IN ('none', 'asked_by_low', 'asked_by_high', 'friends')),
   CHECK ("accepted_by" IN ('low', 'high'))
) STRICT;
INSERT INTO "relations" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA00JGSKD61SJR63MNG3','friends',1767225600000,'frq_01KDVDNA00AN88W1QPAYPS01RC','high',NULL,NULL,1767225600000,NULL);
INSERT INTO "relations" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA00QN789D4X04H05FYR','friends',1767225600000,'frq_01KDVDNA00HYAZ0S1V4AXXW4N0','high',NULL,NULL,1767225600000,NULL);
INSERT INTO "relations" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','plr_01KDVDNA00GX887YE2RXYPQTJW','asked_by_low',1767225600000,'frq_01KDVDNA002HYDBYFC9XA5DGTB',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE "scope_keys" (
   "scope" TEXT NOT NULL,
   "name" TEXT NOT NULL,
   "key" TEXT NOT NULL,
   PRIMARY KEY ("scope", "name")
) STRICT, WITHOUT ROWID;
INSERT INTO "scope_keys" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','former_ids','933f4e5d9e0ae0899fdb65634c48311fff9d6d1f755e42bbfe60c4ec0511fab4');
CREATE TABLE "search_entries" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "text" TEXT NOT NULL,
   PRIMARY KEY ("scope", "player_id", "text")
) STRICT;
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','anna name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK','name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3','bert name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3','name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR','clara name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR','name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW','dora name ');
INSERT INTO "search_entries" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW','name ');
CREATE TABLE "shared_leaderboards" (
   "scope" TEXT NOT NULL,
   "leaderboard_key" TEXT NOT NULL,
   "declared" TEXT,
   "since" INTEGER NOT NULL,
   "number" INTEGER NOT NULL DEFAULT 1,
   "settled" INTEGER NOT NULL DEFAULT 0,
   PRIMARY KEY ("scope", "leaderboard_key"),
   CHECK ("declared" IS NULL OR json_valid("declared"))
) STRICT;
INSERT INTO "shared_leaderboards" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','best','{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}',1767225600000,1,0);
INSERT INTO "shared_leaderboards" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','best','{"key":"best","name":"The best","reset":"never","order":"desc","aggregation":"best","source":"client","event":null,"validators":[],"rankRewards":[],"divisions":[],"cohortSize":null}',1767225600000,1,0);
CREATE TABLE "spend_days" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "day" INTEGER NOT NULL,
   "cents" INTEGER NOT NULL,
   "purchases" INTEGER NOT NULL,
   "paid" INTEGER NOT NULL,
   "paid_before" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "player_id", "day"),
   CHECK ("paid" IN (0, 1))
) STRICT;
INSERT INTO "spend_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK',20454,539,1,1,-1);
INSERT INTO "spend_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3',20454,539,1,1,-1);
INSERT INTO "spend_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR',20454,539,1,1,-1);
INSERT INTO "spend_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW',20454,539,1,1,-1);
INSERT INTO "spend_days" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00EG5MRBYREMZ7CB4V',20454,1078,2,1,-1);
CREATE TABLE "spend_totals" (
   "scope" TEXT NOT NULL,
   "player_id" TEXT NOT NULL,
   "cents" INTEGER NOT NULL,
   "purchases" INTEGER NOT NULL,
   "first_at" INTEGER NOT NULL,
   "last_at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "player_id")
) STRICT;
INSERT INTO "spend_totals" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA004HB4ECVW1N21JJQK',539,1,1767225600000,1767225600000);
INSERT INTO "spend_totals" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00JGSKD61SJR63MNG3',539,1,1767225600000,1767225600000);
INSERT INTO "spend_totals" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00QN789D4X04H05FYR',539,1,1767225600000,1767225600000);
INSERT INTO "spend_totals" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00GX887YE2RXYPQTJW',539,1,1767225600000,1767225600000);
INSERT INTO "spend_totals" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','plr_01KDVDNA00EG5MRBYREMZ7CB4V',1078,2,1767225600000,1767225600000);
CREATE TABLE "studios" (
   "scope" TEXT NOT NULL,
   "studio_id" TEXT NOT NULL,
   "name" TEXT NOT NULL,
   "created_at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "studio_id")
) STRICT, WITHOUT ROWID;
INSERT INTO "studios" VALUES('directory/all','std_01KDVDNA005YS524S1R97Q9GDV','World studio',1767225600000);
CREATE TABLE "switches" (
   "scope" TEXT NOT NULL,
   "name" TEXT NOT NULL,
   "at" INTEGER NOT NULL,
   PRIMARY KEY ("scope", "name")
) STRICT, WITHOUT ROWID;
INSERT INTO "switches" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/live','gifting',1767225600000);
INSERT INTO "switches" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','gifting',1767225600000);
CREATE TABLE "used_friend_codes" (
   "scope" TEXT NOT NULL,
   "code" TEXT NOT NULL,
   PRIMARY KEY ("scope", "code")
) STRICT, WITHOUT ROWID;
INSERT INTO "used_friend_codes" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','8FAKME');
INSERT INTO "used_friend_codes" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','ACJZNQ');
INSERT INTO "used_friend_codes" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','J2XMW9');
INSERT INTO "used_friend_codes" VALUES('gam_01KDVDNA007WP8R7WXK9ZNDE3Q/test','R4CPT6');
CREATE TABLE "webhook_deliveries" (
   "scope" TEXT NOT NULL,
   "delivery_id" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "endpoint_id" TEXT NOT NULL,
   "sample" INTEGER NOT NULL DEFAULT 0,
   "status" TEXT NOT NULL,
   "attempt" INTEGER NOT NULL DEFAULT 0,
   "automatic" INTEGER NOT NULL DEFAULT 1,
   "queued_at" INTEGER NOT NULL,
   "due_at" INTEGER,
   "leased_until" INTEGER,
   "attempted_at" INTEGER,
   "last_status" INTEGER,
   "last_error" TEXT,
   PRIMARY KEY ("scope", "delivery_id"),
   CHECK ("sample" IN (0, 1)),
   CHECK ("status" IN ('pending', 'held', 'delivered', 'failed', 'discarded')),
   CHECK ("automatic" IN (0, 1))
) STRICT;
CREATE TABLE "webhook_endpoints" (
   "scope" TEXT NOT NULL,
   "endpoint_id" TEXT NOT NULL,
   "key" TEXT NOT NULL,
   "url" TEXT NOT NULL,
   "events" TEXT NOT NULL,
   "secrets" TEXT NOT NULL,
   "created_at" INTEGER NOT NULL,
   "status" TEXT NOT NULL DEFAULT 'active',
   "pause_reason" TEXT,
   "paused_at" INTEGER,
   "breaker" TEXT NOT NULL DEFAULT '',
   PRIMARY KEY ("scope", "endpoint_id"),
   CHECK ("events" IS NULL OR json_valid("events")),
   CHECK ("secrets" IS NULL OR json_valid("secrets")),
   CHECK ("status" IN ('active', 'paused')),
   CHECK ("pause_reason" IN ('operator', 'consecutive_failures', 'gone'))
) STRICT;
CREATE TABLE "webhook_events" (
   "scope" TEXT NOT NULL,
   "event_id" TEXT NOT NULL,
   "kind" TEXT NOT NULL,
   "occurred_at" INTEGER NOT NULL,
   "data" TEXT NOT NULL,
   "player_id" TEXT,
   "other_player_id" TEXT,
   "personal" TEXT NOT NULL DEFAULT 'kept',
   PRIMARY KEY ("scope", "event_id"),
   CHECK ("data" IS NULL OR json_valid("data")),
   CHECK ("personal" IN ('kept', 'going', 'gone'))
) STRICT;
CREATE INDEX "ix_answer_mentions__of_answer"
    ON "answer_mentions" ("scope", "owner", "idempotency_key", "place");
CREATE INDEX "ix_answer_mentions__of_name"
    ON "answer_mentions" ("scope", "name", "owner", "idempotency_key", "place");
CREATE INDEX "ix_answer_mentions__of_player" ON "answer_mentions" ("scope", "player_id", "owner", "idempotency_key", "place") WHERE "player_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_api_keys__hash"
    ON "api_keys" ("scope", "hash");
CREATE INDEX "ix_api_keys__of_game"
    ON "api_keys" ("scope", "game_id", "created_at", "key_id");
CREATE INDEX "ix_attempt_progress__of_attempt"
    ON "attempt_progress" ("scope", "attempt_id", "number");
CREATE INDEX "ix_attempts__of_player_at_event"
    ON "attempts" ("scope", "player_id", "event_key", "started_at", "attempt_id");
CREATE INDEX "ix_attempts__counted"
    ON "attempts" ("scope", "player_id", "event_key", "window_id", "number", "attempt_id");
CREATE INDEX "ix_attempts__of_player_by_status"
    ON "attempts" ("scope", "player_id", "status", "started_at", "attempt_id");
CREATE INDEX "ix_attempts__standing" ON "attempts" ("scope", "player_id", "board_id", "sort_key", "reached_at", "attempt_id") WHERE "sort_key" IS NOT NULL AND "reached_at" IS NOT NULL;
CREATE INDEX "ix_attempts__in_window"
    ON "attempts" ("scope", "window_id", "status", "attempt_id");
CREATE INDEX "ix_audit_entries__by_time"
    ON "audit_entries" ("scope", "at", "audit_id");
CREATE INDEX "ix_audit_entries__of_player" ON "audit_entries" ("scope", "player_id", "at", "audit_id") WHERE "player_id" IS NOT NULL;
CREATE INDEX "ix_competition_events__by_key"
    ON "competition_events" ("scope", "event_key");
CREATE INDEX "ix_debug_accounts__in_order"
    ON "debug_accounts" ("scope", "player_id");
CREATE INDEX "ix_due_work__by_time"
    ON "due_work" ("scope", "due_at", "kind", "ref");
CREATE INDEX "ix_due_work__under_way" ON "due_work" ("scope", "begun_at", "kind", "ref") WHERE "begun_at" IS NOT NULL;
CREATE INDEX "ix_event_mentions__of_event"
    ON "event_mentions" ("scope", "event_id", "player_id");
CREATE INDEX "ix_event_mentions__of_player"
    ON "event_mentions" ("scope", "player_id", "event_id");
CREATE INDEX "ix_event_windows__of_event"
    ON "event_windows" ("scope", "event_key", "starts_at", "window_id");
CREATE INDEX "ix_games__all"
    ON "games" ("scope", "created_at", "game_id");
CREATE UNIQUE INDEX "uq_gifts__idempotency_key" ON "gifts" ("scope", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
CREATE INDEX "ix_gifts__received"
    ON "gifts" ("scope", "recipient_id", "status", "sent_at", "gift_id");
CREATE INDEX "ix_gifts__sent"
    ON "gifts" ("scope", "sender_id", "status", "sent_at", "gift_id");
CREATE UNIQUE INDEX "uq_grants__idempotency_key" ON "grants" ("scope", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
CREATE INDEX "ix_grants__of_player_by_status"
    ON "grants" ("scope", "player_id", "status", "created_at", "grant_id");
CREATE INDEX "ix_holdings__of_player"
    ON "holdings" ("scope", "player_id", "asset_kind", "asset_key");
CREATE INDEX "ix_idempotent_answers__by_expiry"
    ON "idempotent_answers" ("scope", "expires_at", "owner", "idempotency_key");
CREATE INDEX "ix_idempotent_answers__of_player" ON "idempotent_answers" ("scope", "player_id", "expires_at", "owner", "idempotency_key") WHERE "player_id" IS NOT NULL;
CREATE INDEX "ix_idempotent_answers__showing" ON "idempotent_answers" ("scope", "shows", "expires_at", "owner", "idempotency_key") WHERE "shows" IS NOT NULL;
CREATE INDEX "ix_leaderboard_entries__by_rank" ON "leaderboard_entries" ("scope", "board_id", "sort_key", "reached_at", "participant") WHERE "sort_key" IS NOT NULL;
CREATE INDEX "ix_leaderboard_entries__removed" ON "leaderboard_entries" ("scope", "board_id", "removed_at", "participant") WHERE "removed_at" IS NOT NULL;
CREATE INDEX "ix_leaderboard_entries__of_player" ON "leaderboard_entries" ("scope", "player_id", "board_id", "participant") WHERE "player_id" IS NOT NULL;
CREATE INDEX "ix_leaderboard_memberships__of_player"
    ON "leaderboard_memberships" ("scope", "player_id", "leaderboard_key");
CREATE INDEX "ix_leaderboards__of_window" ON "leaderboards" ("scope", "window_id", "board_id") WHERE "window_id" IS NOT NULL;
CREATE INDEX "ix_leaderboards__of_period" ON "leaderboards" ("scope", "period_id", "board_id") WHERE "period_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_ledger_entries__idempotency_key" ON "ledger_entries" ("scope", "idempotency_key") WHERE "idempotency_key" IS NOT NULL;
CREATE INDEX "ix_ledger_entries__of_player"
    ON "ledger_entries" ("scope", "player_id", "at", "entry_id");
CREATE UNIQUE INDEX "uq_players__external_id"
    ON "players" ("scope", "external_id");
CREATE UNIQUE INDEX "uq_players__friend_code" ON "players" ("scope", "friend_code") WHERE "friend_code" IS NOT NULL;
CREATE INDEX "ix_players__merged_into" ON "players" ("scope", "merged_into", "player_id") WHERE "merged_into" IS NOT NULL;
CREATE INDEX "ix_players__recently_seen"
    ON "players" ("scope", "last_seen_at", "player_id");
CREATE INDEX "ix_product_days__by_day"
    ON "product_days" ("scope", "day", "product_id", "part");
CREATE UNIQUE INDEX "uq_purchases__transaction_key"
    ON "purchases" ("scope", "transaction_key");
CREATE INDEX "ix_purchases__of_player"
    ON "purchases" ("scope", "player_id", "purchased_at", "purchase_id");
CREATE INDEX "ix_purchases__by_time"
    ON "purchases" ("scope", "purchased_at", "player_id", "cents", "purchase_id");
CREATE UNIQUE INDEX "uq_relations__request_id" ON "relations" ("scope", "request_id") WHERE "request_id" IS NOT NULL;
CREATE INDEX "ix_relations__of_low"
    ON "relations" ("scope", "low_id", "friendship", "since", "high_id");
CREATE INDEX "ix_relations__of_high"
    ON "relations" ("scope", "high_id", "friendship", "since", "low_id");
CREATE INDEX "ix_relations__blocks_of_low" ON "relations" ("scope", "low_id", "blocked_by_low_at", "high_id") WHERE "blocked_by_low_at" IS NOT NULL;
CREATE INDEX "ix_relations__blocks_of_high" ON "relations" ("scope", "high_id", "blocked_by_high_at", "low_id") WHERE "blocked_by_high_at" IS NOT NULL;
CREATE INDEX "ix_search_entries__of_player"
    ON "search_entries" ("scope", "player_id", "text");
CREATE INDEX "ix_search_entries__by_text"
    ON "search_entries" ("scope", "text", "player_id");
CREATE INDEX "ix_shared_leaderboards__by_key"
    ON "shared_leaderboards" ("scope", "leaderboard_key");
CREATE INDEX "ix_spend_days__of_player"
    ON "spend_days" ("scope", "player_id", "day");
CREATE INDEX "ix_spend_days__by_day"
    ON "spend_days" ("scope", "day", "player_id", "cents");
CREATE INDEX "ix_spend_days__new_payers"
    ON "spend_days" ("scope", "day", "paid", "paid_before", "player_id");
CREATE INDEX "ix_spend_totals__top_spenders"
    ON "spend_totals" ("scope", "cents", "player_id");
CREATE INDEX "ix_webhook_deliveries__due" ON "webhook_deliveries" ("scope", "due_at", "delivery_id") WHERE "due_at" IS NOT NULL;
CREATE INDEX "ix_webhook_deliveries__due_of_endpoint" ON "webhook_deliveries" ("scope", "endpoint_id", "due_at", "queued_at", "delivery_id") WHERE "due_at" IS NOT NULL;
CREATE INDEX "ix_webhook_deliveries__leased" ON "webhook_deliveries" ("scope", "endpoint_id", "leased_until", "delivery_id") WHERE "leased_until" IS NOT NULL;
CREATE INDEX "ix_webhook_deliveries__held"
    ON "webhook_deliveries" ("scope", "endpoint_id", "status", "queued_at", "delivery_id");
CREATE INDEX "ix_webhook_deliveries__by_time"
    ON "webhook_deliveries" ("scope", "queued_at", "delivery_id");
CREATE INDEX "ix_webhook_deliveries__of_event"
    ON "webhook_deliveries" ("scope", "event_id", "delivery_id");
CREATE UNIQUE INDEX "uq_webhook_endpoints__key"
    ON "webhook_endpoints" ("scope", "key");
CREATE INDEX "ix_webhook_endpoints__all"
    ON "webhook_endpoints" ("scope", "created_at", "endpoint_id");
CREATE INDEX "ix_webhook_events__of_player" ON "webhook_events" ("scope", "player_id", "personal", "occurred_at", "event_id") WHERE "player_id" IS NOT NULL;
CREATE INDEX "ix_webhook_events__of_other_player" ON "webhook_events" ("scope", "other_player_id", "personal", "occurred_at", "event_id") WHERE "other_player_id" IS NOT NULL;
COMMIT;
