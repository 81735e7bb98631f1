SET 'sql-client.execution.result-mode' = 'tableau';
CREATE TABLE t (a INT, b STRING) WITH ('connector'='datagen');
SELECT 1;
SELECT a, b FROM t;
(SELECT a FROM t) UNION (SELECT a + 1 FROM t);
VALUES (1, 'x'), (2, 'y;z');
TABLE t;
WITH q AS (SELECT a FROM t) SELECT COUNT(*) FROM q;
