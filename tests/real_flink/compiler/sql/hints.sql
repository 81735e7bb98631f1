CREATE TABLE t (a INT, b STRING, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector'='datagen');
CREATE TABLE s (a INT, b STRING) WITH ('connector'='print');
INSERT INTO s /*+ OPTIONS('sink.parallelism'='3', 'print-identifier'='a;b') */ SELECT a, b FROM t /*+ OPTIONS('rows-per-second'='1') */;
INSERT INTO s SELECT /*+ STATE_TTL('x'='1d','y'='2d') */ x.a, y.b FROM t x JOIN t y ON x.a = y.a;
INSERT INTO s SELECT /*+ LOOKUP('table'='y') */ x.a, y.b FROM t x JOIN t y ON x.a = y.a; -- end
