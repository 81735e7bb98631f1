SET 'execution.runtime-mode' = 'BATCH';
CREATE TABLE f (k INT, v INT) WITH ('connector'='datagen', 'number-of-rows'='1000');
CREATE TABLE d (k INT, n STRING) WITH ('connector'='datagen', 'number-of-rows'='10');
CREATE TABLE s (k INT, n STRING) WITH ('connector'='blackhole');
INSERT INTO s SELECT /*+ BROADCAST(d) */ f.k, n FROM f JOIN d ON f.k = d.k;
INSERT INTO s SELECT /*+ SHUFFLE_HASH(d) */ f.k, n FROM f JOIN d ON f.k = d.k;
INSERT INTO s SELECT /*+ SHUFFLE_MERGE(d) */ f.k, n FROM f JOIN d ON f.k = d.k;
INSERT INTO s SELECT /*+ NEST_LOOP(d) */ f.k, n FROM f JOIN d ON f.k = d.k;
