SET 'execution.runtime-mode' = 'batch';
SET 'parallelism.default' = '2';
CREATE TABLE l (k INT, v STRING) WITH ('connector'='filesystem','path'='file:///tmp/plan-test/data','format'='csv');
CREATE TABLE r (k INT, w STRING) WITH ('connector'='datagen','number-of-rows'='10');
CREATE TABLE out1 (k INT, v STRING, w STRING) WITH ('connector'='print');
INSERT INTO out1 SELECT l.k, v, w FROM l JOIN r ON l.k = r.k ORDER BY l.k LIMIT 5;
INSERT INTO out1 SELECT /*+ BROADCAST(r) */ l.k, v, w FROM l JOIN r ON l.k = r.k;
INSERT INTO out1 SELECT /*+ SHUFFLE_MERGE(r) */ l.k, v, w FROM l JOIN r ON l.k = r.k;
WITH x AS (SELECT k, COUNT(*) c FROM l GROUP BY k) SELECT * FROM x WHERE c > 1 UNION ALL SELECT k, 1 FROM r;
