CREATE TABLE t (a INT, b STRING, c BIGINT) WITH ('connector'='datagen');
CREATE TABLE s (a INT, n BIGINT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector'='print');
INSERT INTO s SELECT a, COUNT(*) AS n FROM t GROUP BY a;
CREATE TABLE f (a INT, dt STRING) PARTITIONED BY (dt) WITH ('connector'='filesystem','path'='/tmp/plan-test/outf','format'='json','sink.rolling-policy.file-size'='1MB','auto-compaction'='true');
INSERT INTO f SELECT a, b FROM t;
INSERT INTO f PARTITION (dt='2020') SELECT a FROM t;
