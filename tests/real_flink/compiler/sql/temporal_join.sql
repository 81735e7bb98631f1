CREATE TABLE o (id BIGINT, cur STRING, amt DECIMAL(10,2), t TIMESTAMP(3), proc AS PROCTIME(), WATERMARK FOR t AS t) WITH ('connector'='datagen');
CREATE TABLE src (cur STRING, rate DECIMAL(10,4), t TIMESTAMP(3), WATERMARK FOR t AS t - INTERVAL '2' SECOND) WITH ('connector'='datagen');
CREATE VIEW rates AS SELECT cur, rate, t FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY t DESC) rn FROM src) WHERE rn = 1;
CREATE TABLE s (id BIGINT, v DECIMAL(20,6)) WITH ('connector'='blackhole');
INSERT INTO s SELECT o.id, o.amt * r.rate FROM o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.t AS r ON o.cur = r.cur;
CREATE TABLE d (id BIGINT, name STRING) WITH ('connector'='filesystem','path'='/tmp/plan-test/x','format'='csv');
