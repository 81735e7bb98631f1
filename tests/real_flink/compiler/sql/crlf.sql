CREATE TABLE t (a INT,
 b STRING) WITH (
 'connector'='datagen');
CREATE TABLE s (a INT) WITH ('connector'='blackhole');

INSERT INTO s SELECT a FROM t
;
