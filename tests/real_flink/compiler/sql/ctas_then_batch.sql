CREATE TABLE o (id BIGINT, item STRING) WITH ('connector'='datagen','number-of-rows'='5');
CREATE TABLE copied WITH ('connector'='blackhole') AS SELECT id, item FROM o;
SET 'execution.runtime-mode' = 'batch';
CREATE TABLE a (item STRING, n BIGINT) WITH ('connector'='blackhole');
INSERT INTO a SELECT item, COUNT(*) FROM o GROUP BY item;
