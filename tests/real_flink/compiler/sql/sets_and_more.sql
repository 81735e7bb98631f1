CREATE TABLE src (a INT, b STRING, c DOUBLE) WITH ('connector'='datagen');
CREATE TABLE s1 (a INT, n BIGINT) WITH ('connector'='blackhole');
CREATE TABLE s2 (b STRING) WITH ('connector'='print');
CREATE TABLE s3 (a INT, b STRING, c DOUBLE) PARTITIONED BY (b) WITH ('connector'='filesystem', 'path'='file:///tmp/none/s3', 'format'='raw');
DROP TABLE s3;
CREATE VIEW big AS SELECT * FROM src WHERE c > 0.5;
SET 'parallelism.default' = '2';
BEGIN STATEMENT SET;
INSERT INTO s1 SELECT a, COUNT(*) FROM big GROUP BY a; -- first
/* second */ INSERT INTO s2 SELECT b FROM big;
INSERT INTO s2 SELECT UPPER(b) FROM src;
END;
SET 'pipeline.name' = 'second set';
EXECUTE STATEMENT SET
BEGIN
  INSERT INTO s2 SELECT CASE WHEN a > 1 THEN 'x' ELSE b END FROM src;
  INSERT INTO s1 SELECT a, 1 FROM src;
END;
INSERT INTO s2 SELECT 'end' FROM src;
