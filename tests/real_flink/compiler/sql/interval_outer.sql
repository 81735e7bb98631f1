CREATE TABLE a (k INT, v STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector'='datagen', 'number-of-rows'='100');
CREATE TABLE b (k INT, w STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector'='datagen');
CREATE TABLE s (k INT, v STRING, w STRING) WITH ('connector'='blackhole');
INSERT INTO s SELECT a.k, v, w FROM a FULL OUTER JOIN b ON a.k = b.k AND a.ts BETWEEN b.ts - INTERVAL '1' MINUTE AND b.ts + INTERVAL '1' MINUTE;
INSERT INTO s SELECT a.k, v, CAST(NULL AS STRING) FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
INSERT INTO s SELECT a.k, v, 'x' FROM a WHERE a.k NOT IN (SELECT k FROM b);
INSERT INTO s SELECT a.k, a.v, b.w FROM a, b WHERE a.k = b.k AND a.v <> b.w;
INSERT INTO s SELECT a.k, a.v, b.w FROM a CROSS JOIN b;
