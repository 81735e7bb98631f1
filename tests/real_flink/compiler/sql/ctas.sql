CREATE TABLE g (a INT, b STRING, c DOUBLE) WITH ('connector'='datagen');
CREATE TABLE copy WITH ('connector'='blackhole') AS SELECT a, UPPER(b) AS b FROM g WHERE c > 0;
CREATE TABLE more (x INT) WITH ('connector'='datagen') LIKE g (OVERWRITING OPTIONS);
INSERT INTO copy SELECT a, b FROM more;
