SET 'table.plan.force-recompile'='true';
CREATE TABLE t (a INT, b STRING) WITH ('connector'='datagen');
CREATE TABLE s (a INT, b STRING) WITH ('connector'='blackhole');
COMPILE PLAN '/tmp/plan-test/p1.json' FOR INSERT INTO s SELECT a, b FROM t WHERE a > 3;
EXECUTE PLAN '/tmp/plan-test/p1.json';
COMPILE PLAN '/tmp/plan-test/p2.json' IF NOT EXISTS FOR STATEMENT SET BEGIN INSERT INTO s SELECT a, b FROM t; INSERT INTO s SELECT a, MAX(b) OVER (PARTITION BY a ORDER BY PROCTIME() ROWS UNBOUNDED PRECEDING) FROM t; END;
EXECUTE PLAN '/tmp/plan-test/p2.json';
COMPILE AND EXECUTE PLAN '/tmp/plan-test/p3.json' FOR INSERT INTO s SELECT a + 1, b FROM t;
