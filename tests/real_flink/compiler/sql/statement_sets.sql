CREATE TABLE g (a INT, b STRING, c DOUBLE) WITH ('connector'='datagen');
CREATE TABLE s1 (a INT) WITH ('connector'='blackhole');
CREATE TABLE s2 (b STRING, n BIGINT) WITH ('connector'='print');
EXECUTE STATEMENT SET
BEGIN
-- comment; inside
INSERT INTO s1 SELECT CASE WHEN a > 1 THEN a ELSE 0 END FROM g;
INSERT INTO s2 SELECT b, COUNT(*) FROM g GROUP BY b;
END;
set 'table.exec.mini-batch.enabled' = 'true';
set 'table.exec.mini-batch.allow-latency'='5 s';
set 'table.exec.mini-batch.size'='5000';
SET 'table.optimizer.agg-phase-strategy'='TWO_PHASE';
begin statement set;
insert into s1 select a from g where b like '%;%';
insert into s2 select b, count(distinct a) from g group by b;
end;
RESET 'table.exec.mini-batch.enabled';
INSERT INTO s2 SELECT b, COUNT(*) FROM g GROUP BY b;
